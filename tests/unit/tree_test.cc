// SPDX-License-Identifier: MIT
#include "writer/tree.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sqfs {
namespace {

Node named(std::string name, NodeKind kind) {
  Node node;
  node.name = std::move(name);
  node.kind = std::move(kind);
  return node;
}

TEST(Tree, StartsWithARootAlone) {
  const Tree tree;
  EXPECT_EQ(tree.size(), 1u);
  EXPECT_TRUE(tree.node(kRootNode).is_directory());
  EXPECT_EQ(tree.image_path(kRootNode), "/");
  EXPECT_EQ(tree.host_path(kRootNode), "");
}

TEST(Tree, ImagePathsHaveAllNamesFromTheRoot) {
  Tree tree;
  const NodeId a = tree.add(kRootNode, named("a", Directory{}));
  const NodeId b = tree.add(a, named("b", RegularFile{}));
  EXPECT_EQ(tree.image_path(a), "/a");
  EXPECT_EQ(tree.image_path(b), "/a/b");
}

TEST(Tree, HostPathsStartAtTheNearestHostRoot) {
  Tree tree;
  const NodeId a = tree.add(kRootNode, named("renamed", Directory{}));
  const NodeId b = tree.add(a, named("b", RegularFile{}));
  const NodeId made_up = tree.add(kRootNode, named("c", Directory{}));
  tree.set_host_root(a, "../source/a/");
  EXPECT_EQ(tree.host_path(a), "../source/a/");
  EXPECT_EQ(tree.host_path(b), "../source/a/b");
  EXPECT_EQ(tree.host_path(made_up), "");
}

TEST(Tree, SortOrdersNamesByUnsignedBytes) {
  Tree tree;
  for (const char* name : {"b", "\xff", "a.b", "a", "Z", "a0", "\x01"}) {
    tree.add(kRootNode, named(name, RegularFile{}));
  }
  tree.sort();
  std::vector<std::string> names;
  for (const NodeId id : tree.directory(kRootNode).children) names.push_back(tree.node(id).name);
  EXPECT_EQ(names, (std::vector<std::string>{"\x01", "Z", "a", "a.b", "a0", "b", "\xff"}));
}

TEST(Tree, FindChildLooksInOneDirectory) {
  Tree tree;
  const NodeId a = tree.add(kRootNode, named("a", Directory{}));
  const NodeId b = tree.add(a, named("b", RegularFile{}));
  EXPECT_EQ(tree.find_child(kRootNode, "a"), a);
  EXPECT_EQ(tree.find_child(kRootNode, "b"), kNoNode);
  EXPECT_EQ(tree.find_child(a, "b"), b);
}

TEST(Tree, EachKindHasItsInodeType) {
  EXPECT_EQ(basic_inode_type(Directory{}), InodeType::kDir);
  EXPECT_EQ(basic_inode_type(RegularFile{}), InodeType::kFile);
  EXPECT_EQ(basic_inode_type(Symlink{}), InodeType::kSymlink);
  EXPECT_EQ(basic_inode_type(DeviceNode{.is_block = true}), InodeType::kBlockDevice);
  EXPECT_EQ(basic_inode_type(DeviceNode{.is_block = false}), InodeType::kCharDevice);
  EXPECT_EQ(basic_inode_type(IpcNode{.is_socket = true}), InodeType::kSocket);
  EXPECT_EQ(basic_inode_type(IpcNode{.is_socket = false}), InodeType::kFifo);
}

}  // namespace
}  // namespace sqfs
