// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/env.h"
#include "base/result.h"
#include "base/warn.h"
#include "writer/archive_input.h"
#include "xattr/pool.h"

// Reads archives, entry by entry: tar of every kind, cpio and zip, as they are or compressed by
// gzip, xz, lzma, zstd, bzip2 or lz4. Knows nothing of trees.
namespace sqfs {

// One entry, as the archive has it. Names and texts are its bytes, whatever the locale.
struct ArchiveEntry {
  std::string path;
  FileType type = FileType::kRegular;
  uint16_t mode = 0;
  int64_t uid = 0, gid = 0;
  std::string user, group;       // names; empty: none
  std::optional<int64_t> mtime;  // seconds, rounded down
  std::optional<uint64_t> size;  // of the data, holes included; some zip archives do not say
  std::string symlink_target;
  std::optional<std::string> link_target;  // it is a hard link; `type` says nothing
  uint64_t major = 0, minor = 0;
  XattrSet xattrs;  // no name comes twice; any names
};

class ArchiveReader {
 public:
  // `path`: for messages. `warn` is borrowed for the lifetime.
  static Result<std::unique_ptr<ArchiveReader>> make(const std::string& path, ArchiveInput input,
                                                     bool ignore_zeros, const Warn& warn);
  virtual ~ArchiveReader() = default;

  // False at the end of the archive. Errors: damage, truncation, and what is no archive at all
  // (Code::kCorrupt; the sentence names the archive and the place, `offset` is the latter);
  // Code::kCancelled; those of the input.
  virtual Result<bool> next(ArchiveEntry& entry) = 0;

  // Gives the data of the entry that next() returned, in pieces that go up and do not overlap; what
  // lies between them is holes. Data that is not asked for is skipped by next().
  using TakeData = std::function<Status(uint64_t offset, Bytes bytes)>;
  virtual Status read_data(const TakeData& take) = 0;

  // Reads what follows the archive, so that a program at the other end of a pipe is not cut off.
  virtual Status drain() = 0;
};

}  // namespace sqfs
