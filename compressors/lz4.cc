// SPDX-License-Identifier: MIT
#include <algorithm>

#include "compressors/option_value.h"
#include "compressors/rows.h"
#include "compressors/stream_errors.h"

#if LZ4_SUPPORT
#include <lz4.h>
#include <lz4hc.h>
#endif

// lz4: raw LZ4 blocks, without a frame.
namespace sqfs {
namespace {

Status apply_high_compression(CompressorConfig& config, std::string_view) {
  config.lz4.high_compression = true;
  return ok();
}

Status apply_acceleration(CompressorConfig& config, std::string_view value) {
  SQFS_TRY(config.lz4.acceleration, parse_unsigned(value, 1, 65537, "lz4 -Xacceleration"));
  config.acceleration_given = true;
  return ok();
}

Status apply_level(CompressorConfig& config, std::string_view value) {
  SQFS_TRY(config.lz4.level, parse_unsigned(value, 1, 12, "lz4 -Xcompression-level"));
  config.level_given = true;
  return ok();
}

}  // namespace

constinit const CompressorOption Lz4Row::kOptions[3] = {
    {{"-Xhc", "", "", "compress slowly and well (lz4's high compression mode)",
      "Images become some 15% smaller; they are read as fast as without this option."},
     apply_high_compression},
    {{"-Xacceleration", "", "<factor>", "1 .. 65537: faster, at a lower ratio (default 1)",
      "Cannot be given with -Xhc. A value above 1 is recorded in a form of the compressor options "
      "that squashfs-tools before 4.7.6 do not know; every kernel mounts the image."},
     apply_acceleration},
    {{"-Xcompression-level", "", "<level>", "1 .. 12, with -Xhc only (default 12)",
      "A value below 12 is recorded in a form of the compressor options that squashfs-tools before "
      "4.7.6 do not know; every kernel mounts the image."},
     apply_level},
};

Status Lz4Row::finish(CompressorConfig& config, uint32_t) {
  if (config.level_given && !config.lz4.high_compression) {
    return usage_error("lz4 -Xcompression-level needs -Xhc");
  }
  if (config.acceleration_given && config.lz4.high_compression) {
    return usage_error("lz4 -Xacceleration cannot be given with -Xhc");
  }
  return ok();
}

Buffer Lz4Row::encode_options(const CompressorConfig& config, uint32_t) {
  Buffer payload;  // never omitted: kernels refuse to mount an lz4 image without it
  ByteWriter out(payload);
  encode(config.lz4, out);
  return payload;
}

Status Lz4Row::decode_options(Bytes payload, CompressorConfig& config, uint32_t) {
  SQFS_TRY(config.lz4, decode_lz4_options(payload));
  return ok();
}

#if LZ4_SUPPORT
namespace {

// High compression suits metadata even to somebody in a hurry: of a Debian root's 1.7 MB, 9 makes
// 782 KB in 0.02 s, against 852 KB. Beyond 9 there is next to nothing to gain.
constexpr int kLowestMetadataLevel = 9;

class Lz4Compressor final : public Compressor {
 public:
  explicit Lz4Compressor(const Lz4Options& options) : options_(options) {}

  Result<std::optional<size_t>> compress(Bytes in, MutableBytes out) override {
    if (options_.high_compression) return compress_high(in, out, static_cast<int>(options_.level));
    fast_state_.resize(static_cast<size_t>(LZ4_sizeofState()));
    return stored(LZ4_compress_fast_extState(fast_state_.data(), chars(in), chars(out), size(in),
                                             limit(in, out),
                                             static_cast<int>(options_.acceleration)));
  }

  Result<std::optional<size_t>> compress_metadata(Bytes in, MutableBytes out) override {
    const int level = options_.high_compression ? static_cast<int>(options_.level) : 0;
    return compress_high(in, out, std::max(level, kLowestMetadataLevel));
  }

  // The library tells no cause. It consumes its whole input or fails, as the kernel's does.
  Result<size_t> decompress(Bytes in, MutableBytes out) override {
    const int raw_size = LZ4_decompress_safe(chars(in), chars(out), size(in), size(out));
    if (raw_size < 0) return damaged_stream("lz4", "damaged block, or longer than it may be");
    return static_cast<size_t>(raw_size);
  }

 private:
  static const char* chars(Bytes bytes) { return reinterpret_cast<const char*>(bytes.data()); }
  static char* chars(MutableBytes bytes) { return reinterpret_cast<char*>(bytes.data()); }
  static int size(Bytes bytes) { return static_cast<int>(bytes.size()); }
  static int limit(Bytes in, MutableBytes out) { return static_cast<int>(result_limit(in, out)); }

  static std::optional<size_t> stored(int compressed_size) {
    if (compressed_size <= 0) return std::nullopt;
    return static_cast<size_t>(compressed_size);
  }

  Result<std::optional<size_t>> compress_high(Bytes in, MutableBytes out, int level) {
    high_state_.resize(static_cast<size_t>(LZ4_sizeofStateHC()));
    return stored(LZ4_compress_HC_extStateHC(high_state_.data(), chars(in), chars(out), size(in),
                                             limit(in, out), level));
  }

  const Lz4Options options_;
  Buffer fast_state_, high_state_;  // filled when first used; the library resets them itself
};

}  // namespace

Result<std::unique_ptr<Compressor>> make_lz4(const CompressorConfig& config, uint32_t) {
  return std::make_unique<Lz4Compressor>(config.lz4);
}
#endif

}  // namespace sqfs
