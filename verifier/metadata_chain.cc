// SPDX-License-Identifier: MIT
#include "verifier/metadata_chain.h"

#include <algorithm>

#include "squashfs-format/metadata.h"

namespace sqfs {
namespace {

// Reads headers one after the other: through a window, because most blocks are short.
class HeaderReader {
 public:
  HeaderReader(const ImageFile& image, uint64_t limit) : image_(image), limit_(limit) {}

  // The two bytes at `position`, which lie below the limit.
  Result<Bytes> at(uint64_t position) {
    if (position < start_ || position + kMetadataHeaderSize > start_ + window_.size()) {
      window_.resize(std::min<uint64_t>(kWindowSize, limit_ - position));
      start_ = position;
      SQFS_CHECKED(image_.read(position, window_));
    }
    return Bytes(window_).subspan(position - start_, kMetadataHeaderSize);
  }

 private:
  static constexpr uint64_t kWindowSize = 64 << 10;
  const ImageFile& image_;
  const uint64_t limit_;
  uint64_t start_ = 0;
  Buffer window_;
};

}  // namespace

Result<MetadataChain> MetadataChain::walk(const ChainTools& tools, Region region, uint64_t start,
                                          uint64_t limit, uint64_t max_blocks, Findings* findings) {
  MetadataChain chain(tools, region, start);
  HeaderReader headers(*tools.image, limit);
  while (chain.end_ < limit && chain.blocks_.size() < max_blocks) {
    const Place place{Where::kTable, chain.end_, kNoRecord, std::string(region_name(region))};
    if (limit - chain.end_ < kMetadataHeaderSize) {
      if (findings != nullptr) {
        findings->report(Problem::kMetadataOutside, place, kMetadataHeaderSize, limit - chain.end_);
      }
      return chain;
    }
    SQFS_TRY(const Bytes raw_header, headers.at(chain.end_));
    ByteReader in(raw_header);
    const auto header = decode_metadata_header(in);
    if (!header) {
      if (findings != nullptr) findings->report(header.error(), place);
      return chain;
    }
    SQFS_TRY(const bool appended, chain.append(*header, limit, findings));
    if (!appended) return chain;
  }
  chain.complete_ = true;
  return chain;
}

Result<bool> MetadataChain::append(const MetadataHeader& header, uint64_t limit,
                                   Findings* findings) {
  const uint64_t size = uint64_t{kMetadataHeaderSize} + header.stored_size;
  if (size > limit - end_) {
    if (findings != nullptr) {
      const Place at{Where::kTable, end_, kNoRecord, std::string(region_name(region_))};
      findings->report(Problem::kMetadataOutside, at, size, limit - end_);
    }
    return false;
  }
  SQFS_CHECKED(tools_.budget->append(
      blocks_, Block{end_, header.stored_size, header.is_raw, Block::kUnread}));
  end_ += size;
  return true;
}

Place MetadataChain::place(size_t index) const {
  const uint64_t offset = index < blocks_.size() ? blocks_[index].position : end_;
  return {Where::kTable, offset, kNoRecord, std::string(region_name(region_))};
}

std::optional<size_t> MetadataChain::find(uint64_t position) const {
  const auto it =
      std::lower_bound(blocks_.begin(), blocks_.end(), position,
                       [](const Block& block, uint64_t wanted) { return block.position < wanted; });
  if (it == blocks_.end() || it->position != position) return std::nullopt;
  return static_cast<size_t>(it - blocks_.begin());
}

Result<Bytes> MetadataChain::load(size_t index, Findings& findings) {
  if (slots_.empty()) slots_.resize(std::min(kSlots, blocks_.size()));
  Slot& slot = slots_[index % slots_.size()];
  Block& block = blocks_[index];
  if (slot.block == index) return Bytes(slot.data).first(slot.size);
  if (block.state == Block::kBad) return Bytes();
  slot.block = ~size_t{0};
  SQFS_CHECKED(fill(slot, block, place(index), findings));
  if (block.state == Block::kBad) return Bytes();
  slot.block = index;
  return Bytes(slot.data).first(slot.size);
}

// Reads and decompresses `block` into `slot`. What is wrong is reported the first time only.
Status MetadataChain::fill(Slot& slot, Block& block, const Place& place, Findings& findings) {
  const bool is_first = block.state == Block::kUnread;
  const uint64_t payload = block.position + kMetadataHeaderSize;
  block.state = Block::kGood;
  if (block.is_raw) {
    slot.size = block.stored_size;
    return tools_.image->read(payload, MutableBytes(slot.data).first(slot.size));
  }
  stored_.resize(block.stored_size);
  SQFS_CHECKED(tools_.image->read(payload, stored_));
  const Result<size_t> size = tools_.decompressor->decompress(stored_, slot.data);
  if (!size && size.error().code != Code::kCorrupt) return size.error();
  if (!size || *size == 0) {
    block.state = Block::kBad;
    if (!size) {
      findings.report(size.error(), place);
    } else {
      findings.report(Problem::kCompressedCorrupt, place, 0, 0, "it holds nothing");
    }
    return ok();
  }
  slot.size = *size;
  if (!is_first) return ok();
  if (const auto issue = check_stream(tools_.compressor_id, stored_, payload, slot.size)) {
    findings.report(issue->problem, place, issue->found, issue->expected, issue->detail);
  }
  return ok();
}

// --- cursor --------------------------------------------------------------------------------------

void MetadataCursor::seek(StreamPosition position) {
  at_ = position;
  hit_bad_block_ = false;
}

Result<bool> MetadataCursor::seek_ref(const MetadataRef& ref) {
  hit_bad_block_ = false;
  // Compared before the addition: a reference may name anything.
  if (ref.block > ~uint64_t{0} - chain_.start()) return false;
  const auto block = chain_.find(chain_.start() + ref.block);
  if (!block) return false;
  SQFS_TRY(const Bytes view, chain_.load(*block, findings_));
  hit_bad_block_ = view.empty();
  if (view.empty() || ref.offset > view.size()) return false;
  at_ = {*block, ref.offset};
  return true;
}

Result<Bytes> MetadataCursor::settle() {
  hit_bad_block_ = false;
  while (at_.block < chain_.block_count()) {
    SQFS_TRY(const Bytes view, chain_.load(at_.block, findings_));
    hit_bad_block_ = view.empty();
    if (view.empty()) return Bytes();
    if (at_.offset < view.size()) return view.subspan(at_.offset);
    at_ = {at_.block + 1, 0};
  }
  return Bytes();
}

Result<Bytes> MetadataCursor::peek(size_t wanted) {
  SQFS_TRY(const Bytes first, settle());
  if (first.size() >= wanted || first.empty()) return first;
  joined_.assign(first.begin(), first.end());
  for (uint64_t next = at_.block + 1; next < chain_.block_count() && joined_.size() < wanted;
       ++next) {
    SQFS_TRY(const Bytes view, chain_.load(next, findings_));
    hit_bad_block_ = view.empty();
    if (view.empty()) break;
    joined_.insert(joined_.end(), view.begin(), view.end());
  }
  return Bytes(joined_);
}

Result<uint64_t> MetadataCursor::skip(uint64_t count) {
  uint64_t left = count;
  while (left > 0) {
    SQFS_TRY(const Bytes view, settle());
    if (view.empty()) break;
    const uint64_t step = std::min<uint64_t>(left, view.size());
    at_.offset += static_cast<uint32_t>(step);
    left -= step;
  }
  return count - left;
}

MetadataRef MetadataCursor::ref() const {
  const uint64_t position =
      at_.block < chain_.block_count() ? chain_.position(at_.block) : chain_.end();
  return {position - chain_.start(), static_cast<uint16_t>(at_.offset)};
}

Place MetadataCursor::place() const { return chain_.place(at_.block); }

uint64_t MetadataCursor::remaining_at_most() const {
  const uint64_t blocks =
      chain_.block_count() - std::min<uint64_t>(at_.block, chain_.block_count());
  const uint64_t bytes = blocks * kMetadataBlockSize;
  return bytes - std::min<uint64_t>(bytes, at_.offset);
}

}  // namespace sqfs
