// SPDX-License-Identifier: MIT
#include "cli/report.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "cli/progress.h"
#include "squashfs-format/constants.h"
#include "tests/support/tool_run.h"

namespace sqfs {
namespace {

using Kind = BuildObserver::FileEvent::Kind;

TEST(Banner, CountsProcessorsInWords) {
  BuildOptions options;
  options.data.threads = 1;
  EXPECT_EQ(build_banner(options, "a/image"),
            "Parallel mksquashfs: Using 1 processor\n"
            "Creating 4.0 filesystem on a/image, block size 131072.\n");
  options.data.threads = 3;
  EXPECT_TRUE(build_banner(options, "i").starts_with("Parallel mksquashfs: Using 3 processors\n"));
}

TEST(InfoLine, OfAFileEndsWithAMarkOrABlank) {
  BuildObserver::FileEvent event{Kind::kFile, "/a", 7, 0, false, false};
  EXPECT_EQ(info_line(event), "file /a, uncompressed size 7 bytes \n");
  event.is_duplicate = true;
  EXPECT_EQ(info_line(event), "file /a, uncompressed size 7 bytes DUPLICATE\n");
  event.is_link = true;
  EXPECT_EQ(info_line(event), "file /a, uncompressed size 7 bytes LINK\n");
}

TEST(InfoLine, OfOtherTypesHasTheInodeReference) {
  BuildObserver::FileEvent event{Kind::kSymlink, "/l", 0, 0x20058, false, true};
  EXPECT_EQ(info_line(event), "symbolic link /l inode 0x20058 LINK\n");
  event = {Kind::kDirectory, "/", 0, 0, false, false};
  EXPECT_EQ(info_line(event), "directory / inode 0x0\n");
  event = {Kind::kSocket, "/s", 0, 1, false, false};
  EXPECT_EQ(info_line(event), "unix domain socket /s inode 0x1\n");
}

BuildSummary sample_summary() {
  BuildSummary summary;
  summary.flags = kFlagExport | kFlagDuplicates;
  summary.block_size = 131072;
  summary.bytes_used = 2048;
  summary.file_bytes = 3000;
  summary.inode_table = {100, 400};
  summary.directory_table = {50, 600};
  summary.inodes = 4;
  summary.files = 2;
  summary.fragments = 1;
  summary.directories = 2;
  summary.duplicate_files = 1;
  summary.ids = 2;
  summary.uids = {1000};
  summary.gids = {50, 7};
  return summary;
}

TEST(Summary, HasTheLinesThatScriptsRead) {
  FakeSystem system;
  EXPECT_EQ(build_summary(sample_summary(), "zstd", system),
            "Exportable Squashfs 4.0 filesystem, zstd compressed, data block size 131072\n"
            "\tcompressed data, compressed metadata, compressed fragments,\n"
            "\tcompressed xattrs, compressed ids\n"
            "\tduplicates are removed\n"
            "Filesystem size 2.00 Kbytes (0.00 Mbytes)\n"
            "\t50.00% of uncompressed filesystem size (4.00 Kbytes)\n"
            "Inode table size 100 bytes (0.10 Kbytes)\n"
            "\t25.00% of uncompressed inode table size (400 bytes)\n"
            "Directory table size 50 bytes (0.05 Kbytes)\n"
            "\t8.33% of uncompressed directory table size (600 bytes)\n"
            "Number of duplicate files found 1\n"
            "Number of inodes 4\n"
            "Number of files 2\n"
            "Number of fragments 1\n"
            "Number of symbolic links 0\n"
            "Number of device nodes 0\n"
            "Number of fifo nodes 0\n"
            "Number of socket nodes 0\n"
            "Number of directories 2\n"
            "Number of hard-links 0\n"
            "Number of ids (unique uids + gids) 2\n"
            "Number of uids 1\n"
            "\talice (1000)\n"
            "Number of gids 2\n"
            "\tstaff (50)\n"
            "\tunknown (7)\n");
}

TEST(Summary, SaysWhatIsLeftOutAndUncompressed) {
  FakeSystem system;
  BuildSummary summary = sample_summary();
  summary.flags = kFlagRawInodes | kFlagRawData | kFlagNoFragments | kFlagNoXattrs;
  const std::string text = build_summary(summary, "gzip", system);
  EXPECT_TRUE(text.starts_with("Squashfs 4.0 filesystem, gzip"));
  EXPECT_NE(text.find("\tuncompressed data, uncompressed metadata, no fragments,\n"
                      "\tno xattrs, uncompressed ids\n\tduplicates are not removed\n"),
            std::string::npos);
  EXPECT_NE(text.find("\nNo duplicate files removed\n"), std::string::npos);
  EXPECT_EQ(text.find("Number of fragments"), std::string::npos);
}

TEST(Summary, XattrLinesStandOnlyWhereThereAreXattrs) {
  FakeSystem system;
  BuildSummary summary = sample_summary();
  EXPECT_EQ(build_summary(summary, "gzip", system).find("Xattr table"), std::string::npos);
  summary.xattr_table = {10, 20};
  EXPECT_NE(build_summary(summary, "gzip", system)
                .find("Xattr table size 10 bytes (0.01 Kbytes)\n"
                      "\t50.00% of uncompressed xattr table size (20 bytes)\n"),
            std::string::npos);
}

TEST(Summary, AnEmptyDirectoryTableHasNoDecimals) {
  FakeSystem system;
  BuildSummary summary = sample_summary();
  summary.directory_table = {};
  EXPECT_NE(build_summary(summary, "gzip", system)
                .find("\t100% of uncompressed directory table size (0 bytes)\n"),
            std::string::npos);
}

TEST(ProgressBar, FillsTheLine) {
  EXPECT_EQ(progress_bar(5, 10, 25, '|'), "[=====|     ]  5/10 50%");
  EXPECT_EQ(progress_bar(10, 10, 25, '/'), "[==========/] 10/10 100%");
  EXPECT_EQ(progress_bar(0, 0, 20, '|'), "[|       ] 0/0 100%");
  EXPECT_EQ(progress_bar(3, 4, 1, '|'), "[|] 3/4 75%");
}

std::string shown(ProgressStyle style, uint64_t steps) {
  FakeSystem system;
  StringSink out;
  Progress progress(style, system, out);
  for (uint64_t i = 0; i <= steps; ++i) progress.update(i, steps);
  progress.finish();
  return out.text;
}

TEST(Progress, PercentagesAreBareNumbersAndAnEmptyLine) {
  EXPECT_EQ(shown(ProgressStyle::kPercentage, 4), "0\n25\n50\n75\n100\n\n");
}

TEST(Progress, InALogItIsALineForEachTenPercent) {
  const std::string text = shown(ProgressStyle::kLines, 1000);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 11);
  EXPECT_TRUE(text.ends_with("90% done\n100% done\n"));
}

TEST(Progress, TheBarEndsFullWithANewline) {
  const std::string text = shown(ProgressStyle::kBar, 3);
  EXPECT_TRUE(text.starts_with("\r["));
  EXPECT_TRUE(text.ends_with("] 3/3 100%\n"));
}

TEST(Progress, NoneIsNothing) { EXPECT_EQ(shown(ProgressStyle::kNone, 3), ""); }

TEST(Progress, MakesRoomForMessagesOnlyWhereABarStands) {
  FakeSystem system;
  StringSink out;
  Progress progress(ProgressStyle::kBar, system, out);
  progress.make_room();
  EXPECT_EQ(out.text, "");
  progress.update(0, 2);
  progress.make_room();
  EXPECT_TRUE(out.text.ends_with("0%\n"));
}

}  // namespace
}  // namespace sqfs
