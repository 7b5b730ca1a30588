// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "squashfs-format/constants.h"
#include "squashfs-format/problem.h"

namespace sqfs {

struct StreamIssue {
  Problem problem = Problem::kNone;
  uint64_t found = 0, expected = 0;
  std::string detail;
};

// Judges a compressed block that decompresses well, but perhaps not in each kernel: the zstd
// page-border trap, and xz filters that a kernel may lack. (What no kernel accepts, the
// decompressor has refused.) `stored` stands at `image_offset` and makes `raw_size` bytes.
std::optional<StreamIssue> check_stream(CompressorId compressor, Bytes stored,
                                        uint64_t image_offset, size_t raw_size);

}  // namespace sqfs
