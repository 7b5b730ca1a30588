// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "compressors/compressor.h"
#include "squashfs-format/metadata.h"
#include "verifier/findings.h"
#include "verifier/image_file.h"
#include "verifier/memory_budget.h"
#include "verifier/region_map.h"
#include "verifier/stream_rules.h"

namespace sqfs {

// What a table of metadata blocks is read with; borrowed for the life of the chain.
struct ChainTools {
  const ImageFile* image;
  Compressor* decompressor;
  CompressorId compressor_id;
  MemoryBudget* budget;
};

// The metadata blocks of one table, one directly behind the other. walk() follows the headers
// alone; a block is decompressed when load() asks for it, and its problems are reported then, once.
class MetadataChain {
 public:
  // Follows the chain from `start` until it has `max_blocks` or ends exactly at `limit`. When a
  // header is wrong, that is reported if `findings` is given, and the chain is not complete. Never
  // looks at or above `limit`, which must lie inside the image.
  static Result<MetadataChain> walk(const ChainTools& tools, Region region, uint64_t start,
                                    uint64_t limit, uint64_t max_blocks, Findings* findings);

  Region region() const { return region_; }
  uint64_t start() const { return start_; }
  uint64_t end() const { return end_; }  // of the last block whose header was right
  bool is_complete() const { return complete_; }
  uint64_t block_count() const { return blocks_.size(); }
  uint64_t position(size_t index) const { return blocks_[index].position; }
  // The place for findings about something in block `index`.
  Place place(size_t index) const;
  // The block that starts at this absolute position.
  std::optional<size_t> find(uint64_t position) const;

  // The contents of a block; empty when it cannot be decompressed. Valid until other blocks are
  // loaded that are a multiple of kSlots away.
  Result<Bytes> load(size_t index, Findings& findings);

  static constexpr size_t kSlots = 16;

 private:
  struct Block {
    uint64_t position = 0;
    uint16_t stored_size = 0;
    bool is_raw = false;
    enum : uint8_t { kUnread, kGood, kBad } state = kUnread;
  };
  struct Slot {
    size_t block = ~size_t{0};
    size_t size = 0;
    std::array<std::byte, kMetadataBlockSize> data;
  };

  MetadataChain(const ChainTools& tools, Region region, uint64_t start)
      : tools_(tools), region_(region), start_(start), end_(start) {}
  Result<bool> append(const MetadataHeader& header, uint64_t limit, Findings* findings);
  Status fill(Slot& slot, Block& block, const Place& place, Findings& findings);

  ChainTools tools_;
  Region region_;
  uint64_t start_, end_;
  bool complete_ = false;
  std::vector<Block> blocks_;
  std::vector<Slot> slots_;  // direct-mapped: block i lives in slot i % size()
  Buffer stored_;
};

// A place in the uncompressed stream of a chain. Ordered as the stream is; a cursor gives out the
// start of the next block, never the end of a block.
struct StreamPosition {
  uint64_t block = 0;  // index in the chain
  uint32_t offset = 0;
  auto operator<=>(const StreamPosition&) const = default;

  uint64_t packed() const { return block << 16 | offset; }
  static StreamPosition unpack(uint64_t packed) {
    return {packed >> 16, static_cast<uint32_t>(packed & 0xffff)};
  }
};

// Reads the stream of a chain front to back. Stops at the end, or before a block that cannot be
// decompressed.
class MetadataCursor {
 public:
  MetadataCursor(MetadataChain& chain, Findings& findings) : chain_(chain), findings_(findings) {}

  void seek(StreamPosition position);
  // Seeks to what a metadata reference, relative to the chain's start, names: false when there is
  // no such block, or it is bad, or does not reach that far. The end of a block counts as inside.
  Result<bool> seek_ref(const MetadataRef& ref);

  // A view of what follows, at least `wanted` bytes unless the stream stops before; empty at its
  // end. Valid until the next call.
  Result<Bytes> peek(size_t wanted);
  // Moves on; at most as far as the stream goes. Returns how many bytes it moved.
  Result<uint64_t> skip(uint64_t count);

  StreamPosition position() const { return at_; }  // of the view peek() returned last
  // {position of the block relative to the chain's start, offset}, as references are stored.
  MetadataRef ref() const;
  Place place() const;
  // An upper bound for what is left.
  uint64_t remaining_at_most() const;
  // Whether the last peek() or skip() stopped at a bad block.
  bool hit_bad_block() const { return hit_bad_block_; }

 private:
  // Moves from the end of a block to the start of the next; the view of the block at at_, empty at
  // the end of the stream.
  Result<Bytes> settle();

  MetadataChain& chain_;
  Findings& findings_;
  StreamPosition at_;
  bool hit_bad_block_ = false;
  Buffer joined_;
};

}  // namespace sqfs
