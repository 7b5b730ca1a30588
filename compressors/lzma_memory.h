// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include <lzma.h>

// Private to this folder.
namespace sqfs {

// The memory of liblzma's coders, kept from one block to the next: its one-shot interface builds a
// coder of up to ten megabytes per call. glibc's malloc keeps such memory nearly as well (128 KiB
// blocks: 1% of the time); others hand it back to the system each time.
// Serves one compressor and outlives its coders; not thread-safe.
class LzmaMemory {
 public:
  LzmaMemory();
  LzmaMemory(const LzmaMemory&) = delete;
  LzmaMemory& operator=(const LzmaMemory&) = delete;
  ~LzmaMemory();

  // For liblzma's `allocator` arguments; valid as long as this object.
  const lzma_allocator* allocator() const { return &allocator_; }

 private:
  struct Piece;  // stands in front of each allocation

  void* take(size_t size);
  void give_back(void* memory);

  Piece* kept_ = nullptr;  // a list of the pieces not in use
  size_t kept_size_ = 0;   // of their contents
  lzma_allocator allocator_;
};

}  // namespace sqfs
