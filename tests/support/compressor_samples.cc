// SPDX-License-Identifier: MIT
#include "tests/support/compressor_samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <random>

namespace sqfs {

Buffer zeros(size_t size) { return Buffer(size); }

Buffer random_bytes(size_t size) {
  std::mt19937_64 generator(size);
  Buffer out(size);
  for (std::byte& byte : out) byte = static_cast<std::byte>(generator() & 0xff);
  return out;
}

Buffer text(size_t size) {
  constexpr std::string_view kWords[] = {"block ", "inode ", "fragment ",  "table ",
                                         "the ",   "of\n",   "directory ", "superblock "};
  std::mt19937 generator(static_cast<uint32_t>(size));
  Buffer out;
  ByteWriter writer(out);
  while (out.size() < size) writer.text(kWords[generator() % std::size(kWords)]);
  out.resize(size);
  return out;
}

Buffer mixture(size_t size) {
  Buffer out;
  for (size_t i = 0; out.size() < size; ++i) {
    const Buffer piece = i % 3 == 0 ? text(900 + i) : i % 3 == 1 ? zeros(300) : random_bytes(i + 9);
    out.insert(out.end(), piece.begin(), piece.end());
  }
  out.resize(size);
  return out;
}

void PrintTo(const CompressorSetting& setting, std::ostream* out) { *out << setting.name; }

namespace {

CompressorConfig config_of(const CompressorSetting& setting, uint32_t block_size) {
  const CompressorInfo& info = *find_compressor(setting.compressor);
  CompressorConfig config;
  for (const auto& [name, value] : setting.options) {
    const auto option = std::ranges::find_if(
        info.options,
        [&name = name](const CompressorOption& row) { return row.text.name == name; });
    EXPECT_TRUE(option->apply(config, value)) << name;
  }
  const Status status = info.finish(config, block_size);
  EXPECT_TRUE(status) << (status ? "" : status.error().what);
  return config;
}

}  // namespace

std::unique_ptr<Compressor> make(const CompressorSetting& setting, uint32_t block_size) {
  const CompressorInfo& info = *find_compressor(setting.compressor);
  return info.make(config_of(setting, block_size), block_size).value();
}
std::unique_ptr<Compressor> make(std::string_view compressor, uint32_t block_size) {
  return make(CompressorSetting{"", compressor, {}}, block_size);
}

Buffer compressed(Compressor& compressor, Bytes in) {
  Buffer out(in.size() - 1);
  const auto size = compressor.compress(in, out);
  EXPECT_TRUE(size) << (size ? "" : size.error().what);
  out.resize(size ? size->value_or(0) : 0);
  return out;
}

Buffer compressed_metadata(Compressor& compressor, Bytes in) {
  Buffer out(in.size() - 1);
  const auto size = compressor.compress_metadata(in, out);
  EXPECT_TRUE(size) << (size ? "" : size.error().what);
  out.resize(size ? size->value_or(0) : 0);
  return out;
}

void expect_decodes_to(Compressor& compressor, const Buffer& stored, const Buffer& raw) {
  Buffer out(raw.size());
  const auto size = compressor.decompress(stored, out);
  ASSERT_TRUE(size) << size.error().what;
  ASSERT_EQ(*size, raw.size());
  EXPECT_TRUE(out == raw);
}

void expect_round_trip(Compressor& compressor, const Buffer& raw) {
  const Buffer stored = compressed(compressor, raw);
  ASSERT_LT(stored.size(), raw.size());
  if (!stored.empty()) expect_decodes_to(compressor, stored, raw);
}

}  // namespace sqfs
