// SPDX-License-Identifier: MIT
#pragma once

#include "compressors/compressor.h"

// Private to this folder: what each algorithm's file gives to its row in registry.cc. Settings are
// always compiled; make_… is a null pointer when the Makefile's switch leaves the library out.
namespace sqfs {

// finish, encode_options and decode_options as described in CompressorInfo.
struct GzipRow {
  static const CompressorOption kOptions[3];
  static Status finish(CompressorConfig& config, uint32_t block_size);
  static Buffer encode_options(const CompressorConfig& config, uint32_t block_size);
  static Status decode_options(Bytes payload, CompressorConfig& config, uint32_t block_size);
};

struct LzmaRow {
  static Status finish(CompressorConfig& config, uint32_t block_size);
  static Buffer encode_options(const CompressorConfig& config, uint32_t block_size);
  static Status decode_options(Bytes payload, CompressorConfig& config, uint32_t block_size);
};

struct LzoRow {
  static const CompressorOption kOptions[2];
  static Status finish(CompressorConfig& config, uint32_t block_size);
  static Buffer encode_options(const CompressorConfig& config, uint32_t block_size);
  static Status decode_options(Bytes payload, CompressorConfig& config, uint32_t block_size);
};

struct Lz4Row {
  static const CompressorOption kOptions[3];
  static Status finish(CompressorConfig& config, uint32_t block_size);
  static Buffer encode_options(const CompressorConfig& config, uint32_t block_size);
  static Status decode_options(Bytes payload, CompressorConfig& config, uint32_t block_size);
};

struct XzRow {
  static const CompressorOption kOptions[7];
  static Status finish(CompressorConfig& config, uint32_t block_size);
  static Buffer encode_options(const CompressorConfig& config, uint32_t block_size);
  static Status decode_options(Bytes payload, CompressorConfig& config, uint32_t block_size);
};

struct ZstdRow {
  static const CompressorOption kOptions[1];
  static Status finish(CompressorConfig& config, uint32_t block_size);
  static Buffer encode_options(const CompressorConfig& config, uint32_t block_size);
  static Status decode_options(Bytes payload, CompressorConfig& config, uint32_t block_size);
};

using MakeCompressor = Result<std::unique_ptr<Compressor>>(const CompressorConfig& config,
                                                           uint32_t block_size);
#if GZIP_SUPPORT
MakeCompressor make_gzip;
#else
inline constexpr MakeCompressor* make_gzip = nullptr;
#endif
#if LZMA_XZ_SUPPORT
MakeCompressor make_lzma;
#else
inline constexpr MakeCompressor* make_lzma = nullptr;
#endif
#if LZO_SUPPORT
MakeCompressor make_lzo;
#else
inline constexpr MakeCompressor* make_lzo = nullptr;
#endif
#if LZ4_SUPPORT
MakeCompressor make_lz4;
#else
inline constexpr MakeCompressor* make_lz4 = nullptr;
#endif
#if XZ_SUPPORT
MakeCompressor make_xz;
#else
inline constexpr MakeCompressor* make_xz = nullptr;
#endif
#if ZSTD_SUPPORT
MakeCompressor make_zstd;
#else
inline constexpr MakeCompressor* make_zstd = nullptr;
#endif

}  // namespace sqfs
