// SPDX-License-Identifier: MIT
#include "compressors/option_value.h"

#include <charconv>
#include <string>

namespace sqfs {

Result<int32_t> parse_integer(std::string_view value, int32_t low, int32_t high,
                              std::string_view what) {
  std::string_view digits = value;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  int32_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error == std::errc{} && stop == end && low <= number && number <= high) return number;
  return usage_error(std::string(what) + " takes a number from " + std::to_string(low) + " to " +
                     std::to_string(high) + ", not \"" + std::string(value) + "\"");
}

Result<uint32_t> parse_unsigned(std::string_view value, uint32_t low, uint32_t high,
                                std::string_view what) {
  SQFS_TRY(const int32_t number,
           parse_integer(value, static_cast<int32_t>(low), static_cast<int32_t>(high), what));
  return static_cast<uint32_t>(number);
}

std::string_view take_list_element(std::string_view& list) {
  const size_t comma = list.find(',');
  const std::string_view element = list.substr(0, comma);
  list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  return element;
}

}  // namespace sqfs
