// SPDX-License-Identifier: MIT
#include "fragments/packer.h"

#include <algorithm>
#include <utility>

namespace sqfs {

FragmentPacker::Added FragmentPacker::append(Bytes tail, uint32_t group) {
  Added added;
  if (group >= open_.size()) open_.resize(group + 1);
  FragmentBlock& open = open_[group];
  if (open.bytes.size() + tail.size() > block_size_) {
    added.full = std::exchange(open, FragmentBlock{});
  }
  if (open.bytes.empty()) {
    open.index = next_index_++;
    open.group = group;
    // In one piece: growing by doubling would touch twice the memory.
    open.bytes.reserve(block_size_);
  }
  added.ref = {open.index, static_cast<uint32_t>(open.bytes.size())};
  open.bytes.insert(open.bytes.end(), tail.begin(), tail.end());
  return added;
}

Result<FragmentPacker::Added> FragmentPacker::add(Bytes tail, const Digest& digest,
                                                  bool is_whole_file, uint32_t group) {
  const auto size = static_cast<uint32_t>(tail.size());
  for (auto* entry = index_.find(size, digest); entry != nullptr;
       entry = index_.find(size, digest, entry)) {
    SQFS_TRY(const bool is_same, holds(entry->ref, tail));
    if (!is_same) continue;
    Added shared{entry->ref, true, entry->is_whole_file != 0, std::nullopt};
    if (is_whole_file) entry->is_whole_file = 1;
    return shared;
  }
  Added added = append(tail, group);
  index_.insert(size, digest, added.ref, is_whole_file);
  return added;
}

Result<bool> FragmentPacker::holds(FragmentRef ref, Bytes tail) {
  const auto open = std::ranges::find_if(open_, [&](const FragmentBlock& block) {
    return !block.bytes.empty() && block.index == ref.index;
  });
  Bytes block;
  if (open != open_.end()) {
    block = open->bytes;
  } else {
    SQFS_TRY(block, closed_blocks_.fragment_bytes(ref.index));
  }
  if (ref.offset > block.size() || tail.size() > block.size() - ref.offset) return false;
  return same_bytes(block.subspan(ref.offset, tail.size()), tail);
}

std::optional<FragmentBlock> FragmentPacker::close() {
  for (FragmentBlock& open : open_) {
    if (!open.bytes.empty()) return std::exchange(open, FragmentBlock{});
  }
  return std::nullopt;
}

}  // namespace sqfs
