// SPDX-License-Identifier: MIT
#include "writer/plan.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sqfs {
namespace {

constexpr int64_t kNow = 2000;

class PlanTest : public testing::Test {
 protected:
  PlanTest() { tree_.node(kRootNode).attributes = {.mode = 0755, .mtime = 100}; }

  NodeId add(NodeId parent, std::string name, NodeKind kind,
             Attributes attributes = {.mtime = 100}) {
    Node node;
    node.name = std::move(name);
    node.kind = std::move(kind);
    node.attributes = attributes;
    return tree_.add(parent, std::move(node));
  }

  Plan plan() {
    tree_.sort();
    auto made = make_plan(
        options_, kNow, [this](const std::string& sentence) { warnings_.push_back(sentence); },
        tree_);
    EXPECT_TRUE(made);
    return made ? std::move(made).value() : Plan{};
  }

  std::vector<std::string> paths(const std::vector<NodeId>& ids) const {
    std::vector<std::string> out;
    for (const NodeId id : ids) out.push_back(tree_.image_path(id));
    return out;
  }
  int64_t mtime(NodeId id) const { return tree_.node(id).attributes.mtime; }
  uint16_t mode(NodeId id) const { return tree_.node(id).attributes.mode; }

  using Paths = std::vector<std::string>;
  using Kind = TimeChoice::Kind;
  BuildOptions options_;
  Tree tree_;
  std::vector<std::string> warnings_;
};

TEST_F(PlanTest, OrdersFilesByPathAndInodesBottomUp) {
  const NodeId b = add(kRootNode, "b", Directory{});
  add(b, "y", RegularFile{});
  const NodeId sub = add(b, "sub", Directory{});
  add(sub, "deep", RegularFile{});
  add(kRootNode, "a", RegularFile{});
  add(kRootNode, "c", RegularFile{});
  const Plan plan = this->plan();
  EXPECT_EQ(paths(plan.files), (Paths{"/a", "/b/sub/deep", "/b/y", "/c"}));
  EXPECT_EQ(paths(plan.directories), (Paths{"/b/sub", "/b", "/"}));
  EXPECT_EQ(paths(plan.inodes), (Paths{"/b/sub/deep", "/b/sub", "/b/y", "/a", "/b", "/c", "/"}));
  for (size_t i = 0; i < plan.inodes.size(); ++i) {
    EXPECT_EQ(tree_.node(plan.inodes[i]).inode_number, i + 1);
  }
}

TEST_F(PlanTest, AFileWithSeveralNamesIsOneInodeInTheFirstDirectoryThatNeedsIt) {
  const NodeId a = add(kRootNode, "a", RegularFile{});
  const NodeId b = add(kRootNode, "b", Directory{});
  const NodeId link = add(b, "link", HardLink{a});
  const Plan plan = this->plan();
  EXPECT_EQ(paths(plan.inodes), (Paths{"/a", "/b", "/"}));
  EXPECT_EQ(paths(plan.files), (Paths{"/a"}));
  EXPECT_EQ(tree_.node(link).inode_number, tree_.node(a).inode_number);
  EXPECT_EQ(tree_.node(a).nlink, 2u);
}

TEST_F(PlanTest, DirectoriesCountThemselvesTheirParentAndTheirSubdirectories) {
  const NodeId a = add(kRootNode, "a", Directory{});
  add(kRootNode, "b", Directory{});
  const NodeId file = add(kRootNode, "f", RegularFile{});
  plan();
  EXPECT_EQ(tree_.node(kRootNode).nlink, 4u);
  EXPECT_EQ(tree_.node(a).nlink, 2u);
  EXPECT_EQ(tree_.node(file).nlink, 1u);
}

TEST_F(PlanTest, WithoutOptionsTimesAreTheHostsAndTheImagesIsNow) {
  const NodeId file = add(kRootNode, "f", RegularFile{}, {.mtime = 300});
  EXPECT_EQ(plan().image_time, 2000u);
  EXPECT_EQ(mtime(file), 300);
  EXPECT_EQ(mtime(kRootNode), 100);
}

TEST_F(PlanTest, TimesTheFormatCannotHoldAreCutWithOneWarning) {
  const NodeId early = add(kRootNode, "a", RegularFile{}, {.mtime = -5});
  const NodeId late = add(kRootNode, "b", RegularFile{}, {.mtime = 5000000000});
  const NodeId last = add(kRootNode, "c", RegularFile{}, {.mtime = 4294967295});
  plan();
  EXPECT_EQ(mtime(early), 0);
  EXPECT_EQ(mtime(late), 4294967295);
  EXPECT_EQ(mtime(last), 4294967295);
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(PlanTest, AnInodeTimeCoversAllAndNeedsNoWarning) {
  const NodeId early = add(kRootNode, "a", RegularFile{}, {.mtime = -5});
  options_.times.inodes = {Kind::kFixed, 7};
  options_.times.root = {Kind::kFixed, 9};
  plan();
  EXPECT_EQ(mtime(early), 7);
  EXPECT_EQ(mtime(kRootNode), 7);
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(PlanTest, TheClampLowersHostTimesTheRootTimeAndTheImageTime) {
  const NodeId late = add(kRootNode, "a", RegularFile{}, {.mtime = 900});
  const NodeId early = add(kRootNode, "b", RegularFile{}, {.mtime = 300});
  options_.times.clamp = 500;
  options_.times.root = {Kind::kFixed, 700};
  EXPECT_EQ(plan().image_time, 500u);
  EXPECT_EQ(mtime(late), 500);
  EXPECT_EQ(mtime(early), 300);
  EXPECT_EQ(mtime(kRootNode), 500);
}

TEST_F(PlanTest, ExplicitTimesWinOverTheClamp) {
  const NodeId file = add(kRootNode, "a", RegularFile{}, {.mtime = 900});
  options_.times.clamp = 500;
  options_.times.image = {Kind::kFixed, 1500};
  options_.times.inodes = {Kind::kFixed, 1400};
  EXPECT_EQ(plan().image_time, 1500u);
  EXPECT_EQ(mtime(file), 1400);
}

TEST_F(PlanTest, ANewestInodeTimeForTheImageAlsoServesMadeUpInodes) {
  tree_.node(kRootNode).attributes = {.mode = 0777, .mtime = kNow, .is_fabricated = true};
  add(kRootNode, "a", RegularFile{}, {.mtime = 900});
  add(kRootNode, "b", RegularFile{}, {.mtime = 300});
  options_.times.image.kind = Kind::kNewestInode;
  EXPECT_EQ(plan().image_time, 900u);
  EXPECT_EQ(mtime(kRootNode), 900);
}

TEST_F(PlanTest, AMadeUpRootIsAsOldAsTheClampAllows) {
  tree_.node(kRootNode).attributes = {.mode = 0777, .mtime = kNow, .is_fabricated = true};
  options_.times.clamp = 500;
  plan();
  EXPECT_EQ(mtime(kRootNode), 500);
}

TEST_F(PlanTest, ForcedOwnersBeatTheRootsOwnersAndTheOffsetComesLast) {
  const NodeId file = add(kRootNode, "a", RegularFile{}, {.uid = 5, .gid = 6});
  options_.owners.root_uid = 9;
  options_.owners.root_gid = 10;
  options_.owners.force_gid = 7;
  options_.owners.id_offset = 100;
  const Plan plan = this->plan();
  EXPECT_EQ(tree_.node(file).attributes.uid, 105u);
  EXPECT_EQ(tree_.node(file).attributes.gid, 107u);
  EXPECT_EQ(tree_.node(kRootNode).attributes.uid, 109u);
  EXPECT_EQ(plan.ids.ids(), (std::vector<uint32_t>{105, 107, 109}));
  EXPECT_EQ(plan.ids.users(), (std::vector<uint32_t>{105, 109}));
  EXPECT_EQ(plan.ids.groups(), (std::vector<uint32_t>{107}));
}

TEST_F(PlanTest, TheIdOffsetWraps) {
  const NodeId file = add(kRootNode, "a", RegularFile{}, {.uid = 4294967295, .gid = 1});
  options_.owners.id_offset = 2;
  plan();
  EXPECT_EQ(tree_.node(file).attributes.uid, 1u);
}

TEST_F(PlanTest, ForcedModesApplyByKindAndBeatTheRootMode) {
  const NodeId file = add(kRootNode, "a", RegularFile{}, {.mode = 0644});
  const NodeId link = add(kRootNode, "l", Symlink{"x"}, {.mode = 0777});
  const NodeId directory = add(kRootNode, "d", Directory{}, {.mode = 0755});
  options_.owners.force_file_mode = *ModeChange::parse("go-w,u+x");
  options_.owners.force_dir_mode = ModeChange::fixed(0700);
  options_.owners.root_mode = ModeChange::fixed(0711);
  plan();
  EXPECT_EQ(mode(file), 0744);
  EXPECT_EQ(mode(link), 0755);
  EXPECT_EQ(mode(directory), 0700);
  EXPECT_EQ(mode(kRootNode), 0700);
}

TEST_F(PlanTest, TheRootModeChangesTheRootAlone) {
  const NodeId directory = add(kRootNode, "d", Directory{}, {.mode = 0755});
  options_.owners.root_mode = *ModeChange::parse("go-x");
  plan();
  EXPECT_EQ(mode(kRootNode), 0744);
  EXPECT_EQ(mode(directory), 0755);
}

TEST(IdTable, Holds65535IdsAndNoMore) {
  IdTable ids;
  for (uint32_t id = 0; id < 65535; ++id) ASSERT_TRUE(ids.add_user(id * 3));
  EXPECT_TRUE(ids.add_group(3));
  const auto refused = ids.add_group(1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnsupported);
  EXPECT_EQ(ids.ids().size(), 65535u);
  EXPECT_EQ(ids.index_of(65534 * 3), 65534);
}

}  // namespace
}  // namespace sqfs
