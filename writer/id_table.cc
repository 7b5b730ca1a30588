// SPDX-License-Identifier: MIT
#include "writer/id_table.h"

#include <cassert>

#include "squashfs-format/constants.h"

namespace sqfs {

Status IdTable::add_user(uint32_t id) { return add(id, kUser); }

Status IdTable::add_group(uint32_t id) { return add(id, kGroup); }

uint16_t IdTable::index_of(uint32_t id) const {
  const auto found = indices_.find(id);
  assert(found != indices_.end());
  return found->second;
}

Status IdTable::add(uint32_t id, Role role) {
  const auto [at, is_new] = indices_.try_emplace(id, static_cast<uint16_t>(ids_.size()));
  if (is_new && ids_.size() >= kMaxIds) {
    indices_.erase(at);
    return unsupported_error(
        "Out of ids: the files have more than 65535 different owners and groups, which is all that "
        "an image can hold (-all-root, -force-uid and -force-gid reduce them)");
  }
  if (is_new) {
    ids_.push_back(id);
    roles_.push_back(0);
  }
  roles_[at->second] |= role;
  return ok();
}

std::vector<uint32_t> IdTable::with_role(Role role) const {
  std::vector<uint32_t> out;
  for (size_t i = 0; i < ids_.size(); ++i) {
    if ((roles_[i] & role) != 0) out.push_back(ids_[i]);
  }
  return out;
}

}  // namespace sqfs
