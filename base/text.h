// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// Parsing and printing of numbers, sizes and paths. Pure.
namespace sqfs {

// Decimal digits alone, at most `max`; nullopt otherwise (also when empty).
std::optional<uint64_t> parse_decimal(std::string_view text, uint64_t max = ~uint64_t{0});

// A size as the command line takes it: digits and optionally k K m M g G (powers of 1024), which
// "B", "b" or "bytes" may follow. nullopt when it is anything else or overflows.
std::optional<uint64_t> parse_size(std::string_view text);

// Digits with an optional "%" behind.
std::optional<uint64_t> parse_percent(std::string_view text, uint64_t max);

// Octal digits, at most `max`.
std::optional<uint32_t> parse_octal(std::string_view text, uint32_t max);

// "%.2f" of a quotient, the way reports print kilobytes.
std::string fixed2(double value);

// The last component of a path after "." and ".." are resolved lexically; empty for "/".
std::string lexical_basename(std::string_view absolute_path);
std::string join_path(std::string_view directory, std::string_view name);
std::vector<std::string_view> split(std::string_view text, char separator);

// A name or path for a message: bytes that would disturb a terminal or a log become \xNN.
std::string printable(std::string_view text);
// The same for what may be very long: of more than 80 bytes the first ones and "...".
std::string printable_start(std::string_view text);

}  // namespace sqfs
