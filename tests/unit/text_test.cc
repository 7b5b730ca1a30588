// SPDX-License-Identifier: MIT
#include "base/text.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/digest.h"

namespace sqfs {
namespace {

TEST(Text, DecimalIsDigitsAlone) {
  EXPECT_EQ(parse_decimal("0"), 0u);
  EXPECT_EQ(parse_decimal("18446744073709551615"), ~uint64_t{0});
  EXPECT_FALSE(parse_decimal("18446744073709551616"));
  EXPECT_FALSE(parse_decimal(""));
  EXPECT_FALSE(parse_decimal("-1"));
  EXPECT_FALSE(parse_decimal("1x"));
  EXPECT_FALSE(parse_decimal("11", 10));
}

TEST(Text, SizesTakeBinarySuffixes) {
  EXPECT_EQ(parse_size("128K"), 131072u);
  EXPECT_EQ(parse_size("1Mbytes"), 1u << 20);
  EXPECT_EQ(parse_size("1gB"), 1u << 30);
  EXPECT_EQ(parse_size("7"), 7u);
  EXPECT_FALSE(parse_size("KiB"));
  EXPECT_FALSE(parse_size("1KiB"));
  EXPECT_FALSE(parse_size("1.5M"));
  EXPECT_FALSE(parse_size("18446744073709551615K"));
}

TEST(Text, PercentAndOctal) {
  EXPECT_EQ(parse_percent("75%", 100), 75u);
  EXPECT_EQ(parse_percent("75", 100), 75u);
  EXPECT_FALSE(parse_percent("101", 100));
  EXPECT_EQ(parse_octal("0755", 07777), 0755u);
  EXPECT_FALSE(parse_octal("8", 07777));
  EXPECT_FALSE(parse_octal("17777", 07777));
}

TEST(Text, BasenamesAreLexical) {
  EXPECT_EQ(lexical_basename("/a/b/../c/."), "c");
  EXPECT_EQ(lexical_basename("/a/b/.."), "a");
  EXPECT_EQ(lexical_basename("/"), "");
  EXPECT_EQ(lexical_basename("/.."), "");
}

TEST(Text, PrintableEscapesControlBytes) {
  EXPECT_EQ(printable("a\nb\x7f"), "a\\x0ab\\x7f");
  EXPECT_EQ(printable("\xc3\xbc"), "\xc3\xbc");
}

TEST(Bytes, ReaderStopsAtTheEndWithItsOffset) {
  const Buffer raw = {std::byte{1}, std::byte{2}, std::byte{3}};
  ByteReader in(raw);
  EXPECT_EQ(*in.u16(), 0x0201);
  const auto got = in.u16();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().offset, 2u);
  EXPECT_EQ(got.error().problem, kProblemTruncated);
  EXPECT_EQ(*in.u8(), 3);
}

TEST(Bytes, WriterAndReaderAgree) {
  Buffer raw;
  ByteWriter out(raw);
  out.u8(0x12);
  out.u16(0x3456);
  out.u32(0x789abcde);
  out.u64(0x1122334455667788);
  out.i16(-2);
  ByteReader in(raw);
  EXPECT_EQ(*in.u8(), 0x12);
  EXPECT_EQ(*in.u16(), 0x3456);
  EXPECT_EQ(*in.u32(), 0x789abcdeu);
  EXPECT_EQ(*in.u64(), 0x1122334455667788u);
  EXPECT_EQ(*in.i16(), -2);
  EXPECT_EQ(in.remaining(), 0u);
}

TEST(Bytes, AllZeroLooksAtEveryByte) {
  Buffer zeros(4096);
  EXPECT_TRUE(is_all_zero(zeros));
  EXPECT_TRUE(is_all_zero({}));
  zeros.back() = std::byte{1};
  EXPECT_FALSE(is_all_zero(zeros));
  EXPECT_FALSE(is_all_zero(Bytes(zeros).last(1)));
}

TEST(Digest, DependsOnContentAndOrder) {
  const Digest a = digest_of(as_bytes("a")), b = digest_of(as_bytes("b"));
  EXPECT_NE(a, b);
  EXPECT_EQ(a, digest_of(as_bytes("a")));
  EXPECT_NE(combine(a, b), combine(b, a));
}

}  // namespace
}  // namespace sqfs
