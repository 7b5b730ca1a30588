// SPDX-License-Identifier: MIT
#include "writer/append_tables.h"

#include <algorithm>

#include "squashfs-format/metadata.h"

namespace sqfs {
namespace {

Error disordered(uint64_t position) {
  return Error{Code::kCorrupt, 0, position, 0, "its tables do not stand one behind the other"};
}

uint64_t number_at(Bytes bytes, uint64_t position) {
  return ByteReader(bytes.subspan(position, 8)).u64().value_or(0);
}

class PointerFinder {
 public:
  PointerFinder(const Superblock& superblock, TableBlock& tables)
      : super_(superblock), tables_(tables) {}

  Status run() {
    if (super_.directory_table_start < super_.inode_table_start) {
      return disordered(super_.directory_table_start);
    }
    last_ = super_.directory_table_start;
    SQFS_CHECKED(
        find_array(super_.fragment_table_start, super_.fragment_count, kFragmentEntrySize));
    SQFS_CHECKED(find_array(super_.export_table_start, super_.inode_count, kExportEntrySize));
    SQFS_CHECKED(find_array(super_.id_table_start, super_.id_count, kIdEntrySize));
    return find_xattrs();
  }

 private:
  // One number, which must be the position of something behind all that came before.
  Status add(uint64_t position) {
    if (position < tables_.start || position > tables_.end() || tables_.end() - position < 8) {
      return disordered(position);
    }
    const uint64_t offset = position - tables_.start;
    const uint64_t target = number_at(tables_.bytes, offset);
    if (target < last_ || target >= position) return disordered(position);
    last_ = target;
    tables_.pointers.push_back(offset);
    return ok();
  }

  Status find_array(uint64_t start, uint64_t count, uint32_t record_size) {
    if (start == kNoTable || count == 0) return ok();
    return add_all(start, metadata_block_count(count * record_size));
  }

  Status add_all(uint64_t start, uint64_t blocks) {
    for (uint64_t i = 0; i < blocks; ++i) SQFS_CHECKED(add(start + 8 * i));
    last_ = start + 8 * blocks;
    return ok();
  }

  Status find_xattrs() {
    const uint64_t header_at = super_.xattr_table_start;
    if (header_at == kNoTable) return ok();
    SQFS_CHECKED(add(header_at));
    ByteReader in(Bytes(tables_.bytes).subspan(header_at - tables_.start));
    SQFS_TRY(const XattrTableHeader header, decode_xattr_table_header(in));
    return add_all(header_at + kXattrTableHeaderSize,
                   metadata_block_count(uint64_t{header.id_count} * kXattrIdEntrySize));
  }

  const Superblock& super_;
  TableBlock& tables_;
  uint64_t last_ = 0;  // nothing that follows may stand before it
};

}  // namespace

Result<TableBlock> read_tables(Image& image) {
  const Superblock& super = image.superblock();
  if (super.inode_table_start < kSuperblockSize || super.inode_table_start > super.bytes_used) {
    return disordered(super.inode_table_start);
  }
  TableBlock tables;
  tables.start = super.inode_table_start;
  tables.bytes.resize(super.bytes_used - tables.start);
  SQFS_CHECKED(image.bytes().read(tables.start, tables.bytes));
  SQFS_CHECKED(PointerFinder(super, tables).run());
  return tables;
}

Buffer moved_tables(const TableBlock& tables, uint64_t distance) {
  Buffer moved = tables.bytes;
  for (const uint64_t pointer : tables.pointers) {
    Buffer number;
    ByteWriter(number).u64(number_at(tables.bytes, pointer) + distance);
    std::ranges::copy(number, moved.begin() + static_cast<ptrdiff_t>(pointer));
  }
  return moved;
}

Superblock moved_superblock(const Superblock& superblock, uint64_t distance) {
  Superblock moved = superblock;
  for (uint64_t* position :
       {&moved.id_table_start, &moved.xattr_table_start, &moved.inode_table_start,
        &moved.directory_table_start, &moved.fragment_table_start, &moved.export_table_start}) {
    if (*position != kNoTable) *position += distance;
  }
  moved.bytes_used += distance;
  return moved;
}

}  // namespace sqfs
