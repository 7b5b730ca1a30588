// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "base/result.h"
#include "squashfs-format/metadata.h"
#include "writer/metadata_writer.h"
#include "writer/plan.h"
#include "writer/tree.h"

namespace sqfs {

// Writes the inodes and listings of a planned tree whose files are laid out, bottom-up in the
// plan's order, and notes in each node where its inode went. `visit` is called for every name in
// the tree, once its inode is written; the root is the last.
//
// Each inode has the basic form where that can hold it. Code::kUnsupported when a table grows
// beyond 4 GiB, all that a reference can express; Code::kCancelled when `cancelled` returns true.
Status write_inodes_and_listings(const Plan& plan, Tree& tree, MetadataWriter& inode_table,
                                 MetadataWriter& directory_table,
                                 const std::function<void(NodeId name)>& visit,
                                 const std::function<bool()>& cancelled);

}  // namespace sqfs
