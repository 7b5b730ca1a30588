// SPDX-License-Identifier: MIT
#include "squashfs-format/compressor_options.h"

#include <bit>
#include <string>

#include "squashfs-format/problem.h"

namespace sqfs {
namespace {

constexpr uint32_t kLz4Version = 1;
constexpr uint32_t kLz4HighCompression = 1, kLz4Parameter = 2;
constexpr uint32_t kMaxLz4Acceleration = 65537, kMaxLz4Level = 12;
constexpr uint16_t kAllGzipStrategies = 0x1f;
constexpr uint32_t kAllXzFilters = 0xff;
constexpr int32_t kMinZstdLevel = -131072, kMaxZstdLevel = 22;

Status need(Bytes payload, size_t size) {
  if (payload.size() >= size) return ok();
  return corrupt(Problem::kCompressorOptionsShort, 0, payload.size(), size);
}

Error bad_value(uint64_t offset, std::string_view what, int64_t found) {
  return corrupt(Problem::kCompressorOptionsValue, offset, static_cast<uint64_t>(found), 0,
                 std::string(what) + " is " + std::to_string(found));
}

template <class T>
bool is_between(T value, T low, T high) {
  return low <= value && value <= high;
}

bool has_parameter(const Lz4Options& options) {
  const Lz4Options defaults;
  return options.high_compression ? options.level != defaults.level
                                  : options.acceleration != defaults.acceleration;
}

}  // namespace

void encode(const GzipOptions& options, ByteWriter& out) {
  out.u32(options.level);
  out.u16(options.window_log);
  out.u16(options.strategies);
}

void encode(const LzoOptions& options, ByteWriter& out) {
  out.u32(static_cast<uint32_t>(options.algorithm));
  out.u32(options.algorithm == LzoAlgorithm::k1x999 ? options.level : 0);
}

void encode(const XzOptions& options, ByteWriter& out) {
  out.u32(options.dictionary_size);
  out.u32(options.filters);
}

void encode(const Lz4Options& options, ByteWriter& out) {
  out.u32(kLz4Version);
  out.u32((options.high_compression ? kLz4HighCompression : 0) |
          (has_parameter(options) ? kLz4Parameter : 0));
  if (has_parameter(options)) {
    out.u32(options.high_compression ? options.level : options.acceleration);
  }
}

void encode(const ZstdOptions& options, ByteWriter& out) {
  out.u32(static_cast<uint32_t>(options.level));
}

Result<GzipOptions> decode_gzip_options(Bytes payload) {
  SQFS_CHECKED(need(payload, 8));
  ByteReader in(payload);
  GzipOptions options;
  SQFS_TRY(options.level, in.u32());
  SQFS_TRY(options.window_log, in.u16());
  SQFS_TRY(options.strategies, in.u16());
  if (!is_between(options.level, 1u, 9u)) return bad_value(0, "gzip level", options.level);
  if (!is_between<uint32_t>(options.window_log, 8, 15)) {
    return bad_value(4, "gzip window log", options.window_log);
  }
  if (options.strategies > kAllGzipStrategies) {
    return bad_value(6, "gzip strategy set", options.strategies);
  }
  return options;
}

Result<LzoOptions> decode_lzo_options(Bytes payload) {
  SQFS_CHECKED(need(payload, 8));
  ByteReader in(payload);
  SQFS_TRY(const uint32_t algorithm, in.u32());
  SQFS_TRY(const uint32_t level, in.u32());
  if (algorithm > static_cast<uint32_t>(LzoAlgorithm::k1x999)) {
    return bad_value(0, "lzo algorithm", algorithm);
  }
  const LzoOptions options{static_cast<LzoAlgorithm>(algorithm), level};
  const bool has_levels = options.algorithm == LzoAlgorithm::k1x999;
  const bool legal = has_levels ? is_between(level, 1u, 9u) : level == 0;
  if (!legal) return bad_value(4, "lzo level", level);
  return options;
}

Result<XzOptions> decode_xz_options(Bytes payload) {
  SQFS_CHECKED(need(payload, 8));
  ByteReader in(payload);
  XzOptions options;
  SQFS_TRY(options.dictionary_size, in.u32());
  SQFS_TRY(options.filters, in.u32());
  if (!is_legal_xz_dictionary(options.dictionary_size)) {
    return corrupt(Problem::kXzDictionary, 0, options.dictionary_size);
  }
  if (options.filters > kAllXzFilters) return bad_value(4, "xz filter set", options.filters);
  return options;
}

Result<Lz4Options> decode_lz4_options(Bytes payload) {
  SQFS_CHECKED(need(payload, 8));
  ByteReader in(payload);
  SQFS_TRY(const uint32_t version, in.u32());
  SQFS_TRY(const uint32_t flags, in.u32());
  if (version != kLz4Version) return corrupt(Problem::kLz4Version, 0, version, kLz4Version);
  if (flags > (kLz4HighCompression | kLz4Parameter)) return bad_value(4, "lz4 flag set", flags);

  Lz4Options options;
  options.high_compression = (flags & kLz4HighCompression) != 0;
  if ((flags & kLz4Parameter) == 0) return options;
  SQFS_CHECKED(need(payload, 12));
  SQFS_TRY(const uint32_t parameter, in.u32());
  const uint32_t highest = options.high_compression ? kMaxLz4Level : kMaxLz4Acceleration;
  if (!is_between(parameter, 1u, highest)) {
    return bad_value(8, options.high_compression ? "lz4 level" : "lz4 acceleration", parameter);
  }
  (options.high_compression ? options.level : options.acceleration) = parameter;
  return options;
}

Result<ZstdOptions> decode_zstd_options(Bytes payload) {
  SQFS_CHECKED(need(payload, 4));
  ByteReader in(payload);
  SQFS_TRY(const uint32_t raw, in.u32());
  const ZstdOptions options{static_cast<int32_t>(raw)};
  if (options.level == 0 || !is_between(options.level, kMinZstdLevel, kMaxZstdLevel)) {
    return bad_value(0, "zstd level", options.level);
  }
  return options;
}

bool is_legal_xz_dictionary(uint32_t size) {
  if (size == 0) return false;
  const uint32_t odd_part = size >> std::countr_zero(size);
  return odd_part == 1 || odd_part == 3;
}

}  // namespace sqfs
