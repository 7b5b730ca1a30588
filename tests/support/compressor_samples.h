// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compressors/compressor.h"

// Data of several kinds, and short words for compressing it. For the tests of compressors/.
namespace sqfs {

inline constexpr uint32_t kTestBlockSize = 131072;

Buffer zeros(size_t size);
Buffer random_bytes(size_t size);
// Words in a random order: compresses, but not trivially.
Buffer text(size_t size);
// A mixture, as an executable is: runs of text, of zeros and of noise.
Buffer mixture(size_t size);

// One way of compressing: a compressor and what the command line says about it.
struct CompressorSetting {
  std::string name;
  std::string_view compressor;
  std::vector<std::pair<std::string_view, std::string_view>> options;
};
void PrintTo(const CompressorSetting& setting, std::ostream* out);

std::unique_ptr<Compressor> make(const CompressorSetting& setting,
                                 uint32_t block_size = kTestBlockSize);
std::unique_ptr<Compressor> make(std::string_view compressor, uint32_t block_size = kTestBlockSize);

// The stored bytes; empty: the block would be stored raw.
Buffer compressed(Compressor& compressor, Bytes in);
Buffer compressed_metadata(Compressor& compressor, Bytes in);

void expect_decodes_to(Compressor& compressor, const Buffer& stored, const Buffer& raw);
void expect_round_trip(Compressor& compressor, const Buffer& raw);

}  // namespace sqfs
