// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/warn.h"
#include "writer/build.h"
#include "writer/id_table.h"
#include "writer/tree.h"

namespace sqfs {

// The decisions made between the scan and the first byte written: every order and number that is
// not a result of compression. Tests compare it as values.
struct Plan {
  std::vector<NodeId> files;        // regular files to be stored, in the order of their data
  std::vector<NodeId> directories;  // in the order of their listings: sub-directories first
  std::vector<NodeId> inodes;       // in the order of the inode table; inodes[i] has number i + 1
  IdTable ids;
  uint32_t image_time = 0;
};

// What `node` stands for: itself, or the target of a hard link.
inline NodeId resolve_link(const Tree& tree, NodeId node) {
  const auto* link = std::get_if<HardLink>(&tree.node(node).kind);
  return link == nullptr ? node : link->target;
}

// Gives every node of the sorted tree its final attributes, link count and inode number.
//
// Inodes of one directory follow each other, so that listing it decodes few blocks, and are
// numbered in that order; those of sub-directories' contents come before them, the root's is the
// last. A file with several names goes with the first directory in that order.
//
// Times (cli: -mkfs-time, -inode-time, -root-time, SOURCE_DATE_EPOCH): a host file's mtime is cut
// to 0..2^32-1, with one warning in all, and to the clamp; what the options set comes on top. `now`
// serves where neither host nor options say anything.
//
// Code::kUnsupported: more than 65535 ids.
Result<Plan> make_plan(const BuildOptions& options, int64_t now, const Warn& warn, Tree& tree);

}  // namespace sqfs
