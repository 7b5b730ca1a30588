// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/env.h"
#include "fragments/fragment_ref.h"
#include "squashfs-format/constants.h"
#include "squashfs-format/metadata.h"
#include "writer/data_policy.h"
#include "xattr/pool.h"

// The tree that is to become an image, in memory. Sources fill it, the plan numbers it, the data
// stage fills in where each file's bytes went, the table stage writes it down. Nothing here does
// I/O.
namespace sqfs {

using NodeId = uint32_t;
inline constexpr NodeId kRootNode = 0;
inline constexpr NodeId kNoNode = ~NodeId{0};

struct Attributes {
  uint16_t mode = 0;  // 07777
  uint32_t uid = 0, gid = 0;
  int64_t mtime = 0;            // seconds; the plan clamps it to what the format holds
  bool is_fabricated = false;   // no file on the host stands behind mtime
  bool is_owner_final = false;  // the options that set owners and modes of everything ...
  bool is_time_final = false;   // ... and times leave it alone
};

// Where the bytes of a file come from when it is not the host file of its node. Thread-safe.
class Content {
 public:
  virtual ~Content() = default;
  virtual Result<std::unique_ptr<InputFile>> open(Env& env) const = 0;
};

// Where a file's bytes are in the image. Written by the data stage alone.
struct FileLayout {
  uint64_t start = 0;   // absolute position of the first stored block; 0 when there is none
  uint64_t size = 0;    // as read, which may differ from what the scan saw
  uint64_t sparse = 0;  // bytes in holes, as the inode's sparse field wants them
  std::vector<uint32_t> block_words;
  FragmentRef tail;
};

struct Directory {
  std::vector<NodeId> children;  // after Tree::sort(): by the bytes of their names
  bool has_exclusions = false;   // something in it was left out because it was asked for
};
struct RegularFile {
  uint64_t expected_size = 0;        // what the scan saw
  bool is_sparse_on_host = false;    // fewer bytes allocated than its size
  std::unique_ptr<Content> content;  // null: the host file at Tree::host_path()
  FileIdentity identity;             // of the host file that was scanned; all 0: not known
  bool is_stored = false;            // its data is in the image already and `layout` is final
  int16_t priority = 0;              // of -sort: higher ones are stored first
  DataPolicy policy;                 // of -action: how its data is stored
  FileLayout layout;
};
struct Symlink {
  std::string target;
};
struct DeviceNode {
  bool is_block = false;
  uint32_t major = 0, minor = 0;
};
struct IpcNode {
  bool is_socket = false;
};
// A further name of another node, which is never a HardLink itself nor a directory.
struct HardLink {
  NodeId target = kNoNode;
};

using NodeKind = std::variant<Directory, RegularFile, Symlink, DeviceNode, IpcNode, HardLink>;

// The type that a node's inode has in its basic form. `kind` must not be a HardLink.
InodeType basic_inode_type(const NodeKind& kind);

struct Node {
  std::string name;  // one component; empty for the root
  NodeId parent = kNoNode;
  Attributes attributes;
  uint32_t xattr_set = kNoXattr;      // id in the XattrPool
  uint32_t nlink = 1;                 // directories: 2 + sub-directories; others: names in the tree
  uint32_t inode_number = 0;          // given by the plan; hard links share their target's
  MetadataRef inode_ref;              // given by the table stage
  uint32_t host_root = ~uint32_t{0};  // index into the host roots when a source starts here
  bool is_made_up = false;            // neither it nor what is below it is on the host
  NodeKind kind;

  bool is_directory() const { return std::holds_alternative<Directory>(kind); }
  bool is_file() const { return std::holds_alternative<RegularFile>(kind); }
};

// Owns all nodes; node 0 is the root directory. Ids never change, and nodes that were taken out of
// the tree go on existing.
class Tree {
 public:
  Tree();

  NodeId add(NodeId parent, Node node);  // appends to the parent's children, unsorted
  Node& node(NodeId id) { return nodes_[id]; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  size_t size() const { return nodes_.size(); }

  Directory& directory(NodeId id) { return std::get<Directory>(nodes_[id].kind); }
  RegularFile& file(NodeId id) { return std::get<RegularFile>(nodes_[id].kind); }
  const RegularFile& file(NodeId id) const { return std::get<RegularFile>(nodes_[id].kind); }

  NodeId find_child(NodeId directory, std::string_view name) const;  // kNoNode: none

  // Takes a node, with all below it, out of its directory. Hard links to what is no longer there
  // are mended by settle_links(). Not for the root.
  void detach(NodeId id);
  // Puts a node elsewhere, where no node has that name; `parent` must not lie below it.
  void move(NodeId id, NodeId parent, std::string name);
  // Where the target of a hard link is no longer in the tree, the first of its links that is, by
  // path, takes over its content.
  void settle_links();
  bool is_reachable(NodeId id) const;

  GivenXattrs& given_xattrs(NodeId id) { return given_xattrs_[id]; }
  const GivenXattrs* find_given_xattrs(NodeId id) const;  // null: none

  // Says that `id` is the host object at `path`; nodes below it are found by their names.
  void set_host_root(NodeId id, std::string path);
  bool is_host_root(NodeId id) const { return nodes_[id].host_root < host_roots_.size(); }

  std::string image_path(NodeId id) const;  // "/a/b"; "/" for the root
  std::string host_path(NodeId id) const;   // path to open on the host; empty: none

  void sort();  // every directory's children, by unsigned bytes of their names

 private:
  std::vector<Node> nodes_;
  std::vector<std::string> host_roots_;
  std::unordered_map<NodeId, GivenXattrs> given_xattrs_;
};

}  // namespace sqfs
