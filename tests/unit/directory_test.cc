// SPDX-License-Identifier: MIT
#include "squashfs-format/directory.h"

#include <gtest/gtest.h>

#include "squashfs-format/problem.h"

namespace sqfs {
namespace {

template <class T>
Buffer encoded(const T& value) {
  Buffer out;
  ByteWriter writer(out);
  encode(value, writer);
  return out;
}

const DirRunHeader kRun{256, 0x12345678, 0x9abcdef0};
const DirEntry kEntry{8191, -32767, 7, "a name"};
const DirIndexEntry kIndexEntry{0x01020304, 0x05060708, "first of a run"};

TEST(Directory, RunHeaderComesBack) {
  const Buffer raw = encoded(kRun);
  ByteReader in(raw);
  const auto run = decode_dir_run_header(in);
  ASSERT_TRUE(run);
  EXPECT_EQ(*run, kRun);
  EXPECT_EQ(raw.size(), kDirRunHeaderSize);
}

TEST(Directory, EntryComesBack) {
  const Buffer raw = encoded(kEntry);
  ByteReader in(raw);
  const auto entry = decode_dir_entry(in);
  ASSERT_TRUE(entry);
  EXPECT_EQ(*entry, kEntry);
  EXPECT_EQ(in.remaining(), 0u);
}

TEST(Directory, IndexEntryComesBack) {
  const Buffer raw = encoded(kIndexEntry);
  EXPECT_EQ(raw.size(), encoded_size(kIndexEntry));
  ByteReader in(raw);
  const auto entry = decode_dir_index_entry(in);
  ASSERT_TRUE(entry);
  EXPECT_EQ(*entry, kIndexEntry);
}

template <class Decode>
void expect_truncations(const Buffer& raw, Decode decode) {
  for (size_t length = 0; length < raw.size(); ++length) {
    ByteReader in(Bytes(raw).first(length));
    const auto decoded = decode(in);
    ASSERT_FALSE(decoded) << length;
    EXPECT_EQ(problem_of(decoded.error()), Problem::kTruncated) << length;
  }
}

TEST(Directory, EveryTruncationIsReported) {
  expect_truncations(encoded(kRun), decode_dir_run_header);
  expect_truncations(encoded(kEntry), decode_dir_entry);
  expect_truncations(encoded(kIndexEntry), decode_dir_index_entry);
}

template <class T, class Decode>
void expect_flips_tell(const T& value, Decode decode) {
  const Buffer raw = encoded(value);
  for (size_t bit = 0; bit < raw.size() * 8; ++bit) {
    Buffer flipped = raw;
    flipped[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    ByteReader in(flipped);
    const auto decoded = decode(in);
    if (decoded) {
      EXPECT_NE(*decoded, value) << bit;
    }
  }
}

TEST(Directory, EveryFlippedBitDecodesToSomethingElseOrIsRefused) {
  expect_flips_tell(kRun, decode_dir_run_header);
  expect_flips_tell(kEntry, decode_dir_entry);
  expect_flips_tell(kIndexEntry, decode_dir_index_entry);
}

TEST(Directory, RunsAbove256EntriesAreRefused) {
  Buffer raw(kDirRunHeaderSize);
  raw[1] = std::byte{1};  // count - 1 = 256
  ByteReader in(raw);
  const auto run = decode_dir_run_header(in);
  ASSERT_FALSE(run);
  EXPECT_EQ(problem_of(run.error()), Problem::kDirRunCount);
}

TEST(Directory, NamesAbove256BytesAreRefused) {
  Buffer raw(1000, std::byte{'n'});
  raw[6] = std::byte{0};
  raw[7] = std::byte{1};  // length - 1 = 256
  ByteReader in(raw);
  const auto entry = decode_dir_entry(in);
  ASSERT_FALSE(entry);
  EXPECT_EQ(problem_of(entry.error()), Problem::kDirNameLong);

  raw[8] = raw[10] = raw[11] = std::byte{0};
  raw[9] = std::byte{1};
  ByteReader index_in(raw);
  const auto index = decode_dir_index_entry(index_in);
  ASSERT_FALSE(index);
  EXPECT_EQ(problem_of(index.error()), Problem::kDirIndexNameLong);
}

TEST(Directory, RunTakesNumbersThatFitItsDelta) {
  DirRunHeader run{1, 5, 100000};
  EXPECT_TRUE(run_accepts(run, 5, 100000 + 32767));
  EXPECT_FALSE(run_accepts(run, 5, 100000 + 32768));
  EXPECT_TRUE(run_accepts(run, 5, 100000 - 32767));
  EXPECT_FALSE(run_accepts(run, 5, 100000 - 32768));
  EXPECT_FALSE(run_accepts(run, 6, 100000));
  run.count = 256;
  EXPECT_FALSE(run_accepts(run, 5, 100000));
}

TEST(Directory, LegalNames) {
  EXPECT_TRUE(is_legal_name("a"));
  EXPECT_TRUE(is_legal_name("..."));
  EXPECT_TRUE(is_legal_name("\xff\xfe \n"));
  EXPECT_TRUE(is_legal_name(std::string(255, 'n')));
  EXPECT_FALSE(is_legal_name(""));
  EXPECT_FALSE(is_legal_name("."));
  EXPECT_FALSE(is_legal_name(".."));
  EXPECT_FALSE(is_legal_name("a/b"));
  EXPECT_FALSE(is_legal_name(std::string_view("a\0b", 3)));
  EXPECT_FALSE(is_legal_name(std::string(256, 'n')));
}

}  // namespace
}  // namespace sqfs
