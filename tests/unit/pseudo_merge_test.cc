// SPDX-License-Identifier: MIT
#include "writer/pseudo_merge.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/fake_env.h"
#include "writer/plan.h"

namespace sqfs {
namespace {

class MemorySpool final : public SpoolFile {
 public:
  Status append(Bytes bytes) override {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return ok();
  }
  Status skip(uint64_t bytes) override { return bytes_.resize(bytes_.size() + bytes), ok(); }
  uint64_t end() const override { return bytes_.size(); }
  Result<size_t> read_at(uint64_t offset, MutableBytes out) override {
    const size_t size = std::min<size_t>(out.size(), bytes_.size() - offset);
    if (size > 0) std::memcpy(out.data(), bytes_.data() + offset, size);
    return size;
  }
  Result<FileInfo> info() override { return FileInfo{}; }
  Result<uint64_t> size() override { return end(); }
  Result<std::optional<uint64_t>> next_data(uint64_t offset) override {
    return std::optional(offset);
  }
  Result<uint64_t> next_hole(uint64_t) override { return end(); }

 private:
  Buffer bytes_;
};

// Commands print themselves; "fail" fails after that, "wait" prints nothing for a while.
class CommandEnv final : public FakeEnv {
 public:
  Result<std::unique_ptr<SpoolFile>> create_spool(const std::string&) override {
    return std::make_unique<MemorySpool>();
  }
  Result<int> run(const Command& command, const std::function<Status(Bytes)>& take) override {
    const std::string& text = command.words.at(2);
    commands.push_back(text);
    SQFS_CHECKED(take(text == "wait" ? Bytes() : as_bytes(text)));
    return text == "fail" ? 3 : 0;
  }

  std::vector<std::string> commands;
};

class PseudoMergeTest : public testing::Test {
 protected:
  PseudoMergeTest() {
    options_.data.block_size = 4096;
    tree_.node(kRootNode).attributes.mode = 0755;
    add(kRootNode, "old", RegularFile{});
    directory_ = add(kRootNode, "dir", Directory{});
  }

  NodeId add(NodeId parent, std::string name, NodeKind kind) {
    Node node;
    node.name = std::move(name);
    node.attributes.mode = 0644;
    node.kind = std::move(kind);
    return tree_.add(parent, std::move(node));
  }

  void define(std::string path, PseudoKind kind, PseudoAttributes attributes = {0700, 1, 2, {}}) {
    options_.pseudo.push_back({std::move(path), "here", attributes, std::move(kind)});
  }

  Status merge() {
    const Warn warn = [this](const std::string& sentence) { warnings_.push_back(sentence); };
    return merge_pseudo(
        options_, "/image", env_, warn, [this] { return is_cancelled_; }, tree_);
  }

  NodeId find(std::string_view name, NodeId parent = kRootNode) {
    return tree_.find_child(parent, name);
  }

  std::string content(NodeId id) {
    const auto file = tree_.file(id).content->open(env_);
    std::string text(tree_.file(id).expected_size, ' ');
    EXPECT_TRUE((*file)->read_at(0, std::as_writable_bytes(std::span(text))));
    return text;
  }

