// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <random>

#include "compressors/zstd_frame.h"
#include "squashfs-format/problem.h"
#include "tests/support/compressor_samples.h"

#if GZIP_SUPPORT
#include <zlib.h>
#endif
#if XZ_SUPPORT || LZMA_XZ_SUPPORT
#include <lzma.h>
#endif
#if ZSTD_SUPPORT
#include <zstd.h>
#endif

// Each compressor against its library, and against what the kernel reads of its format.
namespace sqfs {
namespace {

// --- gzip ----------------------------------------------------------------------------------------
#if GZIP_SUPPORT

TEST(Gzip, IsReadByZlib) {
  const Buffer raw = mixture(kTestBlockSize);
  const Buffer stored = compressed(*make("gzip"), raw);
  Buffer out(raw.size());
  uLongf size = out.size();
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                       reinterpret_cast<const Bytef*>(stored.data()), stored.size()),
            Z_OK);
  EXPECT_EQ(size, raw.size());
  EXPECT_TRUE(out == raw);
}

TEST(Gzip, ReadsZlib) {
  const Buffer raw = mixture(kTestBlockSize);
  Buffer stored(raw.size());
  uLongf size = stored.size();
  ASSERT_EQ(compress2(reinterpret_cast<Bytef*>(stored.data()), &size,
                      reinterpret_cast<const Bytef*>(raw.data()), raw.size(), 9),
            Z_OK);
  stored.resize(size);
  expect_decodes_to(*make("gzip"), stored, raw);
}

TEST(Gzip, NoStrategyMakesItLarger) {
  const Buffer raw = mixture(kTestBlockSize);
  const Buffer one =
      compressed(*make(CompressorSetting{"", "gzip", {{"-Xstrategy", "fixed"}}}), raw);
  const Buffer two =
      compressed(*make(CompressorSetting{"", "gzip", {{"-Xstrategy", "fixed,default"}}}), raw);
  EXPECT_LT(two.size(), one.size());
}

TEST(Gzip, HeaderStatesTheWindow) {
  const Buffer raw = mixture(kTestBlockSize);
  EXPECT_EQ(compressed(*make("gzip"), raw)[0], std::byte{0x78});
  EXPECT_EQ(compressed(*make(CompressorSetting{"", "gzip", {{"-Xwindow-size", "10"}}}), raw)[0],
            std::byte{0x28});
}
#endif

// --- xz ------------------------------------------------------------------------------------------
#if XZ_SUPPORT

Buffer xz_stream(const Buffer& raw, lzma_check check, uint32_t dictionary, lzma_vli first_filter) {
  lzma_options_lzma options{};
  lzma_lzma_preset(&options, 6);
  options.dict_size = dictionary;
  lzma_options_delta delta{};
  delta.dist = 1;
  const bool has_first = first_filter != LZMA_VLI_UNKNOWN;
  lzma_filter chain[3] = {
      {first_filter, first_filter == LZMA_FILTER_DELTA ? static_cast<void*>(&delta) : nullptr},
      {LZMA_FILTER_LZMA2, &options},
      {LZMA_VLI_UNKNOWN, nullptr}};
  Buffer out(raw.size() + 1000);
  size_t size = 0;
  EXPECT_EQ(lzma_stream_buffer_encode(chain + (has_first ? 0 : 1), check, nullptr,
                                      reinterpret_cast<const uint8_t*>(raw.data()), raw.size(),
                                      reinterpret_cast<uint8_t*>(out.data()), &size, out.size()),
            LZMA_OK);
  out.resize(size);
  return out;
}

Result<size_t> decode_xz(const Buffer& stored, uint32_t block_size = kTestBlockSize) {
  Buffer out(block_size);
  return make("xz", block_size)->decompress(stored, out);
}

