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
  kPseudo,
  kFilter,
  kActions,
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

// Those of a table that a tool has a part of, to be walked through. (std::views::filter would do,
// but clang 14 does not compile it.)
template <class Row, bool (*IsTaken)(Tool, const Row&)>
class ToolRows {
 public:
  ToolRows(Tool tool, std::span<const Row> table) : tool_(tool), table_(table) {}

  class Iterator {
   public:
    Iterator(Tool tool, const Row* at, const Row* end) : tool_(tool), at_(at), end_(end) { skip(); }
    const Row& operator*() const { return *at_; }
    Iterator& operator++() {
      ++at_;
      skip();
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    void skip() {
      while (at_ != end_ && !IsTaken(tool_, *at_)) ++at_;
    }
    Tool tool_;
    const Row *at_, *end_;
  };

  Iterator begin() const { return {tool_, table_.data(), table_.data() + table_.size()}; }
  Iterator end() const {
    const Row* end = table_.data() + table_.size();
    return {tool_, end, end};
  }

 private:
  Tool tool_;
  std::span<const Row> table_;
};

// The rows of a tool.
inline auto option_rows(Tool tool) {
  return ToolRows<OptionRow, is_taken_by>(tool, option_table(tool));
}

// The sections that have rows of this tool, in the order of help.
std::span<const SectionText> section_table(Tool tool);  // for sections() alone
bool has_section(Tool tool, const SectionText& section);
inline auto sections(Tool tool) {
  return ToolRows<SectionText, has_section>(tool, section_table(tool));
}

// The row called `word` by name or alias; nullptr: none.
const OptionRow* find_option(Tool tool, std::string_view word);

}  // namespace sqfs
