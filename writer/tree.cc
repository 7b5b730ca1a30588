// SPDX-License-Identifier: MIT
#include "writer/tree.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/text.h"

namespace sqfs {

InodeType basic_inode_type(const NodeKind& kind) {
  assert(!std::holds_alternative<HardLink>(kind));
  if (std::holds_alternative<Directory>(kind)) return InodeType::kDir;
  if (std::holds_alternative<Symlink>(kind)) return InodeType::kSymlink;
  if (const auto* device = std::get_if<DeviceNode>(&kind)) {
    return device->is_block ? InodeType::kBlockDevice : InodeType::kCharDevice;
  }
  if (const auto* ipc = std::get_if<IpcNode>(&kind)) {
    return ipc->is_socket ? InodeType::kSocket : InodeType::kFifo;
  }
  return InodeType::kFile;
}

Tree::Tree() {
  nodes_.emplace_back();
  nodes_[kRootNode].kind = Directory{};
}

NodeId Tree::add(NodeId parent, Node node) {
  const auto id = static_cast<NodeId>(nodes_.size());
  node.parent = parent;
  nodes_.push_back(std::move(node));
  directory(parent).children.push_back(id);
  return id;
}

NodeId Tree::find_child(NodeId directory, std::string_view name) const {
  for (const NodeId child : std::get<Directory>(nodes_[directory].kind).children) {
    if (nodes_[child].name == name) return child;
  }
  return kNoNode;
}

void Tree::detach(NodeId id) {
  assert(id != kRootNode);
  auto& children = directory(nodes_[id].parent).children;
  children.erase(std::find(children.begin(), children.end(), id));
  nodes_[id].parent = kNoNode;
}

void Tree::move(NodeId id, NodeId parent, std::string name) {
  // Its host path is found through its parents, who change.
  if (std::string path = host_path(id); !path.empty()) set_host_root(id, std::move(path));
  detach(id);
  nodes_[id].name = std::move(name);
  nodes_[id].parent = parent;
  directory(parent).children.push_back(id);
}

bool Tree::is_reachable(NodeId id) const {
  while (id != kRootNode && id != kNoNode) id = nodes_[id].parent;
  return id == kRootNode;
}

void Tree::settle_links() {
  std::unordered_map<NodeId, NodeId> heirs;  // of targets that are gone
  std::vector<NodeId> todo = {kRootNode};
  while (!todo.empty()) {
    const NodeId id = todo.back();
    todo.pop_back();
    if (const auto* directory = std::get_if<Directory>(&nodes_[id].kind)) {
      todo.insert(todo.end(), directory->children.rbegin(), directory->children.rend());
    }
    auto* link = std::get_if<HardLink>(&nodes_[id].kind);
    if (link == nullptr || is_reachable(link->target)) continue;
    const NodeId target = link->target;
    const auto [heir, is_first] = heirs.emplace(target, id);
    if (!is_first) {
      link->target = heir->second;
      continue;
    }
    nodes_[id].kind = std::move(nodes_[target].kind);
    nodes_[id].attributes = nodes_[target].attributes;
    if (const GivenXattrs* given = find_given_xattrs(target)) given_xattrs_[id] = *given;
  }
}

const GivenXattrs* Tree::find_given_xattrs(NodeId id) const {
  const auto found = given_xattrs_.find(id);
  return found == given_xattrs_.end() ? nullptr : &found->second;
}

void Tree::set_host_root(NodeId id, std::string path) {
  nodes_[id].host_root = static_cast<uint32_t>(host_roots_.size());
  host_roots_.push_back(std::move(path));
}

std::string Tree::image_path(NodeId id) const {
  if (id == kRootNode) return "/";
  std::vector<NodeId> chain;
  for (NodeId at = id; at != kRootNode; at = nodes_[at].parent) chain.push_back(at);
  std::string path;
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) path += "/" + nodes_[*it].name;
  return path;
}

std::string Tree::host_path(NodeId id) const {
  std::vector<NodeId> chain;
  NodeId at = id;
  while (at != kNoNode && nodes_[at].host_root >= host_roots_.size()) {
    if (nodes_[at].is_made_up) return {};
    chain.push_back(at);
    at = nodes_[at].parent;
  }
  if (at == kNoNode) return {};
  std::string path = host_roots_[nodes_[at].host_root];
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    path = join_path(path, nodes_[*it].name);
  }
  return path;
}

void Tree::sort() {
  const auto by_name = [this](NodeId a, NodeId b) { return nodes_[a].name < nodes_[b].name; };
  for (Node& node : nodes_) {
    if (auto* dir = std::get_if<Directory>(&node.kind)) {
      std::sort(dir->children.begin(), dir->children.end(), by_name);
    }
  }
}

}  // namespace sqfs
