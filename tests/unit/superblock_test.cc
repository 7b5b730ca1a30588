// SPDX-License-Identifier: MIT
#include "squashfs-format/superblock.h"

#include <gtest/gtest.h>

#include "squashfs-format/problem.h"

namespace sqfs {
namespace {

Superblock sample() {
  Superblock super;
  super.inode_count = 0x01020304;
  super.mkfs_time = 0xf0e0d0c0;
  super.block_size = 4096;
  super.block_log = 12;
  super.fragment_count = 7;
  super.compressor = 6;
  super.flags = 0x0c0;
  super.id_count = 3;
  super.root_inode = 0x1122334451667;
  super.bytes_used = 0x8877665544332211;
  super.id_table_start = 1;
  super.inode_table_start = 3;
  super.directory_table_start = 4;
  super.fragment_table_start = 5;
  super.export_table_start = 6;
  return super;
}

TEST(Superblock, DecodesWhatItEncodes) {
  const auto decoded = decode_superblock(encode(sample()));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, sample());
}

TEST(Superblock, FieldsStandWhereTheFormatPutsThem) {
  const auto raw = encode(sample());
  EXPECT_EQ(raw[0], std::byte{0x68});
  EXPECT_EQ(raw[3], std::byte{0x73});
  EXPECT_EQ(raw[4], std::byte{0x04});
  EXPECT_EQ(raw[22], std::byte{12});
  EXPECT_EQ(raw[40], std::byte{0x11});
  EXPECT_EQ(raw[88], std::byte{6});
}

TEST(Superblock, EveryTruncationIsReportedWithItsLength) {
  const auto raw = encode(sample());
  for (size_t length = 0; length < raw.size(); ++length) {
    const auto decoded = decode_superblock(Bytes(raw).first(length));
    ASSERT_FALSE(decoded) << length;
    EXPECT_EQ(problem_of(decoded.error()), Problem::kSuperTruncated);
  }
}

TEST(Superblock, EveryBitBelongsToAField) {
  const auto raw = encode(sample());
  for (size_t bit = 0; bit < raw.size() * 8; ++bit) {
    auto flipped = raw;
    flipped[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    const auto decoded = decode_superblock(flipped);
    ASSERT_TRUE(decoded);
    EXPECT_NE(*decoded, sample()) << bit;
    EXPECT_EQ(encode(*decoded), flipped) << bit;
  }
}

TEST(Superblock, ReadsNothingBehindIts96Bytes) {
  Buffer longer(200, std::byte{0xff});
  const auto raw = encode(sample());
  std::copy(raw.begin(), raw.end(), longer.begin());
  const auto decoded = decode_superblock(longer);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, sample());
}

struct IdentityCase {
  const char* name;
  void (*damage)(Superblock&);
  Problem problem;
};

class SuperblockIdentity : public testing::TestWithParam<IdentityCase> {};

TEST_P(SuperblockIdentity, IsRefused) {
  Superblock super = sample();
  ASSERT_TRUE(check_identity(super));
  GetParam().damage(super);
  const Status status = check_identity(super);
  ASSERT_FALSE(status);
  EXPECT_EQ(problem_of(status.error()), GetParam().problem);
}

INSTANTIATE_TEST_SUITE_P(
    All, SuperblockIdentity,
    testing::Values(
        IdentityCase{"Magic", [](Superblock& s) { s.magic ^= 1; }, Problem::kSuperMagic},
        IdentityCase{"Major", [](Superblock& s) { s.version_major = 3; }, Problem::kSuperVersion},
        IdentityCase{"Minor", [](Superblock& s) { s.version_minor = 1; }, Problem::kSuperVersion},
        IdentityCase{"NoCompressor", [](Superblock& s) { s.compressor = 0; },
                     Problem::kSuperCompressor},
        IdentityCase{"Compressor7", [](Superblock& s) { s.compressor = 7; },
                     Problem::kSuperCompressor},
        IdentityCase{"BlockSizeZero", [](Superblock& s) { s.block_size = s.block_log = 0; },
                     Problem::kSuperBlockSize},
        IdentityCase{"BlockSizeOdd", [](Superblock& s) { s.block_size = 4097; },
                     Problem::kSuperBlockSize},
        IdentityCase{"BlockSizeSmall", [](Superblock& s) { s.block_size = 2048; },
                     Problem::kSuperBlockSize},
        IdentityCase{"BlockSizeLarge", [](Superblock& s) { s.block_size = 1 << 21; },
                     Problem::kSuperBlockSize},
        IdentityCase{"BlockLog", [](Superblock& s) { s.block_log = 13; }, Problem::kSuperBlockLog},
        IdentityCase{"RootOffset", [](Superblock& s) { s.root_inode = 0x2000; },
                     Problem::kSuperRootOffset}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace sqfs
