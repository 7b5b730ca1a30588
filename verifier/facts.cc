// SPDX-License-Identifier: MIT
#include "verifier/facts.h"

#include <algorithm>

namespace sqfs {

uint32_t Facts::find_inode(uint64_t ref) const {
  const auto it =
      std::lower_bound(inodes.begin(), inodes.end(), ref,
                       [](const InodeFact& inode, uint64_t wanted) { return inode.ref < wanted; });
  if (it == inodes.end() || it->ref != ref) return kNoRecord;
  return static_cast<uint32_t>(it - inodes.begin());
}

bool Facts::is_unjudged(uint64_t ref) const {
  return std::any_of(unjudged_refs.begin(), unjudged_refs.end(),
                     [&](const auto& range) { return range.first <= ref && ref < range.second; });
}

}  // namespace sqfs
