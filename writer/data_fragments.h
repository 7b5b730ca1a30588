// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "fragments/packer.h"
#include "squashfs-format/tables.h"
#include "writer/data_stage.h"
#include "writer/output_queue.h"

namespace sqfs {

// The fragment blocks of an image while it is written: packs tails, sends full blocks to the output
// queue, keeps the last ones in memory for comparison and reads older ones back.
class FragmentStore final : public FragmentSource {
 public:
  // At most `cache_bytes` of closed blocks are kept, but at least one. `stored`: blocks that the
  // image has already; new ones follow them.
  FragmentStore(const DataOptions& options, OutputQueue& queue, size_t cache_bytes,
                std::vector<FragmentEntry> stored)
      : options_(options),
        queue_(queue),
        cache_blocks_(std::max<size_t>(1, cache_bytes / options.block_size)),
        packer_(options.block_size, *this, static_cast<uint32_t>(stored.size())),
        entries_(std::move(stored)),
        stored_count_(entries_.size()) {}

  struct Stored {
    FragmentRef ref;
    bool is_duplicate_file = false;  // the tail is the whole file, and one like it came before
  };
  // `policy` says which tails may share a block with this one, and how that is stored.
  Status append(Bytes tail, const DataPolicy& policy, FragmentRef& ref);
  Result<Stored> add(Bytes tail, const DataPolicy& policy, const Digest& digest,
                     bool is_whole_file);
  Result<bool> holds(FragmentRef ref, Bytes tail) { return packer_.holds(ref, tail); }
  // Says that a tail lies in a stored block.
  void know(uint32_t size, const Digest& digest, FragmentRef ref, bool is_whole_file) {
    packer_.know(size, digest, ref, is_whole_file);
  }

  // Closes the last blocks. No tail may follow.
  Status close();

  // The queue tells where a block went.
  void set_placed(uint64_t number, uint64_t position, BlockWord word) {
    entries_[number].start = position;
    entries_[number].word = word.packed();
  }
  std::vector<FragmentEntry> take_entries() { return std::move(entries_); }

  Result<Bytes> fragment_bytes(uint32_t index) override;

 private:
  struct Cached {
    uint32_t index = 0;
    std::shared_ptr<const Buffer> bytes;  // shared with the job that compresses them
  };

  uint32_t group_of(const DataPolicy& policy) const;
  Status seal(FragmentBlock block);
  Result<std::shared_ptr<const Buffer>> load(uint32_t index);

  const DataOptions& options_;
  OutputQueue& queue_;
  size_t cache_blocks_;
  FragmentPacker packer_;
  std::vector<FragmentEntry> entries_;
  size_t stored_count_;                     // of the entries that were there from the beginning
  std::vector<uint64_t> slots_;             // of each later block, in the queue
  std::list<Cached> cache_;                 // the one used last in front
  std::unique_ptr<Compressor> compressor_;  // made when the first block has to be read back
};

}  // namespace sqfs
