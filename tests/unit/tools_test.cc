// SPDX-License-Identifier: MIT
#include "cli/tool.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/tool_run.h"

namespace sqfs {
namespace {

// The programs as a whole, in process.
class ToolsTest : public testing::Test {
 protected:
  ToolsTest() {
    run_.write("tree/a", "alpha\n");
    run_.write("tree/sub/b", std::string(300000, 'b'));
    std::filesystem::create_symlink("a", tree_ + "/link");
    std::filesystem::create_hard_link(tree_ + "/a", tree_ + "/hard");
  }
  int make(std::vector<std::string> options = {}) {
    options.insert(options.begin(), {tree_, image_});
    return run_.mksquashfs(options);
  }

  ToolRun run_;
  const std::string tree_ = run_.path("tree"), image_ = run_.path("image");
};

TEST_F(ToolsTest, AnImageIsMadeWithBannerAndSummaryAndNoBarInALog) {
  EXPECT_EQ(make(), 0) << run_.err;
  EXPECT_TRUE(run_.out.starts_with("Parallel mksquashfs: Using 2 processors\nCreating 4.0 "));
  EXPECT_NE(run_.out.find(".\n\nExportable Squashfs 4.0 filesystem, "), std::string::npos);
  EXPECT_EQ(run_.out.find('\r'), std::string::npos);
  EXPECT_EQ(run_.err, "");
}

TEST_F(ToolsTest, ATerminalShowsABar) {
  run_.out_is_terminal = true;
  EXPECT_EQ(make({"-quiet"}), 0);
  EXPECT_TRUE(run_.out.starts_with("\r["));
  EXPECT_TRUE(run_.out.ends_with("100%\n"));
}

TEST_F(ToolsTest, QuietWithoutATerminalSaysNothing) {
  EXPECT_EQ(make({"-quiet"}), 0);
  EXPECT_EQ(run_.out + run_.err, "");
}

TEST_F(ToolsTest, AnExistingFileIsReplacedOnlyOnRequest) {
  run_.write("image", "precious");
  EXPECT_EQ(make(), 1);
  EXPECT_NE(run_.err.find("-noappend"), std::string::npos);
  EXPECT_EQ(run_.read("image"), "precious");
  EXPECT_EQ(make({"-noappend"}), 0);
  EXPECT_TRUE(run_.read("image").starts_with("hsqs"));
}

TEST_F(ToolsTest, FailuresLeaveTheOldFileAlone) {
  run_.write("image", "precious");
  EXPECT_EQ(run_.mksquashfs({run_.path("nosuch"), image_, "-noappend"}), 1);
  EXPECT_TRUE(run_.err.starts_with("Cannot stat source directory ")) << run_.err;
  EXPECT_TRUE(run_.err.ends_with("\nFATAL ERROR: no image was made\n"));
  EXPECT_EQ(make({"-noappend", "-bogus"}), 1);
  run_.system.is_interrupted = true;
  EXPECT_EQ(make({"-noappend"}), 1);
  EXPECT_EQ(run_.read("image"), "precious");
}

TEST_F(ToolsTest, AnInterruptedBuildLeavesNothing) {
  run_.system.is_interrupted = true;
  EXPECT_EQ(make(), 1);
  EXPECT_FALSE(run_.exists("image"));
}

TEST_F(ToolsTest, ADirectoryIsNoDestination) {
  EXPECT_EQ(run_.mksquashfs({tree_, run_.path("tree/sub"), "-noappend"}), 1);
  EXPECT_TRUE(run_.err.starts_with("Destination not block device or regular file"));
}

TEST_F(ToolsTest, UsageErrorsSayWhatIsWrongAndHowToGoOn) {
  EXPECT_EQ(make({"-b", "5000"}), 1);
  EXPECT_TRUE(run_.err.starts_with("mksquashfs: -b takes a power of two"));
  EXPECT_TRUE(run_.out.starts_with("SYNTAX: mksquashfs "));
  EXPECT_EQ(make({"-comp", "foo"}), 1);
  EXPECT_EQ(run_.out, "");
}

TEST_F(ToolsTest, AFullStandardOutputDoesNotHurtTheImage) {
  run_.out_is_full = true;
  EXPECT_EQ(make(), 0);
  EXPECT_EQ(run_.mksquashfs({"-version"}), 1);
}

TEST_F(ToolsTest, TheVersionLineIsWhatCallersParse) {
  EXPECT_EQ(run_.mksquashfs({"-version"}), 0);
  EXPECT_TRUE(run_.out.starts_with("mksquashfs version 4.7."));
}

TEST_F(ToolsTest, InfoLinesGoToStandardOutputOrAFile) {
  EXPECT_EQ(make({"-info", "-quiet"}), 0);
  EXPECT_TRUE(run_.out.starts_with("file /a, uncompressed size 6 bytes \n"));
  EXPECT_NE(run_.out.find("file /hard, uncompressed size 6 bytes LINK\n"), std::string::npos);
  run_.system.texts["taken"] = "";
  EXPECT_EQ(make({"-noappend", "-info-file", "taken"}), 1);
  EXPECT_EQ(make({"-noappend", "-quiet", "-info-file", "new"}), 0);
  EXPECT_EQ(run_.out, "");
}

TEST_F(ToolsTest, HelpOnATerminalGoesThroughThePager) {
  run_.out_is_terminal = true;
  run_.system.program = "less";
  EXPECT_EQ(run_.sqfstar({"-help"}), 0);
  ASSERT_EQ(run_.system.shown.size(), 2u);
  EXPECT_TRUE(run_.system.shown[1].starts_with("SYNTAX: sqfstar"));
  EXPECT_EQ(run_.out, "");
  EXPECT_EQ(run_.mksquashfs({"-help", "-no-pager"}), 0);
  EXPECT_TRUE(run_.out.starts_with("SYNTAX: mksquashfs"));
  run_.system.program = "nothing";
  EXPECT_EQ(run_.mksquashfs({"-help-all"}), 0);
  EXPECT_TRUE(run_.out.starts_with("SYNTAX: mksquashfs"));
}

TEST_F(ToolsTest, SigquitTellsTheFileAtWork) {
  run_.system.is_asked_for_place = true;
  EXPECT_EQ(make({"-quiet"}), 0);
  EXPECT_NE(run_.out, "");
}

TEST_F(ToolsTest, LogAndStatisticsGoToTheirFiles) {
  EXPECT_EQ(make({"-quiet", "-log", "l", "--stats", "s"}), 0);
  EXPECT_TRUE(run_.system.texts["l"].starts_with("/a, 0\n/sub/b, 96\nFragment 0, "));
  EXPECT_TRUE(run_.system.texts["s"].starts_with("{\"tool\": \"mksquashfs\", "));
  EXPECT_NE(run_.system.texts["s"].find("\"files\": 2, "), std::string::npos);
}

TEST_F(ToolsTest, AStreamIsFixed) {
  ASSERT_EQ(make({"-quiet"}), 0);
  const std::string image = run_.read("image");
  const std::string head = "HSQS" + std::string(92, '\0'), rest = image.substr(96);
  run_.write("stream", head + rest + image.substr(0, 96));
  EXPECT_EQ(run_.mksquashfs({"-fix", run_.path("stream")}), 0) << run_.err;
  EXPECT_EQ(run_.read("stream"), image);
  for (const std::string& bad : {image, head + rest, std::string("HSQS"), std::string()}) {
    run_.write("stream", bad);
    EXPECT_EQ(run_.mksquashfs({"-fix", run_.path("stream")}), 1);
    EXPECT_EQ(run_.read("stream"), bad);
  }
}

// --- fsck
// -----------------------------------------------------------------------------------------

TEST_F(ToolsTest, AGoodImageIsClearedWithoutAWord) {
  ASSERT_EQ(make({"-quiet"}), 0);
  EXPECT_EQ(run_.fsck({image_}), 0) << run_.out;
  EXPECT_EQ(run_.fsck({"--compare", tree_, image_}), 0) << run_.out;
  EXPECT_EQ(run_.out + run_.err, "");
}

TEST_F(ToolsTest, DifferencesFromTheTreeAreFound) {
  ASSERT_EQ(make({"-quiet"}), 0);
  run_.write("tree/new", "x");
  run_.write("tree/sub/b", std::string(299999, 'b') + "c");
  EXPECT_EQ(run_.fsck({"--compare", tree_, image_}), 4);
  EXPECT_NE(run_.out.find("difference[presence]: /new: missing in the image"), std::string::npos)
      << run_.out;
  EXPECT_NE(run_.out.find("difference[content]: /sub/b: differs at byte 299999"),
            std::string::npos);
}

TEST_F(ToolsTest, ExitStatusesAreThoseOfFsck) {
  run_.write("image", std::string(4096, 'x'));
  EXPECT_EQ(run_.fsck({image_}), 4);
  EXPECT_NE(run_.out.find("fatal[super-magic]"), std::string::npos);
  EXPECT_EQ(run_.fsck({"-q", image_}), 4);
  EXPECT_EQ(run_.out + run_.err, "");
  EXPECT_EQ(run_.fsck({run_.path("nosuch")}), 8);
  EXPECT_EQ(run_.fsck({}), 16);
  EXPECT_EQ(run_.fsck({"--help"}), 0);
}

TEST_F(ToolsTest, FindingsThatGetLostAreAFailure) {
  ASSERT_EQ(make({"-quiet"}), 0);
  run_.out_is_full = true;
  EXPECT_EQ(run_.fsck({"-v", image_}), 8);
}

}  // namespace
}  // namespace sqfs
