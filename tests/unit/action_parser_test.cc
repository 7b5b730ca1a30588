// SPDX-License-Identifier: MIT
#include "cli/action_parser.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/action_lexer.h"
#include "tests/support/tool_run.h"

namespace sqfs {
namespace {

class ActionParserTest : public testing::Test {
 protected:
  Action parse(std::string_view text) {
    auto action = parse_action(text, system_);
    EXPECT_TRUE(action) << text << ": " << (action ? "" : action.error().what);
    return action ? *std::move(action) : Action{};
  }
  std::string error(std::string_view text) {
    auto action = parse_action(text, system_);
    EXPECT_FALSE(action) << text;
    if (action) return {};
    EXPECT_EQ(action.error().code, Code::kUnsupported);
    return action.error().what;
  }
  // The one test of "noop@TEST".
  ActionTest test(const std::string& text) {
    const Action action = parse("noop@" + text);
    EXPECT_EQ(action.expression.size(), 1u) << text;
    return action.expression.empty() ? ActionTest{} : action.expression.back();
  }
  void expect_error(std::string_view text, size_t column, std::string_view part) {
    const std::string what = error(text);
    EXPECT_NE(what.find("column " + std::to_string(column) + ":"), std::string::npos) << what;
    EXPECT_NE(what.find(part), std::string::npos) << what;
  }
  void expect_range(const std::string& text, uint64_t min, uint64_t max) {
    const ActionTest got = test("size(" + text + ")");
    EXPECT_EQ(got.min, min) << text;
    EXPECT_EQ(got.max, max) << text;
  }

