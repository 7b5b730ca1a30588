// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "base/result.h"
#include "cli/io.h"
#include "writer/pseudo.h"

// The text of definitions, as the options -p and -pd and the lines of definition files have it:
// "NAME LETTER ARGUMENT...", separated by blanks. In names "…" and \ keep blanks together.
namespace sqfs {

// A definition without its `place`. Sections (R) have no file yet, and their offset counts from the
// start of a data section; they are an error unless `allows_sections`.
//
// Errors are Code::kUnsupported: what is wrong, and in a second line what the definition is
// expected to look like; Error::offset is the position in `text`.
Result<PseudoDefinition> parse_pseudo_definition(std::string_view text, System& system,
                                                 bool allows_sections);

// "d MODE UID GID" or "D TIME MODE UID GID". Errors as above.
Result<PseudoAttributes> parse_pseudo_directory(std::string_view text, System& system);

}  // namespace sqfs
