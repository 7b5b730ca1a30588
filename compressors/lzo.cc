// SPDX-License-Identifier: MIT
#include <array>
#include <cstring>

#include "compressors/option_value.h"
#include "compressors/rows.h"
#include "compressors/stream_errors.h"

#if LZO_SUPPORT
#include <lzo/lzo1x.h>
#endif

// lzo: LZO1X streams. The five algorithms differ in the encoder only.
namespace sqfs {
namespace {

constexpr std::array<std::string_view, 5> kAlgorithmNames = {
    "lzo1x_1", "lzo1x_1_11", "lzo1x_1_12", "lzo1x_1_15", "lzo1x_999"};  // by LzoAlgorithm

Status apply_algorithm(CompressorConfig& config, std::string_view value) {
  for (uint32_t i = 0; i < kAlgorithmNames.size(); ++i) {
    if (kAlgorithmNames[i] != value) continue;
    config.lzo.algorithm = static_cast<LzoAlgorithm>(i);
    return ok();
  }
  return usage_error(
      "lzo -Xalgorithm takes lzo1x_1, lzo1x_1_11, lzo1x_1_12, lzo1x_1_15 or "
      "lzo1x_999, not \"" +
      std::string(value) + "\"");
}

Status apply_level(CompressorConfig& config, std::string_view value) {
  SQFS_TRY(config.lzo.level, parse_unsigned(value, 1, 9, "lzo -Xcompression-level"));
  config.level_given = true;
  return ok();
}

}  // namespace

constinit const CompressorOption LzoRow::kOptions[2] = {
    {{"-Xalgorithm", "", "<algorithm>",
      "lzo1x_1, lzo1x_1_11, lzo1x_1_12, lzo1x_1_15 or lzo1x_999 (default lzo1x_999)",
      "lzo1x_999 compresses best and slowest; images of all five are read equally fast."},
     apply_algorithm},
    {{"-Xcompression-level", "", "<level>", "1 .. 9, with lzo1x_999 only (default 8)", ""},
     apply_level},
};

Status LzoRow::finish(CompressorConfig& config, uint32_t) {
  if (config.lzo.algorithm == LzoAlgorithm::k1x999) return ok();
  if (config.level_given) {
    return usage_error("lzo -Xcompression-level needs -Xalgorithm lzo1x_999");
  }
  config.lzo.level = 0;
  return ok();
}

Buffer LzoRow::encode_options(const CompressorConfig& config, uint32_t) {
  Buffer payload;
  if (config.lzo == LzoOptions{}) return payload;
  ByteWriter out(payload);
  encode(config.lzo, out);
  return payload;
}

Status LzoRow::decode_options(Bytes payload, CompressorConfig& config, uint32_t) {
  SQFS_TRY(config.lzo, decode_lzo_options(payload));
  return ok();
}

#if LZO_SUPPORT
namespace {

constexpr int kMetadataLevel = 9;

// Room that no algorithm exceeds, whatever the input: the encoders do not check bounds.
constexpr size_t worst_case(size_t raw_size) { return raw_size + raw_size / 16 + 64 + 3; }

class LzoCompressor final : public Compressor {
 public:
  explicit LzoCompressor(const LzoOptions& options) : options_(options) {}

  Result<std::optional<size_t>> compress(Bytes in, MutableBytes out) override {
    switch (options_.algorithm) {
      case LzoAlgorithm::k1x1: return run(lzo1x_1_compress, LZO1X_1_MEM_COMPRESS, in, out);
      case LzoAlgorithm::k1x1_11: return run(lzo1x_1_11_compress, LZO1X_1_11_MEM_COMPRESS, in, out);
      case LzoAlgorithm::k1x1_12: return run(lzo1x_1_12_compress, LZO1X_1_12_MEM_COMPRESS, in, out);
      case LzoAlgorithm::k1x1_15: return run(lzo1x_1_15_compress, LZO1X_1_15_MEM_COMPRESS, in, out);
      case LzoAlgorithm::k1x999: break;
    }
    return run_999(in, out, static_cast<int>(options_.level));
  }

  Result<std::optional<size_t>> compress_metadata(Bytes in, MutableBytes out) override {
    return run_999(in, out, kMetadataLevel);
  }

  // Ends at the end marker, and demands that the input ends there too, as the kernel does.
  Result<size_t> decompress(Bytes in, MutableBytes out) override {
    lzo_uint raw_size = out.size();
    const int status = lzo1x_decompress_safe(input(in), in.size(), output(out), &raw_size, nullptr);
    switch (status) {
      case LZO_E_OK: return static_cast<size_t>(raw_size);
      case LZO_E_OUTPUT_OVERRUN: return too_long(out);
      case LZO_E_INPUT_NOT_CONSUMED: return trailing_bytes("lzo", 0, in.size());
      case LZO_E_INPUT_OVERRUN:
      case LZO_E_EOF_NOT_FOUND: return damaged_stream("lzo", "the stream ends early");
      case LZO_E_LOOKBEHIND_OVERRUN:
        return damaged_stream("lzo", "a match refers to data before the block");
      default: return damaged_stream("lzo", "damaged stream");
    }
  }

 private:
  using Encoder = int(const lzo_bytep, lzo_uint, lzo_bytep, lzo_uintp, lzo_voidp);

  static lzo_bytep output(MutableBytes bytes) { return reinterpret_cast<lzo_bytep>(bytes.data()); }
  // lzo_bytep is a pointer that `const` in front does not make one to constant bytes on its own.
  static const unsigned char* input(Bytes bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
  }

  Result<std::optional<size_t>> run(Encoder* encoder, size_t work_size, Bytes in,
                                    MutableBytes out) {
    reserve(work_size, in);
    lzo_uint size = scratch_.size();
    const int status = encoder(input(in), in.size(), output(scratch_), &size, work_memory_.data());
    return deliver(status, size, in, out);
  }

  Result<std::optional<size_t>> run_999(Bytes in, MutableBytes out, int level) {
    reserve(LZO1X_999_MEM_COMPRESS, in);
    lzo_uint size = scratch_.size();
    const int status = lzo1x_999_compress_level(input(in), in.size(), output(scratch_), &size,
                                                work_memory_.data(), nullptr, 0, nullptr, level);
    return deliver(status, size, in, out);
  }

  void reserve(size_t work_size, Bytes in) {
    if (work_memory_.size() < work_size) work_memory_.resize(work_size);
    if (scratch_.size() < worst_case(in.size())) scratch_.resize(worst_case(in.size()));
  }

  Result<std::optional<size_t>> deliver(int status, size_t size, Bytes in, MutableBytes out) {
    if (status != LZO_E_OK) return encoder_failed("lzo", "status " + std::to_string(status));
    if (size > result_limit(in, out)) return std::optional<size_t>();
    std::memcpy(out.data(), scratch_.data(), size);
    return std::optional(size);
  }

  const LzoOptions options_;
  Buffer work_memory_;  // of the encoder, which clears what it uses
  Buffer scratch_;      // the result before its size is known
};

}  // namespace

Result<std::unique_ptr<Compressor>> make_lzo(const CompressorConfig& config, uint32_t) {
  if (lzo_init() != LZO_E_OK) return unsupported_error("the lzo library does not fit this build");
  return std::make_unique<LzoCompressor>(config.lzo);
}
#endif

}  // namespace sqfs
