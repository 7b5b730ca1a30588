// SPDX-License-Identifier: MIT
#include <algorithm>

#include "compressors/option_value.h"
#include "compressors/rows.h"
#include "compressors/stream_errors.h"
#include "compressors/zstd_frame.h"

#if ZSTD_SUPPORT
#include <zstd.h>
#include <zstd_errors.h>
#endif

// zstd: one frame per block, by the one-shot interface alone. It states the content size and fits
// the window to it, which the kernel's fixed workspace needs; frames of the streaming interface do
// not. No checksum: see zstd_frame.h, "page-border trap".
namespace sqfs {
namespace {

constexpr int32_t kMinLevel = -131072, kMaxLevel = 22;

Status apply_level(CompressorConfig& config, std::string_view value) {
  SQFS_TRY(const int32_t level,
           parse_integer(value, kMinLevel, kMaxLevel, "zstd -Xcompression-level"));
  if (level == 0) {
    return usage_error("zstd -Xcompression-level takes 1 to 22, or -1 to -131072, not 0");
  }
  config.zstd.level = level;
  return ok();
}

}  // namespace

constinit const CompressorOption ZstdRow::kOptions[1] = {
    {{"-Xcompression-level", "", "<level>",
      "1 .. 22, or -1 .. -131072 to be faster than level 1 (default 15)",
      "Levels above 19 help with large blocks only (-b 1M)."},
     apply_level},
};

Status ZstdRow::finish(CompressorConfig&, uint32_t) { return ok(); }

Buffer ZstdRow::encode_options(const CompressorConfig& config, uint32_t) {
  Buffer payload;
  if (config.zstd == ZstdOptions{}) return payload;
  ByteWriter out(payload);
  encode(config.zstd, out);
  return payload;
}

Status ZstdRow::decode_options(Bytes payload, CompressorConfig& config, uint32_t) {
  SQFS_TRY(config.zstd, decode_zstd_options(payload));
  return ok();
}

#if ZSTD_SUPPORT
namespace {

// Metadata is worth this much even to somebody in a hurry: of a Debian root's 1.7 MB, 9 makes 568
// KB in 0.05 s, 3 makes 594 KB in 0.01 s, 15 makes 546 KB in 0.17 s.
constexpr int kLowestMetadataLevel = 9;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};
using Encoder = std::unique_ptr<ZSTD_CCtx, FreeContext>;
using Decoder = std::unique_ptr<ZSTD_DCtx, FreeContext>;

class ZstdCompressor final : public Compressor {
 public:
  ZstdCompressor(const ZstdOptions& options, uint32_t block_size)
      : level_(options.level), window_limit_(zstd_window_limit(block_size)) {}

  Result<std::optional<size_t>> compress(Bytes in, MutableBytes out) override {
    return run(data_encoder_, level_, in, out);
  }

  Result<std::optional<size_t>> compress_metadata(Bytes in, MutableBytes out) override {
    return run(metadata_encoder_, std::max(level_, kLowestMetadataLevel), in, out);
  }

  Result<size_t> decompress(Bytes in, MutableBytes out) override {
    SQFS_TRY(const ZstdFrame frame, inspect_zstd_frame(in));
    SQFS_CHECKED(check_frame(frame));
    if (frame.frame_size < in.size()) return trailing_bytes("zstd", frame.frame_size, in.size());
    if (!decoder_) decoder_.reset(ZSTD_createDCtx());
    if (!decoder_) return no_memory_for("zstd");
    const size_t size =
        ZSTD_decompressDCtx(decoder_.get(), out.data(), out.size(), in.data(), in.size());
    if (!ZSTD_isError(size)) return size;
    if (ZSTD_getErrorCode(size) == ZSTD_error_dstSize_tooSmall) return too_long(out);
    return damaged_stream("zstd", ZSTD_getErrorName(size));
  }

 private:
  // What the kernel refuses of frames that this library would decode.
  Status check_frame(const ZstdFrame& frame) const {
    if (frame.has_dictionary) return damaged_stream("zstd", "the frame needs a dictionary");
    const uint64_t limit = frame.content_size ? kZstdMaxWindow : window_limit_;
    if (frame.window_size <= limit) return ok();
    return damaged_stream("zstd", "the frame needs a window of " +
                                      std::to_string(frame.window_size) + " bytes, at most " +
                                      std::to_string(limit) + " are legal");
  }

  static Encoder make_encoder(int level) {
    Encoder encoder(ZSTD_createCCtx());
    if (!encoder) return nullptr;
    const size_t results[] = {
        ZSTD_CCtx_setParameter(encoder.get(), ZSTD_c_compressionLevel, level),
        ZSTD_CCtx_setParameter(encoder.get(), ZSTD_c_contentSizeFlag, 1),
        ZSTD_CCtx_setParameter(encoder.get(), ZSTD_c_checksumFlag, 0),
    };
    if (std::ranges::any_of(results, [](size_t r) { return ZSTD_isError(r) != 0; })) return nullptr;
    return encoder;
  }

  static Result<std::optional<size_t>> run(Encoder& encoder, int level, Bytes in,
                                           MutableBytes out) {
    if (!encoder) encoder = make_encoder(level);
    if (!encoder) return no_memory_for("zstd");
    const size_t size =
        ZSTD_compress2(encoder.get(), out.data(), result_limit(in, out), in.data(), in.size());
    if (!ZSTD_isError(size)) return std::optional(size);
    if (ZSTD_getErrorCode(size) == ZSTD_error_dstSize_tooSmall) return std::optional<size_t>();
    if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation) return no_memory_for("zstd");
    return encoder_failed("zstd", ZSTD_getErrorName(size));
  }

  const int level_;
  const uint64_t window_limit_;
  Encoder data_encoder_, metadata_encoder_;  // made when first used, reset by each call
  Decoder decoder_;
};

}  // namespace

Result<std::unique_ptr<Compressor>> make_zstd(const CompressorConfig& config, uint32_t block_size) {
  return std::make_unique<ZstdCompressor>(config.zstd, block_size);
}
#endif

}  // namespace sqfs
