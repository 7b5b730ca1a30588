// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/env.h"
#include "base/result.h"
#include "compressors/compressor.h"
#include "reader/metadata_cache.h"
#include "squashfs-format/inode.h"
#include "squashfs-format/superblock.h"
#include "squashfs-format/tables.h"

// An image opened for reading: inodes by reference, directories, extended attributes, and the
// tables that reader/content.h needs. It stops at the first thing that is wrong; judging an image
// is the verifier's business. Whatever the bytes say, it reads inside the image, in bounded memory;
// who walks directories must not trust them to be free of cycles. One thread.
namespace sqfs {

// An inode with what follows it in the table and with its ids looked up.
struct ImageInode {
  Inode inode;
  uint32_t uid = 0, gid = 0;
  TableCursor behind;  // a file's block words
};

struct ImageEntry {
  std::string name;                   // legal: neither empty nor "." nor "..", no "/"
  InodeType type = InodeType::kFile;  // basic
  uint64_t inode_ref = 0;
  uint32_t inode_number = 0;
};

// One directory's entries, in the order of their names, which strictly ascend.
class DirectoryCursor {
 public:
  DirectoryCursor(TableCursor listing, uint64_t size) : listing_(listing), left_(size) {}

  // nullopt behind the last one.
  Result<std::optional<ImageEntry>> next();

 private:
  Status read_run_header();
  Status consume(uint64_t size);

  TableCursor listing_;
  uint64_t left_;  // bytes of the listing
  DirRunHeader run_;
  uint32_t left_in_run_ = 0;
  std::string last_name_;
};

struct ImageXattr {
  std::string name;
  Buffer value;
};

class Image {
 public:
  // Borrows `file`, in which the image begins at `offset`. Fails when there is no SquashFS 4.0
  // image or its compressor is not built in (Code::kUnsupported).
  static Result<std::unique_ptr<Image>> open(InputFile& file, uint64_t offset);

  const Superblock& superblock() const { return superblock_; }
  const CompressorInfo& compressor_info() const { return *info_; }
  const CompressorConfig& config() const { return config_; }  // that it was made with
  ImageBytes& bytes() { return bytes_; }
  Compressor& compressor() { return *compressor_; }

  Result<ImageInode> inode(uint64_t packed_ref);
  // `directory` is a directory's inode.
  Result<DirectoryCursor> list(const ImageInode& directory);
  // In the order in which they are stored. Names with a prefix that is not known are left out, as
  // the kernel leaves them out.
  Result<std::vector<ImageXattr>> xattrs(const Inode& inode);
  Result<FragmentEntry> fragment(uint32_t index);

 private:
  Image(InputFile& file, uint64_t offset, const Superblock& superblock, const CompressorInfo& info,
        const CompressorConfig& config, std::unique_ptr<Compressor> compressor);

  // Record `index` of a table whose array of block positions stands at `index_start`.
  Result<Buffer> table_record(uint64_t index_start, uint64_t index, uint32_t record_size);
  Result<uint32_t> id(uint16_t index);
  Status append_xattrs(const XattrIdEntry& set, uint64_t pairs_start, uint64_t pairs_end,
                       std::vector<ImageXattr>& out);

  Superblock superblock_;
  ImageBytes bytes_;
  const CompressorInfo* info_;
  CompressorConfig config_;
  std::unique_ptr<Compressor> compressor_;
  MetadataCache cache_;
};

}  // namespace sqfs
