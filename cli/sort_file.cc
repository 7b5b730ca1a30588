// SPDX-License-Identifier: MIT
#include "cli/sort_file.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"

namespace sqfs {
namespace {

constexpr std::string_view kBlanks = " \t\v\f\r";
constexpr uint64_t kMaxPriority = 32767, kMaxNegative = 32768;

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text;
}

// Takes the name off the line.
std::string take_name(std::string_view& line) {
  std::string name;
  size_t at = 0;
  for (; at < line.size() && kBlanks.find(line[at]) == std::string_view::npos; ++at) {
    if (line[at] == '\\' && at + 1 < line.size()) ++at;
    name += line[at];
  }
  line.remove_prefix(at);
  if (name.ends_with("/*")) name.resize(name.size() - (name.size() > 2 ? 2 : 1));
  return name;
}

// A signed number; more digits than it can have are still one.
std::optional<int16_t> priority_of(std::string_view digits, bool& is_number) {
  const bool is_negative = digits.starts_with('-');
  if (is_negative || digits.starts_with('+')) digits.remove_prefix(1);
  is_number = !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
  const auto value = parse_decimal(digits, is_negative ? kMaxNegative : kMaxPriority);
  if (!value) return std::nullopt;
  const auto magnitude = static_cast<int32_t>(*value);
  return static_cast<int16_t>(is_negative ? -magnitude : magnitude);
}

Result<SortEntry> parse_line(std::string_view line, std::string place) {
  SortEntry entry;
  entry.place = std::move(place);
  entry.name = take_name(line);
  line = without_blanks(line);
  if (line.empty()) {
    return unsupported_error(entry.place + ": no priority follows the name " +
                             printable(entry.name));
  }
  const std::string_view digits = line.substr(0, line.find_first_of(kBlanks));
  bool is_number = false;
  const auto priority = priority_of(digits, is_number);
  if (!is_number) {
    return unsupported_error(entry.place + ": the priority of " + printable(entry.name) +
                             " is no number: \"" + printable(digits) +
                             "\". Blanks in a name have to be written with a \\ before them");
  }
  if (!priority) {
    return unsupported_error(entry.place + ": the priority of " + printable(entry.name) +
                             " is outside of -32768 to 32767");
  }
  if (!without_blanks(line.substr(digits.size())).empty()) {
    return unsupported_error(entry.place + ": something follows the priority of " +
                             printable(entry.name));
  }
  entry.priority = *priority;
  return entry;
}

}  // namespace

Result<std::vector<SortEntry>> parse_sort_file(std::string_view path, std::string_view text) {
  std::vector<SortEntry> entries;
  size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = without_blanks(line);
    if (line.empty() || line[0] == '#') continue;
    SQFS_TRY(SortEntry entry, parse_line(line, "Sort file \"" + printable(path) + "\", line " +
                                                   std::to_string(number)));
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace sqfs
