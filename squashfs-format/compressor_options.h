// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "squashfs-format/constants.h"

// The compressor options block: one metadata block at image offset 96, always stored raw, present
// when flag kFlagCompressorOptions is set. These are its payloads; all numbers little-endian.
namespace sqfs {

// gzip, 8 bytes: 0 u32 level (1..9) | 4 u16 window log (8..15) | 6 u16 strategies (bits below).
struct GzipOptions {
  uint32_t level = 9;
  uint16_t window_log = 15;
  uint16_t strategies = 0;  // 1 default 2 filtered 4 huffman_only 8 run_length_encoded 16 fixed
  bool operator==(const GzipOptions&) const = default;
};

// lzo, 8 bytes: 0 u32 algorithm (0..4, LzoAlgorithm) | 4 u32 level (1..9 for lzo1x_999, else 0).
enum class LzoAlgorithm : uint32_t { k1x1 = 0, k1x1_11 = 1, k1x1_12 = 2, k1x1_15 = 3, k1x999 = 4 };
struct LzoOptions {
  LzoAlgorithm algorithm = LzoAlgorithm::k1x999;
  uint32_t level = 8;
  bool operator==(const LzoOptions&) const = default;
};

// xz, 8 bytes: 0 u32 dictionary size | 4 u32 BCJ filters (bits below).
// The kernel demands 2^n or 2^n + 2^(n+1) and refuses blocks whose dictionary is larger than this.
struct XzOptions {
  uint32_t dictionary_size = 0;  // 0: not set, which is max(block size, 8192)
  uint32_t filters = 0;          // kXzFilter…
  bool operator==(const XzOptions&) const = default;
};
inline constexpr uint32_t kXzFilterX86 = 0x01, kXzFilterPowerpc = 0x02, kXzFilterIa64 = 0x04,
                          kXzFilterArm = 0x08, kXzFilterArmthumb = 0x10, kXzFilterSparc = 0x20,
                          kXzFilterArm64 = 0x40, kXzFilterRiscv = 0x80;

// lz4, 8 bytes, mandatory: 0 u32 version (1) | 4 u32 flags (1 = high compression, 2 = a parameter
// follows). With flag 2, 12 bytes: 8 u32 the acceleration, or the level when flag 1 is set.
struct Lz4Options {
  bool high_compression = false;
  uint32_t acceleration = 1;  // 1..65537; only without high_compression
  uint32_t level = 12;        // 1..12; only with high_compression
  bool operator==(const Lz4Options&) const = default;
};

// zstd, 4 bytes: 0 u32 level (1..22, or negative).
struct ZstdOptions {
  int32_t level = 15;
  bool operator==(const ZstdOptions&) const = default;
};

void encode(const GzipOptions&, ByteWriter&);
void encode(const LzoOptions&, ByteWriter&);
void encode(const XzOptions&, ByteWriter&);
void encode(const Lz4Options&, ByteWriter&);
void encode(const ZstdOptions&, ByteWriter&);

// Each decodes a whole payload. Code::kCorrupt with problem kCompressorOptionsShort when it is
// shorter than the structure, kCompressorOptionsValue when a value is outside its range above, and
// kLz4Version / kXzDictionary where the kernel itself refuses the value.
Result<GzipOptions> decode_gzip_options(Bytes payload);
Result<LzoOptions> decode_lzo_options(Bytes payload);
Result<XzOptions> decode_xz_options(Bytes payload);
Result<Lz4Options> decode_lz4_options(Bytes payload);
Result<ZstdOptions> decode_zstd_options(Bytes payload);

// 2^n or 2^n + 2^(n+1), the only dictionary sizes the kernel's xz driver takes.
bool is_legal_xz_dictionary(uint32_t size);

}  // namespace sqfs
