// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ordered_pool.h"
#include "compressors/compressor.h"
#include "verifier/image_file.h"
#include "verifier/stream_rules.h"

// What the threads of pass_data do: read a stretch of the image and decompress the blocks in it.
namespace sqfs {

struct BlockCheck {
  uint64_t start = 0;
  uint32_t word = 0;      // legal and no hole
  uint32_t capacity = 0;  // the most it may hold
  size_t first_use = 0;   // the caller's
  // Results.
  uint32_t raw_size = 0;
  std::optional<Error> error;  // Code::kCorrupt
  std::optional<StreamIssue> issue;
  bool is_zero = false;

  uint32_t stored_size() const { return word & kBlockSizeMask; }
  bool is_raw() const { return (word & kBlockRawBit) != 0; }
  uint64_t end() const { return start + stored_size(); }
};

class BlockWorker : public Worker {
 public:
  static Result<std::unique_ptr<Worker>> make(const CompressorInfo& compressor,
                                              const CompressorConfig& config, uint32_t block_size);
  explicit BlockWorker(std::unique_ptr<Compressor> decompressor)
      : decompressor_(std::move(decompressor)) {}

  Status read(const ImageFile& image, uint64_t start, uint64_t end);
  Status check(BlockCheck& block, CompressorId compressor);

 private:
  std::unique_ptr<Compressor> decompressor_;
  uint64_t read_start_ = 0;
  Buffer stored_, raw_;
};

// Blocks in the order of their starts that lie close together: one read, many decompressions.
class BlockCheckJob : public Job {
 public:
  BlockCheckJob(const ImageFile& image, CompressorId compressor)
      : image_(image), compressor_(compressor) {}

  // Whether the block may join: the stretch stays short.
  bool accepts(const BlockCheck& block) const;
  void add(const BlockCheck& block);
  uint64_t cost() const { return end_ - start() + blocks.size() * sizeof(BlockCheck); }

  void run(Worker& worker) override;

  std::vector<BlockCheck> blocks;

 private:
  uint64_t start() const { return blocks.empty() ? end_ : blocks.front().start; }

  const ImageFile& image_;
  const CompressorId compressor_;
  uint64_t end_ = 0;
};

}  // namespace sqfs
