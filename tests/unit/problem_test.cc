// SPDX-License-Identifier: MIT
#include "squashfs-format/problem.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>

namespace sqfs {
namespace {

TEST(Problem, EachRowIsFoundByItsNumber) {
  for (const ProblemInfo& row : problem_catalogue()) EXPECT_EQ(info(row.id).name, row.name);
}

TEST(Problem, NamesAreUniqueAndInKebabCase) {
  std::set<std::string> names;
  for (const ProblemInfo& row : problem_catalogue()) {
    const std::string name = kebab_name(row.id);
    EXPECT_TRUE(names.insert(name).second) << name;
    for (const char c : name) {
      EXPECT_TRUE(c == '-' || std::islower(static_cast<unsigned char>(c)) != 0 ||
                  std::isdigit(static_cast<unsigned char>(c)) != 0)
          << name;
    }
  }
  EXPECT_EQ(kebab_name(Problem::kSuperMagic), "super-magic");
}

TEST(Problem, MessagesAndEffectsAreSentencesWithoutADot) {
  for (const ProblemInfo& row : problem_catalogue()) {
    EXPECT_FALSE(row.message.empty()) << row.name;
    EXPECT_NE(row.message.back(), '.') << row.name;
    EXPECT_FALSE(row.effect.empty()) << row.name;
    EXPECT_NE(row.effect.back(), '.') << row.name;
  }
}

TEST(Problem, NumbersLieInASectionThatExists) {
  for (const ProblemInfo& row : problem_catalogue()) {
    EXPECT_LE(static_cast<unsigned>(row.id) >> 8, 7u) << row.name;
  }
}

// What stops a mount or crashes is at least an error, what has no effect at most an error.
TEST(Problem, SeverityFitsTheKernel) {
  for (const ProblemInfo& row : problem_catalogue()) {
    if (row.kernel == KernelVerdict::kCrashes) {
      EXPECT_GE(row.severity, Severity::kError) << row.name;
    }
    if (row.severity == Severity::kNote) {
      EXPECT_EQ(row.kernel, KernelVerdict::kAccepts) << row.name;
    }
  }
}

TEST(Problem, MessagesAreFilledIn) {
  EXPECT_EQ(format_message(Problem::kSuperMagic, 0x10, 0x20, {}), "magic is 0x10, expected 0x20");
  EXPECT_EQ(format_message(Problem::kTruncated, 0, 0, "why"), "ends early: why");
  const Error error = corrupt(Problem::kSuperBlockLog, 22, 13, 12);
  EXPECT_EQ(error.what, "block log is 13, the block size demands 12");
  EXPECT_EQ(error.offset, 22u);
  EXPECT_EQ(problem_of(error), Problem::kSuperBlockLog);
}

}  // namespace
}  // namespace sqfs
