// SPDX-License-Identifier: MIT
#include "writer/data_fragments.h"

#include <algorithm>
#include <utility>

namespace sqfs {

Status FragmentStore::append(Bytes tail, FragmentRef& ref) {
  FragmentPacker::Added added = packer_.append(tail);
  ref = added.ref;
  return added.full ? seal(*std::move(added.full)) : ok();
}

Result<FragmentStore::Stored> FragmentStore::add(Bytes tail, const Digest& digest,
                                                 bool is_whole_file) {
  SQFS_TRY(FragmentPacker::Added added, packer_.add(tail, digest, is_whole_file));
  if (added.full) SQFS_CHECKED(seal(*std::move(added.full)));
  return Stored{added.ref, is_whole_file && added.is_whole_file_known};
}

Status FragmentStore::close() {
  auto last = packer_.close();
  return last ? seal(*std::move(last)) : ok();
}

// The block takes its place in the output now, when it is full, not when it is compressed.
Status FragmentStore::seal(FragmentBlock block) {
  const SlotOwner owner{kNoNode, block.index};
  const auto bytes = std::make_shared<const Buffer>(std::move(block.bytes));
  entries_.emplace_back();
  slots_.push_back(queue_.slot_count());
  if (options_.find_duplicates) {
    cache_.push_front({block.index, bytes});
    if (cache_.size() > cache_blocks_) cache_.pop_back();
  }
  if (options_.raw_fragments) {
    return queue_.push(owner, *bytes, {static_cast<uint32_t>(bytes->size()), true});
  }
  return queue_.push(owner, std::make_unique<CompressJob>(bytes));
}

Result<Bytes> FragmentStore::fragment_bytes(uint32_t index) {
  const auto known = std::ranges::find(cache_, index, &Cached::index);
  if (known != cache_.end()) {
    cache_.splice(cache_.begin(), cache_, known);
  } else {
    SQFS_TRY(auto bytes, load(index));
    cache_.push_front({index, std::move(bytes)});
    if (cache_.size() > cache_blocks_) cache_.pop_back();
  }
  return Bytes(*cache_.front().bytes);
}

Result<std::shared_ptr<const Buffer>> FragmentStore::load(uint32_t index) {
  if (index >= stored_count_) SQFS_CHECKED(queue_.settle(slots_[index - stored_count_]));
  const uint32_t word = entries_[index].word;
  const bool is_raw = (word & kBlockRawBit) != 0;
  Buffer stored(word & kBlockSizeMask);
  SQFS_CHECKED(queue_.read_at(entries_[index].start, stored));
  if (is_raw) return std::make_shared<const Buffer>(std::move(stored));
  if (compressor_ == nullptr) {
    SQFS_TRY(compressor_, options_.compressor->make(options_.config, options_.block_size));
  }
  Buffer raw(options_.block_size);
  SQFS_TRY(const size_t size, compressor_->decompress(stored, raw));
  raw.resize(size);
  return std::make_shared<const Buffer>(std::move(raw));
}

}  // namespace sqfs
