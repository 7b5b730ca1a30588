// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/option.h"
#include "base/result.h"
#include "squashfs-format/compressor_options.h"

// The compressors of SquashFS behind one interface. One file per algorithm; registry.cc lists them.
// This module knows which bytes a kernel's decompressor accepts (docs/FORMAT.md, "Compressors"); it
// does not know about blocks, threads or files.
namespace sqfs {

// One instance per worker; not thread-safe. No state carries over from one call to the next, so the
// output depends on the input and the configuration alone.
class Compressor {
 public:
  virtual ~Compressor() = default;

  // Compresses `in` (1..block_size bytes) into `out`. Returns the compressed size, or nullopt when
  // the result would not be smaller than `in` or would not fit `out`: the block is then stored raw.
  // An `out` of in.size() - 1 bytes is therefore always enough.
  virtual Result<std::optional<size_t>> compress(Bytes in, MutableBytes out) = 0;

  // As compress, for a metadata block (at most 8192 bytes). Metadata is a few thousandths of an
  // image, so an implementation may spend more effort here; it has to when its data parameters do
  // not suit 8 KiB (xz: the dictionary).
  virtual Result<std::optional<size_t>> compress_metadata(Bytes in, MutableBytes out) {
    return compress(in, out);
  }

  // Decompresses `in` into `out`, never writing past it, and returns the size produced.
  // Code::kCorrupt when the stream is damaged, when it holds more than out.size() bytes, and when
  // bytes follow the end of the stream (problem kCompressedTrailing).
  virtual Result<size_t> decompress(Bytes in, MutableBytes out) = 0;
};

// The user's choices for one compressor, in the terms of the command line.
struct CompressorConfig {
  // On-disk settings; what they mean is in squashfs-format/compressor_options.h.
  GzipOptions gzip;
  XzOptions xz;
  LzoOptions lzo;
  Lz4Options lz4;
  ZstdOptions zstd;

  // Settings of the encoder that are not recorded in the image.
  uint32_t xz_preset = 6;
  bool xz_extreme = false;
  std::optional<uint32_t> xz_lc, xz_lp, xz_pb;
  // In millionths of a percent: 0.78125% (8 KiB of 1 MiB) has five decimals. 0: not a percentage.
  uint32_t xz_dictionary_percent_millionths = 0;

  // Whether an option was given at all: some must not be given with others, at any value.
  bool level_given = false;
  bool acceleration_given = false;
};

struct CompressorOption {
  OptionText text;
  // Parses `value` into `config`; Code::kUsage with a full sentence when it is out of range.
  Status (*apply)(CompressorConfig& config, std::string_view value);
};

// One row per compressor. A compressor that was not compiled in has make == nullptr; its options
// block is still decoded, so that an image can be described and its metadata limits checked.
struct CompressorInfo {
  CompressorId id;
  std::string_view name;
  bool kernel_mounts;  // false for lzma: no kernel ever read it
  std::span<const CompressorOption> options;
  // Checks settings against each other and against the block size, and fills in those that depend
  // on it (xz's dictionary). To be called once, after all options are known.
  Status (*finish)(CompressorConfig& config, uint32_t block_size);
  // The payload of the options block; empty: the settings are the defaults and no block is written.
  Buffer (*encode_options)(const CompressorConfig& config, uint32_t block_size);
  // Decodes the payload of an options block into `config` (other fields keep their defaults).
  Status (*decode_options)(Bytes payload, CompressorConfig& config, uint32_t block_size);
  Result<std::unique_ptr<Compressor>> (*make)(const CompressorConfig& config, uint32_t block_size);

  bool available() const { return make != nullptr; }
};

// All six, in the order in which help shows them. A constant array: no registration at start-up.
std::span<const CompressorInfo> compressors();
const CompressorInfo* find_compressor(std::string_view name);
const CompressorInfo* find_compressor(CompressorId id);
// The one used without -comp: COMP_DEFAULT of the Makefile, gzip unless set.
const CompressorInfo& default_compressor();

}  // namespace sqfs