  FakeSystem system_;
};

// --- words

using Kind = ActionToken::Kind;

TEST(ActionLexer, SignsEndWords) {
  const auto tokens = action_tokens("a(b)&&c||!d,e@f&g|h");
  ASSERT_TRUE(tokens);
  std::vector<Kind> kinds;
  for (const ActionToken& token : *tokens) kinds.push_back(token.kind);
  EXPECT_EQ(kinds,
            (std::vector<Kind>{Kind::kText, Kind::kOpen, Kind::kText, Kind::kClose, Kind::kAnd,
                               Kind::kText, Kind::kOr, Kind::kNot, Kind::kText, Kind::kComma,
                               Kind::kText, Kind::kAt, Kind::kText, Kind::kEnd}));
  EXPECT_EQ((*tokens)[0].text, "a");
  EXPECT_EQ((*tokens)[tokens->size() - 2].text, "f&g|h");
}

TEST(ActionLexer, QuotesAndBackslashesTakeSignsLiterally) {
  const auto tokens = action_tokens(R"(  "a (b" c\,d e"f g"h "x\"y")");
  ASSERT_TRUE(tokens);
  ASSERT_EQ(tokens->size(), 5u);
  EXPECT_EQ((*tokens)[0].text, "a (b");
  EXPECT_TRUE((*tokens)[0].is_quoted);
  EXPECT_EQ((*tokens)[0].offset, 2u);
  EXPECT_EQ((*tokens)[1].text, "c,d");
  EXPECT_EQ((*tokens)[2].text, "ef gh");
  EXPECT_EQ((*tokens)[3].text, "x\"y");
}

TEST(ActionLexer, WhatIsOpenAtTheEndIsReportedAtItsPlace) {
  const auto quote = action_tokens("ab \"cd");
  ASSERT_FALSE(quote);
  EXPECT_EQ(quote.error().offset, 3u);
  const auto escape = action_tokens("abc\\");
  ASSERT_FALSE(escape);
  EXPECT_EQ(escape.error().offset, 3u);
}

// --- actions

TEST_F(ActionParserTest, EveryActionHasItsKindAndArguments) {
  EXPECT_EQ(parse("exclude@true").kind, ActionKind::kExclude);
  EXPECT_EQ(parse("fragment(x)@true").text, "x");
  EXPECT_EQ(parse("fragments@true").kind, ActionKind::kFragments);
  EXPECT_EQ(parse("no-fragments@true").kind, ActionKind::kNoFragments);
  EXPECT_EQ(parse("tailend@true").kind, ActionKind::kTailEnds);
  EXPECT_EQ(parse("always-use-fragments@true").kind, ActionKind::kTailEnds);
  EXPECT_EQ(parse("no-tailend@true").kind, ActionKind::kNoTailEnds);
  EXPECT_EQ(parse("dont-always-use-fragments@true").kind, ActionKind::kNoTailEnds);
  EXPECT_EQ(parse("compressed@true").kind, ActionKind::kCompressed);
  EXPECT_EQ(parse("uncompressed@true").kind, ActionKind::kUncompressed);
  EXPECT_EQ(parse("uid(alice)@true").uid, 1000u);
  EXPECT_EQ(parse("gid(50)@true").gid, 50u);
  EXPECT_EQ(parse("align(64M)@true").align_log, 26);
  EXPECT_EQ(parse("align(1)@true").align_log, 0);
  EXPECT_EQ(parse("move(/a/b)@true").text, "/a/b");
  EXPECT_EQ(parse("prune@true").kind, ActionKind::kPrune);
  EXPECT_EQ(parse("empty@true").empty, EmptyChoice::kAll);
  EXPECT_EQ(parse("empty(source)@true").empty, EmptyChoice::kSource);
  EXPECT_EQ(parse("empty(excluded)@true").empty, EmptyChoice::kExcluded);
  EXPECT_EQ(parse("dereference@true").dereference, Dereference::kOrLeaveOut);
  EXPECT_EQ(parse("dereference(keep)@true").dereference, Dereference::kOrKeep);
  EXPECT_EQ(parse("xattrs-exclude(^user)@true").text, "^user");
  EXPECT_EQ(parse("xattrs-include(x)@true").kind, ActionKind::kXattrsInclude);
}

TEST_F(ActionParserTest, SomeActionsTakeMoreThanOneArgument) {
  const Action owner = parse("guid(alice, staff)@true");
  EXPECT_EQ(owner.uid, 1000u);
  EXPECT_EQ(owner.gid, 50u);
  const Action mode = parse("chmod(u+x,g-w)@true");
  ASSERT_TRUE(mode.mode);
  EXPECT_EQ(mode.mode->apply(0620, false), 0700);
  EXPECT_EQ(mode.label, "chmod(u+x,g-w)");
  const Action xattr = parse("xattrs-add(user.a=b)@true");
  EXPECT_EQ(xattr.text, "user.a");
  EXPECT_EQ(xattr.value.size(), 1u);
}

TEST_F(ActionParserTest, ArgumentsOfActionsAreChecked) {
  expect_error("uid(nobody-here)@true", 5, "user");
  expect_error("gid(x)@true", 5, "group");
  expect_error("guid(1)@true", 1, "takes 2 arguments, not 1");
  expect_error("exclude(x)@true", 1, "no arguments");
  expect_error("move@true", 1, "1 argument");
  expect_error("mode(999)@true", 6, "9");
  expect_error("align(3)@true", 7, "power of two");
  expect_error("align(128M)@true", 7, "power of two");
  expect_error("empty(none)@true", 7, "all, source or excluded");
  expect_error("dereference(x)@true", 13, "keep or delete");
  expect_error("xattrs-exclude(\"(\")@true", 16, "regular expression");
  expect_error("xattrs-add(foo=1)@true", 12, "user.");
  expect_error("fragment(\"\")@true", 10, "empty");
}

// --- tests

TEST_F(ActionParserTest, NumbersHaveSignsAndSuffixes) {
  constexpr uint64_t kMax = ~uint64_t{0};
  expect_range("5", 5, 5);
  expect_range("=5", 5, 5);
  expect_range("<5", 0, 4);
  expect_range("-5", 0, 4);
  expect_range("<=5", 0, 5);
  expect_range(">5", 6, kMax);
  expect_range("+5", 6, kMax);
  expect_range(">=5", 5, kMax);
  expect_range("2k", 2048, 2048);
  expect_range("<1M", 0, (1u << 20) - 1);
  expect_range(">1g", (1u << 30) + 1, kMax);
  expect_range("<0", 1, 0);
  expect_range(">18446744073709551615", 1, 0);
  const ActionTest range = test("filesize_range(1,2k)");
  EXPECT_EQ(range.min, 1u);
  EXPECT_EQ(range.max, 2048u);
  EXPECT_EQ(range.number, FileNumber::kFileSize);
}

TEST_F(ActionParserTest, ANameOfAUserIsItsNumber) {
  const ActionTest user = test("user(alice)");
  EXPECT_EQ(user.number, FileNumber::kUser);
  EXPECT_EQ(user.min, 1000u);
  EXPECT_EQ(user.max, 1000u);
  EXPECT_EQ(user.label, "user(alice)");
  EXPECT_EQ(test("group(staff)").max, 50u);
}

TEST_F(ActionParserTest, PermissionsAreOctalOrSymbolic) {
  EXPECT_EQ(test("perm(0644)").mode, 0644);
  EXPECT_EQ(test("perm(0644)").match, ActionTest::Match::kExactly);
  EXPECT_EQ(test("perm(-644)").mode, 0644);
  EXPECT_EQ(test("perm(-644)").match, ActionTest::Match::kAllOf);
  EXPECT_EQ(test("perm(/u+x,g+x)").mode, 0110);
  EXPECT_EQ(test("perm(/u+x,g+x)").match, ActionTest::Match::kAnyOf);
}

TEST_F(ActionParserTest, PathPatternsBeginWithOneSlash) {
  EXPECT_EQ(test("pathname(a//b/)").text, "/a/b");
  EXPECT_EQ(test("subpathname(/a/*)").label, "subpathname(/a/*)");
  EXPECT_EQ(test("name(a/b)").text, "a/b");
}

TEST_F(ActionParserTest, OperatorsGoFromLeftToRight) {
  const ActionExpression got = parse("noop@true||false&&!name(a)").expression;
  ASSERT_EQ(got.size(), 6u);
  EXPECT_EQ(got[2].kind, TestKind::kOr);
  EXPECT_EQ(got[4].kind, TestKind::kNot);
  EXPECT_EQ(got[5].kind, TestKind::kAnd);
  EXPECT_EQ(got[5].left, 2u);
  EXPECT_EQ(got[5].right, 4u);
}

TEST_F(ActionParserTest, BracketsGroup) {
  const ActionExpression got = parse("noop@true||(false&&name(a))").expression;
  ASSERT_EQ(got.size(), 5u);
  EXPECT_EQ(got[4].kind, TestKind::kOr);
  EXPECT_EQ(got[4].right, 3u);
}

TEST_F(ActionParserTest, TestsOfOtherFilesTakeExpressionsWithQuotesOrWithout) {
  for (const std::string text : {"stat(type(d)&&true)", "stat(\"type(d)&&true\")"}) {
    const ActionExpression got = parse("noop@" + text).expression;
    ASSERT_EQ(got.size(), 4u) << text;
    EXPECT_EQ(got[3].kind, TestKind::kStat);
    EXPECT_EQ(got[3].left, 2u);
  }
  const ActionExpression eval = parse("noop@eval(../x,exists)").expression;
  ASSERT_EQ(eval.size(), 2u);
  EXPECT_EQ(eval[1].text, "../x");
}

TEST_F(ActionParserTest, MistakesAreReportedWhereTheyAre) {
  expect_error("", 1, "the name of an action, found the end");
  expect_error("noop", 5, "\"@\"");
  expect_error("exlude@true", 1, "Did you mean exclude?");
  expect_error("noop@", 6, "a test");
  expect_error("noop@nam(a)", 6, "Did you mean name?");
  expect_error("noop@name", 6, "takes 1 argument, not 0");
  expect_error("noop@name(a", 12, "\",\" or \")\", found the end");
  expect_error("noop@name(a b)", 13, "found \"b\"");
  expect_error("noop@name(,)", 11, "an argument");
  expect_error("noop@true)", 10, "the end, found \")\"");
  expect_error("noop@(true", 11, "\")\"");
  expect_error("noop@true name(b)", 11, "\"&&\"");
  expect_error("noop@size(x)", 11, "a number");
  expect_error("noop@type(x)", 11, "f, d, l");
  expect_error("noop@perm(-9)", 11, "9");
  expect_error("noop@file(\"[\")", 11, "regular expression");
  expect_error("noop@stat(nam(a))", 11, "there is no test");
  expect_error("noop@stat(\"nam(a)\")", 12, "there is no test");
  expect_error("noop@stat(\"true)\")", 16, "quoted expression");
  expect_error("noop@eval(a)", 12, "\",\"");
  expect_error("noop@\"a", 6, "not closed");
}

TEST_F(ActionParserTest, TestsThatNeedTheTreeCannotExclude) {
  expect_error("exclude@exists", 9, "prune");
  expect_error("exclude@true&&dircount(1)", 15, "prune");
  expect_error("exclude@absolute", 9, "prune");
  expect_error("exclude@readlink(true)", 9, "prune");
  expect_error("exclude@stat(eval(a,true))", 14, "prune");
  expect_error("dereference@exists", 13, "prune");
  EXPECT_EQ(parse("exclude@stat(type(d))").kind, ActionKind::kExclude);
}

TEST_F(ActionParserTest, EndlessExpressionsAreRefused) {
  std::string nested = "noop@";
  for (int i = 0; i < 5000; ++i) nested += "(";
  EXPECT_NE(error(nested).find("nested"), std::string::npos);
  std::string chained = "noop@true";
  for (int i = 0; i < 5000; ++i) chained += "&&true";
  EXPECT_NE(error(chained).find("parts"), std::string::npos);
}

// --- files

TEST_F(ActionParserTest, AFileHasCommentsAndContinuedLines) {
  const auto got = parse_action_file("f",
                                     "# comment\n\n  uid(1)@name(a) ||\\\n  name(b)\n"
                                     "gid(2)@name(\"x\\\\\")",
                                     system_);
  ASSERT_TRUE(got) << got.error().what;
  ASSERT_EQ(got->size(), 2u);
  EXPECT_EQ((*got)[0].expression.size(), 3u);
  EXPECT_EQ((*got)[1].expression[0].text, "x\\");
}

TEST_F(ActionParserTest, MistakesInAFileAreReportedWithTheirLine) {
  const auto plain = parse_action_file("f", "noop@true\n  noop@tru(\n", system_);
  ASSERT_FALSE(plain);
  EXPECT_NE(plain.error().what.find("\"f\", line 2, column 8:"), std::string::npos)
      << plain.error().what;
  const auto continued = parse_action_file("f", "noop@true &&\\\n  x(y)\n", system_);
  ASSERT_FALSE(continued);
  EXPECT_NE(continued.error().what.find("line 2, column 3:"), std::string::npos)
      << continued.error().what;
}

}  // namespace
}  // namespace sqfs
