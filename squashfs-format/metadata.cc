// SPDX-License-Identifier: MIT
#include "squashfs-format/metadata.h"

#include "squashfs-format/problem.h"

namespace sqfs {

uint16_t encode(const MetadataHeader& header) {
  return static_cast<uint16_t>(header.stored_size | (header.is_raw ? kMetadataRawBit : 0));
}

Result<MetadataHeader> decode_metadata_header(ByteReader& in) {
  const size_t at = in.offset();
  SQFS_TRY(const uint16_t raw, in.u16());
  const auto size = static_cast<uint16_t>(raw & (kMetadataRawBit - 1));
  if (size == 0) return corrupt(Problem::kMetadataSizeZero, at);
  if (size > kMetadataBlockSize) {
    return corrupt(Problem::kMetadataSizeLarge, at, size, kMetadataBlockSize);
  }
  return MetadataHeader{size, (raw & kMetadataRawBit) != 0};
}

Result<BlockWord> decode_block_word(uint32_t word, uint32_t max_stored_size) {
  if ((word & ~(kBlockRawBit | kBlockSizeMask)) != 0) {
    return corrupt(Problem::kBlockWordBits, 0, word);
  }
  const BlockWord out{word & kBlockSizeMask, (word & kBlockRawBit) != 0};
  if (out.is_raw && out.stored_size == 0) return corrupt(Problem::kBlockWordRawZero, 0, word);
  if (out.stored_size > max_stored_size) {
    return corrupt(Problem::kBlockWordLarge, 0, out.stored_size, max_stored_size);
  }
  return out;
}

}  // namespace sqfs