  CommandEnv env_;
  BuildOptions options_;
  Tree tree_;
  NodeId directory_ = kNoNode;
  std::vector<std::string> warnings_;
  bool is_cancelled_ = false;
};

TEST_F(PseudoMergeTest, ParentsMayBeDefinedLater) {
  define("a/b", Symlink{"x"});
  define("a", Directory{});
  ASSERT_TRUE(merge());
  const NodeId link = find("b", find("a"));
  ASSERT_NE(link, kNoNode);
  EXPECT_EQ(tree_.node(link).attributes.mode, 0777);
  EXPECT_TRUE(tree_.node(link).attributes.is_fabricated);
  EXPECT_EQ(tree_.host_path(link), "");
}

TEST_F(PseudoMergeTest, NothingOnTheHostStandsBehindWhatIsDefined) {
  tree_.set_host_root(kRootNode, "/s");
  define("dir/new", Directory{});
  ASSERT_TRUE(merge());
  EXPECT_EQ(tree_.host_path(directory_), "/s/dir");
  EXPECT_EQ(tree_.host_path(find("new", directory_)), "");
}

TEST_F(PseudoMergeTest, AMissingParentIsAnErrorUnlessItIsToBeMade) {
  define("a/b/c", Directory{});
  EXPECT_FALSE(merge());
  options_.pseudo_parents = PseudoAttributes{0711, 5, 6, 7};
  ASSERT_TRUE(merge());
  const Attributes& made = tree_.node(find("b", find("a"))).attributes;
  EXPECT_EQ(made.mode, 0711);
  EXPECT_EQ(made.mtime, 7);
  EXPECT_FALSE(made.is_fabricated);
}

TEST_F(PseudoMergeTest, ANameOfTheSourceStays) {
  define("old", Directory{});
  ASSERT_TRUE(merge());
  EXPECT_TRUE(tree_.node(find("old")).is_file());
  EXPECT_EQ(warnings_.size(), 1u);
  options_.data.exit_on_error = true;
  EXPECT_FALSE(merge());
}

TEST_F(PseudoMergeTest, CommandsRunInTheOrderOfTheDefinitions) {
  define("dir/z", PseudoCommand{"first"});
  define("a", PseudoCommand{"second"});
  define("old", PseudoCommand{"never"});
  ASSERT_TRUE(merge());
  EXPECT_EQ(env_.commands, (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(content(find("z", directory_)), "first");
  EXPECT_EQ(content(find("a")), "second");
}

TEST_F(PseudoMergeTest, AFailedCommandLeavesAnEmptyFile) {
  define("a", PseudoCommand{"fail"});
  define("b", PseudoCommand{"good"});
  ASSERT_TRUE(merge());
  EXPECT_EQ(tree_.file(find("a")).expected_size, 0u);
  EXPECT_EQ(content(find("b")), "good");
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(PseudoMergeTest, AFailedCommandEndsABuildThatExitsOnErrors) {
  options_.data.exit_on_error = true;
  define("a", PseudoCommand{"fail"});
  EXPECT_FALSE(merge());
}

TEST_F(PseudoMergeTest, ASignalEndsACommandThatPrintsNothing) {
  is_cancelled_ = true;
  define("a", PseudoCommand{"wait"});
  const Status status = merge();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kCancelled);
}

TEST_F(PseudoMergeTest, LinksShareTheNodeOfTheirTarget) {
  define("a", DeviceNode{});
  define("b", PseudoLink{"a"});
  define("c", PseudoLink{"b"});
  ASSERT_TRUE(merge());
  EXPECT_EQ(resolve_link(tree_, find("c")), find("a"));
}

TEST_F(PseudoMergeTest, LinksComeBehindTheirTargets) {
  define("b", PseudoLink{"a"});
  define("a", DeviceNode{});
  EXPECT_FALSE(merge());
}

TEST_F(PseudoMergeTest, HostFilesAreLinkedToTheSource) {
  env_.add_file("/h", FakeContent(Buffer(3)));
  tree_.file(find("old")).identity = env_.lstat("/h")->identity();
  define("new", PseudoHostFile{"/h", false});
  ASSERT_TRUE(merge());
  EXPECT_EQ(resolve_link(tree_, find("new")), find("old"));
}

TEST_F(PseudoMergeTest, HostFilesAreAdded) {
  env_.add_file("/h", FakeContent(Buffer(3)));
  options_.find_hard_links = false;
  define("x", PseudoHostFile{"/h", false});
  define("y", PseudoHostFile{"/h", false});
  ASSERT_TRUE(merge());
  EXPECT_EQ(tree_.host_path(find("x")), "/h");
  EXPECT_EQ(tree_.file(find("y")).expected_size, 3u);
}

TEST_F(PseudoMergeTest, TheImageAndDirectoriesAreNoHostFiles) {
  env_.add_file("/image", FakeContent(Buffer(3)));
  env_.add_directory("/d");
  define("x", PseudoHostFile{"/image", false});
  EXPECT_FALSE(merge());
  options_.pseudo.clear();
  define("x", PseudoHostFile{"/d", false});
  EXPECT_FALSE(merge());
}

TEST_F(PseudoMergeTest, WhatIsModifiedKeepsItsTimeUnlessOneIsGiven) {
  define("old", PseudoModify{});
  define("dir", PseudoModify{}, {0711, 3, 4, 9});
  tree_.node(find("old")).attributes.mtime = 5;
  ASSERT_TRUE(merge());
  EXPECT_EQ(tree_.node(find("old")).attributes.mtime, 5);
  EXPECT_EQ(tree_.node(find("old")).attributes.uid, 1u);
  EXPECT_EQ(tree_.node(directory_).attributes.mtime, 9);
}

TEST_F(PseudoMergeTest, OverridingAttributesAreFinalAndHaveTheOffset) {
  options_.pseudo_override = true;
  options_.owners.id_offset = 100;
  define("old", PseudoModify{});
  ASSERT_TRUE(merge());
  EXPECT_TRUE(tree_.node(find("old")).attributes.is_owner_final);
  EXPECT_EQ(tree_.node(find("old")).attributes.uid, 101u);
}

TEST_F(PseudoMergeTest, WhatAnOldImageHoldsIsNotChanged) {
  Attributes& attributes = tree_.node(directory_).attributes;
  attributes.is_owner_final = attributes.is_time_final = true;
  define("dir", PseudoModify{});
  EXPECT_FALSE(merge());
  options_.pseudo.clear();
  define("dir/new", Directory{});
  EXPECT_FALSE(merge());
  options_.pseudo.clear();
  define("dir", PseudoXattr{{"user.a", Buffer(1)}});
  EXPECT_FALSE(merge());
}

TEST_F(PseudoMergeTest, ExtendedAttributesAreGivenToTheTargetOfALink) {
  add(kRootNode, "link", HardLink{find("old")});
  define("link", PseudoXattr{{"user.a", Buffer(1)}});
  ASSERT_TRUE(merge());
  ASSERT_NE(tree_.find_given_xattrs(find("old")), nullptr);
  EXPECT_EQ(tree_.find_given_xattrs(find("old"))->added.size(), 1u);
}

TEST_F(PseudoMergeTest, WithoutASourceADefinitionMakesTheRoot) {
  tree_ = Tree();
  options_.source_kind = SourceKind::kNothing;
  EXPECT_FALSE(merge());
  define("", Directory{});
  ASSERT_TRUE(merge());
  EXPECT_EQ(tree_.node(kRootNode).attributes.mode, 0700);
}

}  // namespace
}  // namespace sqfs
