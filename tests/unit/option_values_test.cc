// SPDX-License-Identifier: MIT
#include "cli/option_values.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/tool_run.h"

namespace sqfs {
namespace {

constexpr uint64_t kMax = 1000;

TEST(Number, IsReadAsStrtollReadsIt) {
  EXPECT_EQ(parse_number("-n", "12", kMax).value_or(7), 12u);
  EXPECT_EQ(parse_number("-n", " \t+12", kMax).value_or(7), 12u);
  EXPECT_EQ(parse_number("-n", "", kMax).value_or(7), 0u);
  EXPECT_EQ(parse_number("-n", "1000", kMax).value_or(7), 1000u);
}

TEST(Number, IsRefusedWithAnythingElseInTheWord) {
  for (const char* word : {"-1", "1x", "0x10", "1001", "+", "++1", "1 ", "99999999999999999999"}) {
    const auto number = parse_number("-n", word, kMax);
    ASSERT_FALSE(number) << word;
    EXPECT_EQ(number.error().code, Code::kUsage) << word;
    EXPECT_TRUE(number.error().what.starts_with("-n ")) << number.error().what;
  }
}

TEST(Number, HasALowerLimit) { EXPECT_FALSE(parse_number_in("-n", "0", 1, kMax)); }

TEST(Percent, MayCarryItsSign) {
  EXPECT_EQ(parse_percent_in("-p", "75%", 1, 75).value_or(0), 75u);
  EXPECT_EQ(parse_percent_in("-p", "1", 1, 75).value_or(0), 1u);
  EXPECT_FALSE(parse_percent_in("-p", "76", 1, 75));
  EXPECT_FALSE(parse_percent_in("-p", "0", 1, 75));
  EXPECT_FALSE(parse_percent_in("-p", "5%%", 1, 75));
}

TEST(Time, IsSecondsOrWhatDateUnderstands) {
  FakeSystem system;
  EXPECT_EQ(parse_time(system, "-t", "4294967295").value_or(1), 4294967295u);
  EXPECT_EQ(parse_time(system, "-t", "yesterday").value_or(1), 86400u);
  EXPECT_EQ(parse_time(system, "-t", "").value_or(1), 0u);
}

TEST(Time, OutsideThirtyTwoBitsIsRefused) {
  FakeSystem system;
  EXPECT_FALSE(parse_time(system, "-t", "4294967296"));
  EXPECT_FALSE(parse_time(system, "-t", "-1"));
  EXPECT_FALSE(parse_time(system, "-t", "long ago"));
  EXPECT_FALSE(parse_time(system, "-t", "garbage"));
}

TEST(User, IsANumberOrAName) {
  FakeSystem system;
  EXPECT_EQ(parse_user(system, "-u", "0").value_or(9), 0u);
  EXPECT_EQ(parse_user(system, "-u", "4294967295").value_or(9), 4294967295u);
  EXPECT_EQ(parse_user(system, "-u", "alice").value_or(9), 1000u);
  EXPECT_EQ(parse_group(system, "-g", "staff").value_or(9), 50u);
  EXPECT_EQ(parse_user(system, "-u", "").value_or(9), 0u);
}

TEST(User, ErrorsTellAnUnknownNameFromANumberOutOfRange) {
  FakeSystem system;
  const auto unknown = parse_user(system, "-u", "bob"),
             large = parse_user(system, "-u", "4294967296");
  ASSERT_FALSE(unknown);
  ASSERT_FALSE(large);
  EXPECT_NE(unknown.error().what.find("no user called \"bob\""), std::string::npos);
  EXPECT_NE(large.error().what.find("from 0 to 4294967295"), std::string::npos);
}

TEST(Epoch, EmptyIsZeroAndGarbageIsAnError) {
  EXPECT_EQ(parse_epoch("").value_or(9), 0u);
  EXPECT_EQ(parse_epoch("500").value_or(9), 500u);
  EXPECT_FALSE(parse_epoch("abc"));
  EXPECT_FALSE(parse_epoch("-5"));
}

struct XattrCase {
  const char* argument;
  const char* value;  // nullptr: refused
};

class XattrValue : public testing::TestWithParam<XattrCase> {};

TEST_P(XattrValue, IsDecoded) {
  const auto xattr = parse_xattr_argument("-xattrs-add", GetParam().argument);
  ASSERT_EQ(xattr.has_value(), GetParam().value != nullptr);
  if (xattr) {
    EXPECT_EQ(xattr->name, "user.a");
    EXPECT_EQ(as_text(xattr->value), GetParam().value);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Encodings, XattrValue,
    testing::Values(XattrCase{"user.a=b", "b"}, XattrCase{"user.a=b=c", "b=c"},
                    XattrCase{"user.a=0sQUJD", "ABC"}, XattrCase{"user.a=0SQUI=", "AB"},
                    XattrCase{"user.a=0sQUI", "AB"}, XattrCase{"user.a=0x4142", "AB"},
                    XattrCase{"user.a=0t\\101B", "AB"}, XattrCase{"user.a=0b0x41", "0x41"},
                    XattrCase{"user.a=0", "0"}, XattrCase{"user.a=0q", "0q"},
                    XattrCase{"user.a=", nullptr}, XattrCase{"user.a", nullptr},
                    XattrCase{"user.=b", nullptr}, XattrCase{"system.a=b", nullptr},
                    XattrCase{"user.a=0x414", nullptr}, XattrCase{"user.a=0x4g", nullptr},
                    XattrCase{"user.a=0sQ", nullptr}, XattrCase{"user.a=0s!!!!", nullptr},
                    XattrCase{"user.a=0t\\400", nullptr}, XattrCase{"user.a=0t\\1", nullptr},
                    XattrCase{"user.a=0t\\n", nullptr}));

TEST(ExcludeFile, SkipsCommentsAndLeadingBlanksAlone) {
  const auto patterns = parse_exclude_file("x", "# no\n\n  a b \n\\#c\n\\ d\nsub\r\nlast");
  ASSERT_TRUE(patterns);
  EXPECT_EQ(*patterns, (std::vector<std::string>{"a b ", "#c", " d", "sub\r", "last"}));
}

TEST(ExcludeFile, RefusesAnEndlessLine) {
  EXPECT_FALSE(parse_exclude_file("x", std::string(16385, 'a')));
}

TEST(RegularExpression, HasToCompile) {
  EXPECT_TRUE(check_regex("-r", "^(a|b)$"));
  EXPECT_FALSE(check_regex("-r", "("));
}

}  // namespace
}  // namespace sqfs
