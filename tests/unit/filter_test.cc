// SPDX-License-Identifier: MIT
#include "writer/filter.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"

namespace sqfs {
namespace {

class FilterTest : public testing::Test {
 protected:
  Result<Filter> make(ExcludeSyntax syntax, std::vector<std::string> excludes) {
    FilterOptions options;
    options.syntax = syntax;
    options.excludes = std::move(excludes);
    return Filter::make(options, {}, false, *env_, [](const std::string&) {});
  }

  static bool excludes(const Result<Filter>& filter, const std::string& path) {
    std::vector<std::string> names;
    for (const std::string_view name : split(path, '/')) names.emplace_back(name);
    return filter->excludes(names, FileInfo{});
  }

  std::unique_ptr<Env> env_ = make_posix_env();
};

struct PatternCase {
  ExcludeSyntax syntax;
  std::string pattern, path;
  bool is_excluded;
};

class FilterPattern : public testing::TestWithParam<PatternCase> {};

TEST_P(FilterPattern, MatchesNameByName) {
  const PatternCase& c = GetParam();
  FilterOptions options;
  options.syntax = c.syntax;
  options.excludes = {c.pattern};
  const auto env = make_posix_env();
  const auto filter = Filter::make(options, {}, false, *env, [](const std::string&) {});
  ASSERT_TRUE(filter);
  std::vector<std::string> names;
  for (const std::string_view name : split(c.path, '/')) names.emplace_back(name);
  EXPECT_EQ(filter->excludes(names, FileInfo{}), c.is_excluded) << c.pattern << " on " << c.path;
}

constexpr auto kGlob = ExcludeSyntax::kWildcards;
constexpr auto kRegex = ExcludeSyntax::kRegex;

INSTANTIATE_TEST_SUITE_P(
    Wildcards, FilterPattern,
    testing::Values(
        PatternCase{kGlob, "sub", "sub", true}, PatternCase{kGlob, "sub/", "sub", true},
        PatternCase{kGlob, "sub", "other/sub", false}, PatternCase{kGlob, "sub/b", "sub", false},
        PatternCase{kGlob, "sub/b", "sub/b", true}, PatternCase{kGlob, "*", ".hidden", false},
        PatternCase{kGlob, ".*", ".hidden", true}, PatternCase{kGlob, "*", "sub/b", false},
        PatternCase{kGlob, "!(l*)", "hard", true}, PatternCase{kGlob, "!(l*)", "lnk", false},
        PatternCase{kGlob, "... b", "sub/b", true}, PatternCase{kGlob, "... b", "b", true},
        PatternCase{kGlob, "...b", "sub/b", false},
        PatternCase{kGlob, "... sub/b", "x/sub/b", true},
        PatternCase{kGlob, "... sub/b", "b", false}, PatternCase{kGlob, "d*/[ab]", "d1/a", true}));

INSTANTIATE_TEST_SUITE_P(Regex, FilterPattern,
                         testing::Values(PatternCase{kRegex, "a", "hard", true},
                                         PatternCase{kRegex, "^a$", "hard", false},
                                         PatternCase{kRegex, "... ^(a|b)$", "sub/b", true},
                                         PatternCase{kRegex, "^(a|b)$", "sub/b", false},
                                         PatternCase{kRegex, "s/b", "sub/b", true}));

TEST_F(FilterTest, PatternsThatNameHostPathsAreRefused) {
  for (const char* name : {"/sub", "./sub", "../sub", "... /sub"}) {
    const auto filter = make(ExcludeSyntax::kWildcards, {name});
    ASSERT_FALSE(filter) << name;
    EXPECT_EQ(filter.error().code, Code::kUsage);
  }
}

TEST_F(FilterTest, ABadRegexIsRefusedWithItsText) {
  const auto filter = make(ExcludeSyntax::kRegex, {"("});
  ASSERT_FALSE(filter);
  EXPECT_EQ(filter.error().code, Code::kUsage);
  EXPECT_NE(filter.error().what.find("invalid regex \"(\""), std::string::npos);
}

TEST_F(FilterTest, AnEmptyFilterExcludesNothing) {
  const auto filter = make(ExcludeSyntax::kWildcards, {"", "... "});
  ASSERT_TRUE(filter);
  EXPECT_FALSE(excludes(filter, "a"));
  EXPECT_TRUE(filter->allows_descent(1000));
}

TEST_F(FilterTest, AnExcludedIdentityIsExcludedUnderAnyName) {
  auto filter = make(ExcludeSyntax::kExact, {});
  ASSERT_TRUE(filter);
  filter->exclude({1, 2});
  FileInfo info;
  info.device = 1;
  info.inode = 2;
  const std::vector<std::string> path = {"whatever"};
  EXPECT_TRUE(filter->excludes(path, info));
  info.inode = 3;
  EXPECT_FALSE(filter->excludes(path, info));
}

TEST_F(FilterTest, MaxDepthCountsFromTheRoot) {
  FilterOptions options;
  options.max_depth = 1;
  const auto filter = Filter::make(options, {}, false, *env_, [](const std::string&) {});
  ASSERT_TRUE(filter);
  EXPECT_TRUE(filter->allows_descent(0));
  EXPECT_FALSE(filter->allows_descent(1));
}

}  // namespace
}  // namespace sqfs
