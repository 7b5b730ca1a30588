// SPDX-License-Identifier: MIT
#include "verifier/block_check.h"

#include <algorithm>

namespace sqfs {
namespace {

constexpr uint64_t kMaxStretch = 1 << 20;
constexpr size_t kMaxBlocks = 256;

}  // namespace

Result<std::unique_ptr<Worker>> BlockWorker::make(const CompressorInfo& compressor,
                                                  const CompressorConfig& config,
                                                  uint32_t block_size) {
  SQFS_TRY(auto decompressor, compressor.make(config, block_size));
  return std::make_unique<BlockWorker>(std::move(decompressor));
}

Status BlockWorker::read(const ImageFile& image, uint64_t start, uint64_t end) {
  stored_.resize(end - start);
  read_start_ = start;
  return image.read(start, stored_);
}

// An Error is a failure of this program; what is wrong with the block goes into it.
Status BlockWorker::check(BlockCheck& block, CompressorId compressor) {
  const Bytes stored = Bytes(stored_).subspan(block.start - read_start_, block.stored_size());
  if (block.is_raw()) {
    block.raw_size = block.stored_size();
    block.is_zero = is_all_zero(stored);
    return ok();
  }
  if (raw_.size() < block.capacity) raw_.resize(block.capacity);
  const MutableBytes raw = MutableBytes(raw_).first(block.capacity);
  const Result<size_t> size = decompressor_->decompress(stored, raw);
  if (!size) {
    if (size.error().code != Code::kCorrupt) return size.error();
    block.error = size.error();
    return ok();
  }
  block.raw_size = static_cast<uint32_t>(*size);
  block.is_zero = is_all_zero(raw.first(*size));
  block.issue = check_stream(compressor, stored, block.start, *size);
  return ok();
}

bool BlockCheckJob::accepts(const BlockCheck& block) const {
  if (blocks.empty()) return true;
  return blocks.size() < kMaxBlocks && std::max(end_, block.end()) - start() <= kMaxStretch;
}

void BlockCheckJob::add(const BlockCheck& block) {
  blocks.push_back(block);
  end_ = std::max(end_, block.end());
}

void BlockCheckJob::run(Worker& worker) {
  auto& own = static_cast<BlockWorker&>(worker);
  Status status = own.read(image_, start(), end_);
  for (size_t i = 0; status && i < blocks.size(); ++i) status = own.check(blocks[i], compressor_);
  if (!status) fail(status.error());
}

}  // namespace sqfs
