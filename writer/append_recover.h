// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "base/env.h"
#include "base/result.h"

namespace sqfs {

// Puts back what squashfs-tools saved before it added to the image at `path`, in a recovery file:
//
//   0 28 bytes "Squashfs recovery file v1.0\n" | 28 the superblock | 124 the tables, from
//   inode_table_start to bytes_used
//
// Before anything is written the file is checked as a whole: that the image is the one it was made
// of, and that with these tables it holds a tree all of whose references lie inside. The length of
// the image stays as it is.
Status recover_image(const std::string& path, uint64_t image_offset,
                     const std::string& recovery_path, Env& env);

}  // namespace sqfs
