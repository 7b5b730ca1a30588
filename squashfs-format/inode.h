// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "squashfs-format/constants.h"
#include "squashfs-format/directory.h"

// Inodes: a common header of 16 bytes and a body. Each of the seven kinds has a basic and an
// extended form; one body struct serves both, header.type says which form is (or is to be) on disk.
//
// header     0 u16 type | 2 u16 mode (07777 only) | 4 u16 uid index | 6 u16 gid index | 8 u32 mtime
//            12 u32 inode number
// dir        16 u32 start_block | 20 u32 nlink | 24 u16 file_size | 26 u16 offset | 28 u32 parent
// long dir   16 u32 nlink | 20 u32 file_size | 24 u32 start_block | 28 u32 parent | 32 u16 index
//            count | 34 u16 offset | 36 u32 xattr | 40 index entries
// file       16 u32 start | 20 u32 fragment | 24 u32 fragment offset | 28 u32 size | 32 u32 words[]
// long file  16 u64 start | 24 u64 size | 32 u64 sparse | 40 u32 nlink | 44 u32 fragment
//            48 u32 fragment offset | 52 u32 xattr | 56 u32 words[]
// symlink    16 u32 nlink | 20 u32 target size | 24 target | (long: u32 xattr behind the target)
// device     16 u32 nlink | 20 u32 rdev | (long: 24 u32 xattr)
// ipc        16 u32 nlink | (long: 20 u32 xattr)
namespace sqfs {

struct InodeHeader {
  InodeType type = InodeType::kFile;
  uint16_t mode = 0;  // permission bits alone; kernels since 6.18 refuse any other
  uint16_t uid_index = 0;
  uint16_t gid_index = 0;
  uint32_t mtime = 0;
  uint32_t number = 0;  // 1..inode_count
  bool operator==(const InodeHeader&) const = default;
};

struct DirBody {
  uint32_t start_block = 0;  // of the listing, relative to the directory table
  uint16_t offset = 0;       // of the listing, in that metadata block
  uint32_t nlink = 2;
  uint32_t file_size = kDirSizeBias;  // bytes of the listing + 3
  uint32_t parent = 0;                // inode number of the parent directory
  uint32_t xattr = kNoXattr;          // extended form only
  uint16_t index_count = 0;           // extended form only; what follows the inode
  std::vector<DirIndexEntry> index;   // encode writes these; decode leaves it empty
  bool operator==(const DirBody&) const = default;
};

struct FileBody {
  uint64_t start = 0;  // absolute position of the first block
  uint64_t size = 0;
  uint64_t sparse = 0;  // bytes in holes; extended form only
  uint32_t nlink = 1;   // extended form only
  uint32_t fragment = kNoFragment;
  uint32_t fragment_offset = 0;
  uint32_t xattr = kNoXattr;          // extended form only
  std::vector<uint32_t> block_words;  // encode writes these; decode leaves it empty
  bool operator==(const FileBody&) const = default;

  bool has_fragment() const { return fragment != kNoFragment; }
};

struct SymlinkBody {
  uint32_t nlink = 1;
  std::string target;
  uint32_t xattr = kNoXattr;
  bool operator==(const SymlinkBody&) const = default;
};

struct DeviceBody {
  uint32_t nlink = 1;
  uint32_t rdev = 0;  // encode_device()
  uint32_t xattr = kNoXattr;
  bool operator==(const DeviceBody&) const = default;
};

struct IpcBody {
  uint32_t nlink = 1;
  uint32_t xattr = kNoXattr;
  bool operator==(const IpcBody&) const = default;
};

struct Inode {
  InodeHeader header;
  std::variant<DirBody, FileBody, SymlinkBody, DeviceBody, IpcBody> body;
  bool operator==(const Inode&) const = default;

  bool is_extended() const { return header.type >= InodeType::kLongDir; }
  uint32_t xattr() const;  // kNoXattr for basic forms
  uint32_t nlink() const;  // 1 for a basic file
};

// Whether the extended form is needed: it has xattrs, or a value that the basic form cannot hold
// (file: nlink > 1, size or start >= 4 GiB, a sparse count; directory: listing over 65532 bytes,
// index).
bool needs_extended(const Inode&);

// Writes the inode in the form header.type asks for. The body must be of that kind, and fit.
void encode(const Inode&, ByteWriter&);

// The size that encode() would write, in bytes.
size_t encoded_size(const Inode&);

// Decodes one inode up to, not including, a file's block words and a directory's index: these can
// be large, so callers read them piece by piece (block_word_count(), decode_dir_index_entry()).
// Errors: kInodeType (offset: the cursor's), kTruncated, kSymlinkLong when the target's size is
// above 65535. Mode bits, numbers and indices are not judged here.
Result<Inode> decode_inode(ByteReader& in);

// Number of block words behind a file inode: size / block_size, rounded up when there is no
// fragment.
uint64_t block_word_count(const FileBody& file, uint32_t block_size);

// How many bytes of the file the fragment holds, 0 without one.
uint32_t fragment_tail_size(const FileBody& file, uint32_t block_size);

// rdev: 12-bit major and 20-bit minor, as the kernel's new_encode_dev.
struct Device {
  uint32_t major = 0, minor = 0;
  bool operator==(const Device&) const = default;
};
uint32_t encode_device(Device);  // major <= 0xfff, minor <= 0xfffff
Device decode_device(uint32_t rdev);

}  // namespace sqfs
