// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "squashfs-format/constants.h"

// Directory listings: runs of a header and 1..256 entries, sorted by the bytes of the names.
//
// run header 0 u32 count - 1 | 4 u32 inode_block (relative to the inode table) | 8 u32 number base
// entry      0 u16 inode offset | 2 i16 inode number - base | 4 u16 basic type | 6 u16 length - 1
//            8 name
// index      0 u32 listing offset of a run header | 4 u32 metadata block that holds it (relative to
//            the directory table) | 8 u32 length - 1 | 12 first name of that run
namespace sqfs {

inline constexpr size_t kDirRunHeaderSize = 12, kDirEntryFixedSize = 8, kDirIndexFixedSize = 12;

struct DirRunHeader {
  uint32_t count = 0;  // 1..256
  uint32_t inode_block = 0;
  uint32_t number_base = 0;
  bool operator==(const DirRunHeader&) const = default;
};

struct DirEntry {
  uint16_t inode_offset = 0;
  int16_t number_delta = 0;
  uint16_t type = 0;      // 1..7; not judged by the decoder
  std::string_view name;  // 1..256 bytes, borrowed from the reader's range
  bool operator==(const DirEntry&) const = default;
};

struct DirIndexEntry {
  uint32_t listing_offset = 0;
  uint32_t block = 0;
  std::string name;
  bool operator==(const DirIndexEntry&) const = default;
};

void encode(const DirRunHeader&, ByteWriter&);
void encode(const DirEntry&, ByteWriter&);
void encode(const DirIndexEntry&, ByteWriter&);
size_t encoded_size(const DirIndexEntry&);

// kDirRunCount when the count is above 256; kTruncated.
Result<DirRunHeader> decode_dir_run_header(ByteReader& in);
// kDirNameLong when the name is longer than the 256 bytes the kernel bears; kTruncated.
Result<DirEntry> decode_dir_entry(ByteReader& in);
// kDirIndexNameLong; kTruncated.
Result<DirIndexEntry> decode_dir_index_entry(ByteReader& in);

// Whether an entry may join a run: same inode block, room in it, and a number near enough.
bool run_accepts(const DirRunHeader& run, uint32_t inode_block, uint32_t number);

// Whether a name may stand in a listing: 1..255 bytes, no "/" and no NUL, neither "." nor "..".
bool is_legal_name(std::string_view name);

}  // namespace sqfs
