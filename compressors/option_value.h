// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "base/result.h"

// Private to this folder: the values of -X options.
namespace sqfs {

// A whole decimal number from `low` to `high`, with an optional sign and nothing behind it. `what`
// begins the sentence of the Code::kUsage error: "gzip -Xwindow-size".
Result<int32_t> parse_integer(std::string_view value, int32_t low, int32_t high,
                              std::string_view what);

// As parse_integer, for ranges without negative numbers.
Result<uint32_t> parse_unsigned(std::string_view value, uint32_t low, uint32_t high,
                                std::string_view what);

// Cuts the first element off a comma-separated `list`; an empty list gives an empty element.
std::string_view take_list_element(std::string_view& list);

}  // namespace sqfs
