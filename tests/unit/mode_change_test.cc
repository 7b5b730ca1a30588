// SPDX-License-Identifier: MIT
#include "base/mode_change.h"

#include <string>

#include <gtest/gtest.h>

namespace sqfs {
namespace {

struct Case {
  std::string text;
  uint16_t before, after;
  bool is_directory = false;
};

class ModeChangeApplies : public testing::TestWithParam<Case> {};

TEST_P(ModeChangeApplies, AsChmodWould) {
  const Case& c = GetParam();
  const auto change = ModeChange::parse(c.text);
  ASSERT_TRUE(change) << c.text;
  EXPECT_EQ(change->apply(c.before, c.is_directory), c.after) << c.text;
}

INSTANTIATE_TEST_SUITE_P(Octal, ModeChangeApplies,
                         testing::Values(Case{"755", 0600, 0755}, Case{"0", 07777, 0},
                                         Case{"7777", 0, 07777}, Case{"04711", 0644, 04711}));
INSTANTIATE_TEST_SUITE_P(Symbolic, ModeChangeApplies,
                         testing::Values(Case{"go-w,u+x", 0777, 0755},
                                         Case{"u=rwx,go=", 0755, 0700}, Case{"a+r", 0, 0444},
                                         Case{"+x", 0644, 0755}, Case{"=r", 07777, 07444},
                                         Case{"u+s", 0755, 04755}, Case{"g+s", 0755, 02755},
                                         Case{"o+t", 0755, 01755}, Case{"+st", 0755, 0755},
                                         Case{"a=", 07777, 0}, Case{"u=", 04755, 055},
                                         Case{"ug+rw-x", 0111, 0661}, Case{",,u+w,", 0444, 0644}));
INSTANTIATE_TEST_SUITE_P(ConditionalExecute, ModeChangeApplies,
                         testing::Values(Case{"a+X", 0644, 0644}, Case{"a+X", 0654, 0755},
                                         Case{"a+X", 0644, 0755, true}));
INSTANTIATE_TEST_SUITE_P(CopiedClass, ModeChangeApplies,
                         testing::Values(Case{"g=u", 0750, 0770}, Case{"o=g", 0750, 0755},
                                         Case{"u-o", 0755, 0255}, Case{"go=u-w", 0700, 0755}));

class ModeChangeRefuses : public testing::TestWithParam<std::string> {};

TEST_P(ModeChangeRefuses, WithAUsageErrorThatNamesTheText) {
  const auto change = ModeChange::parse(GetParam());
  ASSERT_FALSE(change);
  EXPECT_EQ(change.error().code, Code::kUsage);
  EXPECT_NE(change.error().what.find("Syntax error"), std::string::npos);
  EXPECT_NE(change.error().what.find(GetParam()), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(ModeChange, ModeChangeRefuses,
                         testing::Values("", "8888", "10000", "755,u+x", "u", "u+q", "rwx",
                                         "u+x755", "u=gr", ","));

TEST(ModeChange, FixedSetsExactlyTheseBits) {
  EXPECT_EQ(ModeChange::fixed(0751).apply(07022, true), 0751);
}

}  // namespace
}  // namespace sqfs
