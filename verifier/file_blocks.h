// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "squashfs-format/inode.h"
#include "verifier/facts.h"

// The block words behind a file inode, read piece by piece.
namespace sqfs {

struct FilePiece {
  uint32_t word = 0;
  uint32_t raw_size = 0;  // the bytes of the file this block holds
};

// Calls `visit` for each block word at the cursor, which stands behind the inode's fixed part, and
// moves it to the next inode. False when the table ends, or cannot be read on, before the last
// word.
using PieceVisitor = std::function<Status(const FilePiece& piece)>;
Result<bool> for_each_block(MetadataCursor& cursor, const FileBody& file, uint32_t block_size,
                            const PieceVisitor& visit);

// The part of pass_inodes on a file's blocks: words, range, sparse count; claims what they cover
// for `record`. False as above; it is reported.
Result<bool> check_file_blocks(Facts& facts, MetadataCursor& cursor, const Inode& inode,
                               uint32_t record, const Place& place, Findings& findings);

}  // namespace sqfs
