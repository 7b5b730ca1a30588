// SPDX-License-Identifier: MIT
#include "writer/tree_writer.h"

#include <cassert>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "squashfs-format/inode.h"
#include "writer/listing_writer.h"

namespace sqfs {
namespace {

using Body = decltype(Inode::body);

constexpr size_t kWordsAtOnce = 1u << 18;  // of a file, between two looks at whether to go on

Error interrupted() { return Error{Code::kCancelled, 0, 0, 0, "interrupted"}; }

// Without the block words, which may be many.
FileBody file_body(const Node& node, const FileLayout& layout) {
  FileBody body;
  body.start = layout.start;
  body.size = layout.size;
  body.sparse = layout.sparse;
  body.nlink = node.nlink;
  body.fragment = layout.tail.index;
  body.fragment_offset = layout.tail.offset;
  body.xattr = node.xattr_set;
  return body;
}

// The body of an inode that is no directory's.
Body body_of(const Node& node) {
  if (const auto* file = std::get_if<RegularFile>(&node.kind)) {
    return file_body(node, file->layout);
  }
  if (const auto* link = std::get_if<Symlink>(&node.kind)) {
    return SymlinkBody{node.nlink, link->target, node.xattr_set};
  }
  if (const auto* device = std::get_if<DeviceNode>(&node.kind)) {
    return DeviceBody{node.nlink, encode_device({device->major, device->minor}), node.xattr_set};
  }
  assert(std::holds_alternative<IpcNode>(node.kind));
  return IpcBody{node.nlink, node.xattr_set};
}

class TreeWriter {
 public:
  TreeWriter(const Plan& plan, Tree& tree, MetadataWriter& inode_table,
             MetadataWriter& directory_table, const std::function<void(NodeId)>& visit,
             const std::function<bool()>& cancelled)
      : plan_(plan),
        tree_(tree),
        inode_table_(inode_table),
        directory_table_(directory_table),
        visit_(visit),
        cancelled_(cancelled) {}

  Status run() {
    for (const NodeId directory : plan_.directories) {
      if (cancelled_()) return interrupted();
      SQFS_CHECKED(write_children(directory));
    }
    SQFS_CHECKED(write_inode(kRootNode));
    visit_(kRootNode);
    return ok();
  }

 private:
  Status write_children(NodeId directory) {
    std::vector<ListingEntry> entries;
    entries.reserve(tree_.directory(directory).children.size());
    for (const NodeId child : tree_.directory(directory).children) {
      const NodeId target = resolve_link(tree_, child);
      if (tree_.node(target).inode_number == written_ + 1) SQFS_CHECKED(write_inode(target));
      const Node& node = tree_.node(target);
      entries.push_back(
          {tree_.node(child).name, node.inode_ref, node.inode_number, basic_inode_type(node.kind)});
      visit_(child);
    }
    SQFS_TRY(listings_[directory], append_listing(entries, directory_table_));
    return ok();
  }

  Status write_inode(NodeId id) {
    Node& node = tree_.node(id);
    Inode inode;
    if (node.is_directory()) {
      inode.body = directory_body(id);
    } else {
      inode.body = body_of(node);
    }
    inode.header.type = basic_inode_type(node.kind);
    inode.header.mode = node.attributes.mode;
    inode.header.uid_index = plan_.ids.index_of(node.attributes.uid);
    inode.header.gid_index = plan_.ids.index_of(node.attributes.gid);
    inode.header.mtime = static_cast<uint32_t>(node.attributes.mtime);
    inode.header.number = node.inode_number;
    if (needs_extended(inode)) inode.header.type = extended_type(inode.header.type);

    node.inode_ref = inode_table_.position();
    if (!node.inode_ref.fits_kernel()) return unsupported_error("Inode table over 4 GiB");
    bytes_.clear();
    ByteWriter out(bytes_);
    encode(inode, out);
    ++written_;
    if (node.is_file()) SQFS_CHECKED(write_words(tree_.file(id).layout.block_words, out));
    return inode_table_.append(bytes_);
  }

  // Leaves the last words in bytes_, behind what is there.
  Status write_words(std::span<const uint32_t> words, ByteWriter& out) {
    while (words.size() > kWordsAtOnce) {
      for (const uint32_t word : words.first(kWordsAtOnce)) out.u32(word);
      words = words.subspan(kWordsAtOnce);
      SQFS_CHECKED(inode_table_.append(bytes_));
      bytes_.clear();
      if (cancelled_()) return interrupted();
    }
    for (const uint32_t word : words) out.u32(word);
    return ok();
  }

  // From the directory's listing, which is not needed afterwards.
  DirBody directory_body(NodeId id) {
    const Node& node = tree_.node(id);
    Listing listing = std::move(listings_.extract(id).mapped());
    DirBody body;
    body.start_block = listing.start_block;
    body.offset = listing.offset;
    body.nlink = node.nlink;
    body.file_size = listing.file_size;
    // The root's parent is no inode of the image: the first number that is not in use.
    body.parent = id == kRootNode ? static_cast<uint32_t>(plan_.inodes.size() + 1)
                                  : tree_.node(node.parent).inode_number;
    body.xattr = node.xattr_set;
    body.index_count = static_cast<uint16_t>(listing.index.size());
    body.index = std::move(listing.index);
    return body;
  }

  const Plan& plan_;
  Tree& tree_;
  MetadataWriter& inode_table_;
  MetadataWriter& directory_table_;
  const std::function<void(NodeId)>& visit_;
  const std::function<bool()>& cancelled_;
  uint32_t written_ = 0;  // inodes, which is also the number of the last one
  std::unordered_map<NodeId, Listing> listings_;  // of directories whose inode is still to come
  Buffer bytes_;                                  // scratch
};

}  // namespace

Status write_inodes_and_listings(const Plan& plan, Tree& tree, MetadataWriter& inode_table,
                                 MetadataWriter& directory_table,
                                 const std::function<void(NodeId name)>& visit,
                                 const std::function<bool()>& cancelled) {
  return TreeWriter(plan, tree, inode_table, directory_table, visit, cancelled).run();
}

}  // namespace sqfs
