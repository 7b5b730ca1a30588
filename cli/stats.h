// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "cli/option_rows.h"
#include "writer/build.h"

// What --stats writes. Pure.
namespace sqfs {

// One JSON object. Its keys are documented in man/mksquashfs.in, "STATISTICS", and stay.
std::string build_stats(const MakeSettings& make, Tool tool, const BuildSummary& summary);

}  // namespace sqfs
