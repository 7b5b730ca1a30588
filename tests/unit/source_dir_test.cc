// SPDX-License-Identifier: MIT
#include "writer/source_dir.h"

#include <cerrno>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/fake_env.h"

namespace sqfs {
namespace {

FakeContent bytes_of(size_t size) { return FakeContent(Buffer(size, std::byte{'x'})); }

class SourceDirTest : public testing::Test {
 protected:
  SourceDirTest() {
    env_.add_directory("/s");
    env_.attributes("/s").mode = 0750;
    env_.attributes("/s").mtime_seconds = 1000;
  }

  void link(const std::string& first, const std::string& second) {
    env_.attributes(first).nlink = 2;
    env_.attributes(second) = env_.attributes(first);
  }

  Status scan(std::vector<std::string> sources) {
    options_.sources = std::move(sources);
    SQFS_TRY(Filter filter, Filter::make(options_.filter, options_.sources, false, env_, warn_));
    for (const std::string& path : left_out_) {
      filter.exclude({env_.attributes(path).device, env_.attributes(path).inode});
    }
    return scan_sources(options_, filter, env_, warn_, cancelled_, tree_);
  }

  // All paths but the root's, depth first.
  std::vector<std::string> paths(NodeId directory = kRootNode) {
    std::vector<std::string> out;
    for (const NodeId child : tree_.directory(directory).children) {
      out.push_back(tree_.image_path(child));
      if (!tree_.node(child).is_directory()) continue;
      for (std::string& path : paths(child)) out.push_back(std::move(path));
    }
    return out;
  }
  const Node& node(const std::string& name) {
    return tree_.node(tree_.find_child(kRootNode, name));
  }

  using Paths = std::vector<std::string>;
  FakeEnv env_;
  BuildOptions options_;
  std::vector<std::string> left_out_;
  std::vector<std::string> warnings_;
  Warn warn_ = [this](const std::string& sentence) { warnings_.push_back(sentence); };
  std::function<bool()> cancelled_ = [] { return false; };
  Tree tree_;
};

TEST_F(SourceDirTest, OneDirectoryBecomesTheRoot) {
  env_.add_file("/s/b", bytes_of(5));
  env_.add_file("/s/a/x", bytes_of(1));
  ASSERT_TRUE(scan({"/s"}));
  EXPECT_EQ(paths(), (Paths{"/a", "/a/x", "/b"}));
  const Attributes& root = tree_.node(kRootNode).attributes;
  EXPECT_EQ(root.mode, 0750);
  EXPECT_EQ(root.mtime, 1000);
  EXPECT_FALSE(root.is_fabricated);
  EXPECT_EQ(tree_.host_path(tree_.find_child(kRootNode, "b")), "/s/b");
}

TEST_F(SourceDirTest, AFileBeyondTheFormatIsRefusedByName) {
  options_.data.block_size = 4096;
  const uint64_t most = ((uint64_t{1} << 31) - 1) * 4096;
  env_.add_file("/s/f", FakeContent::sparse(most, {}));
  ASSERT_TRUE(scan({"/s"}));
  env_.add_file("/s/g", FakeContent::sparse(most + 1, {}));
  tree_ = Tree();
  const auto got = scan({"/s"});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Code::kUnsupported);
  EXPECT_EQ(got.error().what,
            "The file /s/g has 8796093018113 bytes; with blocks of 4096 bytes a file can have "
            "8796093018112 at most");
}

TEST_F(SourceDirTest, AHostWithoutDescriptorsIsAnError) {
  env_.add_file("/s/d/f", bytes_of(5));
  env_.refuse_to_open("/s/d", EMFILE);
  const auto got = scan({"/s"});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().os_errno, EMFILE);
}

TEST_F(SourceDirTest, AFileIsKnownByItsIdentity) {
  env_.add_file("/s/f", bytes_of(5));
  ASSERT_TRUE(scan({"/s"}));
  EXPECT_EQ(std::get<RegularFile>(node("f").kind).identity, env_.attributes("/s/f").identity());
}

TEST_F(SourceDirTest, AFileGoesIntoAMadeUpRoot) {
  env_.add_file("/s/f", bytes_of(5));
  ASSERT_TRUE(scan({"/s/f"}));
  EXPECT_EQ(paths(), (Paths{"/f"}));
  const Attributes& root = tree_.node(kRootNode).attributes;
  EXPECT_EQ(root.mode, 0777);
  EXPECT_EQ(root.mtime, env_.now());
  EXPECT_TRUE(root.is_fabricated);
  EXPECT_EQ(tree_.host_path(kRootNode), "");
  EXPECT_EQ(tree_.host_path(tree_.find_child(kRootNode, "f")), "/s/f");
}

