// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "squashfs-format/directory.h"
#include "writer/metadata_writer.h"

namespace sqfs {

// One name in a directory and the inode behind it.
struct ListingEntry {
  std::string_view name;  // borrowed
  MetadataRef inode;
  uint32_t inode_number = 0;
  InodeType type = InodeType::kFile;  // basic
};

// A listing in the directory table: what its directory's inode has to say about it.
struct Listing {
  uint32_t start_block = 0;
  uint16_t offset = 0;
  uint32_t file_size = kDirSizeBias;
  std::vector<DirIndexEntry> index;  // where look-ups can start; empty for short listings
};

// Appends the listing of `entries` (sorted by the bytes of their names) to the directory table.
//
// A run ends when the next entry does not fit its header. A new one also begins at each index
// point: at the last entry before the distance to the point before (or to the start) exceeds 8192
// bytes, the distance a kernel then has to scan at most. Listings too long for 65535 such points
// get fewer.
//
// Code::kUnsupported when the listing or the table grows beyond the format.
Result<Listing> append_listing(std::span<const ListingEntry> entries, MetadataWriter& table);

}  // namespace sqfs
