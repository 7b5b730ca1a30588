// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/env.h"
#include "base/result.h"

namespace sqfs {

// The places in a zip archive that mark a name as UTF-8. libarchive converts and normalizes such
// names, and an image is to have the bytes that the archive has: without the marks it takes names
// as they are.
class ZipMarks {
 public:
  // What does not look like a directory of a zip archive is passed over: the reader of the format
  // has the better words for it. Fails when the file cannot be read.
  static Result<ZipMarks> find(InputFile& file, uint64_t size);

  // Clears the marks in bytes that were read at `offset`.
  void clear(uint64_t offset, MutableBytes bytes) const;

 private:
  std::vector<uint64_t> places_;  // sorted
};

}  // namespace sqfs
