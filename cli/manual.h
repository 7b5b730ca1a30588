// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "cli/option_rows.h"

// Manual pages and shell completion, made from the option rows. Pure; man/generate.cc is the
// program that writes the files.
namespace sqfs {

// The page in roff: `prose` with these lines replaced, each of which stands alone:
//   @title        the .TH line
//   @options X    the options of section X, as -help-section names it
//   @sections     all sections, with their titles
//   @compressors  every compressor and its options
// Code::kUsage when a line begins with "@" and is none of them.
Result<std::string> manual_page(Tool tool, std::string_view prose);

}  // namespace sqfs
