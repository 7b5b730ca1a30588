// SPDX-License-Identifier: MIT
#include "squashfs-format/inode.h"

#include <gtest/gtest.h>

#include "squashfs-format/problem.h"

namespace sqfs {
namespace {

Buffer encoded(const Inode& inode) {
  Buffer out;
  ByteWriter writer(out);
  encode(inode, writer);
  return out;
}

// An inode of each of the 14 types, with a value of its own in every field the form can hold.
Inode sample(InodeType type) {
  Inode inode;
  inode.header = {type, 04755, 1, 2, 0xfedcba98, 77};
  const bool extended = static_cast<uint16_t>(type) > 7;
  const uint32_t xattr = extended ? 9 : kNoXattr;
  switch (basic_type(type)) {
    case InodeType::kDir: {
      DirBody dir{0x12345, 678, 3, 500, 76, xattr, 0, {}};
      if (extended) dir.file_size = 70000;
      inode.body = dir;
      break;
    }
    case InodeType::kFile: {
      FileBody file{0x1000, 300000, 0, 1, 4, 5, xattr, {}};
      if (extended) {
        file.start = uint64_t{5} << 32;
        file.sparse = 4096;
        file.nlink = 3;
      }
      inode.body = file;
      break;
    }
    case InodeType::kSymlink: inode.body = SymlinkBody{2, "some/where", xattr}; break;
    case InodeType::kBlockDevice:
    case InodeType::kCharDevice: inode.body = DeviceBody{2, 0xabcdef01, xattr}; break;
    default: inode.body = IpcBody{5, xattr}; break;
  }
  return inode;
}

class EachInodeType : public testing::TestWithParam<int> {
 protected:
  Inode inode() const { return sample(static_cast<InodeType>(GetParam())); }
};

TEST_P(EachInodeType, DecodesWhatWasEncoded) {
  const Buffer raw = encoded(inode());
  EXPECT_EQ(raw.size(), encoded_size(inode()));
  ByteReader in(raw);
  const auto decoded = decode_inode(in);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, inode());
  EXPECT_EQ(in.remaining(), 0u);
}

TEST_P(EachInodeType, EveryTruncationIsReported) {
  const Buffer raw = encoded(inode());
  for (size_t length = 0; length < raw.size(); ++length) {
    ByteReader in(Bytes(raw).first(length));
    const auto decoded = decode_inode(in);
    ASSERT_FALSE(decoded) << length;
    EXPECT_EQ(problem_of(decoded.error()), Problem::kTruncated) << length;
  }
}

TEST_P(EachInodeType, EveryFlippedBitDecodesToSomethingElseOrIsRefused) {
  const Buffer raw = encoded(inode());
  for (size_t bit = 0; bit < raw.size() * 8; ++bit) {
    Buffer flipped = raw;
    flipped[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    ByteReader in(flipped);
    const auto decoded = decode_inode(in);
    if (decoded) {
      EXPECT_NE(*decoded, inode()) << bit;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EachInodeType, testing::Range(1, 15));

TEST(Inode, TypesOutsideOf1To14AreRefused) {
  for (const unsigned type : {0u, 15u, 0x100u, 0xffffu}) {
    Buffer raw(64);
    raw[0] = static_cast<std::byte>(type);
    raw[1] = static_cast<std::byte>(type >> 8);
    ByteReader in(raw);
    const auto decoded = decode_inode(in);
    ASSERT_FALSE(decoded);
    EXPECT_EQ(problem_of(decoded.error()), Problem::kInodeType);
  }
}

TEST(Inode, BlockWordsAndIndexStayForTheCaller) {
  Inode file = sample(InodeType::kFile);
  std::get<FileBody>(file.body).block_words = {1, 2, 3};
  const Buffer raw = encoded(file);
  ByteReader in(raw);
  ASSERT_TRUE(decode_inode(in));
  EXPECT_EQ(in.remaining(), 12u);

  Inode dir = sample(InodeType::kLongDir);
  std::get<DirBody>(dir.body).index = {{8000, 1, "name"}};
  const Buffer dir_raw = encoded(dir);
  ByteReader dir_in(dir_raw);
  const auto decoded = decode_inode(dir_in);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(std::get<DirBody>(decoded->body).index_count, 1);
  EXPECT_EQ(dir_in.remaining(), kDirIndexFixedSize + 4);
}

TEST(Inode, TargetSizeIsCheckedBeforeItIsBelieved) {
  Inode link = sample(InodeType::kSymlink);
  Buffer raw = encoded(link);
  raw[22] = std::byte{1};  // 65536 and more
  ByteReader in(raw);
  const auto decoded = decode_inode(in);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(problem_of(decoded.error()), Problem::kSymlinkLong);
}

TEST(Inode, ExtendedFormIsNeededForWhatTheBasicOneCannotHold) {
  Inode file = sample(InodeType::kFile);
  EXPECT_FALSE(needs_extended(file));
  auto& body = std::get<FileBody>(file.body);
  const FileBody plain = body;
  body.nlink = 2;
  EXPECT_TRUE(needs_extended(file));
  body = plain;
  body.size = uint64_t{1} << 32;
  EXPECT_TRUE(needs_extended(file));
  body = plain;
  body.start = uint64_t{1} << 32;
  EXPECT_TRUE(needs_extended(file));
  body = plain;
  body.sparse = 1;
  EXPECT_TRUE(needs_extended(file));
  body = plain;
  body.xattr = 0;
  EXPECT_TRUE(needs_extended(file));

  Inode dir = sample(InodeType::kDir);
  EXPECT_FALSE(needs_extended(dir));
  std::get<DirBody>(dir.body).file_size = 65536;
  EXPECT_TRUE(needs_extended(dir));
}

TEST(Inode, WordCountDependsOnTheTail) {
  FileBody file;
  file.size = 3 * 4096 + 1;
  EXPECT_EQ(block_word_count(file, 4096), 4u);
  EXPECT_EQ(fragment_tail_size(file, 4096), 0u);
  file.fragment = 0;
  EXPECT_EQ(block_word_count(file, 4096), 3u);
  EXPECT_EQ(fragment_tail_size(file, 4096), 1u);
  file.size = ~uint64_t{0};
  file.fragment = kNoFragment;
  EXPECT_EQ(block_word_count(file, 4096), uint64_t{1} << 52);
}

TEST(Inode, DevicesKeepAllTheirBits) {
  for (const Device device :
       {Device{0, 0}, Device{8, 1}, Device{259, 1048575}, Device{4095, 7}, Device{4095, 1048575}}) {
    EXPECT_EQ(decode_device(encode_device(device)), device);
  }
  EXPECT_EQ(encode_device({8, 1}), 0x801u);
}

}  // namespace
}  // namespace sqfs
