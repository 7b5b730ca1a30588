// SPDX-License-Identifier: MIT
#include "writer/build.h"

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "squashfs-format/superblock.h"
#include "tests/support/fake_env.h"

namespace sqfs {
namespace {

class Recorder final : public BuildObserver {
 public:
  void warning(const std::string& sentence) override { warnings.push_back(sentence); }
  void progress(uint64_t done, uint64_t total) override { last_progress = {done, total}; }
  bool wants_files() const override { return records_files; }
  void file(const FileEvent& event) override { events.push_back(event); }

  bool records_files = false;
  std::vector<std::string> warnings;
  std::pair<uint64_t, uint64_t> last_progress;
  std::vector<FileEvent> events;
};

Buffer text(std::string_view content) {
  const Bytes bytes = as_bytes(content);
  return Buffer(bytes.begin(), bytes.end());
}

class BuildTest : public testing::Test {
 protected:
  BuildTest() {
    options_.sources = {"/s"};
    options_.data.compressor = &default_compressor();
    options_.data.block_size = 4096;
    options_.data.threads = 0;
    env_.add_file("/s/a", FakeContent(text("some text")));
    env_.add_file("/s/d/b", FakeContent(Buffer(10000, std::byte{'b'})));
    env_.add_file("/s/d/same", FakeContent(Buffer(10000, std::byte{'b'})));
    env_.add_symlink("/s/l", "a");
    env_.set_xattr("/s/a", "user.x", text("value"));
  }

  Result<BuildSummary> build() {
    return build_image(options_, "/image", env_, recorder_, cancelled_);
  }

  // What the destination holds; empty when it does not exist.
  Buffer image() {
    env_.faults.fail_call(0, 0);
    const auto file = env_.open_input("/image");
    if (!file) return {};
    Buffer bytes(*(*file)->size());
    EXPECT_TRUE((*file)->read_at(0, bytes));
    return bytes;
  }

  Superblock superblock(size_t offset = 0) {
    const Buffer bytes = image();
    if (bytes.size() < offset) return {};
    return decode_superblock(Bytes(bytes).subspan(offset)).value_or({});
  }

  BuildOptions options_;
  FakeEnv env_;
  Recorder recorder_;
  std::function<bool()> cancelled_ = [] { return false; };
};

TEST_F(BuildTest, MakesAnImageThatSaysWhatItIs) {
  const auto summary = build();
  ASSERT_TRUE(summary) << summary.error().what;
  const Superblock super = superblock();
  EXPECT_TRUE(check_identity(super));
  EXPECT_EQ(super.inode_count, 6u);
  EXPECT_EQ(super.mkfs_time, env_.now());
  EXPECT_EQ(super.bytes_used, summary->bytes_used);
  EXPECT_EQ(image().size() % kImageAlignment, 0u);
}

TEST_F(BuildTest, TheSummaryCountsWhatWasStored) {
  env_.add_file("/s/link", FakeContent(text("some text")));
  env_.attributes("/s/a").nlink = 2;
  env_.attributes("/s/link") = env_.attributes("/s/a");
  const auto summary = build();
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->inodes, 6u);
  EXPECT_EQ(summary->files, 3u);
  EXPECT_EQ(summary->directories, 2u);
  EXPECT_EQ(summary->symlinks, 1u);
  EXPECT_EQ(summary->hard_links, 1u);
  EXPECT_EQ(summary->duplicate_files, 1u);
  EXPECT_EQ(summary->ids, 1u);
  EXPECT_EQ(summary->uids, std::vector<uint32_t>{0});
  EXPECT_EQ(summary->file_bytes, 20009u);
  EXPECT_GT(summary->xattr_table.stored_bytes, 0u);
  EXPECT_EQ(summary->warnings, 0u);
}

TEST_F(BuildTest, ProgressEndsAtItsTotal) {
  ASSERT_TRUE(build());
  EXPECT_EQ(recorder_.last_progress, std::pair(uint64_t{7}, uint64_t{7}));
}

TEST_F(BuildTest, TellsOfEveryNameOnce) {
  recorder_.records_files = true;
  ASSERT_TRUE(build());
  std::vector<std::string> paths;
  for (const auto& event : recorder_.events) paths.push_back(event.image_path);
  EXPECT_EQ(paths.back(), "/");
  std::sort(paths.begin(), paths.end());
  EXPECT_EQ(paths, (std::vector<std::string>{"/", "/a", "/d", "/d/b", "/d/same", "/l"}));
}

TEST_F(BuildTest, TheSameTreeGivesTheSameBytes) {
  ASSERT_TRUE(build());
  const Buffer first = image();
  options_.data.threads = 3;
  ASSERT_TRUE(build());
  EXPECT_EQ(image(), first);
}

TEST_F(BuildTest, WithoutPaddingTheFileEndsWithTheLastTable) {
  options_.pad = false;
  const auto summary = build();
  ASSERT_TRUE(summary);
  EXPECT_EQ(image().size(), summary->bytes_used);
}

TEST_F(BuildTest, AnOffsetKeepsTheBytesBeforeIt) {
  env_.add_file("/image", FakeContent(text("#!/bin/sh\n")));
  options_.image_offset = 1000;
  ASSERT_TRUE(build());
  const Buffer bytes = image();
  EXPECT_EQ(bytes.size() % kImageAlignment, 0u);
  EXPECT_EQ(as_text(Bytes(bytes).first(10)), "#!/bin/sh\n");
  EXPECT_TRUE(is_all_zero(Bytes(bytes).subspan(10, 990)));
  EXPECT_TRUE(check_identity(superblock(1000)));
}

TEST_F(BuildTest, CompressorOptionsFollowTheSuperblock) {
  options_.data.config.gzip.level = 1;
  ASSERT_TRUE(build());
  EXPECT_TRUE(superblock().has(kFlagCompressorOptions));
  const Buffer bytes = image();
  ByteReader in(Bytes(bytes).subspan(kSuperblockSize));
  EXPECT_EQ(*decode_metadata_header(in), (MetadataHeader{8, true}));
  EXPECT_EQ(*in.u32(), 1u);
}

TEST_F(BuildTest, AFabricatedRootHasNoHostXattrsButTheAddedOnes) {
  options_.keep_as_directory = true;
  options_.xattrs.add = {{"user.added", text("v")}};
  const auto summary = build();
  ASSERT_TRUE(summary) << summary.error().what;
  EXPECT_EQ(summary->inodes, 7u);
}

TEST_F(BuildTest, AnAddedXattrThatAFileHasIsAnError) {
  options_.xattrs.add = {{"user.x", text("v")}};
  const auto failed = build();
  ASSERT_FALSE(failed);
  EXPECT_TRUE(failed.error().what.starts_with("Duplicate xattr name user.x"));
  EXPECT_TRUE(image().empty());
}

TEST_F(BuildTest, AMissingSourceLeavesTheOldFileAlone) {
  env_.add_file("/image", FakeContent(text("old")));
  options_.sources = {"/nosuch"};
  EXPECT_FALSE(build());
  EXPECT_EQ(as_text(image()), "old");
}

TEST_F(BuildTest, AnOldImageInsideTheTreeIsLeftOut) {
  env_.add_file("/s/image", FakeContent(text("old")));
  const auto summary = build_image(options_, "/s/image", env_, recorder_, cancelled_);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->inodes, 6u);
}

