// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <list>

#include "base/bytes.h"
#include "base/result.h"
#include "reader/image.h"

// Contents of regular files, front to back.
namespace sqfs {

// Decompressed fragment blocks, the most recently used of them kept: files packed into one block
// follow each other in a directory. One thread.
class FragmentCache {
 public:
  explicit FragmentCache(Image& image) : image_(image) {}

  // The whole fragment block. Valid until the next call.
  Result<Bytes> block(uint32_t index);

 private:
  struct Kept {
    uint32_t index;
    Buffer bytes;
  };
  Image& image_;
  std::list<Kept> kept_;  // most recently used first
};

// Reads one file block by block. Borrows the image and the cache.
class FileCursor {
 public:
  FileCursor(Image& image, FragmentCache& fragments, const ImageInode& file);

  // The next block: block_size bytes, fewer at the end of the file, none behind it. Holes are
  // zeros. Valid until the next call.
  Result<Bytes> next();

 private:
  Result<Bytes> read_block(uint32_t raw_size);
  Result<Bytes> read_tail();

  Image& image_;
  FragmentCache& fragments_;
  FileBody file_;
  TableCursor words_;
  uint64_t words_left_, size_left_, position_;
  Buffer stored_, raw_;
};

// Reads a stored block of `word.stored_size` bytes at `position` and decompresses it into `out`,
// which is cut to what it holds. `stored` is scratch.
Status read_stored_block(Image& image, uint64_t position, BlockWord word, Buffer& stored,
                         Buffer& out);

}  // namespace sqfs
