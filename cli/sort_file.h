// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "writer/sort_order.h"

namespace sqfs {

// The lines of a sort file: a name, in which \ takes the next character literally, and a priority
// from -32768 to 32767. "#" begins a comment line. "/*" at the end of a name is dropped.
// Code::kUnsupported with file and line.
Result<std::vector<SortEntry>> parse_sort_file(std::string_view path, std::string_view text);

}  // namespace sqfs
