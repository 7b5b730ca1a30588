// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "base/env.h"
#include "base/result.h"
#include "writer/tree.h"

namespace sqfs {

Attributes attributes_of(const FileInfo& info);

// What the file at `path`, no directory, becomes in an image with such blocks. `info` is of the
// file itself. Code::kIo: a symlink that cannot be read. Code::kUnsupported: a target, a size or a
// device number that the format cannot hold.
Result<NodeKind> kind_of_host_file(const std::string& path, const FileInfo& info,
                                   uint32_t block_size, Env& env);

// "ACTION PATH because REASON", or the failed call's own sentence when no errno is behind it.
Error because(const std::string& action, const std::string& path, const Error& error);

}  // namespace sqfs
