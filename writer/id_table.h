// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace sqfs {

// The table of user and group ids: inodes hold 16-bit indices into it. Users and groups share it.
class IdTable {
 public:
  // Enters an id in one of the roles or both. Code::kUnsupported when it would be the 65536th id.
  Status add_user(uint32_t id);
  Status add_group(uint32_t id);

  uint16_t index_of(uint32_t id) const;  // of an id that was added

  const std::vector<uint32_t>& ids() const { return ids_; }  // in the order of first sight
  std::vector<uint32_t> users() const { return with_role(kUser); }
  std::vector<uint32_t> groups() const { return with_role(kGroup); }

 private:
  enum Role : uint8_t { kUser = 1, kGroup = 2 };

  Status add(uint32_t id, Role role);
  std::vector<uint32_t> with_role(Role role) const;

  std::vector<uint32_t> ids_;
  std::vector<uint8_t> roles_;  // of each id
  std::unordered_map<uint32_t, uint16_t> indices_;
};

}  // namespace sqfs
