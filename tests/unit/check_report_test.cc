// SPDX-License-Identifier: MIT
#include "cli/check_report.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/fake_env.h"
#include "tests/support/tool_run.h"

namespace sqfs {
namespace {

class CheckReportTest : public testing::Test {
 protected:
  std::unique_ptr<CheckReport> text() { return make_text_report(settings_, "image", io_); }
  std::unique_ptr<CheckReport> json() { return make_json_report(settings_, "image", io_); }

  static Finding magic() {
    Finding finding;
    finding.problem = Problem::kSuperMagic;
    finding.where = Where::kSuperblock;
    finding.found = 1;
    finding.expected = 2;
    finding.message = "magic is 0x1";
    return finding;
  }
  static Finding in_directory() {
    Finding finding;
    finding.problem = Problem::kDirNameLong;
    finding.where = Where::kDirectory;
    finding.image_offset = 0x120;
    finding.inode_number = 7;
    finding.path = "/a\n";
    finding.message = "name is long";
    return finding;
  }

  CheckSettings settings_;
  FakeEnv env_;
  FakeSystem system_;
  StringSink out_, err_;
  Io io_{env_, system_, out_, err_};
};

TEST_F(CheckReportTest, ACleanImageSaysNothing) {
  text()->finish(Verdict{}, 0, false);
  EXPECT_EQ(out_.text + err_.text, "");
}

TEST_F(CheckReportTest, VerboseSaysWhatWasChecked) {
  settings_.verbose = true;
  Verdict verdict;
  verdict.inodes = 3;
  verdict.files = 1;
  text()->finish(verdict, 0, true);
  EXPECT_TRUE(
      out_.text.starts_with("image: clean, equal to the directory; 3 inodes (0 directories, "
                            "1 file), "))
      << out_.text;
}

TEST_F(CheckReportTest, AFindingIsALineWithNamePlaceAndEffect) {
  const auto report = text();
  report->report(magic());
  report->report(in_directory());
  Verdict verdict;
  verdict.fatal = 1;
  verdict.errors = 2;
  verdict.stopped = true;
  report->finish(verdict, 0, false);
  EXPECT_EQ(out_.text,
            "image: fatal[super-magic]: superblock: magic is 0x1 (kernel: " +
                std::string(info(Problem::kSuperMagic).effect) +
                ")\n"
                "image: error[dir-name-long]: directory of inode 7 /a\\x0a at 0x120: name is long "
                "(kernel: " +
                std::string(info(Problem::kDirNameLong).effect) +
                ")\n"
                "image: 1 fatal error, 2 errors; what follows was not judged\n");
}

TEST_F(CheckReportTest, QuietSaysNothingAboutTheImage) {
  settings_.quiet = true;
  const auto report = text();
  report->report(magic());
  report->report(Difference{"/a", "uid", "1", "2"});
  Verdict verdict;
  verdict.errors = 1;
  report->finish(verdict, 1, true);
  EXPECT_EQ(out_.text, "");
  report->fail(io_error(5, "cannot read image"));
  EXPECT_EQ(err_.text, "fsck.squashfs: image: cannot read image\n");
}

TEST_F(CheckReportTest, DifferencesAreCountedBeyondTheLinesShown) {
  const auto report = text();
  for (int i = 0; i < 60; ++i) report->report(Difference{"/a", "uid", "1", "2"});
  report->finish(Verdict{}, 60, true);
  EXPECT_TRUE(
      out_.text.starts_with("image: difference[uid]: /a: 1 in the image, 2 in the directory\n"));
  EXPECT_TRUE(out_.text.ends_with("\nimage: 60 differences\n"));
  EXPECT_EQ(std::count(out_.text.begin(), out_.text.end(), '\n'), 51);
}

TEST_F(CheckReportTest, JsonOfACleanImage) {
  json()->finish(Verdict{}, 0, false);
  EXPECT_EQ(out_.text,
            "{\n  \"image\": \"image\",\n  \"offset\": 0,\n  \"findings\": [],\n"
            "  \"unlisted\": {},\n  \"result\": \"clean\",\n  \"stopped\": false,\n"
            "  \"counts\": {\"fatal\": 0, \"errors\": 0, \"warnings\": 0, \"notes\": 0, "
            "\"differences\": 0, \"inodes\": 0, \"directories\": 0, \"files\": 0, "
            "\"data_blocks\": 0, \"fragments\": 0, \"bytes_checked\": 0}\n}\n");
}

TEST_F(CheckReportTest, JsonListsFindingsAndDifferences) {
  const auto report = json();
  report->report(in_directory());
  report->report(magic());
  report->report(Difference{"/a", "uid", "1", "2"});
  report->finish(Verdict{}, 1, true);
  EXPECT_NE(out_.text.find("\"problem\": \"dir-name-long\""), std::string::npos);
  EXPECT_NE(out_.text.find("\"path\": \"/a\\u000a\""), std::string::npos);
  EXPECT_NE(
      out_.text.find("\n  ],\n  \"differences\": [\n    {\"path\": \"/a\", \"field\": \"uid\", "
                     "\"in_image\": \"1\", \"in_directory\": \"2\"}\n  ],\n"),
      std::string::npos);
  EXPECT_NE(out_.text.find("\"result\": \"errors\""), std::string::npos);
}

TEST_F(CheckReportTest, WhatIsOnlyCountedIsNamedWithItsNumber) {
  Verdict verdict;
  verdict.errors = 25;
  verdict.unreported = {{Problem::kDirNameLong, 5}};
  text()->finish(verdict, 0, false);
  EXPECT_EQ(out_.text, "image: error[dir-name-long]: 5 more of this kind\nimage: 25 errors\n");
  out_.text.clear();
  json()->finish(verdict, 0, false);
  EXPECT_NE(out_.text.find("\"unlisted\": {\"dir-name-long\": 5},"), std::string::npos);
}

TEST_F(CheckReportTest, JsonOfAFailureIsStillAnObject) {
  json()->fail(io_error(5, "cannot read"));
  EXPECT_TRUE(
      out_.text.ends_with("\"findings\": [],\n  \"result\": \"not judged\",\n"
                          "  \"error\": \"cannot read\"\n}\n"));
}

TEST(JsonString, EscapesWhatJsonCannotHold) {
  EXPECT_EQ(json_string("a\"b\\c\n\x7f"), "\"a\\\"b\\\\c\\u000a\\u007f\"");
}

TEST(JsonString, KeepsUtf8) {
  EXPECT_EQ(json_string("gr\xc3\xb6\xc3\x9f"
                        "e \xe2\x82\xac \xf0\x9f\x98\x80"),
            "\"gr\xc3\xb6\xc3\x9f"
            "e \xe2\x82\xac \xf0\x9f\x98\x80\"");
}

TEST(JsonString, MakesSurrogatesOfBytesThatAreNoUtf8) {
  EXPECT_EQ(json_string("\xff\xfe"), "\"\\udcff\\udcfe\"");
  EXPECT_EQ(json_string("\xc3"), "\"\\udcc3\"");                        // cut
  EXPECT_EQ(json_string("\xc0\xaf"), "\"\\udcc0\\udcaf\"");             // overlong
  EXPECT_EQ(json_string("\xed\xa0\x80"), "\"\\udced\\udca0\\udc80\"");  // a surrogate
  EXPECT_EQ(json_string("\xf5\x80\x80\x80"), "\"\\udcf5\\udc80\\udc80\\udc80\"");
}

}  // namespace
}  // namespace sqfs
