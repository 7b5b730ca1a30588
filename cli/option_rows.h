// SPDX-License-Identifier: MIT
#pragma once

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
  kFilter,
  kActions,
  kXattrs,
  kRuntime,
  kAppend,
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

struct OptionRow {
  OptionText text;
  Section section;
  OptionKind kind;
  // Code::kUsage: the value is wrong, the usage lines follow. Others: the message alone.
  Status (*apply)(Settings& settings, std::string_view value);

  bool takes_value() const { return !text.argument.empty() && kind != OptionKind::kRest; }
};

enum class Tool : uint8_t { kMksquashfs, kFsck };

std::string_view name_of(Tool tool);
std::span<const OptionRow> option_rows(Tool tool);
// The sections that have rows of this tool, in the order of help.
std::span<const SectionText> sections(Tool tool);

// The row called `word` by name or alias; nullptr: none.
const OptionRow* find_option(Tool tool, std::string_view word);

}  // namespace sqfs
