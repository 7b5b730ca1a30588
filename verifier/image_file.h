// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "base/env.h"
#include "base/result.h"

namespace sqfs {

// The image inside its file: positions count from the image's first byte. Any thread may read.
class ImageFile {
 public:
  ImageFile(InputFile& file, uint64_t offset, uint64_t size)
      : file_(file), offset_(offset), size_(size) {}

  // Bytes from the start of the image to the end of the file.
  uint64_t size() const { return size_; }

  // Fills `out` from `position`. Code::kIo when that fails; the caller has checked that the range
  // lies inside size(), so an early end means that the file is shrinking.
  Status read(uint64_t position, MutableBytes out) const {
    SQFS_TRY(const size_t got, file_.read_at(offset_ + position, out));
    if (got == out.size()) return ok();
    return io_error(0, "the file became shorter while it was read");
  }

 private:
  InputFile& file_;
  uint64_t offset_, size_;
};

}  // namespace sqfs
