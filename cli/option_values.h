// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "cli/io.h"

// The values of options. All errors are Code::kUsage sentences that begin with the option's name.
namespace sqfs {

// A decimal number up to `max`, with leading blanks and one "+" allowed. The empty word is 0.
Result<uint64_t> parse_number(std::string_view option, std::string_view value, uint64_t max);

// A number from `min` to `max`.
Result<uint64_t> parse_number_in(std::string_view option, std::string_view value, uint64_t min,
                                 uint64_t max);

// Bytes, as "128K", "1M", "4096".
Result<uint64_t> parse_size_value(std::string_view option, std::string_view value);

// A percentage from `min` to `max`, with or without "%".
Result<uint64_t> parse_percent_in(std::string_view option, std::string_view value, uint64_t min,
                                  uint64_t max);

// Seconds since 1970 (32 bits, unsigned), or anything date(1) understands. The empty word is 0.
Result<uint32_t> parse_time(System& system, std::string_view option, std::string_view value);

// A numeric id, or a name that the host knows. The empty word is 0.
Result<uint32_t> parse_user(System& system, std::string_view option, std::string_view value);
Result<uint32_t> parse_group(System& system, std::string_view option, std::string_view value);

// The value of SOURCE_DATE_EPOCH; Code::kUnsupported when it is no time.
Result<uint32_t> parse_epoch(std::string_view value);

// "user.name=value", the value in the encodings of mksquashfs(1): 0s base64, 0x hex, 0t text with
// octal escapes, 0b and everything else as it is.
struct XattrArgument {
  std::string name;
  Buffer value;
};
Result<XattrArgument> parse_xattr_argument(std::string_view option, std::string_view value);

// The exclude patterns of a file: one a line; "#" begins a comment line, a leading "\" protects
// one.
Result<std::vector<std::string>> parse_exclude_file(std::string_view path, std::string_view text);

// A POSIX extended regular expression that compiles.
Status check_regex(std::string_view option, std::string_view value);

}  // namespace sqfs
