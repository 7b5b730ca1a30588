// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "squashfs-format/constants.h"

// Metadata blocks, references into them, and block words: the small encodings that every table
// uses.
//
// A metadata block is a u16 header (bit 15: stored raw; bits 0..14: stored size, 1..8192) and its
// payload; it holds 1..8192 bytes. A table is a byte stream cut into pieces of 8192 bytes, the last
// one short; records may cross pieces.
namespace sqfs {

struct MetadataHeader {
  uint16_t stored_size = 0;
  bool is_raw = false;
  bool operator==(const MetadataHeader&) const = default;
};

uint16_t encode(const MetadataHeader&);
// kMetadataSizeZero, kMetadataSizeLarge, kTruncated. The error's offset is the cursor's.
Result<MetadataHeader> decode_metadata_header(ByteReader& in);

// A 64-bit reference to a record inside a table of metadata blocks:
// bits 16..47 (the kernel's view: 32 bits) the position of the block's header relative to the start
// of the table; bits 0..15 the offset in the uncompressed block (0..8191); bits 48..63 unused, 0.
struct MetadataRef {
  uint64_t block = 0;  // relative position; unpack() keeps all 48 bits, so a caller can refuse more
  uint16_t offset = 0;  // than 32

  static MetadataRef unpack(uint64_t packed) {
    return {packed >> 16, static_cast<uint16_t>(packed & 0xffff)};
  }
  uint64_t packed() const { return (block << 16) | offset; }
  bool fits_kernel() const { return block <= 0xffffffff && offset < kMetadataBlockSize; }
  auto operator<=>(const MetadataRef&) const = default;
};

// The size word of a data or fragment block (u32): 0 a hole; else bits 0..23 the stored size and
// bit 24 "stored raw". Bits 25..31 must be 0.
struct BlockWord {
  uint32_t stored_size = 0;
  bool is_raw = false;

  bool is_hole() const { return stored_size == 0; }
  uint32_t packed() const { return stored_size | (is_raw ? kBlockRawBit : 0); }
  bool operator==(const BlockWord&) const = default;
};

// Checks a word against the most bytes the block may hold: the kernel demands
// stored_size <= raw_size for FILE_DIRECT builds. Errors: kBlockWordBits, kBlockWordRawZero,
// kBlockWordLarge. A hole (0) is returned as such; for a fragment block the caller refuses it.
Result<BlockWord> decode_block_word(uint32_t word, uint32_t max_stored_size);

// Number of metadata blocks that `raw_bytes` of table need, and of bytes in their u64 index array.
constexpr uint64_t metadata_block_count(uint64_t raw_bytes) {
  return raw_bytes / kMetadataBlockSize + (raw_bytes % kMetadataBlockSize != 0 ? 1 : 0);
}
constexpr uint64_t index_array_size(uint64_t raw_bytes) {
  return 8 * metadata_block_count(raw_bytes);
}

}  // namespace sqfs
