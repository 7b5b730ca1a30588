// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/io.h"
#include "writer/actions.h"

// The language of -action: ACTION[(ARGUMENTS)]@EXPRESSION. man/mksquashfs.in describes it.
namespace sqfs {

// One definition. Errors are Code::kUnsupported sentences that say at which column what was
// expected; their offset is where in `text`. Names of users and groups are asked of `system`.
Result<Action> parse_action(std::string_view text, System& system);

// The definitions of a file: one a line, which a "\" at its end continues on the next one; lines
// that begin with "#" and empty ones do not count. Errors name file, line and column.
Result<std::vector<Action>> parse_action_file(std::string_view path, std::string_view text,
                                              System& system);

}  // namespace sqfs
