// SPDX-License-Identifier: MIT
#include "writer/archive_tree.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "squashfs-format/directory.h"

namespace sqfs {
namespace {

constexpr int kMaxSymlinks = 40;  // as many as Linux follows

std::string text_of(std::span<const std::string> path) {
  std::string text;
  for (const std::string& name : path) text += (text.empty() ? "" : "/") + name;
  return printable(text);
}

}  // namespace

Result<PathNames> split_archive_path(std::string_view path) {
  PathNames names;
  for (const std::string_view name : split(path, '/')) {
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      if (names.empty()) continue;
      return unsupported_error("the path " + printable(path) + " contains \"..\" behind a name");
    }
    if (!is_legal_name(name)) {
      return unsupported_error("the path " + printable(path) +
                               " cannot be stored: names have 1 to 255 bytes");
    }
    names.emplace_back(name);
  }
  return names;
}

Status ArchiveTree::put(Item item) {
  if (item.path.empty()) return put_root(std::move(item));
  SQFS_TRY(const Found found, find(item.path, true));
  if (item.link_target) return put_link(found, std::move(item));
  return put_node(found, std::move(item));
}

void ArchiveTree::remove(std::span<const std::string> path) {
  const auto found = find(path, false);
  if (found && found->node != kNoNode && found->node != kRootNode) take_out(found->node);
}

void ArchiveTree::empty(std::span<const std::string> path) {
  const auto found = find(path, false);
  if (!found || found->node == kNoNode || !tree_.node(found->node).is_directory()) return;
  auto& children = tree_.directory(found->node).children;
  for (const NodeId child : children) {
    index_.erase(child);
    open_links_.erase(child);
    tree_.node(child).parent = kNoNode;
  }
  children.clear();
}

void ArchiveTree::finish() {
  const auto open = std::exchange(open_links_, {});
  std::unordered_set<NodeId> done;  // followed, with or without success
  for (const auto& [first, path] : open) {
    // Links that lead to one another in a circle have no target.
    std::vector<NodeId> chain;
    NodeId target = first;
    while (target != kNoNode && open.contains(target) && done.insert(target).second) {
      chain.push_back(target);
      const auto found = find(open.at(target), false);
      target = found ? found->node : kNoNode;
    }
    target = content_of(target);
    const bool is_found = target != kNoNode && !tree_.node(target).is_directory();
    if (is_found && !chain.empty()) has_links_.insert(target);
    for (const NodeId id : chain) {
      if (is_found) tree_.node(id).kind = HardLink{target};
    }
  }
  for (const auto& [id, path] : open) {
    if (content_of(id) != kNoNode) continue;
    warn_("The hard link " + printable(tree_.image_path(id)) + " is left out: its target " +
          text_of(path) + " is not in the archive, or cannot have links");
    take_out(id);
  }
  ++archive_;
}

bool ArchiveTree::is_of_earlier_archive(NodeId id) const {
  return id >= touched_by_.size() || touched_by_[id] != archive_;
}

// Symlinks on the way are followed inside the image, the last name never.
Result<ArchiveTree::Found> ArchiveTree::find(std::span<const std::string> path,
                                             bool makes_directories) {
  PathNames todo(path.rbegin(), path.rend());  // the next one last
  NodeId at = kRootNode;
  int symlinks = 0;
  while (!todo.empty()) {
    const std::string name = std::move(todo.back());
    todo.pop_back();
    if (name == "..") {
      if (at != kRootNode) at = tree_.node(at).parent;
      continue;
    }
    NodeId child = index_.find(at, name);
    const NodeId named = child;
    if (todo.empty()) return Found{child, at, name};
    if (child != kNoNode && std::holds_alternative<HardLink>(tree_.node(child).kind)) {
      const NodeId target = std::get<HardLink>(tree_.node(child).kind).target;
      if (target != kNoNode) child = target;
    }
    if (child == kNoNode) {
      if (!makes_directories) return Found{};
      at = make_directory(at, name);
    } else if (tree_.node(child).is_directory()) {
      at = child;
    } else if (const auto* link = std::get_if<Symlink>(&tree_.node(child).kind)) {
      if (++symlinks > kMaxSymlinks) {
        return unsupported_error("the path " + text_of(path) + " leads through too many symlinks");
      }
      if (link->target.starts_with('/')) at = kRootNode;
      const auto names = split(link->target, '/');
      for (auto it = names.rbegin(); it != names.rend(); ++it) {
        if (!it->empty() && *it != ".") todo.emplace_back(*it);
      }
    } else if (makes_directories && is_of_earlier_archive(named)) {
      take_out(named);
      at = make_directory(at, name);
    } else {
      return unsupported_error("the path " + text_of(path) + " leads through " + printable(name) +
                               ", which is no directory");
    }
  }
  return Found{at, tree_.node(at).parent, tree_.node(at).name};
}