TEST(Xz, IsReadByTheLibrarysOwnDecoder) {
  const Buffer raw = mixture(kTestBlockSize);
  const Buffer stored = compressed(*make(CompressorSetting{"", "xz", {{"-Xbcj", "x86,arm"}}}), raw);
  Buffer out(raw.size());
  uint64_t limit = UINT64_MAX;
  size_t in_position = 0, out_position = 0;
  ASSERT_EQ(lzma_stream_buffer_decode(&limit, LZMA_TELL_UNSUPPORTED_CHECK, nullptr,
                                      reinterpret_cast<const uint8_t*>(stored.data()), &in_position,
                                      stored.size(), reinterpret_cast<uint8_t*>(out.data()),
                                      &out_position, out.size()),
            LZMA_OK);
  EXPECT_EQ(in_position, stored.size());
  EXPECT_EQ(out_position, raw.size());
  EXPECT_TRUE(out == raw);
  EXPECT_EQ(stored[7], std::byte{LZMA_CHECK_CRC32});
}

TEST(Xz, ReadsWhatTheKernelReads) {
  const Buffer raw = text(20000);
  EXPECT_TRUE(decode_xz(xz_stream(raw, LZMA_CHECK_NONE, 8192, LZMA_VLI_UNKNOWN)));
  EXPECT_TRUE(decode_xz(xz_stream(raw, LZMA_CHECK_CRC32, kTestBlockSize, LZMA_FILTER_SPARC)));
}

TEST(Xz, RefusesWhatTheKernelRefuses) {
  const Buffer raw = text(20000);
  EXPECT_FALSE(decode_xz(xz_stream(raw, LZMA_CHECK_CRC64, 8192, LZMA_VLI_UNKNOWN)));
  EXPECT_FALSE(decode_xz(xz_stream(raw, LZMA_CHECK_SHA256, 8192, LZMA_VLI_UNKNOWN)));
  EXPECT_FALSE(decode_xz(xz_stream(raw, LZMA_CHECK_CRC32, 8192, LZMA_FILTER_DELTA)));
  EXPECT_FALSE(decode_xz(xz_stream(raw, LZMA_CHECK_CRC32, 196608, LZMA_VLI_UNKNOWN)));
}

TEST(Xz, DictionaryLimitIsThatOfTheOptionsElseTheBlockSizeElseEightKibibytes) {
  const Buffer raw = text(4096);
  EXPECT_TRUE(decode_xz(xz_stream(raw, LZMA_CHECK_CRC32, 8192, LZMA_VLI_UNKNOWN), 4096));
  EXPECT_FALSE(decode_xz(xz_stream(raw, LZMA_CHECK_CRC32, 12288, LZMA_VLI_UNKNOWN), 4096));
  CompressorConfig config;
  config.xz.dictionary_size = 12288;
  const auto compressor = find_compressor("xz")->make(config, 4096).value();
  Buffer out(4096);
  EXPECT_TRUE(
      compressor->decompress(xz_stream(raw, LZMA_CHECK_CRC32, 12288, LZMA_VLI_UNKNOWN), out));
}

TEST(Xz, KeepsToADictionaryTooSmallForMetadata) {
  CompressorConfig config;
  config.xz.dictionary_size = 4096;  // of a foreign image; finish() would not allow it
  const auto compressor = find_compressor("xz")->make(config, kTestBlockSize).value();
  expect_round_trip(*compressor, text(kTestBlockSize));
  expect_decodes_to(*compressor, compressed_metadata(*compressor, text(8192)), text(8192));
}

TEST(Xz, LeavesAllRawWhereTheDictionaryIsBelowWhatEncodersCan) {
  CompressorConfig config;
  config.xz.dictionary_size = 2048;
  const auto compressor = find_compressor("xz")->make(config, kTestBlockSize).value();
  EXPECT_TRUE(compressed(*compressor, text(8192)).empty());
}

class XzFilter : public testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(All, XzFilter,
                         testing::Values("x86", "powerpc", "ppc", "ia64", "arm", "armthumb",
                                         "sparc"));

