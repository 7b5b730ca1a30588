// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include "cli/io.h"

// The programs. Each takes its arguments without the program's name and returns the exit status.
namespace sqfs {

// 0: the image was made. 1: it was not, and nothing was left behind.
int mksquashfs_main(std::span<const std::string_view> args, Io& io);
int sqfstar_main(std::span<const std::string_view> args, Io& io);

// As fsck(8): 0 clean, 4 errors found, 8 could not run, 16 wrong usage.
int fsck_main(std::span<const std::string_view> args, Io& io);

}  // namespace sqfs