NodeId ArchiveTree::make_directory(NodeId parent, const std::string& name) {
  return add(Found{kNoNode, parent, name}, Item{{}, {}, false, made_up_, Directory{}, {}});
}

Status ArchiveTree::put_root(Item item) {
  if (item.link_target || !std::holds_alternative<Directory>(item.kind)) {
    warn_("An entry for the root of the archive is left out: it is no directory");
    return ok();
  }
  fill(kRootNode, std::move(item));
  return ok();
}

Status ArchiveTree::put_link(const Found& found, Item item) {
  SQFS_TRY(const NodeId target, find_target(*item.link_target));
  if (target != kNoNode && tree_.node(target).is_directory()) {
    warn_("The hard link " + text_of(item.path) + " is left out: its target " +
          text_of(*item.link_target) + " is a directory");
    return ok();
  }
  if (target == kNoNode) {
    if (item.has_data) return put_node(found, std::move(item));
    PathNames path = *item.link_target;
    item.kind = HardLink{kNoNode};
    const NodeId before = found.node;
    SQFS_CHECKED(put_node(found, std::move(item)));
    const NodeId now = index_.find(found.directory, found.name);
    const bool was_kept = now == before && tree_.node(now).is_directory();
    if (!was_kept) open_links_[now] = std::move(path);
    return ok();
  }
  if (item.has_data && tree_.node(target).is_file()) {
    tree_.node(target).kind = std::move(item.kind);
  }
  if (found.node == target) return ok();
  has_links_.insert(target);
  item.kind = HardLink{target};
  return put_node(found, std::move(item));
}

Status ArchiveTree::put_node(const Found& found, Item item) {
  if (found.node == kNoNode) {
    add(found, std::move(item));
    return ok();
  }
  const Node& there = tree_.node(found.node);
  const bool is_directory = std::holds_alternative<Directory>(item.kind);
  if (there.is_directory() && !is_directory) {
    const bool is_filled = !tree_.directory(found.node).children.empty();
    if (is_filled && touched_by_[found.node] == archive_) {
      warn_(text_of(item.path) + " is left out: a directory of that name has content");
      return ok();
    }
  }
  const bool stays = there.is_directory() == is_directory && !has_links_.contains(found.node);
  if (stays) {
    open_links_.erase(found.node);
    fill(found.node, std::move(item));
    return ok();
  }
  take_out(found.node);
  add(found, std::move(item));
  return ok();
}

NodeId ArchiveTree::add(const Found& found, Item item) {
  Node node;
  node.name = found.name;
  const NodeId id = tree_.add(found.directory, std::move(node));
  index_.insert(id);
  fill(id, std::move(item));
  return id;
}

void ArchiveTree::fill(NodeId id, Item item) {
  Node& node = tree_.node(id);
  node.attributes = item.attributes;
  // A directory keeps its children; a new node is one as yet.
  if (!std::holds_alternative<Directory>(item.kind)) node.kind = std::move(item.kind);
  if (!item.xattrs.empty() || tree_.find_given_xattrs(id) != nullptr) {
    tree_.given_xattrs(id).source = std::move(item.xattrs);
  }
  touch(id);
}

// A directory that was touched has touched parents.
void ArchiveTree::touch(NodeId id) {
  touched_by_.resize(std::max(touched_by_.size(), tree_.size()));
  touched_by_[id] = archive_;
  while (id != kRootNode) {
    id = tree_.node(id).parent;
    if (std::exchange(touched_by_[id], archive_) == archive_) break;
  }
}

// What the path of a hard link leads to: never a link itself. kNoNode: nothing, as yet.
Result<NodeId> ArchiveTree::find_target(const PathNames& path) {
  if (path.empty()) return kRootNode;
  auto found = find(path, false);
  if (!found || found->node == kNoNode) return kNoNode;
  return content_of(found->node);
}

// The node that holds what `id` is a name of: of an open link, none.
NodeId ArchiveTree::content_of(NodeId id) const {
  if (id == kNoNode) return kNoNode;
  const auto* link = std::get_if<HardLink>(&tree_.node(id).kind);
  return link == nullptr ? id : link->target;
}

void ArchiveTree::take_out(NodeId id) {
  index_.erase(id);
  open_links_.erase(id);
  tree_.detach(id);
}

}  // namespace sqfs
