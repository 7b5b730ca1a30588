// SPDX-License-Identifier: MIT
#include "cli/manual.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace sqfs {
namespace {

std::string source_file(const std::string& name) {
  const char* root = std::getenv("SQUASHKIT_SOURCE");
  std::ifstream in(std::string(root == nullptr ? "." : root) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Manual, ThePagesInTheTreeAreCurrent) {
  const std::string fix = "run `make man`";
  EXPECT_EQ(manual_page(Tool::kMksquashfs, source_file("man/mksquashfs.in")).value_or(""),
            source_file("man/mksquashfs.1"))
      << fix;
  EXPECT_EQ(manual_page(Tool::kFsck, source_file("man/fsck.squashfs.in")).value_or(""),
            source_file("man/fsck.squashfs.8"))
      << fix;
}

TEST(Manual, TheCompletionInTheTreeIsCurrent) {
  EXPECT_EQ(bash_completion(), source_file("docs/completions/squashkit.bash"));
}

TEST(Manual, NamesEveryOptionThatIsNotHidden) {
  const std::string page = source_file("man/mksquashfs.1") + source_file("man/fsck.squashfs.8");
  for (const Tool tool : {Tool::kMksquashfs, Tool::kFsck}) {
    for (const OptionRow& row : option_rows(tool)) {
      if (row.kind == OptionKind::kHidden) continue;
      std::string name;
      for (const char c : row.text.name) name += c == '-' ? std::string("\\-") : std::string(1, c);
      EXPECT_NE(page.find("\n\\fB" + name + "\\fR"), std::string::npos) << row.text.name;
    }
  }
}

TEST(Manual, UnknownDirectivesAreErrors) {
  EXPECT_FALSE(manual_page(Tool::kFsck, "@nothing\n"));
  EXPECT_FALSE(manual_page(Tool::kFsck, "@options nothing\n"));
}

}  // namespace
}  // namespace sqfs
