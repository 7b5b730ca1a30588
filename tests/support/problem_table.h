// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sqfs {

// docs/PROBLEMS.md: the catalogue as a document.
std::string render_problem_table();

}  // namespace sqfs