TEST_F(SourceDirTest, SeveralSourcesKeepTheirNames) {
  env_.add_file("/s/f", bytes_of(5));
  env_.add_file("/t/g", bytes_of(5));
  ASSERT_TRUE(scan({"/t", "/s"}));
  EXPECT_EQ(paths(), (Paths{"/s", "/s/f", "/t", "/t/g"}));
}

TEST_F(SourceDirTest, KeepAsDirectoryKeepsTheNameOfASingleOne) {
  env_.add_file("/s/f", bytes_of(5));
  options_.keep_as_directory = true;
  ASSERT_TRUE(scan({"/s"}));
  EXPECT_EQ(paths(), (Paths{"/s", "/s/f"}));
  EXPECT_EQ(node("s").attributes.mode, 0750);
}

TEST_F(SourceDirTest, ASourceNameThatIsTakenGetsANumber) {
  env_.add_file("/s/f", bytes_of(5));
  ASSERT_TRUE(scan({"/s/f", "/s/f", "/s/f"}));
  EXPECT_EQ(paths(), (Paths{"/f", "/f_1", "/f_2"}));
  ASSERT_EQ(warnings_.size(), 2u);
  EXPECT_EQ(warnings_[0], "Source directory entry f already used! - trying f_1");
}

TEST_F(SourceDirTest, ASymlinkIsStoredAsOneAlsoAsASource) {
  env_.add_symlink("/s/l", "/t");
  env_.add_directory("/t");
  ASSERT_TRUE(scan({"/s/l"}));
  EXPECT_EQ(paths(), (Paths{"/l"}));
  EXPECT_EQ(std::get<Symlink>(node("l").kind).target, "/t");
}

TEST_F(SourceDirTest, AMissingSourceIsAnErrorBeforeAnythingIsRead) {
  ASSERT_TRUE(env_.lstat("/s"));
  env_.faults.fail_call(0, 0);
  const auto failed = scan({"/s", "/nosuch"});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().what,
            "Cannot stat source directory \"/nosuch\" because No such file or directory");
  EXPECT_EQ(env_.faults.calls(), 2u);
}

TEST_F(SourceDirTest, AllKindsKeepWhatMakesThem) {
  env_.add_file("/s/file", FakeContent::sparse(10000, {{0, Buffer(512)}}));
  for (const char* name : {"/s/block", "/s/char", "/s/fifo", "/s/socket"}) {
    env_.add_file(name, bytes_of(0));
  }
  env_.attributes("/s/block").type = FileType::kBlockDevice;
  env_.attributes("/s/block").rdev_major = 4095;
  env_.attributes("/s/block").rdev_minor = 1048575;
  env_.attributes("/s/char").type = FileType::kCharDevice;
  env_.attributes("/s/fifo").type = FileType::kFifo;
  env_.attributes("/s/socket").type = FileType::kSocket;
  ASSERT_TRUE(scan({"/s"}));
  EXPECT_EQ(std::get<RegularFile>(node("file").kind).expected_size, 10000u);
  EXPECT_TRUE(std::get<RegularFile>(node("file").kind).is_sparse_on_host);
  EXPECT_TRUE(std::get<DeviceNode>(node("block").kind).is_block);
  EXPECT_EQ(std::get<DeviceNode>(node("block").kind).minor, 1048575u);
  EXPECT_FALSE(std::get<DeviceNode>(node("char").kind).is_block);
  EXPECT_FALSE(std::get<IpcNode>(node("fifo").kind).is_socket);
  EXPECT_TRUE(std::get<IpcNode>(node("socket").kind).is_socket);
}

TEST_F(SourceDirTest, HardLinksPointAtTheFirstName) {
  env_.add_file("/s/b", bytes_of(5));
  env_.add_file("/s/a/x", bytes_of(5));
  env_.add_symlink("/s/l1", "t");
  env_.add_symlink("/s/l2", "t");
  link("/s/a/x", "/s/b");
  link("/s/l1", "/s/l2");
  ASSERT_TRUE(scan({"/s"}));
  const NodeId first = tree_.find_child(tree_.find_child(kRootNode, "a"), "x");
  EXPECT_EQ(std::get<HardLink>(node("b").kind).target, first);
  EXPECT_EQ(std::get<HardLink>(node("l2").kind).target, tree_.find_child(kRootNode, "l1"));
}

