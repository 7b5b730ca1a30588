// SPDX-License-Identifier: MIT
#include "fragments/packer.h"

#include <utility>

namespace sqfs {

FragmentPacker::Added FragmentPacker::append(Bytes tail) {
  Added added;
  if (open_.bytes.size() + tail.size() > block_size_) added.full = close();
  // In one piece: growing by doubling would touch twice the memory.
  if (open_.bytes.empty()) open_.bytes.reserve(block_size_);
  added.ref = {open_.index, static_cast<uint32_t>(open_.bytes.size())};
  open_.bytes.insert(open_.bytes.end(), tail.begin(), tail.end());
  return added;
}

Result<FragmentPacker::Added> FragmentPacker::add(Bytes tail, const Digest& digest,
                                                  bool is_whole_file) {
  const auto size = static_cast<uint32_t>(tail.size());
  for (auto* entry = index_.find(size, digest); entry != nullptr;
       entry = index_.find(size, digest, entry)) {
    SQFS_TRY(const bool is_same, holds(entry->ref, tail));
    if (!is_same) continue;
    Added shared{entry->ref, true, entry->is_whole_file != 0, std::nullopt};
    if (is_whole_file) entry->is_whole_file = 1;
    return shared;
  }
  Added added = append(tail);
  index_.insert(size, digest, added.ref, is_whole_file);
  return added;
}

Result<bool> FragmentPacker::holds(FragmentRef ref, Bytes tail) {
  Bytes block = open_.bytes;
  if (ref.index != open_.index) {
    SQFS_TRY(block, closed_blocks_.fragment_bytes(ref.index));
  }
  if (ref.offset > block.size() || tail.size() > block.size() - ref.offset) return false;
  return same_bytes(block.subspan(ref.offset, tail.size()), tail);
}

std::optional<FragmentBlock> FragmentPacker::close() {
  if (open_.bytes.empty()) return std::nullopt;
  FragmentBlock full = std::move(open_);
  open_ = FragmentBlock{full.index + 1, {}};
  return full;
}

}  // namespace sqfs
