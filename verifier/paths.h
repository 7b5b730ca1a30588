// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "verifier/facts.h"

namespace sqfs {

// The name of the entry at a packed StreamPosition of the directory table; empty when it is not
// readable.
std::string entry_name(Facts& facts, uint64_t entry, Findings& findings);

// "/a/b": from the root to an inode, by the first entry that names it. Empty when nothing leads
// there, and when Facts::names_to_read is used up. Names are read from the image again: only the
// few inodes that are reported need them.
std::string path_of(Facts& facts, uint32_t record, Findings& findings);

}  // namespace sqfs
