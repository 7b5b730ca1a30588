// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "writer/tree.h"

namespace sqfs {

// Finds the children of a tree's directories by name, however many there are. Knows those nodes
// alone that it was told of; the tree has to outlive it.
class ChildIndex {
 public:
  explicit ChildIndex(const Tree& tree) : nodes_(0, Hash{&tree}, Equal{&tree}) {}

  NodeId find(NodeId directory, std::string_view name) const {  // kNoNode: none
    const auto found = nodes_.find(Key{directory, name});
    return found == nodes_.end() ? kNoNode : *found;
  }
  void insert(NodeId id) { nodes_.insert(id); }
  // To be called while the node is still in its directory.
  void erase(NodeId id) { nodes_.erase(id); }

 private:
  using Key = std::pair<NodeId, std::string_view>;

  struct Hash {
    using is_transparent = void;
    const Tree* tree;
    size_t operator()(const Key& key) const {
      return std::hash<std::string_view>()(key.second) ^ (key.first * 0x9e3779b97f4a7c15u);
    }
    size_t operator()(NodeId id) const {
      return (*this)(Key{tree->node(id).parent, tree->node(id).name});
    }
  };
  struct Equal {
    using is_transparent = void;
    const Tree* tree;
    Key key(NodeId id) const { return {tree->node(id).parent, tree->node(id).name}; }
    bool operator()(NodeId a, NodeId b) const { return key(a) == key(b); }
    bool operator()(NodeId a, const Key& b) const { return key(a) == b; }
    bool operator()(const Key& a, NodeId b) const { return a == key(b); }
  };

  std::unordered_set<NodeId, Hash, Equal> nodes_;
};

}  // namespace sqfs
