// SPDX-License-Identifier: MIT
#include "writer/append_output.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "squashfs-format/constants.h"

namespace sqfs {
namespace {

constexpr uint64_t kMaxFileSize = uint64_t{1} << 62;

uint64_t rounded_up(uint64_t position) {
  return (position + kImageAlignment - 1) / kImageAlignment * kImageAlignment;
}

bool is_lack_of_room(const Error& error) {
  return error.os_errno == ENOSPC || error.os_errno == EFBIG || error.os_errno == EDQUOT;
}

}  // namespace

AppendOutput::AppendOutput(std::unique_ptr<OutputFile> file, BaseLayout base)
    : file_(std::move(file)), base_(std::move(base)), standing_(base_.superblock) {}

Result<std::unique_ptr<AppendOutput>> AppendOutput::begin(std::unique_ptr<OutputFile> file,
                                                          BaseLayout base, uint64_t room) {
  std::unique_ptr<AppendOutput> out(new AppendOutput(std::move(file), std::move(base)));
  const BaseLayout& layout = out->base_;
  // All of the old file's bytes lie before the copy, so that none is overwritten by it.
  const uint64_t old_end = layout.superblock.bytes_used + layout.behind.size();
  if (layout.tables) {
    const uint64_t copy = rounded_up(std::max(layout.data_end + room, old_end));
    const uint64_t copy_end = copy + rounded_up(layout.tables->bytes.size()) + kImageAlignment;
    const uint64_t most = layout.is_device ? layout.file_size : kMaxFileSize;
    const bool fits = copy_end <= most && layout.image_offset <= most - copy_end;
    Status moved = fits ? out->move_tables(copy - layout.tables->start)
                        : Status(io_error(ENOSPC, "there is no room for a copy of the tables"));
    if (moved) {
      out->start_ = layout.data_end;
      out->limit_ = layout.image_offset + copy;
      return out;
    }
    if (!is_lack_of_room(moved.error())) return std::move(moved).error();
  }
  out->start_ = std::max(layout.data_end, old_end);
  return out;
}

// When it fails, the file is as it was.
Status AppendOutput::move_tables(uint64_t distance) {
  if (Status copied = copy_tables(distance); !copied) {
    if (Status restored = restore_length(); !restored) return restored;
    return copied;
  }
  const Superblock moved = moved_superblock(base_.superblock, distance);
  if (Status written = write_superblock(moved); !written) {
    // Both superblocks are good, and the copy stays unless the old one is surely in force.
    SQFS_CHECKED(write_superblock(base_.superblock));
    SQFS_CHECKED(restore_length());
    return written;
  }
  has_moved_ = true;
  standing_ = moved;
  return ok();
}

Status AppendOutput::copy_tables(uint64_t distance) {
  Buffer copy = moved_tables(*base_.tables, distance);
  const uint64_t at = base_.image_offset + base_.tables->start + distance;
  // Kernels read the file in larger units than bytes.
  copy.resize(rounded_up(at + copy.size()) - at);
  SQFS_CHECKED(file_->write_at(at, copy));
  return file_->sync();
}

Status AppendOutput::write_superblock(const Superblock& superblock) {
  SQFS_CHECKED(file_->write_at(base_.image_offset, encode(superblock)));
  return file_->sync();
}

Status AppendOutput::write_at(uint64_t offset, Bytes bytes) {
  if (offset == base_.image_offset) has_new_superblock_ = true;
  if (offset > limit_ || bytes.size() > limit_ - offset) {
    return unsupported_error(
        "the sources have grown so much while they were read that there is no room for them");
  }
  return file_->write_at(offset, bytes);
}

Status AppendOutput::truncate(uint64_t size) {
  final_size_ = size;
  return ok();
}

Status AppendOutput::commit() {
  SQFS_CHECKED(file_->commit());
  // The last step: what is cut off belongs to the old image, which nobody needs any more.
  if (final_size_ && !base_.is_device) SQFS_CHECKED(file_->truncate(*final_size_));
  return ok();
}

Status AppendOutput::undo() {
  if (has_new_superblock_) SQFS_CHECKED(write_superblock(standing_));
  if (has_moved_) {
    SQFS_CHECKED(file_->write_at(base_.image_offset + base_.tables->start, base_.tables->bytes));
    if (!base_.behind.empty()) {
      SQFS_CHECKED(file_->write_at(base_.image_offset + base_.tables->end(), base_.behind));
    }
    SQFS_CHECKED(file_->sync());
    SQFS_CHECKED(write_superblock(base_.superblock));
  }
  return restore_length();
}

// Cut first: the zeros at the end of the file may have been overwritten.
Status AppendOutput::restore_length() {
  if (base_.is_device) return ok();
  const uint64_t end = base_.image_offset + base_.superblock.bytes_used + base_.behind.size();
  if (end < base_.file_size) SQFS_CHECKED(file_->truncate(end));
  return file_->truncate(base_.file_size);
}

}  // namespace sqfs
