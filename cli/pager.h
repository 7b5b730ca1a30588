// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/io.h"

// Long texts on a terminal go through a pager, as the environment variable PAGER has it.
namespace sqfs {

// The words of PAGER: separated by blanks, parts in '…' or "…" and characters behind \ taken as
// they are. No shell sees them, so a value with | ; < > & outside of quotes is an error; so is a
// quote without its end.
Result<std::vector<std::string>> split_pager(std::string_view value);

// Prints `text` on standard output, through the pager if that is a terminal and `may_page` is true.
// Without PAGER that is less(1), or more(1); where none can be started, or PAGER is empty, there is
// none. Fails when PAGER is wrong, or standard output.
Status print_text(std::string_view text, bool may_page, Io& io);

}  // namespace sqfs
