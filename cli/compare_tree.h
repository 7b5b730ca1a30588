// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/env.h"
#include "base/result.h"

// An image against the directory tree it was made from, entry by entry.
namespace sqfs {

struct Difference {
  std::string path;        // from the root of the image, "/a/b"
  std::string_view field;  // presence type mode uid gid mtime size content target rdev xattr links
  std::string in_image, in_directory;
};

class DifferenceSink {
 public:
  virtual ~DifferenceSink() = default;
  virtual void report(const Difference& difference) = 0;
};

// Compares type, permissions (not of symlinks), owner, group, time (in what an image can hold:
// whole seconds from 0 to 2^32-1), size, content, target, device number, extended attributes (but
// system.) and which names are hard links of each other. Returns the number of differences. An
// Error means that one side could not be read. Descends only where both sides have a directory, so
// that an image whose directories form a loop comes to an end.
Result<uint64_t> compare_tree(InputFile& image_file, uint64_t image_offset, Env& env,
                              const std::string& directory, DifferenceSink& sink);

}  // namespace sqfs