TEST_F(SourceDirTest, WithoutHardLinksEachNameIsAFile) {
  env_.add_file("/s/a", bytes_of(5));
  env_.add_file("/s/b", bytes_of(5));
  link("/s/a", "/s/b");
  options_.find_hard_links = false;
  ASSERT_TRUE(scan({"/s"}));
  EXPECT_TRUE(node("b").is_file());
}

TEST_F(SourceDirTest, HardLinksAreFoundAcrossSources) {
  env_.add_file("/s/a", bytes_of(5));
  env_.add_file("/s/b", bytes_of(5));
  link("/s/a", "/s/b");
  ASSERT_TRUE(scan({"/s/a", "/s/b"}));
  EXPECT_EQ(std::get<HardLink>(node("b").kind).target, tree_.find_child(kRootNode, "a"));
}

TEST_F(SourceDirTest, AnUnreadableDirectoryIsLeftOutWithAWarning) {
  env_.add_file("/s/d/f", bytes_of(5));
  env_.add_file("/s/e", bytes_of(5));
  env_.refuse_to_open("/s/d", EACCES);
  ASSERT_TRUE(scan({"/s"}));
  EXPECT_EQ(paths(), (Paths{"/e"}));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_TRUE(warnings_[0].starts_with("Could not open /s/d, skipping...")) << warnings_[0];
}

TEST_F(SourceDirTest, AnUnreadableDirectoryIsAnErrorWithExitOnError) {
  env_.add_directory("/s/d");
  env_.refuse_to_open("/s/d", EACCES);
  options_.data.exit_on_error = true;
  const auto failed = scan({"/s"});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().what, "Could not open /s/d because Permission denied");
}

TEST_F(SourceDirTest, AnUnreadableRootIsAnError) {
  env_.refuse_to_open("/s", EACCES);
  const auto failed = scan({"/s"});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().os_errno, EACCES);
}

TEST_F(SourceDirTest, AnUnreadableSymlinkIsLeftOutWithAWarning) {
  env_.add_symlink("/s/l", "t");
  env_.refuse_to_open("/s/l", EIO);
  ASSERT_TRUE(scan({"/s"}));
  EXPECT_EQ(paths(), Paths{});
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(SourceDirTest, AFileThatVanishedIsLeftOutWithAWarning) {
  env_.add_file("/s/a", bytes_of(5));
  env_.add_file("/s/b", bytes_of(5));
  env_.faults.fail_call(3, ENOENT);  // lstat /s, list /s, lstat /s/a
  ASSERT_TRUE(scan({"/s"}));
  EXPECT_EQ(paths(), (Paths{"/b"}));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("/s/a"), std::string::npos);
}

TEST_F(SourceDirTest, NamesAndTargetsBeyondTheFormatAreErrors) {
  env_.add_file("/s/" + std::string(256, 'n'), bytes_of(0));
  const auto failed = scan({"/s"});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::kUnsupported);
}

TEST_F(SourceDirTest, ASymlinkTargetOf4095BytesIsTheLongest) {
  env_.add_symlink("/s/a", std::string(4095, 't'));
  ASSERT_TRUE(scan({"/s"}));
  env_.add_symlink("/s/b", std::string(4096, 't'));
  const auto failed = scan({"/s"});
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().what.find("/s/b"), std::string::npos);
}

TEST_F(SourceDirTest, DeviceNumbersBeyondTheFormatAreErrors) {
  env_.add_file("/s/d", bytes_of(0));
  env_.attributes("/s/d").type = FileType::kCharDevice;
  env_.attributes("/s/d").rdev_major = 4096;
  EXPECT_FALSE(scan({"/s"}));
}

