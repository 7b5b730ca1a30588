// SPDX-License-Identifier: MIT
#include "compressors/compressor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "squashfs-format/problem.h"
#include "tests/support/compressor_samples.h"

// What holds for every compressor at every setting. What is particular to one:
// codec_limits_test.cc.
namespace sqfs {
namespace {

std::string name_of(const testing::TestParamInfo<CompressorSetting>& info) {
  return info.param.name;
}

std::vector<CompressorSetting> all_settings() {
  std::vector<CompressorSetting> settings = {
      {"gzip", "gzip", {}},
      {"gzip_1", "gzip", {{"-Xcompression-level", "1"}}},
      {"gzip_window", "gzip", {{"-Xwindow-size", "8"}}},
      {"gzip_strategies",
       "gzip",
       {{"-Xstrategy", "default,filtered,huffman_only,run_length_encoded,fixed"}}},
      {"lzo", "lzo", {}},
      {"lzo_999_level_1", "lzo", {{"-Xcompression-level", "1"}}},
      {"lzo_1", "lzo", {{"-Xalgorithm", "lzo1x_1"}}},
      {"lzo_1_11", "lzo", {{"-Xalgorithm", "lzo1x_1_11"}}},
      {"lzo_1_12", "lzo", {{"-Xalgorithm", "lzo1x_1_12"}}},
      {"lzo_1_15", "lzo", {{"-Xalgorithm", "lzo1x_1_15"}}},
      {"lz4", "lz4", {}},
      {"lz4_fast", "lz4", {{"-Xacceleration", "65537"}}},
      {"lz4_high", "lz4", {{"-Xhc", ""}}},
      {"lz4_high_1", "lz4", {{"-Xhc", ""}, {"-Xcompression-level", "1"}}},
      {"xz", "xz", {}},
      {"xz_filters", "xz", {{"-Xbcj", "x86,arm"}}},
      {"xz_small_dictionary", "xz", {{"-Xdict-size", "8K"}}},
      {"xz_bits", "xz", {{"-Xlc", "0"}, {"-Xlp", "4"}, {"-Xpb", "0"}, {"-Xpreset", "1"}}},
      {"xz_extreme", "xz", {{"-Xpreset", "9"}, {"-Xe", ""}}},
      {"zstd", "zstd", {}},
      {"zstd_1", "zstd", {{"-Xcompression-level", "1"}}},
      {"zstd_5", "zstd", {{"-Xcompression-level", "5"}}},
      {"zstd_22", "zstd", {{"-Xcompression-level", "22"}}},
      {"zstd_fast", "zstd", {{"-Xcompression-level", "-131072"}}},
      {"lzma", "lzma", {}},
  };
  std::erase_if(settings, [](const CompressorSetting& row) {
    return !find_compressor(row.compressor)->available();
  });
  return settings;
}

// --- all settings --------------------------------------------------------------------------------

class EverySetting : public testing::TestWithParam<CompressorSetting> {};
INSTANTIATE_TEST_SUITE_P(Compressors, EverySetting, testing::ValuesIn(all_settings()), name_of);

TEST_P(EverySetting, RoundTripsEverySize) {
  for (const size_t size : {1, 2, 100, 4095, 4096, 8192, 131072}) {
    SCOPED_TRACE(size);
    const auto compressor = make(GetParam());
    expect_round_trip(*compressor, zeros(size));
    expect_round_trip(*compressor, text(size));
    expect_round_trip(*compressor, mixture(size));
    expect_round_trip(*compressor, random_bytes(size));
  }
}

TEST(Compressors, RoundTripTheLargestBlock) {
  for (const CompressorInfo& info : compressors()) {
    if (!info.available()) continue;
    SCOPED_TRACE(info.name);
    const auto compressor = make(info.name, kMaxBlockSize);
    expect_round_trip(*compressor, zeros(kMaxBlockSize));
    expect_round_trip(*compressor, mixture(kMaxBlockSize));
  }
}

TEST_P(EverySetting, MakesTextSmaller) {
  // The fastest settings find nothing; that is what was asked for.
  if (GetParam().name == "lz4_fast" || GetParam().name == "zstd_fast") return;
  const Buffer raw = text(kTestBlockSize);
  const Buffer stored = compressed(*make(GetParam()), raw);
  EXPECT_GT(stored.size(), 0u);
  EXPECT_LT(stored.size(), raw.size() / 2);
}

TEST_P(EverySetting, LeavesNoiseRaw) {
  EXPECT_TRUE(compressed(*make(GetParam()), random_bytes(4096)).empty());
  EXPECT_TRUE(compressed(*make(GetParam()), random_bytes(kTestBlockSize)).empty());
}

TEST_P(EverySetting, LeavesRawWhatDoesNotFitTheRoom) {
  const Buffer raw = text(kTestBlockSize);
  const auto compressor = make(GetParam());
  Buffer room(64);
  EXPECT_FALSE(compressor->compress(raw, room).value());
  EXPECT_FALSE(compressor->compress(raw, MutableBytes()).value());
  EXPECT_FALSE(compressor->compress_metadata(text(8192), room).value());
}

TEST_P(EverySetting, RoundTripsMetadata) {
  const auto compressor = make(GetParam());
  for (const size_t size : {2, 300, 8191, 8192}) {
    const Buffer raw = text(size);
    const Buffer stored = compressed_metadata(*compressor, raw);
    if (size >= 300) {
      EXPECT_LT(stored.size(), raw.size() * 3 / 4);
      expect_decodes_to(*compressor, stored, raw);
    }
  }
}

TEST_P(EverySetting, GivesTheSameBytesOnUsedAndOnFreshContexts) {
  const auto used = make(GetParam());
  for (const size_t size : {40000, 5000, 131072, 1}) {
    SCOPED_TRACE(size);
    const Buffer raw = mixture(size);
    const auto fresh = make(GetParam());
    EXPECT_TRUE(compressed(*used, raw) == compressed(*fresh, raw));
    const Buffer metadata = mixture(std::min<size_t>(size, 8192));
    EXPECT_TRUE(compressed_metadata(*used, metadata) == compressed_metadata(*fresh, metadata));
    compressed(*used, random_bytes(3000));
  }
}

TEST_P(EverySetting, FillsNoMoreThanTheRoomWhenDecoding) {
  const Buffer raw = text(8192);
  const auto compressor = make(GetParam());
  const Buffer stored = compressed_metadata(*compressor, raw);
  Buffer out(raw.size(), std::byte{0x5a});
  const auto size = compressor->decompress(stored, MutableBytes(out).first(raw.size() - 1));
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().code, Code::kCorrupt);
  const auto expected =
      GetParam().compressor == "lz4" ? Problem::kCompressedCorrupt : Problem::kCompressedTooLong;
  EXPECT_EQ(problem_of(size.error()), expected) << size.error().what;
  EXPECT_EQ(out.back(), std::byte{0x5a});
}

TEST_P(EverySetting, TellsTheSizeOfAStreamThatIsShorterThanTheRoom) {
  const Buffer raw = text(5000);
  const auto compressor = make(GetParam());
  Buffer out(8192);
  EXPECT_EQ(compressor->decompress(compressed_metadata(*compressor, raw), out).value(), raw.size());
}

TEST_P(EverySetting, ReportsTrailingBytes) {
  const auto compressor = make(GetParam());
  const Buffer raw = text(4096);
  for (const int value : {0, 1, 0xff}) {
    Buffer stored = compressed_metadata(*compressor, raw);
    stored.push_back(static_cast<std::byte>(value));
    Buffer out(8192);
    const auto size = compressor->decompress(stored, out);
    ASSERT_FALSE(size) << value;
    const auto expected =
        GetParam().compressor == "lz4" ? Problem::kCompressedCorrupt : Problem::kCompressedTrailing;
    EXPECT_EQ(problem_of(size.error()), expected) << size.error().what;
  }
}

TEST_P(EverySetting, ReportsASecondStreamAsTrailing) {
  if (GetParam().compressor == "lz4") return;  // has no end: two blocks are one
  const auto compressor = make(GetParam());
  Buffer stored = compressed_metadata(*compressor, text(4096));
  const Buffer second = stored;
  stored.insert(stored.end(), second.begin(), second.end());
  Buffer out(8192);
  const auto size = compressor->decompress(stored, out);
  ASSERT_FALSE(size);
  EXPECT_EQ(problem_of(size.error()), Problem::kCompressedTrailing) << size.error().what;
}

TEST_P(EverySetting, NoTruncationPassesForTheWhole) {
  const auto compressor = make(GetParam());
  const Buffer raw = mixture(2000);
  const Buffer stored = compressed_metadata(*compressor, raw);
  Buffer out(8192);
  for (size_t size = 0; size < stored.size(); ++size) {
    const auto got = compressor->decompress(Bytes(stored).first(size), out);
    if (GetParam().compressor == "lz4" && got) {
      EXPECT_LT(*got, raw.size()) << size;  // a block has no end marker: it is just shorter
      continue;
    }
    ASSERT_FALSE(got) << size;
    EXPECT_EQ(problem_of(got.error()), Problem::kCompressedCorrupt) << got.error().what;
  }
}

TEST_P(EverySetting, SurvivesEveryFlippedBit) {
  const auto compressor = make(GetParam());
  Buffer stored = compressed_metadata(*compressor, mixture(700));
  Buffer out(8192);
  for (size_t bit = 0; bit < stored.size() * 8; ++bit) {
    const std::byte mask = std::byte{1} << (bit % 8);
    stored[bit / 8] ^= mask;
    const auto got = compressor->decompress(stored, out);
    if (got) {
      EXPECT_LE(*got, out.size());
    } else {
      EXPECT_EQ(got.error().code, Code::kCorrupt) << got.error().what;
    }
    stored[bit / 8] ^= mask;
  }
}

TEST_P(EverySetting, SurvivesNoise) {
  const auto compressor = make(GetParam());
  Buffer out(8192);
  for (size_t size = 0; size < 300; ++size) {
    EXPECT_LE(compressor->decompress(random_bytes(size), out).value_or(0), out.size());
  }
}

// --- the registry --------------------------------------------------------------------------------

TEST(Registry, ListsTheSixInTheOrderOfTheHelp) {
  std::string names;
  for (const CompressorInfo& info : compressors()) {
    names += std::string(info.name) + (info.kernel_mounts ? " " : "! ");
    EXPECT_EQ(find_compressor(info.name), &info);
    EXPECT_EQ(find_compressor(info.id), &info);
  }
  EXPECT_EQ(names, "gzip lzo lz4 xz zstd lzma! ");
  EXPECT_EQ(find_compressor("bzip2"), nullptr);
  EXPECT_EQ(find_compressor(static_cast<CompressorId>(7)), nullptr);
  EXPECT_TRUE(default_compressor().available());
}

}  // namespace
}  // namespace sqfs
