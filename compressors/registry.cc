// SPDX-License-Identifier: MIT
#include <algorithm>
#include <type_traits>

#include "compressors/rows.h"

#ifndef COMP_DEFAULT
#define COMP_DEFAULT "gzip"
#endif

namespace sqfs {
namespace {

template <class Row>
constexpr CompressorInfo row(CompressorId id, std::string_view name, bool kernel_mounts,
                             std::span<const CompressorOption> options, MakeCompressor* make) {
  return {id,  name, kernel_mounts, options, Row::finish, Row::encode_options, Row::decode_options,
          make};
}

constexpr CompressorInfo kRows[] = {
    row<GzipRow>(CompressorId::kGzip, "gzip", true, GzipRow::kOptions, make_gzip),
    row<LzoRow>(CompressorId::kLzo, "lzo", true, LzoRow::kOptions, make_lzo),
    row<Lz4Row>(CompressorId::kLz4, "lz4", true, Lz4Row::kOptions, make_lz4),
    row<XzRow>(CompressorId::kXz, "xz", true, XzRow::kOptions, make_xz),
    row<ZstdRow>(CompressorId::kZstd, "zstd", true, ZstdRow::kOptions, make_zstd),
    row<LzmaRow>(CompressorId::kLzma, "lzma", false, {}, make_lzma),
};

// By type: with some sanitizers, comparing a function's address is no constant expression.
constexpr bool kIsBuilt[] = {
    std::is_function_v<decltype(make_gzip)>, std::is_function_v<decltype(make_lzo)>,
    std::is_function_v<decltype(make_lz4)>,  std::is_function_v<decltype(make_xz)>,
    std::is_function_v<decltype(make_zstd)>, std::is_function_v<decltype(make_lzma)>,
};
static_assert(std::size(kIsBuilt) == std::size(kRows));

constexpr const CompressorInfo* kDefault =
    std::ranges::find(kRows, std::string_view(COMP_DEFAULT), &CompressorInfo::name);
static_assert(kDefault != std::end(kRows), "COMP_DEFAULT does not name a compressor");
static_assert(kIsBuilt[kDefault - kRows], "COMP_DEFAULT names a compressor that is switched off");

template <class Key>
const CompressorInfo* find(Key key, Key CompressorInfo::*field) {
  const CompressorInfo* found = std::ranges::find(kRows, key, field);
  return found == std::end(kRows) ? nullptr : found;
}

}  // namespace

std::span<const CompressorInfo> compressors() { return kRows; }

const CompressorInfo* find_compressor(std::string_view name) {
  return find(name, &CompressorInfo::name);
}

const CompressorInfo* find_compressor(CompressorId id) { return find(id, &CompressorInfo::id); }

const CompressorInfo& default_compressor() { return *kDefault; }

}  // namespace sqfs
