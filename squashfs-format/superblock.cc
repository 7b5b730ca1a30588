// SPDX-License-Identifier: MIT
#include "squashfs-format/superblock.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <string>

#include "squashfs-format/problem.h"

namespace sqfs {

std::array<std::byte, kSuperblockSize> encode(const Superblock& sb) {
  Buffer buffer;
  ByteWriter out(buffer);
  out.u32(sb.magic);
  out.u32(sb.inode_count);
  out.u32(sb.mkfs_time);
  out.u32(sb.block_size);
  out.u32(sb.fragment_count);
  out.u16(sb.compressor);
  out.u16(sb.block_log);
  out.u16(sb.flags);
  out.u16(sb.id_count);
  out.u16(sb.version_major);
  out.u16(sb.version_minor);
  out.u64(sb.root_inode);
  out.u64(sb.bytes_used);
  out.u64(sb.id_table_start);
  out.u64(sb.xattr_table_start);
  out.u64(sb.inode_table_start);
  out.u64(sb.directory_table_start);
  out.u64(sb.fragment_table_start);
  out.u64(sb.export_table_start);
  assert(buffer.size() == kSuperblockSize);
  std::array<std::byte, kSuperblockSize> raw;
  std::copy(buffer.begin(), buffer.end(), raw.begin());
  return raw;
}

Result<Superblock> decode_superblock(Bytes bytes) {
  if (bytes.size() < kSuperblockSize) {
    return corrupt(Problem::kSuperTruncated, 0, bytes.size(), kSuperblockSize);
  }
  ByteReader in(bytes.first(kSuperblockSize));
  Superblock sb;
  SQFS_TRY(sb.magic, in.u32());
  SQFS_TRY(sb.inode_count, in.u32());
  SQFS_TRY(sb.mkfs_time, in.u32());
  SQFS_TRY(sb.block_size, in.u32());
  SQFS_TRY(sb.fragment_count, in.u32());
  SQFS_TRY(sb.compressor, in.u16());
  SQFS_TRY(sb.block_log, in.u16());
  SQFS_TRY(sb.flags, in.u16());
  SQFS_TRY(sb.id_count, in.u16());
  SQFS_TRY(sb.version_major, in.u16());
  SQFS_TRY(sb.version_minor, in.u16());
  SQFS_TRY(sb.root_inode, in.u64());
  SQFS_TRY(sb.bytes_used, in.u64());
  SQFS_TRY(sb.id_table_start, in.u64());
  SQFS_TRY(sb.xattr_table_start, in.u64());
  SQFS_TRY(sb.inode_table_start, in.u64());
  SQFS_TRY(sb.directory_table_start, in.u64());
  SQFS_TRY(sb.fragment_table_start, in.u64());
  SQFS_TRY(sb.export_table_start, in.u64());
  return sb;
}

Status check_identity(const Superblock& sb) {
  if (sb.magic != kMagic) return corrupt(Problem::kSuperMagic, 0, sb.magic, kMagic);
  if (sb.version_major != kVersionMajor || sb.version_minor != kVersionMinor) {
    return corrupt(Problem::kSuperVersion, 28, sb.version_major, kVersionMajor,
                   std::to_string(sb.version_major) + "." + std::to_string(sb.version_minor));
  }
  if (sb.compressor < static_cast<uint16_t>(CompressorId::kGzip) ||
      sb.compressor > static_cast<uint16_t>(CompressorId::kZstd)) {
    return corrupt(Problem::kSuperCompressor, 20, sb.compressor);
  }
  if (sb.block_size < kMinBlockSize || sb.block_size > kMaxBlockSize ||
      !std::has_single_bit(sb.block_size)) {
    return corrupt(Problem::kSuperBlockSize, 12, sb.block_size);
  }
  const auto expected_log = static_cast<uint64_t>(std::countr_zero(sb.block_size));
  if (sb.block_log != expected_log) {
    return corrupt(Problem::kSuperBlockLog, 22, sb.block_log, expected_log);
  }
  if (MetadataRef::unpack(sb.root_inode).offset >= kMetadataBlockSize) {
    return corrupt(Problem::kSuperRootOffset, 32, sb.root_inode);
  }
  return ok();
}

}  // namespace sqfs
