// SPDX-License-Identifier: MIT
#include "squashfs-format/directory.h"

#include <cassert>

#include "squashfs-format/problem.h"

namespace sqfs {

void encode(const DirRunHeader& run, ByteWriter& out) {
  assert(run.count >= 1 && run.count <= kMaxDirRunEntries);
  out.u32(run.count - 1);
  out.u32(run.inode_block);
  out.u32(run.number_base);
}

void encode(const DirEntry& entry, ByteWriter& out) {
  assert(!entry.name.empty() && entry.name.size() <= kMaxNameLengthKernel);
  out.u16(entry.inode_offset);
  out.i16(entry.number_delta);
  out.u16(entry.type);
  out.u16(static_cast<uint16_t>(entry.name.size() - 1));
  out.text(entry.name);
}

void encode(const DirIndexEntry& entry, ByteWriter& out) {
  assert(!entry.name.empty() && entry.name.size() <= kMaxNameLengthKernel);
  out.u32(entry.listing_offset);
  out.u32(entry.block);
  out.u32(static_cast<uint32_t>(entry.name.size() - 1));
  out.text(entry.name);
}

size_t encoded_size(const DirIndexEntry& entry) { return kDirIndexFixedSize + entry.name.size(); }

Result<DirRunHeader> decode_dir_run_header(ByteReader& in) {
  const size_t at = in.offset();
  DirRunHeader run;
  SQFS_TRY(const uint32_t count_less_one, in.u32());
  SQFS_TRY(run.inode_block, in.u32());
  SQFS_TRY(run.number_base, in.u32());
  if (count_less_one >= kMaxDirRunEntries) {
    return corrupt(Problem::kDirRunCount, at, uint64_t{count_less_one} + 1, kMaxDirRunEntries);
  }
  run.count = count_less_one + 1;
  return run;
}

Result<DirEntry> decode_dir_entry(ByteReader& in) {
  const size_t at = in.offset();
  DirEntry entry;
  SQFS_TRY(entry.inode_offset, in.u16());
  SQFS_TRY(entry.number_delta, in.i16());
  SQFS_TRY(entry.type, in.u16());
  SQFS_TRY(const uint16_t length_less_one, in.u16());
  if (length_less_one >= kMaxNameLengthKernel) {
    return corrupt(Problem::kDirNameLong, at, uint64_t{length_less_one} + 1, kMaxNameLength);
  }
  SQFS_TRY(const Bytes name, in.bytes(size_t{length_less_one} + 1));
  entry.name = as_text(name);
  return entry;
}

Result<DirIndexEntry> decode_dir_index_entry(ByteReader& in) {
  const size_t at = in.offset();
  DirIndexEntry entry;
  SQFS_TRY(entry.listing_offset, in.u32());
  SQFS_TRY(entry.block, in.u32());
  SQFS_TRY(const uint32_t length_less_one, in.u32());
  if (length_less_one >= kMaxNameLengthKernel) {
    return corrupt(Problem::kDirIndexNameLong, at, uint64_t{length_less_one} + 1, kMaxNameLength);
  }
  SQFS_TRY(const Bytes name, in.bytes(size_t{length_less_one} + 1));
  entry.name = as_text(name);
  return entry;
}

bool run_accepts(const DirRunHeader& run, uint32_t inode_block, uint32_t number) {
  const int64_t delta = int64_t{number} - int64_t{run.number_base};
  // -32768 would be legal for the kernel; some libraries stop one short of it.
  return run.count < kMaxDirRunEntries && run.inode_block == inode_block && delta >= -32767 &&
         delta <= 32767;
}

bool is_legal_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameLength && name != "." && name != ".." &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

}  // namespace sqfs