TEST_F(SourceDirTest, WhatTheFilterExcludesIsNotEntered) {
  env_.add_file("/s/d/f", bytes_of(5));
  env_.add_file("/s/e/f", bytes_of(5));
  env_.refuse_to_open("/s/d", EACCES);
  options_.filter.excludes = {"d"};
  ASSERT_TRUE(scan({"/s"}));
  EXPECT_EQ(paths(), (Paths{"/e", "/e/f"}));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(SourceDirTest, AnExactExcludeHitsAllNamesOfAFile) {
  env_.add_file("/s/a", bytes_of(5));
  env_.add_file("/s/b", bytes_of(5));
  env_.add_file("/s/c", bytes_of(5));
  link("/s/a", "/s/b");
  options_.filter.excludes = {"b"};
  ASSERT_TRUE(scan({"/s"}));
  EXPECT_EQ(paths(), (Paths{"/c"}));
}

TEST_F(SourceDirTest, AnExactExcludeIsLookedForBelowEverySource) {
  env_.add_file("/s/x/f", bytes_of(5));
  env_.add_file("/t/x", bytes_of(5));
  env_.add_file("/t/y", bytes_of(5));
  options_.filter.excludes = {"x/"};
  ASSERT_TRUE(scan({"/s", "/t"}));
  EXPECT_EQ(paths(), (Paths{"/s", "/t", "/t/y"}));
}

TEST_F(SourceDirTest, AMissingExcludeIsWarnedOfWhenItsPathIsFull) {
  options_.filter.excludes = {"/s/nosuch", "nosuch"};
  ASSERT_TRUE(scan({"/s"}));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_TRUE(warnings_[0].starts_with("Cannot stat exclude dir/file /s/nosuch because No such"));
}

TEST_F(SourceDirTest, PatternsSeeTheNamesInTheImage) {
  env_.add_file("/s/f", bytes_of(5));
  env_.add_file("/t/f", bytes_of(5));
  options_.filter.syntax = ExcludeSyntax::kWildcards;
  options_.filter.excludes = {"t/*"};
  ASSERT_TRUE(scan({"/s", "/t"}));
  EXPECT_EQ(paths(), (Paths{"/s", "/s/f", "/t"}));
}

TEST_F(SourceDirTest, MaxDepthStoresDeeperDirectoriesEmpty) {
  env_.add_file("/s/1/2/3/f", bytes_of(5));
  options_.filter.max_depth = 2;
  ASSERT_TRUE(scan({"/s"}));
  EXPECT_EQ(paths(), (Paths{"/1", "/1/2"}));
}

TEST_F(SourceDirTest, MaxDepthZeroIsAnEmptyRoot) {
  env_.add_file("/s/f", bytes_of(5));
  options_.filter.max_depth = 0;
  ASSERT_TRUE(scan({"/s"}));
  EXPECT_EQ(paths(), Paths{});
}

TEST_F(SourceDirTest, OneFileSystemStoresMountPointsEmpty) {
  env_.add_file("/s/mnt/f", bytes_of(5));
  env_.add_file("/s/bound", bytes_of(5));
  env_.attributes("/s/mnt").device = 9;
  env_.attributes("/s/bound").device = 9;
  options_.filter.file_systems = FilterOptions::FileSystems::kOneEmptyDirs;
  ASSERT_TRUE(scan({"/s"}));
  EXPECT_EQ(paths(), (Paths{"/mnt"}));
  EXPECT_EQ(warnings_.size(), 2u);
}

TEST_F(SourceDirTest, OneFileSystemXLeavesMountPointsOut) {
  env_.add_file("/s/mnt/f", bytes_of(5));
  env_.add_file("/s/f", bytes_of(5));
  env_.attributes("/s/mnt").device = 9;
  options_.filter.file_systems = FilterOptions::FileSystems::kOneNoDirs;
  ASSERT_TRUE(scan({"/s"}));
  EXPECT_EQ(paths(), (Paths{"/f"}));
}

TEST_F(SourceDirTest, AnOutputInsideTheTreeIsLeftOut) {
  env_.add_file("/s/image", bytes_of(5));
  env_.add_file("/s/f", bytes_of(5));
  left_out_ = {"/s/image"};
  ASSERT_TRUE(scan({"/s"}));
  EXPECT_EQ(paths(), (Paths{"/f"}));
}

TEST_F(SourceDirTest, ARequestToStopIsHeard) {
  env_.add_file("/s/f", bytes_of(5));
  cancelled_ = [] { return true; };
  const auto stopped = scan({"/s"});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Code::kCancelled);
}

TEST_F(SourceDirTest, DeepTreesAreReadToTheEnd) {
  std::string path = "/s";
  for (int i = 0; i < 500; ++i) path += "/d";
  env_.add_file(path + "/f", bytes_of(1));
  ASSERT_TRUE(scan({"/s"}));
  EXPECT_EQ(tree_.size(), 502u);
}

}  // namespace
}  // namespace sqfs
