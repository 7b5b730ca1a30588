// SPDX-License-Identifier: MIT
#include "writer/append_recover.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "reader/image.h"
#include "squashfs-format/superblock.h"
#include "writer/append_load.h"
#include "writer/append_tables.h"
#include "writer/tree.h"

namespace sqfs {
namespace {

constexpr std::string_view kSignature = "Squashfs recovery file v1.0\n";
constexpr uint64_t kHeadSize = kSignature.size() + kSuperblockSize;

// The image as it will be: what the recovery file holds covers what the file holds.
class RecoveredFile final : public InputFile {
 public:
  RecoveredFile(InputFile& file, uint64_t superblock_at, Bytes superblock, uint64_t tables_at,
                Bytes tables)
      : file_(file), covers_{{superblock_at, superblock}, {tables_at, tables}} {}

  Result<size_t> read_at(uint64_t offset, MutableBytes out) override {
    SQFS_TRY(const uint64_t end, size());
    if (offset >= end) return size_t{0};
    out = out.first(std::min<uint64_t>(out.size(), end - offset));
    SQFS_TRY(const size_t got, file_.read_at(offset, out));
    std::ranges::fill(out.subspan(got), std::byte{0});
    for (const auto& [start, bytes] : covers_) {
      const uint64_t from = std::max(start, offset);
      const uint64_t to = std::min(start + bytes.size(), offset + out.size());
      if (from >= to) continue;
      std::ranges::copy(bytes.subspan(from - start, to - from),
                        out.begin() + static_cast<ptrdiff_t>(from - offset));
    }
    return out.size();
  }
  Result<FileInfo> info() override { return file_.info(); }
  Result<uint64_t> size() override {
    SQFS_TRY(const uint64_t size, file_.size());
    return std::max(size, covers_[1].first + covers_[1].second.size());
  }
  Result<std::optional<uint64_t>> next_data(uint64_t offset) override {
    return file_.next_data(offset);
  }
  Result<uint64_t> next_hole(uint64_t offset) override { return file_.next_hole(offset); }

 private:
  InputFile& file_;
  std::pair<uint64_t, Bytes> covers_[2];
};

Error refused(const std::string& path, const std::string& why) {
  return unsupported_error("Recovery file " + printable(path) + " " + why +
                           "; nothing was changed");
}

struct Recovery {
  Buffer bytes;
  Superblock superblock;

  Bytes head() const { return Bytes(bytes).subspan(kSignature.size(), kSuperblockSize); }
  Bytes tables() const { return Bytes(bytes).subspan(kHeadSize); }
};

Result<Recovery> read_recovery(const std::string& path, Env& env) {
  SQFS_TRY(const auto file, env.open_input(path));
  SQFS_TRY(const uint64_t size, file->size());
  Recovery out;
  out.bytes.resize(std::min(size, kHeadSize));
  SQFS_TRY(size_t got, file->read_at(0, out.bytes));
  out.bytes.resize(got);
  const Bytes begin = Bytes(out.bytes).first(std::min(got, kSignature.size()));
  if (!kSignature.starts_with(as_text(begin))) return refused(path, "is none of squashfs-tools");
  if (got < kHeadSize) return refused(path, "appears to be truncated");
  SQFS_TRY(out.superblock, decode_superblock(out.head()));
  const Superblock& super = out.superblock;
  if (Status checked = check_identity(super); !checked) {
    return refused(path, "holds no superblock (" + checked.error().what + ")");
  }
  if (super.inode_table_start < kSuperblockSize || super.inode_table_start > super.bytes_used) {
    return refused(path, "holds a superblock that is damaged");
  }
  const uint64_t tables = super.bytes_used - super.inode_table_start;
  if (size - kHeadSize < tables) return refused(path, "appears to be truncated");
  if (size - kHeadSize > tables) return refused(path, "is too long");
  out.bytes.resize(size);
  SQFS_TRY(got, file->read_at(0, out.bytes));
  if (got != size) return refused(path, "appears to be truncated");
  return out;
}

// The superblock in the image is the old one without its magic number, the old one, or that of the
// image that was being made: all have these in common.
bool is_related(const Superblock& image, const Superblock& recovery) {
  return (image.magic == kMagic || image.magic == 0) && image.block_size == recovery.block_size &&
         image.block_log == recovery.block_log && image.compressor == recovery.compressor &&
         image.version_major == recovery.version_major &&
         image.version_minor == recovery.version_minor;
}

Status check_result(InputFile& file, uint64_t image_offset) {
  SQFS_TRY(const auto image, Image::open(file, image_offset));
  SQFS_TRY([[maybe_unused]] const TableBlock tables, read_tables(*image));
  Tree tree;
  SQFS_TRY([[maybe_unused]] const LoadedImage loaded, load_tree(*image, kRootNode, tree));
  return ok();
}

}  // namespace

Status recover_image(const std::string& path, uint64_t image_offset,
                     const std::string& recovery_path, Env& env) {
  SQFS_TRY(const Recovery recovery, read_recovery(recovery_path, env));
  SQFS_TRY(const auto file, env.open_input(path));
  Buffer head(kSuperblockSize);
  SQFS_TRY(const size_t got, file->read_at(image_offset, head));
  head.resize(got);
  const auto current = decode_superblock(head);
  SQFS_TRY(const uint64_t size, file->size());
  const uint64_t tables_at = image_offset + recovery.superblock.inode_table_start;
  if (!current || !is_related(*current, recovery.superblock) || size < tables_at) {
    return refused(recovery_path, "was not made of " + printable(path));
  }
  RecoveredFile result(*file, image_offset, recovery.head(), tables_at, recovery.tables());
  if (Status checked = check_result(result, image_offset); !checked) {
    return refused(recovery_path,
                   "does not fit " + printable(path) + " (" + checked.error().what + ")");
  }
  SQFS_TRY(const auto output, env.open_for_update(path));
  SQFS_CHECKED(output->write_at(tables_at, recovery.tables()));
  SQFS_CHECKED(output->sync());
  SQFS_CHECKED(output->write_at(image_offset, recovery.head()));
  SQFS_CHECKED(output->sync());
  return output->commit();
}

}  // namespace sqfs
