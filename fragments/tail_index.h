// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/digest.h"
#include "fragments/fragment_ref.h"

namespace sqfs {

// Where stored tails are, by size and digest. It holds no bytes: an entry is a hint, which the
// caller confirms on the bytes. A flat table of 24 bytes per entry, because a tree of a million
// small files has a million of them.
class TailIndex {
 public:
  struct Entry {
    uint64_t hash = 0;
    FragmentRef ref;
    uint32_t size : 31 = 0;          // 0: an empty place of the table
    uint32_t is_whole_file : 1 = 0;  // some file consists of this tail alone
  };

  // The first entry of this size and digest, or the next one behind `after`, which an earlier call
  // with the same arguments returned; null when there is none. insert() invalidates entries.
  Entry* find(uint32_t size, const Digest& digest, const Entry* after = nullptr);

  // Adds an entry; equal ones may be there already. 0 < size < 2^31.
  void insert(uint32_t size, const Digest& digest, FragmentRef ref, bool is_whole_file);

  size_t size() const { return count_; }

 private:
  void grow();
  size_t home(uint64_t hash) const { return static_cast<size_t>(hash) & (table_.size() - 1); }

  std::vector<Entry> table_;  // its size is a power of two, or 0; at most 3/4 of it is in use
  size_t count_ = 0;
};

}  // namespace sqfs
