// SPDX-License-Identifier: MIT
#include "xattr/pool.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "squashfs-format/constants.h"

namespace sqfs {
namespace {

uint64_t hash_of(const XattrSet& set) {
  constexpr std::hash<std::string_view> kHash;
  uint64_t hash = set.size();
  for (const XattrPair& pair : set) {
    hash = hash * 31 + kHash(pair.name);
    hash = hash * 31 + kHash(as_text(pair.value));
  }
  return hash;
}

}  // namespace

uint32_t XattrPool::intern(XattrSet set) {
  if (set.empty()) return kNoXattr;
  std::sort(set.begin(), set.end(),
            [](const XattrPair& a, const XattrPair& b) { return a.name < b.name; });
  const uint64_t hash = hash_of(set);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (sets_[it->second] == set) return it->second;
  }
  const auto id = static_cast<uint32_t>(sets_.size());
  sets_.push_back(std::move(set));
  by_hash_.emplace(hash, id);
  return id;
}

}  // namespace sqfs
