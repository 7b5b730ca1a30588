// SPDX-License-Identifier: MIT
#include "cli/option_values.h"

#include <algorithm>
#include <functional>

#include "base/extended_regex.h"
#include "base/text.h"
#include "squashfs-format/tables.h"

namespace sqfs {
namespace {

constexpr uint64_t kMaxU32 = 0xffffffff;
constexpr size_t kMaxExcludeLine = 16384;

std::string quoted(std::string_view value) { return "\"" + printable(value) + "\""; }

// The rules of strtoll for a whole word: nullopt when it is no decimal number or above `max`.
std::optional<uint64_t> plain_number(std::string_view value, uint64_t max) {
  if (value.empty()) return 0;
  const size_t blanks = value.find_first_not_of(" \t\n\v\f\r");
  value.remove_prefix(std::min(blanks, value.size()));
  if (value.size() > 1 && value[0] == '+') value.remove_prefix(1);
  return parse_decimal(value, max);
}

bool is_number_like(std::string_view value) {
  if (value.starts_with('-') || value.starts_with('+')) value.remove_prefix(1);
  return !value.empty() && std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
}

Result<uint32_t> parse_id(std::string_view option, std::string_view value, std::string_view what,
                          const std::function<std::optional<uint32_t>(const std::string&)>& find) {
  if (const auto id = plain_number(value, kMaxU32)) return static_cast<uint32_t>(*id);
  if (is_number_like(value)) {
    return usage_error(std::string(option) + " takes an id from 0 to 4294967295, not " +
                       quoted(value));
  }
  if (const auto id = find(std::string(value))) return *id;
  return usage_error(std::string(option) + ": there is no " + std::string(what) + " called " +
                     quoted(value));
}

// --- xattr values
// ---------------------------------------------------------------------------------

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

Buffer raw_bytes(std::string_view text) {
  const Bytes bytes = as_bytes(text);
  return Buffer(bytes.begin(), bytes.end());
}

std::optional<Buffer> decode_hex(std::string_view text) {
  Buffer out;
  if (text.empty() || text.size() % 2 != 0) return std::nullopt;
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<std::byte>(high * 16 + low));
  }
  return out;
}

std::optional<Buffer> decode_base64(std::string_view text) {
  size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) text.remove_suffix(1), ++padding;
  if (text.empty() || text.size() % 4 == 1) return std::nullopt;
  if (padding != 0 && (text.size() + padding) % 4 != 0) return std::nullopt;
  Buffer out;
  uint32_t bits = 0, count = 0;
  for (const char c : text) {
    const int digit = base64_digit(c);
    if (digit < 0) return std::nullopt;
    bits = (bits << 6) | static_cast<uint32_t>(digit);
    if ((count += 6) < 8) continue;
    count -= 8;
    out.push_back(static_cast<std::byte>((bits >> count) & 0xff));
  }
  return out;
}

