// SPDX-License-Identifier: MIT
#include "base/mode_change.h"

#include <optional>
#include <string>

#include "base/text.h"

namespace sqfs {
namespace {

constexpr uint16_t kAllBits = 07777, kPermissions = 0777, kExecute = 0111;

// The bits that a who-letter stands for.
std::optional<uint16_t> who_bits(char letter) {
  switch (letter) {
    case 'u': return 04700;
    case 'g': return 02070;
    case 'o': return 01007;
    case 'a': return kAllBits;
    default: return std::nullopt;
  }
}

std::optional<uint16_t> permission_bits(char letter) {
  switch (letter) {
    case 'r': return 0444;
    case 'w': return 0222;
    case 'x': return kExecute;
    case 's': return 06000;
    case 't': return 01000;
    default: return std::nullopt;
  }
}

bool is_operation(char letter) { return letter == '+' || letter == '-' || letter == '='; }
bool is_class(char letter) { return letter == 'u' || letter == 'g' || letter == 'o'; }

// The rwx bits of one class, given to all three.
uint16_t spread_class(uint16_t mode, char class_letter) {
  const int shift = class_letter == 'u' ? 6 : class_letter == 'g' ? 3 : 0;
  return static_cast<uint16_t>(((mode >> shift) & 7) * kExecute);
}

Error syntax_error(std::string_view text, size_t at, std::string_view expected) {
  return usage_error("Syntax error: in mode \"" + printable(text) + "\" at character " +
                     std::to_string(at + 1) + ": expected " + std::string(expected));
}

}  // namespace

ModeChange ModeChange::fixed(uint16_t mode) {
  ModeChange change;
  change.clauses_.push_back({.who = kAllBits, .operation = '=', .bits = mode});
  return change;
}

Result<ModeChange> ModeChange::parse(std::string_view text) {
  if (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    const auto mode = parse_octal(text, kAllBits);
    if (!mode) return syntax_error(text, 0, "an octal number up to 7777");
    return fixed(static_cast<uint16_t>(*mode));
  }
  ModeChange change;
  size_t at = 0;
  while (at < text.size()) {
    if (text[at] == ',') {
      ++at;
      continue;
    }
    SQFS_CHECKED(change.parse_clauses(text, at));
  }
  if (change.clauses_.empty()) return syntax_error(text, 0, "an octal or symbolic mode");
  return change;
}

Status ModeChange::parse_clauses(std::string_view text, size_t& at) {
  uint16_t who = 0;
  for (; at < text.size(); ++at) {
    const auto bits = who_bits(text[at]);
    if (!bits) break;
    who |= *bits;
  }
  if (who == 0) who = kPermissions;
  if (at >= text.size() || !is_operation(text[at])) {
    return syntax_error(text, at, "one of the letters u g o a, or + - =");
  }
  while (at < text.size() && text[at] != ',') {
    if (!is_operation(text[at])) return syntax_error(text, at, "one of r w x X s t u g o + - =");
    Clause clause{.who = who, .operation = text[at++]};
    const size_t first = at;
    for (; at < text.size() && clause.copy_from == 0; ++at) {
      if (at == first && is_class(text[at])) {
        clause.copy_from = text[at];
      } else if (text[at] == 'X') {
        clause.conditional_x = true;
      } else if (const auto bits = permission_bits(text[at])) {
        clause.bits |= *bits;
      } else {
        break;
      }
    }
    clauses_.push_back(clause);
  }
  return ok();
}

uint16_t ModeChange::apply(uint16_t mode, bool is_directory) const {
  for (const Clause& clause : clauses_) {
    unsigned bits = clause.bits;
    if (clause.copy_from != 0) bits |= spread_class(mode, clause.copy_from);
    if (clause.conditional_x && (is_directory || (mode & kExecute) != 0)) bits |= kExecute;
    bits &= clause.who;
    unsigned changed = mode;
    switch (clause.operation) {
      case '+': changed |= bits; break;
      case '-': changed &= ~bits; break;
      default: changed = (changed & ~unsigned{clause.who}) | bits; break;
    }
    mode = static_cast<uint16_t>(changed & kAllBits);
  }
  return mode;
}

}  // namespace sqfs
