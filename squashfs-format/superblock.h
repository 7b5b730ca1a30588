// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "squashfs-format/constants.h"
#include "squashfs-format/metadata.h"

namespace sqfs {

// The first 96 bytes of an image, little-endian. Positions are absolute from the start of the
// image.
//
//   0 u32 magic            22 u16 block_log        48 u64 id_table_start (its index array)
//   4 u32 inode_count      24 u16 flags            56 u64 xattr_table_start (its header) or ~0
//   8 u32 mkfs_time        26 u16 id_count         64 u64 inode_table_start
//  12 u32 block_size       28 u16 version_major    72 u64 directory_table_start
//  16 u32 fragment_count   30 u16 version_minor    80 u64 fragment_table_start (its index array)
//  20 u16 compressor       32 u64 root_inode ref   88 u64 export_table_start (its index) or ~0
//                          40 u64 bytes_used
struct Superblock {
  uint32_t magic = kMagic;
  uint32_t inode_count = 0;
  uint32_t mkfs_time = 0;  // seconds since 1970, unsigned
  uint32_t block_size = 131072;
  uint32_t fragment_count = 0;
  uint16_t compressor = static_cast<uint16_t>(CompressorId::kGzip);
  uint16_t block_log = 17;
  uint16_t flags = 0;
  uint16_t id_count = 0;
  uint16_t version_major = kVersionMajor;
  uint16_t version_minor = kVersionMinor;
  uint64_t root_inode = 0;  // as stored; MetadataRef::unpack() splits it
  uint64_t bytes_used = 0;
  uint64_t id_table_start = 0;
  uint64_t xattr_table_start = kNoTable;
  uint64_t inode_table_start = 0;
  uint64_t directory_table_start = 0;
  uint64_t fragment_table_start = kNoTable;
  uint64_t export_table_start = kNoTable;

  bool has(uint16_t flag) const { return (flags & flag) != 0; }
  bool has_export_table() const { return export_table_start != kNoTable; }
  bool has_xattr_table() const { return xattr_table_start != kNoTable; }
  bool operator==(const Superblock&) const = default;
};

std::array<std::byte, kSuperblockSize> encode(const Superblock&);

// Decodes the first 96 bytes; fails only when there are fewer (problem kSuperTruncated). No value
// is judged: check_identity does that.
Result<Superblock> decode_superblock(Bytes bytes);

// The first reason for which no kernel would treat this as a SquashFS 4.0 image that it can go on
// with: magic, version, compressor, block size, block log, offset of the root reference.
Status check_identity(const Superblock&);

}  // namespace sqfs
