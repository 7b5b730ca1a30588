// SPDX-License-Identifier: MIT
#include "base/text.h"

#include <array>
#include <cstdio>

namespace sqfs {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<uint64_t> parse_base(std::string_view text, uint64_t base, uint64_t max) {
  if (text.empty()) return std::nullopt;
  uint64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c) || static_cast<uint64_t>(c - '0') >= base) return std::nullopt;
    const auto digit = static_cast<uint64_t>(c - '0');
    if (value > (~uint64_t{0} - digit) / base) return std::nullopt;
    value = value * base + digit;
  }
  return value <= max ? std::optional(value) : std::nullopt;
}

// The binary exponent of a size suffix, or nullopt.
std::optional<unsigned> size_shift(std::string_view suffix) {
  if (suffix.empty()) return 0;
  unsigned shift = 0;
  switch (suffix[0]) {
    case 'k':
    case 'K': shift = 10; break;
    case 'm':
    case 'M': shift = 20; break;
    case 'g':
    case 'G': shift = 30; break;
    default: return std::nullopt;
  }
  const std::string_view unit = suffix.substr(1);
  if (unit.empty() || unit == "B" || unit == "b" || unit == "bytes") return shift;
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> parse_decimal(std::string_view text, uint64_t max) {
  return parse_base(text, 10, max);
}

std::optional<uint64_t> parse_size(std::string_view text) {
  size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  const auto value = parse_base(text.substr(0, digits), 10, ~uint64_t{0});
  const auto shift = size_shift(text.substr(digits));
  if (!value || !shift || (*value << *shift) >> *shift != *value) return std::nullopt;
  return *value << *shift;
}

std::optional<uint64_t> parse_percent(std::string_view text, uint64_t max) {
  if (text.ends_with('%')) text.remove_suffix(1);
  return parse_decimal(text, max);
}

std::optional<uint32_t> parse_octal(std::string_view text, uint32_t max) {
  const auto value = parse_base(text, 8, max);
  return value ? std::optional(static_cast<uint32_t>(*value)) : std::nullopt;
}

std::string fixed2(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  return text.data();
}

std::string lexical_basename(std::string_view absolute_path) {
  std::vector<std::string_view> parts;
  for (const std::string_view part : split(absolute_path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty()) {
      parts.pop_back();
    }
  }
  return parts.empty() ? std::string() : std::string(parts.back());
}

std::string join_path(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.empty() && path.back() != '/') path += '/';
  path += name;
  return path;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      out += c;
      continue;
    }
    std::array<char, 8> escaped{};
    std::snprintf(escaped.data(), escaped.size(), "\\x%02x", byte);
    out += escaped.data();
  }
  return out;
}

std::string printable_start(std::string_view text) {
  constexpr size_t kMost = 80;
  return text.size() <= kMost ? printable(text) : printable(text.substr(0, kMost)) + "...";
}

}  // namespace sqfs
