// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"

// Sets of extended attributes in memory. Many inodes have the same set (think of SELinux labels):
// the pool keeps each once and gives it the number that goes into the inodes. No I/O, no on-disk
// bytes.
namespace sqfs {

struct XattrPair {
  std::string name;  // full: "user.x"; one of the three prefixes that the format knows
  Buffer value;
  bool operator==(const XattrPair&) const = default;
};

using XattrSet =
    std::vector<XattrPair>;  // in a pool: sorted by the bytes of the names, which differ

// Attributes that an inode has beside those of a file on the host.
struct GivenXattrs {
  XattrSet source;        // of the archive entry that it comes from; the user's filters apply
  XattrSet added;         // by definitions: no filter applies
  bool is_final = false;  // `added` is all it has, whatever the options add or filter
  std::function<bool(const std::string& name)> wants;  // a filter beside the user's; null: all
};

class XattrPool {
 public:
  // The number of a set equal to `set`, a new one if there is none; kNoXattr for an empty set. The
  // order of the pairs does not matter. Numbers count up from 0 in the order of first sight.
  uint32_t intern(XattrSet set);

  const std::vector<XattrSet>& sets() const { return sets_; }

 private:
  std::vector<XattrSet> sets_;
  std::unordered_multimap<uint64_t, uint32_t> by_hash_;
};

}  // namespace sqfs