TEST_P(XzFilter, RoundTrips) {
  const auto compressor = make(CompressorSetting{"", "xz", {{"-Xbcj", GetParam()}}});
  expect_round_trip(*compressor, mixture(20000));
}

TEST(Xz, NoFilterMakesItLarger) {
  const Buffer raw = mixture(kTestBlockSize);
  const Buffer plain = compressed(*make("xz"), raw);
  const Buffer filtered =
      compressed(*make(CompressorSetting{"", "xz", {{"-Xbcj", "x86,arm,sparc"}}}), raw);
  EXPECT_LE(filtered.size(), plain.size());
}

TEST(Xz, FilterIsUsedWhereItHelps) {
  Buffer raw;  // calls to one address from everywhere: the same bytes only after the x86 filter
  ByteWriter out(raw);
  std::mt19937 generator(1);
  while (raw.size() < kTestBlockSize - 64) {
    out.u8(0xe8);
    out.u32(static_cast<uint32_t>(70000 - (raw.size() + 4)));
    for (size_t i = generator() % 9 + 5; i > 0; --i) out.u8(0x90);
  }
  const Buffer plain = compressed(*make("xz"), raw);
  const CompressorSetting filter{"", "xz", {{"-Xbcj", "arm,x86"}}};
  const Buffer filtered = compressed(*make(filter), raw);
  EXPECT_LT(filtered.size(), plain.size() / 2);
  expect_decodes_to(*make("xz"), filtered, raw);
}
#endif

// --- zstd ----------------------------------------------------------------------------------------
#if ZSTD_SUPPORT

class ZstdLevel : public testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Levels, ZstdLevel,
                         testing::Values("-131072", "-1", "1", "2", "3", "5", "9", "12", "15", "17",
                                         "19", "22"));

TEST_P(ZstdLevel, FramesFitTheKernel) {
  const CompressorSetting setting{"", "zstd", {{"-Xcompression-level", GetParam()}}};
  for (const uint32_t size : {4096u, 131072u, 1048576u}) {
    SCOPED_TRACE(size);
    const Buffer stored = compressed(*make(setting, size), mixture(size));
    if (stored.empty()) continue;  // the fastest levels may find nothing in a small block
    const auto frame = inspect_zstd_frame(stored);
    ASSERT_TRUE(frame) << frame.error().what;
    EXPECT_FALSE(frame->has_checksum);
    EXPECT_FALSE(frame->has_empty_last_block);
    EXPECT_EQ(frame->content_size, size);
    EXPECT_LE(frame->window_size, size);
    EXPECT_EQ(frame->frame_size, stored.size());
  }
}

TEST(Zstd, IsReadByTheLibrary) {
  const Buffer raw = mixture(kTestBlockSize);
  const Buffer stored = compressed(*make("zstd"), raw);
  Buffer out(raw.size());
  EXPECT_EQ(ZSTD_decompress(out.data(), out.size(), stored.data(), stored.size()), raw.size());
  EXPECT_TRUE(out == raw);
}

// A frame of the streaming interface, whose size is not known beforehand.
Buffer streamed_frame(const Buffer& raw, int window_log, bool checksum, bool flush_before_end) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum ? 1 : 0);
  Buffer out(raw.size() + 1000);
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  ZSTD_inBuffer from{raw.data(), raw.size(), 0};
  if (flush_before_end) {
    EXPECT_EQ(ZSTD_compressStream2(context, &to, &from, ZSTD_e_flush), 0u);
  } else {
    EXPECT_FALSE(ZSTD_isError(ZSTD_compressStream2(context, &to, &from, ZSTD_e_continue)));
  }
  EXPECT_EQ(ZSTD_compressStream2(context, &to, &from, ZSTD_e_end), 0u);
  ZSTD_freeCCtx(context);
  out.resize(to.pos);
  return out;
}

Result<size_t> decode_zstd(const Buffer& stored) {
  Buffer out(kTestBlockSize);
  return make("zstd")->decompress(stored, out);
}

