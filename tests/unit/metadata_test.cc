// SPDX-License-Identifier: MIT
#include "squashfs-format/metadata.h"

#include <gtest/gtest.h>

#include "squashfs-format/problem.h"

namespace sqfs {
namespace {

Result<MetadataHeader> decode(uint16_t raw) {
  Buffer bytes;
  ByteWriter(bytes).u16(raw);
  ByteReader in(bytes);
  return decode_metadata_header(in);
}

TEST(Metadata, EveryHeaderIsRefusedOrComesBack) {
  for (uint32_t raw = 0; raw <= 0xffff; ++raw) {
    const auto header = decode(static_cast<uint16_t>(raw));
    const uint32_t size = raw & 0x7fff;
    ASSERT_EQ(header.has_value(), size >= 1 && size <= 8192) << raw;
    if (header) {
      EXPECT_EQ(encode(*header), raw);
    }
  }
}

TEST(Metadata, HeadersNameTheirProblem) {
  EXPECT_EQ(problem_of(decode(0x8000).error()), Problem::kMetadataSizeZero);
  EXPECT_EQ(problem_of(decode(8193).error()), Problem::kMetadataSizeLarge);
  ByteReader in({});
  EXPECT_EQ(problem_of(decode_metadata_header(in).error()), Problem::kTruncated);
}

TEST(Metadata, ReferencesKeepAllBits) {
  for (const uint64_t packed :
       {uint64_t{0}, uint64_t{0x1fff}, uint64_t{0xffffffff1234}, ~uint64_t{0}}) {
    EXPECT_EQ(MetadataRef::unpack(packed).packed(), packed);
  }
  EXPECT_TRUE(MetadataRef::unpack(0xffffffff1fff).fits_kernel());
  EXPECT_FALSE(MetadataRef::unpack(0x1000000000000).fits_kernel());
  EXPECT_FALSE(MetadataRef::unpack(0x2000).fits_kernel());
}

TEST(BlockWord, ComesBack) {
  for (const uint32_t packed : {1u, 4096u, 1u | kBlockRawBit, 4096u | kBlockRawBit}) {
    const auto word = decode_block_word(packed, 4096);
    ASSERT_TRUE(word);
    EXPECT_EQ(word->packed(), packed);
    EXPECT_FALSE(word->is_hole());
  }
  const auto hole = decode_block_word(0, 4096);
  ASSERT_TRUE(hole);
  EXPECT_TRUE(hole->is_hole());
}

TEST(BlockWord, NamesItsProblem) {
  for (uint32_t bit = 25; bit < 32; ++bit) {
    const auto word = decode_block_word((uint32_t{1} << bit) | 1, 4096);
    ASSERT_FALSE(word);
    EXPECT_EQ(problem_of(word.error()), Problem::kBlockWordBits);
  }
  EXPECT_EQ(problem_of(decode_block_word(kBlockRawBit, 4096).error()), Problem::kBlockWordRawZero);
  EXPECT_EQ(problem_of(decode_block_word(4097, 4096).error()), Problem::kBlockWordLarge);
  EXPECT_EQ(problem_of(decode_block_word(4097 | kBlockRawBit, 4096).error()),
            Problem::kBlockWordLarge);
}

TEST(Metadata, TablesAreCountedInBlocks) {
  EXPECT_EQ(metadata_block_count(0), 0u);
  EXPECT_EQ(metadata_block_count(1), 1u);
  EXPECT_EQ(metadata_block_count(8192), 1u);
  EXPECT_EQ(metadata_block_count(8193), 2u);
  EXPECT_EQ(metadata_block_count(~uint64_t{0}), (uint64_t{1} << 51));
  EXPECT_EQ(index_array_size(8193), 16u);
}

}  // namespace
}  // namespace sqfs
