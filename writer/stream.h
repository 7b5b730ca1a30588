// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/env.h"
#include "base/result.h"

// Images that were written front to back, to a pipe. The superblock is known last and so stands
// last, in the 96 bytes behind the padding; at the front a block with another magic number holds
// its place. Kernels do not know this form: fix_stream() turns it into a usual image.
namespace sqfs {

inline constexpr uint32_t kStreamMagic = 0x53515348;  // "HSQS"

// What stands in the place of the superblock.
Buffer stream_head();

// Puts the superblock at the end of the file `path` where it belongs and cuts it off. Whatever
// stops it, the file is either complete or can be fixed by another call. Fails when the file is not
// such an image.
Status fix_stream(Env& env, const std::string& path);

}  // namespace sqfs
