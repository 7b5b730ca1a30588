// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "writer/build.h"
#include "writer/plan.h"
#include "writer/tree.h"
#include "xattr/pool.h"

namespace sqfs {

// No fewer bytes than the data of the plan's files and the tables of the whole tree will take, were
// nothing compressed and did the files grow by an eighth; 2^62 at most. Pure.
uint64_t room_for(const BuildOptions& options, const Tree& tree, const Plan& plan,
                  const XattrPool& xattrs);

}  // namespace sqfs
