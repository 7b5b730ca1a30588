// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sqfs {

// Bounds what a verification keeps in memory: whatever grows with numbers in the image asks first.
class MemoryBudget {
 public:
  explicit MemoryBudget(uint64_t bytes) : total_(bytes), left_(bytes) {}

  // Code::kNoMemory when the bytes are not there.
  Status take(uint64_t bytes) {
    if (bytes > left_) {
      return Error{Code::kNoMemory, 0, 0, 0,
                   "verifying it takes more than the " + std::to_string(total_ >> 20) +
                       " MiB of memory allowed"};
    }
    left_ -= bytes;
    return ok();
  }

  // Appends to a vector that this budget pays for.
  template <class T>
  Status append(std::vector<T>& list, T value) {
    if (list.size() == list.capacity()) {
      const size_t old_size = list.size(), new_size = old_size + std::max<size_t>(old_size / 2, 64);
      SQFS_CHECKED(take(new_size * sizeof(T)));  // while it grows, the old one is there too
      list.reserve(new_size);
      left_ += old_size * sizeof(T);
    }
    list.push_back(std::move(value));
    return ok();
  }

 private:
  uint64_t total_, left_;
};

}  // namespace sqfs
