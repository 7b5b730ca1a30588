// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "cli/option_rows.h"

// Help texts, made from the rows. Pure: they return what is to be printed.
namespace sqfs {

inline constexpr unsigned kNarrowColumns = 80;

// The line that says how the program is called.
std::string usage_line(Tool tool);

// The usage line, the sections and how to see more.
std::string help_summary(Tool tool);
// Every option, section by section, then the compressors.
std::string help_all(Tool tool, unsigned columns);
// The options of a section named by its name or an extended regular expression; "list": the names.
// Code::kUnsupported when there is none.
Result<std::string> help_section(Tool tool, std::string_view which, unsigned columns);
// The options, compressor options included, whose name matches an extended regular expression.
Result<std::string> help_option(Tool tool, std::string_view regex, unsigned columns);
// The options of a compressor; "all", "list".
Result<std::string> help_compressor(std::string_view which, unsigned columns);

// One compressor's name and options.
std::string compressor_help(const CompressorInfo& compressor, unsigned columns);

// What -version prints.
std::string version_text(Tool tool);

}  // namespace sqfs
