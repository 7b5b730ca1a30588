// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "base/env.h"
#include "writer/tree.h"

namespace sqfs {

// The content of a file that lies in a larger one: `size` bytes of `file` from `offset` on. Holes
// of `file` are holes of the content. Many contents may share one file.
std::unique_ptr<Content> section_content(std::shared_ptr<InputFile> file, uint64_t offset,
                                         uint64_t size);

}  // namespace sqfs
