// SPDX-License-Identifier: MIT
#include "writer/data_fragments.h"

#include <algorithm>
#include <utility>

namespace sqfs {

// Two for each group of the policies: of blocks stored as the options say, and the other way.
uint32_t FragmentStore::group_of(const DataPolicy& policy) const {
  const bool is_other = policy.is_raw(options_.raw_fragments) != options_.raw_fragments;
  return 2 * uint32_t{policy.fragment_group} + (is_other ? 1 : 0);
}

Status FragmentStore::append(Bytes tail, const DataPolicy& policy, FragmentRef& ref) {
  FragmentPacker::Added added = packer_.append(tail, group_of(policy));
  ref = added.ref;
  return added.full ? seal(*std::move(added.full)) : ok();
}

Result<FragmentStore::Stored> FragmentStore::add(Bytes tail, const DataPolicy& policy,
                                                 const Digest& digest, bool is_whole_file) {
  SQFS_TRY(FragmentPacker::Added added, packer_.add(tail, digest, is_whole_file, group_of(policy)));
  if (added.full) SQFS_CHECKED(seal(*std::move(added.full)));
  return Stored{added.ref, is_whole_file && added.is_whole_file_known};
}

Status FragmentStore::close() {
  while (auto last = packer_.close()) SQFS_CHECKED(seal(*std::move(last)));
  return ok();
}

// The block takes its place in the output now, when it is full, not when it is compressed.
Status FragmentStore::seal(FragmentBlock block) {
  const SlotOwner owner{kNoNode, block.index};
  const auto bytes = std::make_shared<const Buffer>(std::move(block.bytes));
  if (block.index >= entries_.size()) {  // blocks of several groups do not fill up in order
    entries_.resize(block.index + 1);
    slots_.resize(block.index + 1 - stored_count_);
  }
  slots_[block.index - stored_count_] = queue_.slot_count();
  if (options_.find_duplicates) {
    cache_.push_front({block.index, bytes});
    if (cache_.size() > cache_blocks_) cache_.pop_back();
  }
  const bool is_raw = options_.raw_fragments != (block.group % 2 != 0);
  if (is_raw) {
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
