// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/digest.h"
#include "base/result.h"
#include "fragments/fragment_ref.h"
#include "fragments/tail_index.h"

namespace sqfs {

// The content of fragment blocks that the packer has handed out.
class FragmentSource {
 public:
  virtual ~FragmentSource() = default;
  // The decompressed bytes of a closed block; valid until the next call.
  virtual Result<Bytes> fragment_bytes(uint32_t index) = 0;
};

// A full fragment block, to be compressed and placed by the caller.
struct FragmentBlock {
  uint32_t index = 0;
  uint32_t group = 0;  // what the caller said of the tails in it
  Buffer bytes;
};

// Packs file tails into fragment blocks, in the order in which they come. A state machine with no
// I/O of its own and no threads: the caller compresses and places full blocks, and answers for the
// bytes of blocks already closed. Tails of different groups never share a block, unless they are
// identical; groups are small numbers. Blocks are numbered in the order in which they are begun.
class FragmentPacker {
 public:
  // `first_index`: of the first block it makes; those before it are closed already.
  FragmentPacker(uint32_t block_size, FragmentSource& closed_blocks, uint32_t first_index = 0)
      : block_size_(block_size), closed_blocks_(closed_blocks), next_index_(first_index) {}

  struct Added {
    FragmentRef ref;
    bool is_shared = false;             // an identical tail was there
    bool is_whole_file_known = false;   // and an earlier file consists of it alone
    std::optional<FragmentBlock> full;  // the block that had no room for the tail
  };

  // Stores `tail` (0 < size <= block_size); later tails are not compared with it.
  Added append(Bytes tail, uint32_t group = 0);

  // As append, unless an identical tail was added before. Digests are taken for hints: bytes
  // decide. Fails when fragment_bytes() does.
  Result<Added> add(Bytes tail, const Digest& digest, bool is_whole_file, uint32_t group = 0);

  // Says that a tail lies in a closed block; later ones that are identical will share it.
  void know(uint32_t size, const Digest& digest, FragmentRef ref, bool is_whole_file) {
    index_.insert(size, digest, ref, is_whole_file);
  }

  // Whether the bytes at `ref` are these. Fails when fragment_bytes() does.
  Result<bool> holds(FragmentRef ref, Bytes tail);

  // Hands out a block that is not full, of the lowest group first; nothing when there is none.
  std::optional<FragmentBlock> close();

 private:
  uint32_t block_size_;
  FragmentSource& closed_blocks_;
  std::vector<FragmentBlock> open_;  // by group; empty ones were handed out or never begun
  uint32_t next_index_;
  TailIndex index_;
};

}  // namespace sqfs
