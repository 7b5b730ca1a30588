// SPDX-License-Identifier: MIT
#pragma once

#include "verifier/facts.h"
#include "verifier/indexed_table.h"

namespace sqfs {

// The xattr part of pass_tables: header, index, id table, and each set's pairs. Leaves xattr_sets,
// and returns where the table before the xattrs has to end.
Result<TableLimit> check_xattr_tables(const Context& context, Facts& facts, Findings& findings,
                                      TableLimit limit);

}  // namespace sqfs