std::optional<Buffer> decode_octal_text(std::string_view text) {
  Buffer out;
  while (!text.empty()) {
    if (text[0] != '\\') {
      out.push_back(static_cast<std::byte>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    const auto code = text.size() < 4 ? std::nullopt : parse_octal(text.substr(1, 3), 0xff);
    if (!code) return std::nullopt;
    out.push_back(static_cast<std::byte>(*code));
    text.remove_prefix(4);
  }
  return out;
}

std::optional<Buffer> decode_xattr_value(std::string_view text) {
  if (text.size() < 2 || text[0] != '0') return raw_bytes(text);
  const std::string_view rest = text.substr(2);
  switch (text[1]) {
    case 's':
    case 'S': return decode_base64(rest);
    case 'x':
    case 'X': return decode_hex(rest);
    case 't':
    case 'T': return decode_octal_text(rest);
    case 'b':
    case 'B': return raw_bytes(rest);
    default: return raw_bytes(text);
  }
}

}  // namespace

Result<uint64_t> parse_number(std::string_view option, std::string_view value, uint64_t max) {
  return parse_number_in(option, value, 0, max);
}

Result<uint64_t> parse_number_in(std::string_view option, std::string_view value, uint64_t min,
                                 uint64_t max) {
  const auto number = plain_number(value, max);
  if (number && *number >= min) return *number;
  return usage_error(std::string(option) + " takes a number from " + std::to_string(min) + " to " +
                     std::to_string(max) + ", not " + quoted(value));
}

Result<uint64_t> parse_size_value(std::string_view option, std::string_view value) {
  if (const auto size = parse_size(value)) return *size;
  return usage_error(std::string(option) +
                     " takes a size, a number with an optional K, M or G behind it, not " +
                     quoted(value));
}

Result<uint64_t> parse_percent_in(std::string_view option, std::string_view value, uint64_t min,
                                  uint64_t max) {
  const auto percent = parse_percent(value, max);
  if (percent && *percent >= min) return *percent;
  return usage_error(std::string(option) + " takes a percentage from " + std::to_string(min) +
                     " to " + std::to_string(max) + ", not " + quoted(value));
}

Result<uint32_t> parse_time(System& system, std::string_view option, std::string_view value) {
  if (value.empty()) return uint32_t{0};
  if (const auto number = parse_decimal(value, kMaxU32)) return static_cast<uint32_t>(*number);
  const auto seconds = system.date_seconds(std::string(value));
  const auto number = seconds ? parse_decimal(*seconds, kMaxU32) : std::nullopt;
  if (number) return static_cast<uint32_t>(*number);
  return usage_error(std::string(option) + ": " + quoted(value) +
                     " is neither a number of seconds from 0 to 4294967295 nor a date in that "
                     "range which date(1) understands");
}

Result<uint32_t> parse_user(System& system, std::string_view option, std::string_view value) {
  return parse_id(option, value, "user",
                  [&](const std::string& name) { return system.user_id(name); });
}

Result<uint32_t> parse_group(System& system, std::string_view option, std::string_view value) {
  return parse_id(option, value, "group",
                  [&](const std::string& name) { return system.group_id(name); });
}

Result<uint32_t> parse_epoch(std::string_view value) {
  if (const auto seconds = plain_number(value, kMaxU32)) return static_cast<uint32_t>(*seconds);
  return unsupported_error("the variable SOURCE_DATE_EPOCH is " + quoted(value) +
                           ", which is no number of seconds from 0 to 4294967295");
}

Result<XattrArgument> parse_xattr_argument(std::string_view option, std::string_view value) {
  const auto wrong = [&](std::string_view why) {
    return unsupported_error(std::string(option) + " " + quoted(value) + ": " + std::string(why));
  };
  const size_t equals = value.find('=');
  if (equals == std::string_view::npos) return wrong("name=value is expected");
  const std::string_view name = value.substr(0, equals), text = value.substr(equals + 1);
  XattrPrefix prefix{};
  std::string_view rest;
  if (!split_xattr_name(name, prefix, rest)) {
    return wrong("the name has to begin with user., trusted. or security. and go on behind it");
  }
  if (name.size() > kMaxXattrName) return wrong("the name is longer than 255 bytes");
  if (text.empty()) return wrong("the value is empty");
  auto bytes = decode_xattr_value(text);
  if (!bytes)
    return wrong("the value does not keep to the encoding that its first two letters name");
  if (bytes->size() > kMaxXattrValue) return wrong("the value is longer than 65536 bytes");
  return XattrArgument{std::string(name), std::move(*bytes)};
}

Result<std::vector<std::string>> parse_exclude_file(std::string_view path, std::string_view text) {
  std::vector<std::string> patterns;
  for (std::string_view line : split(text, '\n')) {
    if (line.size() > kMaxExcludeLine) {
      return unsupported_error("exclude file " + quoted(path) + ": a line is longer than " +
                               std::to_string(kMaxExcludeLine) + " bytes");
    }
    const size_t start = line.find_first_not_of(" \t\v\f\r");
    if (start == std::string_view::npos) continue;
    line.remove_prefix(start);
    if (line[0] == '#') continue;
    if (line[0] == '\\') line.remove_prefix(1);
    if (!line.empty()) patterns.emplace_back(line);
  }
  return patterns;
}

Status check_regex(std::string_view option, std::string_view value) {
  auto compiled = ExtendedRegex::compile(std::string(value));
  if (compiled) return ok();
  compiled.error().code = Code::kUnsupported;
  return std::move(compiled).error().with_context(std::string(option));
}

}  // namespace sqfs
