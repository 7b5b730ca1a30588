// SPDX-License-Identifier: MIT
#include "cli/manual.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "cli/completion.h"

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
  EXPECT_EQ(manual_page(Tool::kSqfstar, source_file("man/sqfstar.in")).value_or(""),
            source_file("man/sqfstar.1"))
      << fix;
  EXPECT_EQ(manual_page(Tool::kFsck, source_file("man/fsck.squashfs.in")).value_or(""),
            source_file("man/fsck.squashfs.8"))
      << fix;
}

TEST(Manual, TheCompletionInTheTreeIsCurrent) {
  EXPECT_EQ(completion(Shell::kBash), source_file("docs/completions/squashkit.bash"));
  EXPECT_EQ(completion(Shell::kZsh), source_file("docs/completions/_squashkit"));
  EXPECT_EQ(completion(Shell::kFish), source_file("docs/completions/squashkit.fish"));
}

TEST(Manual, NamesEveryOptionThatIsNotHidden) {
  for (const Tool tool : {Tool::kMksquashfs, Tool::kSqfstar, Tool::kFsck}) {
    const std::string page =
        source_file("man/" + std::string(name_of(tool)) + (tool == Tool::kFsck ? ".8" : ".1"));
    for (const OptionRow& row : option_rows(tool)) {
      if (row.kind == OptionKind::kHidden) continue;
      std::string name;
      for (const char c : row.text.name) name += c == '-' ? std::string("\\-") : std::string(1, c);
      EXPECT_NE(page.find("\n\\fB" + name + "\\fR"), std::string::npos) << row.text.name;
    }
  }
}

// The other way round: an entry without a row is left over from an option that is gone.
TEST(Manual, NamesNoOptionThatIsNotThere) {
  for (const Tool tool : {Tool::kMksquashfs, Tool::kSqfstar, Tool::kFsck}) {
    const std::string page =
        source_file("man/" + std::string(name_of(tool)) + (tool == Tool::kFsck ? ".8" : ".1"));
    constexpr std::string_view kEntry = "\n.TP\n\\fB\\-";
    for (size_t at = page.find(kEntry); at != std::string::npos; at = page.find(kEntry, at + 1)) {
      const size_t begin = at + kEntry.size() - 2;
      std::string name = page.substr(begin, page.find("\\f", begin) - begin);
      std::erase(name, '\\');
      if (!name.starts_with("-X") || name == "-Xhelp") {
        EXPECT_NE(find_option(tool, name), nullptr) << name;
      }
    }
  }
}

TEST(Manual, UnknownDirectivesAreErrors) {
  EXPECT_FALSE(manual_page(Tool::kFsck, "@nothing\n"));
  EXPECT_FALSE(manual_page(Tool::kFsck, "@options nothing\n"));
}

}  // namespace
}  // namespace sqfs