TEST(ZstdFrame, TellsChecksumEmptyLastBlockAndWindow) {
  const Buffer raw = text(20000);
  const auto plain = inspect_zstd_frame(streamed_frame(raw, 17, false, false)).value();
  EXPECT_FALSE(plain.content_size);
  EXPECT_EQ(plain.window_size, 1u << 17);
  EXPECT_FALSE(plain.has_checksum);
  EXPECT_FALSE(plain.has_empty_last_block);
  const auto other = inspect_zstd_frame(streamed_frame(raw, 18, true, true)).value();
  EXPECT_EQ(other.window_size, 1u << 18);
  EXPECT_TRUE(other.has_checksum);
  EXPECT_TRUE(other.has_empty_last_block);
}

TEST(ZstdFrame, EveryTruncationIsReported) {
  const Buffer stored = streamed_frame(text(2000), 17, true, true);
  for (size_t size = 0; size < stored.size(); ++size) {
    const auto frame = inspect_zstd_frame(Bytes(stored).first(size));
    ASSERT_FALSE(frame) << size;
    EXPECT_EQ(problem_of(frame.error()), Problem::kCompressedCorrupt);
  }
}

TEST(Zstd, WindowOfAFrameWithoutContentSizeHasToFitTheKernel) {
  const Buffer raw = text(kTestBlockSize);
  EXPECT_TRUE(decode_zstd(streamed_frame(raw, 17, false, false)));
  EXPECT_FALSE(decode_zstd(streamed_frame(raw, 18, false, false)));
}

TEST(Zstd, ChecksumIsVerified) {
  Buffer stored = streamed_frame(text(5000), 17, true, false);
  EXPECT_TRUE(decode_zstd(stored));
  stored.back() ^= std::byte{1};
  EXPECT_FALSE(decode_zstd(stored));
}

TEST(Zstd, SkippableAndLegacyFramesAreRefused) {
  Buffer stored;
  ByteWriter out(stored);
  out.u32(0x184d2a50);
  out.u32(0);
  out.bytes(compressed(*make("zstd"), text(5000)));
  EXPECT_FALSE(decode_zstd(stored));
  stored[0] = std::byte{0x27}, stored[1] = std::byte{0xb5}, stored[2] = std::byte{0x2f};
  stored[3] = std::byte{0xfd};
  EXPECT_FALSE(decode_zstd(stored));
}
#endif

// --- lzma ----------------------------------------------------------------------------------------
#if LZMA_XZ_SUPPORT

TEST(Lzma, HeaderStatesTheSize) {
  const Buffer raw = text(5000);
  const Buffer stored = compressed(*make("lzma"), raw);
  EXPECT_EQ(stored[0], std::byte{0x5d});
  ByteReader header(Bytes(stored).subspan(5));
  EXPECT_EQ(header.u64().value(), raw.size());
}

TEST(Lzma, IsReadByTheLibrarysOwnDecoder) {
  const Buffer raw = mixture(kTestBlockSize);
  const Buffer stored = compressed(*make("lzma"), raw);
  Buffer out(raw.size());
  lzma_stream stream = LZMA_STREAM_INIT;
  ASSERT_EQ(lzma_alone_decoder(&stream, UINT64_MAX), LZMA_OK);
  stream.next_in = reinterpret_cast<const uint8_t*>(stored.data());
  stream.avail_in = stored.size();
  stream.next_out = reinterpret_cast<uint8_t*>(out.data());
  stream.avail_out = out.size();
  EXPECT_EQ(lzma_code(&stream, LZMA_FINISH), LZMA_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0u);
  lzma_end(&stream);
  EXPECT_TRUE(out == raw);
}

TEST(Lzma, GiganticDictionaryIsRefused) {
  Buffer stored = compressed(*make("lzma"), text(5000));
  stored[4] = std::byte{0x7f};
  Buffer out(8192);
  const auto size = make("lzma")->decompress(stored, out);
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().code, Code::kCorrupt);
}
#endif

}  // namespace
}  // namespace sqfs
