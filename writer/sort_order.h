// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/result.h"
#include "base/warn.h"
#include "writer/tree.h"

// The order in which -sort files want data to be stored.
namespace sqfs {

// A line of a sort file.
struct SortEntry {
  std::string name;
  int16_t priority = 0;
  std::string place;  // "Sort file "x", line 3": where it was written, for messages
};

// Gives the regular files of the tree their priorities: an entry's own, or that of the nearest
// directory on the host that has an entry, or 0. Of several names of a file the highest counts; of
// several entries for a file the last.
//
// A name that begins with /, ./ or ../ is a path on the host; any other is looked up below every
// source. Where no source has it but the working directory does, it and all behind it are paths
// from there, with a warning. An entry for nothing is warned of and ignored.
// Code::kUsage: an entry that fits different files of several sources.
Status set_priorities(std::span<const SortEntry> entries, std::span<const std::string> sources,
                      Env& env, const Warn& warn, Tree& tree);

}  // namespace sqfs
