// SPDX-License-Identifier: MIT
#include "reader/metadata_cache.h"

#include <algorithm>
#include <string>

#include "squashfs-format/metadata.h"
#include "squashfs-format/problem.h"

namespace sqfs {
namespace {

constexpr size_t kMaxKept = 64;  // half a megabyte

}  // namespace

Status ImageBytes::read(uint64_t position, MutableBytes out) {
  const auto ends_early = [&](uint64_t left) {
    return corrupt(Problem::kTruncated, position, 0, 0,
                   std::to_string(out.size()) + " bytes wanted, " + std::to_string(left) + " left");
  };
  if (position > size_ || out.size() > size_ - position) {
    return ends_early(position > size_ ? 0 : size_ - position);
  }
  SQFS_TRY(const size_t got, file_.read_at(offset_ + position, out));
  if (got != out.size()) return ends_early(got);
  return ok();
}

MetadataCache::MetadataCache(ImageBytes& image, Compressor& compressor)
    : image_(image), compressor_(compressor) {}

Result<MetadataCache::Block> MetadataCache::load(uint64_t position) {
  Buffer raw(kMetadataHeaderSize);
  SQFS_CHECKED(image_.read(position, raw));
  ByteReader in(raw);
  SQFS_TRY(const MetadataHeader header, decode_metadata_header(in));
  Buffer stored(header.stored_size);
  SQFS_CHECKED(image_.read(position + kMetadataHeaderSize, stored));
  Block block{{}, position + kMetadataHeaderSize + header.stored_size};
  if (header.is_raw) {
    block.bytes = std::move(stored);
    return block;
  }
  block.bytes.resize(kMetadataBlockSize);
  SQFS_TRY(const size_t size, compressor_.decompress(stored, block.bytes));
  if (size == 0) return corrupt(Problem::kMetadataSizeZero, position);
  block.bytes.resize(size);
  return block;
}

Result<const MetadataCache::Block*> MetadataCache::block(uint64_t position) {
  if (const auto found = kept_.find(position); found != kept_.end()) {
    order_.splice(order_.begin(), order_, found->second.place);
    return &found->second.block;
  }
  SQFS_TRY(Block block, load(position));
  if (kept_.size() == kMaxKept) {
    kept_.erase(order_.back());
    order_.pop_back();
  }
  order_.push_front(position);
  const auto added = kept_.emplace(position, Kept{std::move(block), order_.begin()});
  return &added.first->second.block;
}

Result<Buffer> TableCursor::peek(size_t size) const {
  Buffer out;
  uint64_t position = block_;
  size_t skipped = offset_;
  while (out.size() < size && position < end_) {
    auto loaded = cache_->block(position);
    // The end of the directory table is not recorded, so a glance may go beyond it. What is really
    // needed from a block that cannot be read turns out as too short.
    if (!loaded && !out.empty()) break;
    SQFS_TRY(const MetadataCache::Block* block, std::move(loaded));
    if (skipped > block->bytes.size()) break;
    const Bytes rest = Bytes(block->bytes).subspan(skipped);
    const Bytes part = rest.first(std::min(rest.size(), size - out.size()));
    out.insert(out.end(), part.begin(), part.end());
    position = block->next;
    skipped = 0;
  }
  return out;
}

Status TableCursor::read(MutableBytes out) {
  SQFS_TRY(const Buffer bytes, peek(out.size()));
  if (bytes.size() != out.size()) {
    return corrupt(Problem::kTruncated, block_, 0, 0,
                   std::to_string(out.size()) + " bytes wanted, " + std::to_string(bytes.size()) +
                       " left in the table");
  }
  std::ranges::copy(bytes, out.begin());
  return skip(out.size());
}

Status TableCursor::skip(uint64_t size) {
  while (size > 0) {
    SQFS_TRY(const MetadataCache::Block* block, cache_->block(block_));
    const uint64_t rest = block->bytes.size() - std::min<size_t>(offset_, block->bytes.size());
    if (size < rest) {
      offset_ += static_cast<uint32_t>(size);
      return ok();
    }
    size -= rest;
    block_ = block->next;
    offset_ = 0;
  }
  return ok();
}

}  // namespace sqfs
