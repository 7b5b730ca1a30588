// SPDX-License-Identifier: MIT
#include "writer/append_room.h"

#include <algorithm>

#include "squashfs-format/constants.h"

namespace sqfs {
namespace {

constexpr uint64_t kMostRoom = uint64_t{1} << 62;
constexpr uint64_t kSpare = 16u << 20;
// The largest inode without what is of variable size, its place in the export table, and a
// fragment of its own.
constexpr uint64_t kPerInode = 64 + 8 + 16;
// An entry in a run of its own, with an index entry.
constexpr uint64_t kPerName = 8 + 12 + 12;
constexpr uint64_t kPerXattr = 4 + 4 + 8;

uint64_t sum(uint64_t a, uint64_t b) { return std::min(a + b, kMostRoom); }

uint64_t variable_size(const Node& node, uint32_t block_size) {
  if (const auto* link = std::get_if<Symlink>(&node.kind)) return link->target.size();
  const auto* file = std::get_if<RegularFile>(&node.kind);
  if (file == nullptr) return 0;
  const uint64_t words =
      file->is_stored ? file->layout.block_words.size() : file->expected_size / block_size + 1;
  return 4 * words;
}

}  // namespace

uint64_t room_for(const BuildOptions& options, const Tree& tree, const Plan& plan,
                  const XattrPool& xattrs) {
  const uint32_t block_size = options.data.block_size;
  uint64_t data = 0, tables = 4 * kMaxIds;
  for (const NodeId id : plan.files) data = sum(data, tree.file(id).expected_size);
  for (NodeId id = 0; id < tree.size(); ++id) {
    const Node& node = tree.node(id);
    tables = sum(tables, kPerInode + kPerName + 2 * node.name.size());
    tables = sum(tables, variable_size(node, block_size));
  }
  for (const XattrSet& set : xattrs.sets()) {
    tables = sum(tables, 16);
    for (const XattrPair& pair : set) {
      tables = sum(tables, kPerXattr + pair.name.size() + pair.value.size());
    }
  }
  // Headers and index arrays of metadata blocks are a thousandth of what they hold.
  return sum(sum(data, data / 8), sum(sum(tables, tables / 64), kSpare));
}

}  // namespace sqfs
