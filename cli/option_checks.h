// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "cli/settings.h"

// What has to hold between options, and what follows from them together. To be called once after
// parsing; afterwards settings.make.build is what build_image takes.
namespace sqfs {

// Times with SOURCE_DATE_EPOCH, progress modes, memory and threads, the compressor's settings.
// Code::kUsage and Code::kUnsupported as in option_parser.h.
Status finish_settings(Settings& settings);

// What -mem is without the option, for `threads` and a block size.
uint64_t default_memory(System& system, unsigned threads, uint32_t block_size);

}  // namespace sqfs
