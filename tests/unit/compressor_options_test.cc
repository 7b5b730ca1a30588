// SPDX-License-Identifier: MIT
#include "squashfs-format/compressor_options.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "compressors/compressor.h"
#include "squashfs-format/problem.h"

namespace sqfs {
namespace {

constexpr uint32_t kBlockSize = 131072;

Buffer bytes_of(std::initializer_list<int> values) {
  Buffer out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

// Applies "-Xname value" pairs as a command line does, then finish().
Result<CompressorConfig> configure(std::string_view compressor,
                                   std::initializer_list<std::pair<const char*, const char*>> given,
                                   uint32_t block_size = kBlockSize) {
  const CompressorInfo& info = *find_compressor(compressor);
  CompressorConfig config;
  for (const auto& [name, value] : given) {
    bool known = false;
    for (const CompressorOption& option : info.options) {
      if (option.text.name != name) continue;
      known = true;
      SQFS_CHECKED(option.apply(config, value));
    }
    EXPECT_TRUE(known) << name;
  }
  SQFS_CHECKED(info.finish(config, block_size));
  return config;
}

Buffer options_block(std::string_view compressor,
                     std::initializer_list<std::pair<const char*, const char*>> given,
                     uint32_t block_size = kBlockSize) {
  const auto config = configure(compressor, given, block_size);
  EXPECT_TRUE(config) << (config ? "" : config.error().what);
  return find_compressor(compressor)->encode_options(config.value_or({}), block_size);
}

// --- ranges --------------------------------------------------------------------------------------

struct Value {
  const char* compressor;
  const char* option;
  const char* value;
  bool legal;
};

class OptionValue : public testing::TestWithParam<Value> {};

TEST_P(OptionValue, IsAcceptedInItsRangeAlone) {
  const Value& given = GetParam();
  CompressorConfig config;
  for (const CompressorOption& option : find_compressor(given.compressor)->options) {
    if (option.text.name != given.option) continue;
    const Status status = option.apply(config, given.value);
    EXPECT_EQ(status.has_value(), given.legal);
    if (!status) {
      EXPECT_EQ(status.error().code, Code::kUsage);
      EXPECT_NE(status.error().what.find(given.option), std::string::npos) << status.error().what;
    }
    return;
  }
  FAIL() << "no such option";
}

INSTANTIATE_TEST_SUITE_P(
    Gzip, OptionValue,
    testing::Values(
        Value{"gzip", "-Xcompression-level", "1", true},
        Value{"gzip", "-Xcompression-level", "9", true},
        Value{"gzip", "-Xcompression-level", "+5", true},
        Value{"gzip", "-Xcompression-level", "0", false},
        Value{"gzip", "-Xcompression-level", "10", false},
        Value{"gzip", "-Xcompression-level", "-1", false},
        Value{"gzip", "-Xcompression-level", "5x", false},
        Value{"gzip", "-Xcompression-level", "x", false},
        Value{"gzip", "-Xcompression-level", "", false},
        Value{"gzip", "-Xcompression-level", "+-5", false},
        Value{"gzip", "-Xcompression-level", "99999999999999999999", false},
        Value{"gzip", "-Xwindow-size", "8", true}, Value{"gzip", "-Xwindow-size", "15", true},
        Value{"gzip", "-Xwindow-size", "7", false}, Value{"gzip", "-Xwindow-size", "16", false},
        Value{"gzip", "-Xstrategy", "default", true},
        Value{"gzip", "-Xstrategy", "filtered,huffman_only,run_length_encoded,fixed", true},
        Value{"gzip", "-Xstrategy", "fixed,nonesuch", false},
        Value{"gzip", "-Xstrategy", "fixed,,default", false},
        Value{"gzip", "-Xstrategy", "", false}));

INSTANTIATE_TEST_SUITE_P(Lzo, OptionValue,
                         testing::Values(Value{"lzo", "-Xalgorithm", "lzo1x_1", true},
                                         Value{"lzo", "-Xalgorithm", "lzo1x_1_11", true},
                                         Value{"lzo", "-Xalgorithm", "lzo1x_1_12", true},
                                         Value{"lzo", "-Xalgorithm", "lzo1x_1_15", true},
                                         Value{"lzo", "-Xalgorithm", "lzo1x_999", true},
                                         Value{"lzo", "-Xalgorithm", "lzo1y", false},
                                         Value{"lzo", "-Xalgorithm", "", false},
                                         Value{"lzo", "-Xcompression-level", "1", true},
                                         Value{"lzo", "-Xcompression-level", "9", true},
                                         Value{"lzo", "-Xcompression-level", "0", false},
                                         Value{"lzo", "-Xcompression-level", "10", false}));

INSTANTIATE_TEST_SUITE_P(Lz4, OptionValue,
                         testing::Values(Value{"lz4", "-Xhc", "", true},
                                         Value{"lz4", "-Xacceleration", "1", true},
                                         Value{"lz4", "-Xacceleration", "65537", true},
                                         Value{"lz4", "-Xacceleration", "0", false},
                                         Value{"lz4", "-Xacceleration", "65538", false},
                                         Value{"lz4", "-Xcompression-level", "1", true},
                                         Value{"lz4", "-Xcompression-level", "12", true},
                                         Value{"lz4", "-Xcompression-level", "0", false},
                                         Value{"lz4", "-Xcompression-level", "13", false}));

INSTANTIATE_TEST_SUITE_P(Zstd, OptionValue,
                         testing::Values(Value{"zstd", "-Xcompression-level", "1", true},
                                         Value{"zstd", "-Xcompression-level", "22", true},
                                         Value{"zstd", "-Xcompression-level", "-1", true},
                                         Value{"zstd", "-Xcompression-level", "-131072", true},
                                         Value{"zstd", "-Xcompression-level", "0", false},
                                         Value{"zstd", "-Xcompression-level", "23", false},
                                         Value{"zstd", "-Xcompression-level", "-131073", false},
                                         Value{"zstd", "-Xcompression-level", "high", false}));

INSTANTIATE_TEST_SUITE_P(
    Xz, OptionValue,
    testing::Values(
        Value{"xz", "-Xbcj", "x86", true},
        Value{"xz", "-Xbcj", "x86,powerpc,ia64,arm,armthumb,sparc", true},
        Value{"xz", "-Xbcj", "ppc", true}, Value{"xz", "-Xbcj", "mips", false},
        Value{"xz", "-Xbcj", "", false}, Value{"xz", "-Xpreset", "0", true},
        Value{"xz", "-Xpreset", "9", true}, Value{"xz", "-Xpreset", "10", false},
        Value{"xz", "-Xpreset", "6e", false}, Value{"xz", "-Xe", "", true},
        Value{"xz", "-Xlc", "0", true}, Value{"xz", "-Xlc", "4", true},
        Value{"xz", "-Xlc", "5", false}, Value{"xz", "-Xlp", "4", true},
        Value{"xz", "-Xlp", "5", false}, Value{"xz", "-Xpb", "4", true},
        Value{"xz", "-Xpb", "5", false}, Value{"xz", "-Xpb", "-1", false},
        Value{"xz", "-Xdict-size", "37.5%", true}, Value{"xz", "-Xdict-size", "100%", true},
        Value{"xz", "-Xdict-size", "8K", true}, Value{"xz", "-Xdict-size", "1M", true},
        Value{"xz", "-Xdict-size", "65536", true}, Value{"xz", "-Xdict-size", "0", false},
        Value{"xz", "-Xdict-size", "0%", false}, Value{"xz", "-Xdict-size", "100.1%", false},
        Value{"xz", "-Xdict-size", "50.%", false}, Value{"xz", "-Xdict-size", "%", false},
        Value{"xz", "-Xdict-size", "8Kx", false}, Value{"xz", "-Xdict-size", "4194304K", false},
        Value{"xz", "-Xdict-size", "", false}));

TEST(XzOptions, FilterThatTheLibraryLacksIsNamed) {
  const auto config = configure("xz", {{"-Xbcj", "x86,riscv"}});
  if (config) return;  // liblzma 5.6 and later have it
  EXPECT_EQ(config.error().code, Code::kUsage);
  EXPECT_NE(config.error().what.find("riscv needs a newer liblzma"), std::string::npos);
}

// --- options against each other ------------------------------------------------------------------

TEST(LzoOptions, LevelNeedsAlgorithm999EvenAtItsDefault) {
  EXPECT_FALSE(configure("lzo", {{"-Xalgorithm", "lzo1x_1"}, {"-Xcompression-level", "8"}}));
  EXPECT_TRUE(configure("lzo", {{"-Xcompression-level", "1"}, {"-Xalgorithm", "lzo1x_999"}}));
}

TEST(Lz4Options, LevelNeedsHighCompressionAndAccelerationForbidsIt) {
  EXPECT_FALSE(configure("lz4", {{"-Xcompression-level", "12"}}));
  EXPECT_TRUE(configure("lz4", {{"-Xcompression-level", "12"}, {"-Xhc", ""}}));
  EXPECT_FALSE(configure("lz4", {{"-Xacceleration", "1"}, {"-Xhc", ""}}));
}

TEST(XzOptions, LiteralBitsMayAddUpToFour) {
  EXPECT_TRUE(configure("xz", {{"-Xlc", "1"}, {"-Xlp", "3"}}));
  EXPECT_FALSE(configure("xz", {{"-Xlc", "2"}, {"-Xlp", "3"}}));
  EXPECT_FALSE(configure("xz", {{"-Xlp", "2"}}));  // lc is 3 unless given
}

TEST(XzOptions, DictionaryIsJudgedAgainstTheBlockSize) {
  EXPECT_FALSE(configure("xz", {{"-Xdict-size", "256K"}}));
  EXPECT_TRUE(configure("xz", {{"-Xdict-size", "256K"}}, 1 << 20));
  EXPECT_FALSE(configure("xz", {{"-Xdict-size", "4096"}}));
  EXPECT_FALSE(configure("xz", {{"-Xdict-size", "40960"}}));
  EXPECT_FALSE(configure("xz", {{"-Xdict-size", "62.5%"}}));
  EXPECT_EQ(configure("xz", {{"-Xdict-size", "75%"}}).value().xz.dictionary_size, 98304u);
  EXPECT_EQ(configure("xz", {{"-Xdict-size", "0.78125%"}}, 1 << 20).value().xz.dictionary_size,
            8192u);
}

TEST(XzOptions, LastDictionaryWins) {
  EXPECT_EQ(
      configure("xz", {{"-Xdict-size", "50%"}, {"-Xdict-size", "8K"}}).value().xz.dictionary_size,
      8192u);
  EXPECT_EQ(
      configure("xz", {{"-Xdict-size", "8K"}, {"-Xdict-size", "50%"}}).value().xz.dictionary_size,
      65536u);
}

TEST(XzOptions, DefaultDictionaryHoldsMetadataOfTheSmallestBlocksToo) {
  EXPECT_EQ(configure("xz", {}).value().xz.dictionary_size, kBlockSize);
  EXPECT_EQ(configure("xz", {}, 4096).value().xz.dictionary_size, 8192u);
}

// --- the bytes -----------------------------------------------------------------------------------

TEST(OptionsBlock, IsAbsentForDefaults) {
  EXPECT_TRUE(options_block("gzip", {}).empty());
  EXPECT_TRUE(options_block("gzip", {{"-Xstrategy", "default"}}).empty());
  EXPECT_TRUE(options_block("lzo", {}).empty());
  EXPECT_TRUE(options_block("xz", {}).empty());
  EXPECT_TRUE(options_block("xz", {}, 4096).empty());
  EXPECT_TRUE(options_block("xz", {{"-Xdict-size", "100%"}, {"-Xpreset", "9"}}).empty());
  EXPECT_TRUE(options_block("zstd", {{"-Xcompression-level", "15"}}).empty());
  EXPECT_TRUE(options_block("lzma", {}).empty());
}

TEST(OptionsBlock, OfGzip) {
  EXPECT_EQ(options_block("gzip", {{"-Xcompression-level", "5"}}),
            bytes_of({5, 0, 0, 0, 15, 0, 0, 0}));
  EXPECT_EQ(options_block("gzip", {{"-Xwindow-size", "8"}}), bytes_of({9, 0, 0, 0, 8, 0, 0, 0}));
  EXPECT_EQ(options_block("gzip", {{"-Xstrategy", "default,filtered"}}),
            bytes_of({9, 0, 0, 0, 15, 0, 3, 0}));
}

TEST(OptionsBlock, OfLzo) {
  EXPECT_EQ(options_block("lzo", {{"-Xalgorithm", "lzo1x_1"}}), bytes_of({0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(options_block("lzo", {{"-Xalgorithm", "lzo1x_1_15"}}),
            bytes_of({3, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(options_block("lzo", {{"-Xcompression-level", "9"}}),
            bytes_of({4, 0, 0, 0, 9, 0, 0, 0}));
}

TEST(OptionsBlock, OfLz4IsAlwaysThere) {
  EXPECT_EQ(options_block("lz4", {}), bytes_of({1, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(options_block("lz4", {{"-Xhc", ""}}), bytes_of({1, 0, 0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(options_block("lz4", {{"-Xacceleration", "65537"}}),
            bytes_of({1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 1, 0}));
  EXPECT_EQ(options_block("lz4", {{"-Xhc", ""}, {"-Xcompression-level", "3"}}),
            bytes_of({1, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0}));
}

TEST(OptionsBlock, OfXz) {
  EXPECT_EQ(options_block("xz", {{"-Xbcj", "x86,arm"}}), bytes_of({0, 0, 2, 0, 9, 0, 0, 0}));
  EXPECT_EQ(options_block("xz", {{"-Xdict-size", "37.5%"}}), bytes_of({0, 0xc0, 0, 0, 0, 0, 0, 0}));
}

TEST(OptionsBlock, OfXzCoversMetadataOfTheSmallestBlocks) {
  EXPECT_EQ(options_block("xz", {{"-Xbcj", "x86"}}, 4096), bytes_of({0, 0x20, 0, 0, 1, 0, 0, 0}));
}

TEST(OptionsBlock, OfZstd) {
  EXPECT_EQ(options_block("zstd", {{"-Xcompression-level", "3"}}), bytes_of({3, 0, 0, 0}));
  EXPECT_EQ(options_block("zstd", {{"-Xcompression-level", "-2"}}),
            bytes_of({0xfe, 0xff, 0xff, 0xff}));
}

// --- decoding ------------------------------------------------------------------------------------

template <class Options>
Buffer encoded(const Options& options) {
  Buffer payload;
  ByteWriter out(payload);
  encode(options, out);
  return payload;
}

TEST(DecodeOptions, GivesBackWhatWasEncoded) {
  const GzipOptions gzip{3, 9, 0x1f};
  EXPECT_EQ(decode_gzip_options(encoded(gzip)).value(), gzip);
  const LzoOptions lzo{LzoAlgorithm::k1x1_12, 0}, lzo_999{LzoAlgorithm::k1x999, 2};
  EXPECT_EQ(decode_lzo_options(encoded(lzo)).value(), lzo);
  EXPECT_EQ(decode_lzo_options(encoded(lzo_999)).value(), lzo_999);
  const XzOptions xz{98304, kXzFilterRiscv | kXzFilterX86};
  EXPECT_EQ(decode_xz_options(encoded(xz)).value(), xz);
  const ZstdOptions zstd{-131072};
  EXPECT_EQ(decode_zstd_options(encoded(zstd)).value(), zstd);
}

TEST(DecodeOptions, GivesBackBothFormsOfLz4) {
  const Lz4Options plain, high{true, 1, 12}, accelerated{false, 7, 12}, low{true, 1, 4};
  EXPECT_EQ(decode_lz4_options(encoded(plain)).value(), plain);
  EXPECT_EQ(decode_lz4_options(encoded(high)).value(), high);
  EXPECT_EQ(decode_lz4_options(encoded(accelerated)).value(), accelerated);
  EXPECT_EQ(decode_lz4_options(encoded(low)).value(), low);
}

template <class Decode>
void expect_short_below(Decode decode, const Buffer& payload) {
  for (size_t size = 0; size < payload.size(); ++size) {
    const auto got = decode(Bytes(payload).first(size));
    ASSERT_FALSE(got) << size;
    EXPECT_EQ(problem_of(got.error()), Problem::kCompressorOptionsShort);
  }
}

TEST(DecodeOptions, EveryTruncationIsReported) {
  expect_short_below(decode_gzip_options, encoded(GzipOptions{}));
  expect_short_below(decode_lzo_options, encoded(LzoOptions{}));
  expect_short_below(decode_xz_options, encoded(XzOptions{8192, 0}));
  expect_short_below(decode_lz4_options, encoded(Lz4Options{}));
  expect_short_below(decode_lz4_options, encoded(Lz4Options{false, 9, 12}));
  expect_short_below(decode_zstd_options, encoded(ZstdOptions{}));
}

struct Payload {
  std::string_view compressor;
  Buffer bytes;
  Problem problem;
};

class BadPayload : public testing::TestWithParam<Payload> {};

TEST_P(BadPayload, IsNamed) {
  CompressorConfig config;
  const Status status =
      find_compressor(GetParam().compressor)->decode_options(GetParam().bytes, config, kBlockSize);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kCorrupt);
  EXPECT_EQ(problem_of(status.error()), GetParam().problem);
}

constexpr Problem kValue = Problem::kCompressorOptionsValue;
INSTANTIATE_TEST_SUITE_P(
    All, BadPayload,
    testing::Values(Payload{"gzip", bytes_of({0, 0, 0, 0, 15, 0, 0, 0}), kValue},
                    Payload{"gzip", bytes_of({10, 0, 0, 0, 15, 0, 0, 0}), kValue},
                    Payload{"gzip", bytes_of({9, 0, 0, 0, 7, 0, 0, 0}), kValue},
                    Payload{"gzip", bytes_of({9, 0, 0, 0, 16, 0, 0, 0}), kValue},
                    Payload{"gzip", bytes_of({9, 0, 0, 0, 15, 0, 32, 0}), kValue},
                    Payload{"lzo", bytes_of({5, 0, 0, 0, 0, 0, 0, 0}), kValue},
                    Payload{"lzo", bytes_of({4, 0, 0, 0, 0, 0, 0, 0}), kValue},
                    Payload{"lzo", bytes_of({4, 0, 0, 0, 10, 0, 0, 0}), kValue},
                    Payload{"lzo", bytes_of({0, 0, 0, 0, 1, 0, 0, 0}), kValue},
                    Payload{"lz4", bytes_of({2, 0, 0, 0, 0, 0, 0, 0}), Problem::kLz4Version},
                    Payload{"lz4", bytes_of({1, 0, 0, 0, 4, 0, 0, 0}), kValue},
                    Payload{"lz4", bytes_of({1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0}), kValue},
                    Payload{"lz4", bytes_of({1, 0, 0, 0, 3, 0, 0, 0, 13, 0, 0, 0}), kValue},
                    Payload{"xz", bytes_of({0, 0, 0, 0, 0, 0, 0, 0}), Problem::kXzDictionary},
                    Payload{"xz", bytes_of({0, 0x50, 0, 0, 0, 0, 0, 0}), Problem::kXzDictionary},
                    Payload{"xz", bytes_of({0, 0x20, 0, 0, 0, 1, 0, 0}), kValue},
                    Payload{"zstd", bytes_of({0, 0, 0, 0}), kValue},
                    Payload{"zstd", bytes_of({23, 0, 0, 0}), kValue},
                    Payload{"zstd", bytes_of({0, 0, 0, 0x80}), kValue},
                    Payload{"lzma", bytes_of({1}), kValue}));

TEST(XzDictionary, LegalSizesAreThoseTheKernelComputes) {
  EXPECT_FALSE(is_legal_xz_dictionary(0));
  for (const uint32_t size : {1u, 2u, 3u, 8192u, 12288u, 98304u, 1u << 20, 3u << 20, 1u << 31}) {
    EXPECT_TRUE(is_legal_xz_dictionary(size)) << size;
  }
  for (const uint32_t size : {5u, 7u, 8193u, 40960u, 57344u, 0xffffffffu}) {
    EXPECT_FALSE(is_legal_xz_dictionary(size)) << size;
  }
}

}  // namespace
}  // namespace sqfs
