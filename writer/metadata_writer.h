// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/env.h"
#include "base/result.h"
#include "compressors/compressor.h"
#include "squashfs-format/metadata.h"

// From records to tables in the image: cut into metadata blocks, compressed, placed.
namespace sqfs {

// A table of metadata blocks in memory. Each block is compressed when it is full, so the position
// of the next byte is known at any time.
class MetadataWriter {
 public:
  // `compressor` is borrowed; null: all blocks are stored raw.
  explicit MetadataWriter(Compressor* compressor);

  MetadataRef position() const;  // of the next byte
  Status append(Bytes bytes);    // fails when the compressor does
  Status finish();               // ends the last block; nothing may be appended afterwards

  Bytes stored() const { return stored_; }  // the whole table, after finish()
  uint64_t raw_bytes() const { return raw_bytes_; }
  // Where each block starts, from the start of the table.
  const std::vector<uint64_t>& block_starts() const { return block_starts_; }

 private:
  Status flush();

  Compressor* compressor_;
  Buffer stored_;
  Buffer open_;    // the block being filled, less than 8192 bytes between calls
  Buffer packed_;  // scratch
  uint64_t raw_bytes_ = 0;
  std::vector<uint64_t> block_starts_;
};

// The end of an image under construction: appends bytes one behind the other.
class ImageTail {
 public:
  // Appends to `output` (borrowed), where the image starts at `image_offset`, from `position` on.
  ImageTail(OutputFile& output, uint64_t image_offset, uint64_t position)
      : output_(output), image_offset_(image_offset), position_(position) {}

  uint64_t position() const { return position_; }  // from the start of the image
  Status append(Bytes bytes);                      // fails when the output does

 private:
  OutputFile& output_;
  uint64_t image_offset_;
  uint64_t position_;
};

// Ends `table`, appends it and returns where it starts.
Result<uint64_t> append_table(MetadataWriter& table, ImageTail& tail);

// Appends an array of records as metadata blocks (raw without a compressor) and then the array of
// their positions, and returns where the latter starts: what the superblock is to point at.
// `header` goes between the two. `records` must not be empty.
Result<uint64_t> append_indexed_table(Bytes records, Bytes header, Compressor* compressor,
                                      ImageTail& tail);

}  // namespace sqfs
