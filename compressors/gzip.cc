// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstring>

#include "compressors/option_value.h"
#include "compressors/rows.h"
#include "compressors/stream_errors.h"

#if GZIP_SUPPORT
#include <libdeflate.h>
#include <zlib.h>
#endif

// gzip: zlib streams (RFC 1950). libdeflate writes and reads them; zlib itself serves -Xstrategy
// and -Xwindow-size, which libdeflate does not know.
//
// The user's level N becomes libdeflate's level min(N, 7). Measured with 142 MB of a Debian /usr in
// blocks of 128 KiB (bytes, CPU seconds):
//   zlib       1 56004796  1.49   3 54153717 2.03   5 51811462 2.81   6 51384859 4.23
//              7 51252348  5.47   8 51088683 10.60  9 51053261 19.72
//   libdeflate 1 54803504  0.70   3 52284983 1.04   5 50961322 1.35   6 50693789 1.64
//              7 50501304  2.20   8 50309335 4.82   9 50259342 7.21   10 49040266 13.05
// 7 beats zlib's 9 by 1.1% at a ninth of its cost; 8 gains 0.4% more for twice the time. On C
// headers alone, zlib's best case, 7 stays 0.3% above zlib's 9 and costs a third of it.
namespace sqfs {
namespace {

struct Strategy {
  std::string_view name;
  uint16_t bit;
};
constexpr std::array<Strategy, 5> kStrategies = {{{"default", 1},
                                                  {"filtered", 2},
                                                  {"huffman_only", 4},
                                                  {"run_length_encoded", 8},
                                                  {"fixed", 16}}};
constexpr uint16_t kDefaultStrategy = 1;

Status apply_level(CompressorConfig& config, std::string_view value) {
  SQFS_TRY(config.gzip.level, parse_unsigned(value, 1, 9, "gzip -Xcompression-level"));
  return ok();
}

Status apply_window(CompressorConfig& config, std::string_view value) {
  SQFS_TRY(const uint32_t window_log, parse_unsigned(value, 8, 15, "gzip -Xwindow-size"));
  config.gzip.window_log = static_cast<uint16_t>(window_log);
  return ok();
}

Status apply_strategies(CompressorConfig& config, std::string_view value) {
  uint16_t bits = 0;
  do {
    const std::string_view name = take_list_element(value);
    const auto* found = std::ranges::find(kStrategies, name, &Strategy::name);
    if (found == kStrategies.end()) {
      return usage_error(
          "gzip -Xstrategy takes a list of default, filtered, huffman_only, "
          "run_length_encoded and fixed, not \"" +
          std::string(name) + "\"");
    }
    bits = static_cast<uint16_t>(bits | found->bit);
  } while (!value.empty());
  config.gzip.strategies = bits;
  return ok();
}

}  // namespace

constinit const CompressorOption GzipRow::kOptions[3] = {
    {{"-Xcompression-level", "", "<level>", "1 .. 9 (default 9)",
      "Higher levels are smaller and slower; none is larger than what zlib makes of typical root "
      "file systems at the same level."},
     apply_level},
    {{"-Xwindow-size", "", "<log2>", "8 .. 15 (default 15)",
      "The logarithm of the window that matches are searched in. Any value but 15 makes zlib do "
      "the "
      "work, which is slower; images become larger."},
     apply_window},
    {{"-Xstrategy", "", "<strategy>[,<strategy>...]",
      "default, filtered, huffman_only, run_length_encoded, fixed",
      "Compresses each block by zlib once with each of the strategies and keeps the smallest "
      "result. \"default\" alone is the same as not giving the option."},
     apply_strategies},
};

Status GzipRow::finish(CompressorConfig& config, uint32_t) {
  if (config.gzip.strategies == kDefaultStrategy) config.gzip.strategies = 0;
  return ok();
}

Buffer GzipRow::encode_options(const CompressorConfig& config, uint32_t) {
  Buffer payload;
  if (config.gzip == GzipOptions{}) return payload;
  ByteWriter out(payload);
  encode(config.gzip, out);
  return payload;
}

Status GzipRow::decode_options(Bytes payload, CompressorConfig& config, uint32_t) {
  SQFS_TRY(config.gzip, decode_gzip_options(payload));
  return ok();
}

#if GZIP_SUPPORT
namespace {

constexpr uint32_t kHighestUsefulLevel = 7;
constexpr int kMetadataLevel = 12;  // libdeflate's best; metadata is too small for it to cost much
constexpr int kMemoryLevel = 8;     // zlib's default

// One zlib stream, set up for one strategy and reset for each block.
class ZlibEncoder {
 public:
  ZlibEncoder() = default;
  ZlibEncoder(const ZlibEncoder&) = delete;
  ZlibEncoder& operator=(const ZlibEncoder&) = delete;
  ~ZlibEncoder() { deflateEnd(&stream_); }

