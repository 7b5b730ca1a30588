// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <utility>

#include "base/bytes.h"
#include "base/env.h"
#include "base/result.h"
#include "compressors/compressor.h"

// Metadata blocks of an image, decompressed, the most recently used of them kept. One thread. All
// positions are from the start of the image; nothing behind bytes_used is ever read.
namespace sqfs {

// Reads of an image: adds its offset in the file and refuses what lies behind its end.
class ImageBytes {
 public:
  ImageBytes(InputFile& file, uint64_t offset, uint64_t size)
      : file_(file), offset_(offset), size_(size) {}

  uint64_t size() const { return size_; }
  // Fills `out`; Code::kCorrupt (kTruncated) when the image or the file ends before.
  Status read(uint64_t position, MutableBytes out);

 private:
  InputFile& file_;
  const uint64_t offset_, size_;
};

class MetadataCache {
 public:
  // Borrows both for its life.
  MetadataCache(ImageBytes& image, Compressor& compressor);

  struct Block {
    Buffer bytes;       // 1..8192
    uint64_t next = 0;  // position of the block behind it
  };
  // The block whose header stands at `position`. Valid until the next call.
  Result<const Block*> block(uint64_t position);

 private:
  Result<Block> load(uint64_t position);

  ImageBytes& image_;
  Compressor& compressor_;
  std::list<uint64_t> order_;  // positions, most recently used first
  struct Kept {
    Block block;
    std::list<uint64_t>::iterator place;
  };
  std::unordered_map<uint64_t, Kept> kept_;
};

// A position in a table: walks on from block to block, up to `end`, where the table ends.
class TableCursor {
 public:
  TableCursor() = default;
  TableCursor(MetadataCache& cache, uint64_t block, uint32_t offset, uint64_t end)
      : cache_(&cache), block_(block), end_(end), offset_(offset) {}

  // Up to `size` of the bytes ahead, fewer only where the table ends. Does not move.
  Result<Buffer> peek(size_t size) const;
  // Fills `out` and moves behind it; kTruncated when the table ends before.
  Status read(MutableBytes out);
  // Moves on by bytes that peek() has shown.
  Status skip(uint64_t size);

  // Decodes a record with `decode(ByteReader&)` and moves behind it. `first_guess`: bytes that are
  // usually enough for it; at most `max_size` are looked at. Views that decode returns end with it.
  template <class Decode>
  auto record(size_t first_guess, size_t max_size, Decode decode)
      -> decltype(decode(std::declval<ByteReader&>()));

 private:
  MetadataCache* cache_ = nullptr;
  uint64_t block_ = 0, end_ = 0;
  uint32_t offset_ = 0;
};

template <class Decode>
auto TableCursor::record(size_t first_guess, size_t max_size, Decode decode)
    -> decltype(decode(std::declval<ByteReader&>())) {
  for (size_t size = first_guess;; size *= 4) {
    SQFS_TRY(Buffer bytes, peek(std::min(size, max_size)));
    ByteReader in(bytes);
    auto decoded = decode(in);
    const bool is_short = !decoded && decoded.error().problem == kProblemTruncated;
    if (is_short && bytes.size() >= size && size < max_size) continue;
    if (!decoded) return decoded;
    SQFS_CHECKED(skip(in.offset()));
    return decoded;
  }
}

}  // namespace sqfs
