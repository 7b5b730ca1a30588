// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/result.h"
#include "squashfs-format/superblock.h"
#include "writer/append_tables.h"

namespace sqfs {

// The image that is added to, as it lies in its file.
struct BaseLayout {
  Superblock superblock;
  uint64_t image_offset = 0;  // bytes of the file before the image
  uint64_t data_end = 0;      // position in the image behind the last data or fragment block
  uint64_t file_size = 0;     // of the file or device
  bool is_device = false;
  // nullopt: they cannot be moved, or not all data stands before them.
  std::optional<TableBlock> tables;
  Buffer behind;  // what the file holds behind the tables, but for the zeros at its end
};

// An image that is being added to, such that at every moment, whatever write fails or is the last
// one that reaches the disk, the file mounts as it did before, or as the finished new image.
//
// The old tables, which stand where the new data is to go, are first copied far behind everything
// that will be written, and the superblock is made to point there; both are on disk before the
// first byte is overwritten. The new superblock is written when all else is on disk, and only then
// the file is cut to its length. Where the copy is not possible, new data goes behind the old image
// and the old tables stay where they are, as bytes without use.
//
// Of all superblocks one is in force at each moment: they are written with one call each, and
// a sync stands before and behind it.
class AppendOutput final : public OutputFile {
 public:
  // `file` holds the image that `base` describes; `room`: an upper bound of all that will be
  // written from start() on. When it fails, the file is as it was.
  static Result<std::unique_ptr<AppendOutput>> begin(std::unique_ptr<OutputFile> file,
                                                     BaseLayout base, uint64_t room);

  // Where new data may begin, as a position in the image.
  uint64_t start() const { return start_; }

  // Fails with Code::kUnsupported where the room is not enough.
  Status write_at(uint64_t offset, Bytes bytes) override;
  Result<size_t> read_at(uint64_t offset, MutableBytes out) override {
    return file_->read_at(offset, out);
  }
  // Only noted: the last call says how long the file is to be after commit().
  Status truncate(uint64_t size) override;
  Status sync() override { return file_->sync(); }
  Status commit() override;
  std::vector<std::pair<uint64_t, uint64_t>> identities() const override {
    return file_->identities();
  }

  // After any failure: makes the file byte for byte what it was. When that fails too, it still
  // mounts as before.
  Status undo();

 private:
  AppendOutput(std::unique_ptr<OutputFile> file, BaseLayout base);

  Status move_tables(uint64_t distance);
  Status copy_tables(uint64_t distance);
  Status write_superblock(const Superblock& superblock);
  Status restore_length();

  std::unique_ptr<OutputFile> file_;
  BaseLayout base_;
  Superblock standing_;  // that describes the old image where it is now
  uint64_t start_ = 0;
  uint64_t limit_ = ~uint64_t{0};  // of the file: nothing may be written from there on
  std::optional<uint64_t> final_size_;
  bool has_moved_ = false;
  bool has_new_superblock_ = false;  // at least perhaps
};

}  // namespace sqfs
