// SPDX-License-Identifier: MIT
#include "writer/summary.h"

namespace sqfs {
namespace {

using Kind = BuildObserver::FileEvent::Kind;

Kind event_kind(const NodeKind& kind) {
  switch (basic_inode_type(kind)) {
    case InodeType::kDir: return Kind::kDirectory;
    case InodeType::kSymlink: return Kind::kSymlink;
    case InodeType::kBlockDevice: return Kind::kBlockDevice;
    case InodeType::kCharDevice: return Kind::kCharDevice;
    case InodeType::kFifo: return Kind::kFifo;
    case InodeType::kSocket: return Kind::kSocket;
    default: return Kind::kFile;
  }
}

void count_inode(const NodeKind& kind, BuildSummary& summary) {
  switch (event_kind(kind)) {
    case Kind::kFile: ++summary.files; break;
    case Kind::kSymlink: ++summary.symlinks; break;
    case Kind::kDirectory: ++summary.directories; break;
    case Kind::kCharDevice:
    case Kind::kBlockDevice: ++summary.devices; break;
    case Kind::kFifo: ++summary.fifos; break;
    case Kind::kSocket: ++summary.sockets; break;
  }
}

void count_data(const Tree& tree, const Plan& plan, const DataResult& data, BuildSummary& summary) {
  for (const FragmentEntry& entry : data.fragments) {
    summary.fragment_bytes += entry.word & kBlockSizeMask;
  }
  for (const NodeId id : plan.files) {
    if (tree.file(id).layout.tail.index != kNoFragment) ++summary.fragment_tails;
  }
  summary.data_bytes = data.stored_bytes;
  summary.duplicate_bytes = data.duplicate_bytes;
}

}  // namespace

uint64_t block_count(const Tree& tree, std::span<const NodeId> files, uint32_t block_size) {
  uint64_t blocks = 0;
  for (const NodeId id : files) {
    const uint64_t size = tree.file(id).expected_size;
    blocks += size / block_size + (size % block_size != 0 ? 1 : 0);
  }
  return blocks;
}

std::optional<BuildObserver::FileEvent> table_event(const Tree& tree, NodeId name) {
  const NodeId target = resolve_link(tree, name);
  const Node& node = tree.node(target);
  if (node.is_file() && name == target) return std::nullopt;
  BuildObserver::FileEvent event;
  event.kind = event_kind(node.kind);
  event.image_path = tree.image_path(name);
  if (node.is_file()) event.size = tree.file(target).layout.size;
  event.inode_ref = node.inode_ref.packed();
  event.is_link = name != target;
  return event;
}

BuildSummary summarize(const Tree& tree, const Plan& plan, const DataResult& data,
                       const TableResult& tables) {
  BuildSummary summary;
  summary.flags = tables.superblock.flags;
  summary.block_size = tables.superblock.block_size;
  summary.bytes_used = tables.superblock.bytes_used;
  summary.file_bytes = data.input_bytes;
  summary.inode_table = tables.inode_table;
  summary.directory_table = tables.directory_table;
  summary.xattr_table = tables.xattr_table;
  summary.duplicate_files = data.duplicate_files;
  count_data(tree, plan, data, summary);
  summary.inodes = plan.inodes.size();
  summary.fragments = data.fragments.size();
  for (const NodeId id : plan.inodes) count_inode(tree.node(id).kind, summary);
  summary.hard_links = tree.size() - plan.inodes.size();
  summary.ids = tables.superblock.id_count;
  summary.uids = plan.ids.users();
  summary.gids = plan.ids.groups();
  return summary;
}

}  // namespace sqfs