  bool start(const GzipOptions& options, int strategy) {
    return deflateInit2(&stream_, static_cast<int>(options.level), Z_DEFLATED, options.window_log,
                        kMemoryLevel, strategy) == Z_OK;
  }

  // Compresses into at most out.size() bytes; nullopt when they do not suffice.
  std::optional<size_t> run(Bytes in, MutableBytes out) {
    if (deflateReset(&stream_) != Z_OK) return std::nullopt;
    // zlib's interface is older than const: the input is not written to.
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    if (deflate(&stream_, Z_FINISH) != Z_STREAM_END) return std::nullopt;
    return out.size() - stream_.avail_out;
  }

 private:
  z_stream stream_{};
};

struct FreeDeflate {
  void operator()(libdeflate_compressor* encoder) const { libdeflate_free_compressor(encoder); }
  void operator()(libdeflate_decompressor* decoder) const { libdeflate_free_decompressor(decoder); }
};
using Encoder = std::unique_ptr<libdeflate_compressor, FreeDeflate>;
using Decoder = std::unique_ptr<libdeflate_decompressor, FreeDeflate>;

class GzipCompressor final : public Compressor {
 public:
  explicit GzipCompressor(const GzipOptions& options) : options_(options) {}

  Result<std::optional<size_t>> compress(Bytes in, MutableBytes out) override {
    if (options_.strategies != 0 || options_.window_log != GzipOptions{}.window_log) {
      return compress_by_zlib(in, out);
    }
    const uint32_t level = std::min(options_.level, kHighestUsefulLevel);
    return run(data_encoder_, static_cast<int>(level), in, out);
  }

  Result<std::optional<size_t>> compress_metadata(Bytes in, MutableBytes out) override {
    return run(metadata_encoder_, kMetadataLevel, in, out);
  }

  Result<size_t> decompress(Bytes in, MutableBytes out) override {
    if (!decoder_) decoder_.reset(libdeflate_alloc_decompressor());
    if (!decoder_) return no_memory_for("gzip");
    size_t stream_size = 0, raw_size = 0;
    const libdeflate_result result = libdeflate_zlib_decompress_ex(
        decoder_.get(), in.data(), in.size(), out.data(), out.size(), &stream_size, &raw_size);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) return too_long(out);
    if (result != LIBDEFLATE_SUCCESS) {
      return damaged_stream("gzip", "damaged stream, or one that ends early");
    }
    if (stream_size < in.size()) return trailing_bytes("gzip", stream_size, in.size());
    return raw_size;
  }

 private:
  static Result<std::optional<size_t>> run(Encoder& encoder, int level, Bytes in,
                                           MutableBytes out) {
    if (!encoder) encoder.reset(libdeflate_alloc_compressor(level));
    if (!encoder) return no_memory_for("gzip");
    const size_t size = libdeflate_zlib_compress(encoder.get(), in.data(), in.size(), out.data(),
                                                 result_limit(in, out));
    return size == 0 ? std::optional<size_t>() : std::optional(size);
  }

  Status start_zlib() {
    constexpr std::array<int, kStrategies.size()> kZlibNumbers = {Z_DEFAULT_STRATEGY, Z_FILTERED,
                                                                  Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED};
    const uint16_t wanted = options_.strategies != 0 ? options_.strategies : kDefaultStrategy;
    for (size_t i = 0; i < kStrategies.size(); ++i) {
      if ((wanted & kStrategies[i].bit) == 0) continue;
      auto encoder = std::make_unique<ZlibEncoder>();
      if (!encoder->start(options_, kZlibNumbers[i])) return no_memory_for("gzip");
      zlib_encoders_.push_back(std::move(encoder));
    }
    return ok();
  }

  // The first of the smallest results. Each attempt may fill one byte less than the best so far.
  Result<std::optional<size_t>> compress_by_zlib(Bytes in, MutableBytes out) {
    if (zlib_encoders_.empty()) SQFS_CHECKED(start_zlib());
    std::optional<size_t> best;
    for (const auto& encoder : zlib_encoders_) {
      const size_t limit = best ? *best - 1 : result_limit(in, out);
      if (scratch_.size() < limit) scratch_.resize(limit);
      const auto size = encoder->run(in, MutableBytes(scratch_).first(limit));
      if (!size) continue;
      std::memcpy(out.data(), scratch_.data(), *size);
      best = size;
    }
    return best;
  }

  const GzipOptions options_;
  Encoder data_encoder_, metadata_encoder_;  // all made when first used
  Decoder decoder_;
  std::vector<std::unique_ptr<ZlibEncoder>> zlib_encoders_;
  Buffer scratch_;
};

}  // namespace

Result<std::unique_ptr<Compressor>> make_gzip(const CompressorConfig& config, uint32_t) {
  return std::make_unique<GzipCompressor>(config.gzip);
}
#endif

}  // namespace sqfs
