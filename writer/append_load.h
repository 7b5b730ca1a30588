// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "reader/image.h"
#include "squashfs-format/tables.h"
#include "writer/tree.h"

namespace sqfs {

// What an image holds, beside the nodes that load_tree() made of it.
struct LoadedImage {
  NodeId first_node = kNoNode, end_node = kNoNode;  // ids from, up to
  Attributes root;                                  // of its root directory
  uint32_t root_xattrs = kNoXattr;                  // its set in the image's xattr table
  std::vector<FragmentEntry> fragments;
  uint64_t data_end = 0;    // behind the last data or fragment block, options block, superblock
  uint64_t file_bytes = 0;  // sum of the sizes of its files
  uint64_t files = 0;
};

// The names in the root directory, in their order.
Result<std::vector<std::string>> names_in_root(Image& image);

// Puts everything below the image's root directory under `root`, in which none of the names is
// taken. The nodes' attributes are final, files are stored, several names of an inode are hard
// links; Node::xattr_set is the number of the set in the image's own table.
//
// Trusts nothing: fails with Code::kCorrupt where an entry and its inode disagree, a directory is
// reached twice, a block or tail lies outside the image, or there is more of anything than the
// tables can hold. Memory is bounded by what the tables hold.
Result<LoadedImage> load_tree(Image& image, NodeId root, Tree& tree);

}  // namespace sqfs
