// SPDX-License-Identifier: MIT
#include "squashfs-format/inode.h"

#include <cassert>

#include "squashfs-format/problem.h"

namespace sqfs {
namespace {

constexpr size_t kHeaderSize = 16;
constexpr uint32_t kMaxTargetAnyTool = 65535;

void write_header(const InodeHeader& header, ByteWriter& out) {
  out.u16(static_cast<uint16_t>(header.type));
  out.u16(header.mode);
  out.u16(header.uid_index);
  out.u16(header.gid_index);
  out.u32(header.mtime);
  out.u32(header.number);
}

void write_body(const DirBody& dir, bool extended, ByteWriter& out) {
  if (!extended) {
    assert(dir.file_size <= 0xffff && dir.index.empty() && dir.xattr == kNoXattr);
    out.u32(dir.start_block);
    out.u32(dir.nlink);
    out.u16(static_cast<uint16_t>(dir.file_size));
    out.u16(dir.offset);
    out.u32(dir.parent);
    return;
  }
  assert(dir.index.size() <= 0xffff);
  out.u32(dir.nlink);
  out.u32(dir.file_size);
  out.u32(dir.start_block);
  out.u32(dir.parent);
  out.u16(static_cast<uint16_t>(dir.index.size()));
  out.u16(dir.offset);
  out.u32(dir.xattr);
  for (const DirIndexEntry& entry : dir.index) encode(entry, out);
}

void write_body(const FileBody& file, bool extended, ByteWriter& out) {
  if (extended) {
    out.u64(file.start);
    out.u64(file.size);
    out.u64(file.sparse);
    out.u32(file.nlink);
    out.u32(file.fragment);
    out.u32(file.fragment_offset);
    out.u32(file.xattr);
  } else {
    assert(file.start <= 0xffffffff && file.size <= 0xffffffff && file.nlink == 1);
    out.u32(static_cast<uint32_t>(file.start));
    out.u32(file.fragment);
    out.u32(file.fragment_offset);
    out.u32(static_cast<uint32_t>(file.size));
  }
  for (const uint32_t word : file.block_words) out.u32(word);
}

void write_body(const SymlinkBody& link, bool extended, ByteWriter& out) {
  out.u32(link.nlink);
  out.u32(static_cast<uint32_t>(link.target.size()));
  out.text(link.target);
  if (extended) out.u32(link.xattr);
}

void write_body(const DeviceBody& device, bool extended, ByteWriter& out) {
  out.u32(device.nlink);
  out.u32(device.rdev);
  if (extended) out.u32(device.xattr);
}

void write_body(const IpcBody& ipc, bool extended, ByteWriter& out) {
  out.u32(ipc.nlink);
  if (extended) out.u32(ipc.xattr);
}

Result<DirBody> read_dir(ByteReader& in) {
  DirBody dir;
  SQFS_TRY(dir.start_block, in.u32());
  SQFS_TRY(dir.nlink, in.u32());
  SQFS_TRY(dir.file_size, in.u16());
  SQFS_TRY(dir.offset, in.u16());
  SQFS_TRY(dir.parent, in.u32());
  return dir;
}

Result<DirBody> read_long_dir(ByteReader& in) {
  DirBody dir;
  SQFS_TRY(dir.nlink, in.u32());
  SQFS_TRY(dir.file_size, in.u32());
  SQFS_TRY(dir.start_block, in.u32());
  SQFS_TRY(dir.parent, in.u32());
  SQFS_TRY(dir.index_count, in.u16());
  SQFS_TRY(dir.offset, in.u16());
  SQFS_TRY(dir.xattr, in.u32());
  return dir;
}

Result<FileBody> read_file(ByteReader& in) {
  FileBody file;
  SQFS_TRY(file.start, in.u32());
  SQFS_TRY(file.fragment, in.u32());
  SQFS_TRY(file.fragment_offset, in.u32());
  SQFS_TRY(file.size, in.u32());
  return file;
}

Result<FileBody> read_long_file(ByteReader& in) {
  FileBody file;
  SQFS_TRY(file.start, in.u64());
  SQFS_TRY(file.size, in.u64());
  SQFS_TRY(file.sparse, in.u64());
  SQFS_TRY(file.nlink, in.u32());
  SQFS_TRY(file.fragment, in.u32());
  SQFS_TRY(file.fragment_offset, in.u32());
  SQFS_TRY(file.xattr, in.u32());
  return file;
}

Result<SymlinkBody> read_symlink(ByteReader& in, bool extended) {
  SymlinkBody link;
  SQFS_TRY(link.nlink, in.u32());
  const size_t at = in.offset();
  SQFS_TRY(const uint32_t size, in.u32());
  if (size > kMaxTargetAnyTool) {
    return corrupt(Problem::kSymlinkLong, at, size, kMaxSymlinkLength);
  }
  SQFS_TRY(const Bytes target, in.bytes(size));
  link.target = as_text(target);
  if (extended) {
    SQFS_TRY(link.xattr, in.u32());
  }
  return link;
}

Result<DeviceBody> read_device(ByteReader& in, bool extended) {
  DeviceBody device;
  SQFS_TRY(device.nlink, in.u32());
  SQFS_TRY(device.rdev, in.u32());
  if (extended) {
    SQFS_TRY(device.xattr, in.u32());
  }
  return device;
}

Result<IpcBody> read_ipc(ByteReader& in, bool extended) {
  IpcBody ipc;
  SQFS_TRY(ipc.nlink, in.u32());
  if (extended) {
    SQFS_TRY(ipc.xattr, in.u32());
  }
  return ipc;
}

Status read_body(ByteReader& in, Inode& inode) {
  const bool extended = inode.is_extended();
  switch (basic_type(inode.header.type)) {
    case InodeType::kDir: {
      SQFS_TRY(inode.body, extended ? read_long_dir(in) : read_dir(in));
      return ok();
    }
    case InodeType::kFile: {
      SQFS_TRY(inode.body, extended ? read_long_file(in) : read_file(in));
      return ok();
    }
    case InodeType::kSymlink: {
      SQFS_TRY(inode.body, read_symlink(in, extended));
      return ok();
    }
    case InodeType::kBlockDevice:
    case InodeType::kCharDevice: {
      SQFS_TRY(inode.body, read_device(in, extended));
      return ok();
    }
    default: {
      SQFS_TRY(inode.body, read_ipc(in, extended));
      return ok();
    }
  }
}

}  // namespace

uint32_t Inode::xattr() const {
  if (!is_extended()) return kNoXattr;
  return std::visit([](const auto& b) { return b.xattr; }, body);
}

uint32_t Inode::nlink() const {
  return std::visit([](const auto& b) { return b.nlink; }, body);
}

bool needs_extended(const Inode& inode) {
  if (std::visit([](const auto& b) { return b.xattr != kNoXattr; }, inode.body)) return true;
  if (const auto* file = std::get_if<FileBody>(&inode.body)) {
    return file->nlink > 1 || file->size > 0xffffffff || file->start > 0xffffffff ||
           file->sparse > 0;
  }
  if (const auto* dir = std::get_if<DirBody>(&inode.body)) {
    return dir->file_size > 0xffff || !dir->index.empty();
  }
  return false;
}

void encode(const Inode& inode, ByteWriter& out) {
  write_header(inode.header, out);
  std::visit([&](const auto& body) { write_body(body, inode.is_extended(), out); }, inode.body);
}

size_t encoded_size(const Inode& inode) {
  const size_t xattr_size = inode.is_extended() ? 4 : 0;
  if (const auto* file = std::get_if<FileBody>(&inode.body)) {
    return (inode.is_extended() ? 56 : 32) + 4 * file->block_words.size();
  }
  if (const auto* dir = std::get_if<DirBody>(&inode.body)) {
    size_t size = inode.is_extended() ? 40 : 32;
    for (const DirIndexEntry& entry : dir->index) size += encoded_size(entry);
    return size;
  }
  if (const auto* link = std::get_if<SymlinkBody>(&inode.body)) {
    return kHeaderSize + 8 + link->target.size() + xattr_size;
  }
  return kHeaderSize + (std::holds_alternative<DeviceBody>(inode.body) ? 8 : 4) + xattr_size;
}

Result<Inode> decode_inode(ByteReader& in) {
  const size_t at = in.offset();
  Inode inode;
  InodeHeader& header = inode.header;
  SQFS_TRY(const uint16_t type, in.u16());
  if (type < 1 || type > 14) return corrupt(Problem::kInodeType, at, type);
  header.type = static_cast<InodeType>(type);
  SQFS_TRY(header.mode, in.u16());
  SQFS_TRY(header.uid_index, in.u16());
  SQFS_TRY(header.gid_index, in.u16());
  SQFS_TRY(header.mtime, in.u32());
  SQFS_TRY(header.number, in.u32());
  SQFS_CHECKED(read_body(in, inode));
  return inode;
}

uint64_t block_word_count(const FileBody& file, uint32_t block_size) {
  const uint64_t full = file.size / block_size;
  return !file.has_fragment() && file.size % block_size != 0 ? full + 1 : full;
}

uint32_t fragment_tail_size(const FileBody& file, uint32_t block_size) {
  return file.has_fragment() ? static_cast<uint32_t>(file.size % block_size) : 0;
}

uint32_t encode_device(Device device) {
  assert(device.major <= kMaxMajor && device.minor <= kMaxMinor);
  return (device.minor & 0xff) | (device.major << 8) | ((device.minor & 0xfff00) << 12);
}

Device decode_device(uint32_t rdev) {
  return {(rdev & 0xfff00) >> 8, (rdev & 0xff) | ((rdev >> 12) & 0xfff00)};
}

}  // namespace sqfs
