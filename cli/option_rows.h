// SPDX-License-Identifier: MIT
#pragma once

#include <ranges>
#include <span>
#include <string_view>

#include "base/option.h"
#include "cli/settings.h"

// The option tables: one row per option drives the parser, help, the manual pages and shell
// completion. To add an option, add a row and a script in tests/cli.
namespace sqfs {

enum class Section : uint8_t {
  kCompression,
  kBuild,
  kTime,
  kPermissions,
  kPseudo,
  kFilter,
  kXattrs,
  kRuntime,
  kAppend,
  kTar,
  kExpert,
  kHelp,
  kCheck
};

struct SectionText {
  Section section;
  std::string_view name;   // what -help-section takes
  std::string_view title;  // the heading
};

enum class OptionKind : uint8_t {
  kPlain,
  kPrint,   // prints something and ends the program, wherever it stands
  kRest,    // takes all words that follow
  kHidden,  // accepted, in no help
};

// Which of the two programs that make images takes an option.
enum class ToolSet : uint8_t { kBothWriters, kMksquashfsOnly, kSqfstarOnly };

struct OptionRow {
  OptionText text;
  Section section;
  OptionKind kind;
  // Code::kUsage: the value is wrong, the usage lines follow. Others: the message alone.
  Status (*apply)(Settings& settings, std::string_view value);
  ToolSet tools = ToolSet::kBothWriters;

  bool takes_value() const { return !text.argument.empty() && kind != OptionKind::kRest; }
};

std::string_view name_of(Tool tool);

// All rows of the table that `tool` has a part of. For option_rows() alone.
std::span<const OptionRow> option_table(Tool tool);
bool is_taken_by(Tool tool, const OptionRow& row);

// The rows of a tool.
inline auto option_rows(Tool tool) {
  return option_table(tool) |
         std::views::filter([tool](const OptionRow& row) { return is_taken_by(tool, row); });
}
// The sections that have rows of this tool, in the order of help.
std::span<const SectionText> sections(Tool tool);

// The row called `word` by name or alias; nullptr: none.
const OptionRow* find_option(Tool tool, std::string_view word);

}  // namespace sqfs
