// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "cli/option_rows.h"

// Shell completion of all programs, made from the option tables. Pure.
namespace sqfs {

enum class Shell : uint8_t { kBash, kZsh, kFish };

// One file for all programs, in docs/completions.
std::string completion(Shell shell);

}  // namespace sqfs
