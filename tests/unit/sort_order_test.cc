// SPDX-License-Identifier: MIT
#include "writer/sort_order.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/sort_file.h"
#include "tests/support/fake_env.h"
#include "writer/action_tests.h"
#include "writer/build.h"
#include "writer/filter.h"
#include "writer/source_dir.h"

namespace sqfs {
namespace {

// --- files of lines

std::string error_of(std::string_view text) {
  auto got = parse_sort_file("f", text);
  EXPECT_FALSE(got) << text;
  return got ? std::string() : got.error().what;
}

TEST(SortFile, NamesAndPriorities) {
  const auto got =
      parse_sort_file("f", "# comment\n\n  a 1\nb\\ c\t-5 \r\nd/* +32767\ne\\#\\\\ -32768\n/* 2");
  ASSERT_TRUE(got) << got.error().what;
  ASSERT_EQ(got->size(), 5u);
  EXPECT_EQ((*got)[0].name, "a");
  EXPECT_EQ((*got)[0].priority, 1);
  EXPECT_EQ((*got)[0].place, "Sort file \"f\", line 3");
  EXPECT_EQ((*got)[1].name, "b c");
  EXPECT_EQ((*got)[1].priority, -5);
  EXPECT_EQ((*got)[2].name, "d");
  EXPECT_EQ((*got)[2].priority, 32767);
  EXPECT_EQ((*got)[3].name, "e#\\");
  EXPECT_EQ((*got)[3].priority, -32768);
  EXPECT_EQ((*got)[4].name, "/");
}

TEST(SortFile, MistakesNameTheLine) {
  EXPECT_NE(error_of("a 1\na\n").find("line 2: no priority"), std::string::npos);
  EXPECT_NE(error_of("a 32768").find("outside of -32768 to 32767"), std::string::npos);
  EXPECT_NE(error_of("a -32769").find("outside of -32768 to 32767"), std::string::npos);
  EXPECT_NE(error_of("a 99999999999999999999999").find("outside"), std::string::npos);
  EXPECT_NE(error_of("a b 1").find("no number: \"b\""), std::string::npos);
  EXPECT_NE(error_of("a -").find("no number"), std::string::npos);
  EXPECT_NE(error_of("a 1 x").find("something follows"), std::string::npos);
}

// --- priorities of files

class SortOrder : public testing::Test {
 protected:
  SortOrder() {
    for (const char* path : {"/s/a", "/s/d/b", "/s/d/e/c", "/t/a", "/t/z", "/cwd"}) {
      env_.add_file(path, FakeContent(Buffer(1)));
    }
  }

  Status sort(std::vector<SortEntry> entries, std::vector<std::string> sources = {"/s"}) {
    BuildOptions options;
    options.sources = std::move(sources);
    SQFS_TRY(Filter filter, Filter::make(options.filter, options.sources, false, env_, warn_));
    SQFS_CHECKED(scan_sources(
        options, filter, env_, warn_, [] { return false; }, tree_));
    return set_priorities(entries, options.sources, env_, warn_, tree_);
  }
  int priority(std::string_view path) {
    const NodeId id = follow_path(tree_, kRootNode, path, true);
    EXPECT_NE(id, kNoNode) << path;
    return tree_.file(id).priority;
  }

  FakeEnv env_;
  std::vector<std::string> warnings_;
  Warn warn_ = [this](const std::string& sentence) { warnings_.push_back(sentence); };
  Tree tree_;
};

TEST_F(SortOrder, DirectoriesHandTheirsDown) {
  ASSERT_TRUE(sort({{"d", 5, "1"}, {"d/e", -3, "2"}}));
  EXPECT_EQ(priority("/a"), 0);
  EXPECT_EQ(priority("/d/b"), 5);
  EXPECT_EQ(priority("/d/e/c"), -3);
}

TEST_F(SortOrder, TheRootIsADirectoryToo) {
  ASSERT_TRUE(sort({{"/s", 5, "1"}, {"/s/d/b", 7, "2"}, {"d/b", 8, "3"}}));
  EXPECT_EQ(priority("/a"), 5);
  EXPECT_EQ(priority("/d/b"), 8);
}

TEST_F(SortOrder, NamesAreLookedUpBelowEverySource) {
  ASSERT_TRUE(sort({{"d/b", 4, "1"}, {"z", 6, "2"}, {"/t/a", 9, "3"}}, {"/s", "/t"}));
  EXPECT_EQ(priority("/s/d/b"), 4);
  EXPECT_EQ(priority("/t/z"), 6);
  EXPECT_EQ(priority("/t/a"), 9);
  EXPECT_EQ(priority("/s/a"), 0);
}

TEST_F(SortOrder, ANameInSeveralSourcesIsAnError) {
  const Status status = sort({{"a", 1, "line 1"}}, {"/s", "/t"});
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().what.find("line 1: ambiguous"), std::string::npos);
}

TEST_F(SortOrder, ANameInNoSourceIsWarnedOf) {
  ASSERT_TRUE(sort({{"none", 1, "line 1"}, {"./none", 1, "line 2"}}));
  EXPECT_EQ(warnings_.size(), 2u);
}

TEST_F(SortOrder, OfSeveralNamesTheHighestCounts) {
  env_.add_file("/s/d/e/link", FakeContent(Buffer(1)));
  env_.attributes("/s/a").nlink = 2;
  env_.attributes("/s/d/e/link") = env_.attributes("/s/a");
  ASSERT_TRUE(sort({{"d", 3, "1"}}));
  EXPECT_EQ(priority("/a"), 3);
}

}  // namespace
}  // namespace sqfs
