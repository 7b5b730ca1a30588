// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "reader/image.h"
#include "squashfs-format/superblock.h"

// The tables of an image as one block of bytes that can stand elsewhere in it. No decompression:
// only index arrays, the header of the xattr table and the superblock hold positions of tables.
namespace sqfs {

struct TableBlock {
  uint64_t start = 0;              // inode_table_start
  Buffer bytes;                    // up to bytes_used
  std::vector<uint64_t> pointers;  // positions in `bytes` of the numbers that are positions

  uint64_t end() const { return start + bytes.size(); }
};

// Reads the tables. Fails where they do not stand behind each other between the inode table and the
// end, in the order that kernels demand, with all index arrays and what they point to inside.
Result<TableBlock> read_tables(Image& image);

// The bytes as they must be `distance` bytes further on.
Buffer moved_tables(const TableBlock& tables, uint64_t distance);
Superblock moved_superblock(const Superblock& superblock, uint64_t distance);

}  // namespace sqfs