TEST_F(BuildTest, ADirectoryIsNoDestination) {
  env_.add_directory("/image");
  const auto failed = build();
  ASSERT_FALSE(failed);
  EXPECT_TRUE(failed.error().what.starts_with("Destination not block device or regular file"));
}

TEST_F(BuildTest, TheOnlySourceIsNoDestination) {
  env_.add_file("/image", FakeContent(text("precious")));
  options_.sources = {"/image"};
  EXPECT_FALSE(build());
  EXPECT_EQ(as_text(image()), "precious");
}

TEST_F(BuildTest, TooManyIdsAreFoundBeforeAnythingIsWritten) {
  for (uint32_t i = 0; i < 33000; ++i) {
    const std::string path = "/s/owners/" + std::to_string(i);
    env_.add_file(path, FakeContent());
    env_.attributes(path).uid = 2 * i;
    env_.attributes(path).gid = 2 * i + 1;
  }
  env_.failing_write = 1;
  const auto failed = build();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::kUnsupported);
}

// Stops at the nth question, for every n: nothing may come of it, and nothing may be lost.
TEST_F(BuildTest, CanBeCancelledAtAnyTime) {
  uint64_t questions = 0;
  cancelled_ = [&] { return ++questions == ~uint64_t{0}; };
  ASSERT_TRUE(build());
  const uint64_t total = questions;
  ASSERT_GT(total, 3u);
  env_.add_file("/image", FakeContent(text("old")));
  for (uint64_t nth = 1; nth <= total; ++nth) {
    questions = 0;
    cancelled_ = [&] { return ++questions >= nth; };
    const auto stopped = build();
    ASSERT_FALSE(stopped) << nth;
    EXPECT_EQ(stopped.error().code, Code::kCancelled) << nth;
    EXPECT_EQ(as_text(image()), "old");
  }
}

TEST_F(BuildTest, AFailingWriteLeavesTheOldFileAlone) {
  env_.add_file("/image", FakeContent(text("old")));
  uint64_t nth = 1;
  for (;; ++nth) {
    env_.failing_write = nth;
    const auto failed = build();
    if (failed) break;
    EXPECT_EQ(failed.error().os_errno, ENOSPC) << nth;
    EXPECT_EQ(as_text(image()), "old") << nth;
  }
  EXPECT_GT(nth, 6u);
}

// Strict or not, a failing call of the host gives an error or an image, never a half of one.
TEST_F(BuildTest, AnyFailingCallGivesAnErrorOrAWholeImage) {
  for (const bool is_strict : {false, true}) {
    options_.data.exit_on_error = is_strict;
    for (uint64_t nth = 1;; ++nth) {
      env_.add_file("/image", FakeContent(text("old")));
      env_.faults.fail_call(nth, EIO);
      const auto result = build();
      const bool was_hit = env_.faults.was_hit();
      if (result) {
        EXPECT_TRUE(check_identity(superblock())) << nth;
      } else {
        EXPECT_EQ(result.error().os_errno, EIO) << nth;
        EXPECT_EQ(as_text(image()), "old") << nth;
      }
      if (!was_hit) break;
    }
  }
}

}  // namespace
}  // namespace sqfs
