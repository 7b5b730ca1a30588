// SPDX-License-Identifier: MIT
#include "cli/pager.h"

#include <optional>

#include "base/text.h"

namespace sqfs {
namespace {

constexpr std::string_view kShellCharacters = "|;<>&";

// Pagers in the order in which they are tried.
Result<std::vector<std::vector<std::string>>> pagers(Env& env) {
  const auto chosen = env.variable("PAGER");
  if (!chosen) return std::vector<std::vector<std::string>>{{"less"}, {"more"}};
  SQFS_TRY(std::vector<std::string> words, split_pager(*chosen));
  if (words.empty()) return std::vector<std::vector<std::string>>();
  return std::vector<std::vector<std::string>>{std::move(words)};
}

Error pager_error(std::string_view value, std::string_view why) {
  return unsupported_error("PAGER is \"" + printable(value) + "\", " + std::string(why));
}

}  // namespace

Result<std::vector<std::string>> split_pager(std::string_view value) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = '\0';
  for (size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    const bool is_escape = c == '\\' && quote != '\'' && i + 1 < value.size();
    if (quote == '\0' && (c == ' ' || c == '\t')) {
      if (word) words.push_back(*std::move(word));
      word.reset();
      continue;
    }
    if (quote == '\0' && kShellCharacters.find(c) != std::string_view::npos) {
      return pager_error(value, "but no shell reads it: it cannot have " + std::string(1, c));
    }
    if (!word) word.emplace();
    if (is_escape) {
      *word += value[++i];
    } else if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    } else {
      *word += c;
    }
  }
  if (quote != '\0') return pager_error(value, "in which a quote is not closed");
  if (word) words.push_back(*std::move(word));
  return words;
}

Status print_text(std::string_view text, bool may_page, Io& io) {
  if (may_page && io.out_is_terminal) {
    SQFS_TRY(const auto candidates, pagers(io.env));
    for (const std::vector<std::string>& words : candidates) {
      if (io.system.show_with(words, text)) return ok();
    }
  }
  io.out.write(text);
  if (!io.out.is_complete()) return io_error(0, "standard output is full or closed");
  return ok();
}

}  // namespace sqfs
