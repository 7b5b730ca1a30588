// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/env.h"
#include "writer/tree.h"

namespace sqfs {

// A piece of a file that has data.
struct Extent {
  uint64_t offset = 0;  // in the file
  uint64_t stored = 0;  // in the file that holds the data
  uint64_t size = 0;
};

// The content of a file of `size` bytes whose data lies in `data`; all outside the extents is
// holes. `extents` go up, do not overlap and end within `size`.
std::unique_ptr<Content> extent_content(std::shared_ptr<InputFile> data,
                                        std::vector<Extent> extents, uint64_t size);

}  // namespace sqfs
