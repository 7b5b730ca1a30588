// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "base/warn.h"
#include "writer/child_index.h"
#include "writer/tree.h"

// How the entries of archives become a tree: as if tar extracted them one after the other, but
// within the image. No I/O; knows nothing of formats.
namespace sqfs {

using PathNames = std::vector<std::string>;

// The names of a path as archives have them: what leads out of the image in front (/, ./, ../) is
// dropped, and so is . anywhere. Code::kUnsupported for .. behind a name, and for a name that the
// format cannot hold. Empty: the root.
Result<PathNames> split_archive_path(std::string_view path);

class ArchiveTree {
 public:
  // What is to stand at a path.
  struct Item {
    PathNames path;
    std::optional<PathNames> link_target;  // a hard link; `kind` holds the data it came with
    bool has_data = false;                 // of a hard link
    Attributes attributes;
    NodeKind kind;
    XattrSet xattrs;
  };

  // `made_up`: what a directory gets that no entry describes. Borrows all.
  ArchiveTree(Tree& tree, Attributes made_up, const Warn& warn)
      : tree_(tree), index_(tree), made_up_(made_up), warn_(warn) {}

  // Puts an item into the tree. A directory that is there already gets the item's attributes and
  // keeps its content; anything else that is there gives way, except a directory that this archive
  // has put something into: that stays, with a warning. Missing directories are made. A path that
  // leads through a symlink goes on where that leads inside the image; other files of earlier
  // archives on the way give way to directories. Code::kUnsupported when the path leads through a
  // file of this archive, or round in circles.
  Status put(Item item);

  // Removes what is at the path, and everything in the directory at the path. Nothing there is
  // fine.
  void remove(std::span<const std::string> path);
  void empty(std::span<const std::string> path);

  // Ends an archive: finds the targets of links that came before them. A link without a target is
  // left out with a warning. What is put from now on belongs to another archive.
  void finish();

 private:
  struct Found {
    NodeId node = kNoNode;       // kNoNode: nothing is there
    NodeId directory = kNoNode;  // where it is, or would be; kNoNode: that is missing too
    std::string name;
  };

  Result<Found> find(std::span<const std::string> path, bool makes_directories);
  NodeId make_directory(NodeId parent, const std::string& name);
  Status put_link(const Found& found, Item item);
  Status put_node(const Found& found, Item item);
  Status put_root(Item item);
  NodeId add(const Found& found, Item item);
  void fill(NodeId id, Item item);
  Result<NodeId> find_target(const PathNames& path);
  NodeId content_of(NodeId id) const;
  bool is_of_earlier_archive(NodeId id) const;
  void take_out(NodeId id);
  void touch(NodeId id);

  Tree& tree_;
  ChildIndex index_;
  Attributes made_up_;
  const Warn& warn_;
  uint32_t archive_ = 1;
  std::vector<uint32_t> touched_by_;        // by node: the last archive that put it or into it
  std::unordered_set<NodeId> has_links_;    // these stay what they are
  std::map<NodeId, PathNames> open_links_;  // whose target is not there yet
};

}  // namespace sqfs
