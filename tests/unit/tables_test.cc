// SPDX-License-Identifier: MIT
#include "squashfs-format/tables.h"

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

// Round trip, each truncation, each flipped bit: all bits of these records mean something.
template <class T, class Decode>
void expect_pure_record(const T& value, size_t size, Decode decode) {
  const Buffer raw = encoded(value);
  ASSERT_EQ(raw.size(), size);
  ByteReader in(raw);
  const auto decoded = decode(in);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, value);
  for (size_t length = 0; length < size; ++length) {
    ByteReader cut(Bytes(raw).first(length));
    const auto short_one = decode(cut);
    ASSERT_FALSE(short_one);
    EXPECT_EQ(problem_of(short_one.error()), Problem::kTruncated);
  }
  for (size_t bit = 0; bit < size * 8; ++bit) {
    Buffer flipped = raw;
    flipped[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    ByteReader flipped_in(flipped);
    const auto other = decode(flipped_in);
    ASSERT_TRUE(other);
    EXPECT_NE(*other, value);
    EXPECT_EQ(encoded(*other), flipped);
  }
}

TEST(Tables, FragmentEntry) {
  expect_pure_record(FragmentEntry{0x123456789abcdef, 0x1000100, 1}, kFragmentEntrySize,
                     decode_fragment_entry);
}

TEST(Tables, XattrIdEntry) {
  expect_pure_record(XattrIdEntry{0x123456789abcdef, 5, 600}, kXattrIdEntrySize,
                     decode_xattr_id_entry);
}

TEST(Tables, XattrTableHeader) {
  expect_pure_record(XattrTableHeader{0x123456789abcdef, 5, 6}, kXattrTableHeaderSize,
                     decode_xattr_table_header);
}

TEST(Tables, XattrKeysComeBack) {
  Buffer raw;
  ByteWriter out(raw);
  encode_xattr_key(XattrPrefix::kSecurity, true, "capability", out);
  ByteReader in(raw);
  const auto key = decode_xattr_key(in);
  ASSERT_TRUE(key);
  EXPECT_TRUE(key->is_out_of_line());
  EXPECT_TRUE(key->has_known_prefix());
  EXPECT_EQ(key->full_name(), "security.capability");
  for (size_t length = 0; length < raw.size(); ++length) {
    ByteReader cut(Bytes(raw).first(length));
    EXPECT_FALSE(decode_xattr_key(cut)) << length;
  }
}

TEST(Tables, XattrKeyTypes) {
  EXPECT_TRUE((XattrKey{2, "k"}.has_known_prefix()));
  EXPECT_TRUE((XattrKey{0x102, "k"}.has_known_prefix()));
  EXPECT_FALSE((XattrKey{3, "k"}.has_known_prefix()));
  EXPECT_FALSE((XattrKey{0x200, "k"}.has_known_prefix()));
}

TEST(Tables, XattrValuesComeBackAndAreLimited) {
  Buffer raw;
  ByteWriter out(raw);
  encode_xattr_value(as_bytes("value"), out);
  ByteReader in(raw);
  const auto value = decode_xattr_value(in);
  ASSERT_TRUE(value);
  EXPECT_EQ(as_text(*value), "value");
  for (size_t length = 0; length < raw.size(); ++length) {
    ByteReader cut(Bytes(raw).first(length));
    EXPECT_FALSE(decode_xattr_value(cut)) << length;
  }
  Buffer large;
  ByteWriter(large).u32(65537);
  ByteReader large_in(large);
  EXPECT_EQ(problem_of(decode_xattr_value(large_in).error()), Problem::kXattrValueLarge);
}

TEST(Tables, XattrNamesAreSplitAtTheirPrefix) {
  XattrPrefix prefix = XattrPrefix::kUser;
  std::string_view rest;
  ASSERT_TRUE(split_xattr_name("trusted.a.b", prefix, rest));
  EXPECT_EQ(prefix, XattrPrefix::kTrusted);
  EXPECT_EQ(rest, "a.b");
  EXPECT_FALSE(split_xattr_name("user.", prefix, rest));
  EXPECT_FALSE(split_xattr_name("system.posix_acl_access", prefix, rest));
}

}  // namespace
}  // namespace sqfs
