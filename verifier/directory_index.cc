// SPDX-License-Identifier: MIT
#include "verifier/directory_index.h"

#include "base/text.h"

namespace sqfs {

DirectoryIndexCheck::DirectoryIndexCheck(Facts& facts, const DirFact& dir, Findings& findings)
    : dir_(dir),
      findings_(findings),
      cursor_(*facts.inode_table, findings),
      left_(dir.index_count) {
  cursor_.seek(StreamPosition::unpack(dir.index_at));
}

Place DirectoryIndexCheck::place() const {
  Place at = cursor_.place();
  return {Where::kDirectory, at.image_offset, dir_.record, {}, {}};
}

// Reads the next entry into next_, which stays empty at the end.
Status DirectoryIndexCheck::advance() {
  next_.reset();
  if (left_ == 0) return ok();
  --left_;
  SQFS_TRY(const Bytes view, cursor_.peek(kDirIndexFixedSize + kMaxNameLengthKernel));
  ByteReader in(view);
  auto entry = decode_dir_index_entry(in);
  if (!entry) {  // pass_inodes has seen all of them
    left_ = 0;
    return ok();
  }
  next_ = *std::move(entry);
  SQFS_TRY([[maybe_unused]] const uint64_t moved, cursor_.skip(in.offset()));
  return ok();
}

Status DirectoryIndexCheck::at_run(uint32_t listing_offset, const MetadataRef& header,
                                   std::string_view first_name) {
  if (!next_) SQFS_CHECKED(advance());
  while (next_ && next_->listing_offset < listing_offset) {
    findings_.report(Problem::kDirIndexOffset, place(), next_->listing_offset, listing_offset);
    SQFS_CHECKED(advance());
  }
  if (!next_ || next_->listing_offset != listing_offset) return ok();
  compare(header, first_name);
  return advance();
}

void DirectoryIndexCheck::compare(const MetadataRef& header, std::string_view first_name) {
  if (next_->block != header.block) {
    findings_.report(Problem::kDirIndexBlock, place(), next_->block, header.block);
  } else if ((uint64_t{next_->listing_offset} + dir_.offset) % kMetadataBlockSize !=
             header.offset) {
    findings_.report(Problem::kDirIndexShortBlock, place(), next_->listing_offset, header.offset);
  }
  if (next_->name != first_name) {
    findings_.report(Problem::kDirIndexName, place(), 0, 0,
                     printable(next_->name) + "\" instead of \"" + printable(first_name));
  }
}

Status DirectoryIndexCheck::at_end() {
  if (!next_) SQFS_CHECKED(advance());
  while (next_) {
    findings_.report(Problem::kDirIndexOffset, place(), next_->listing_offset, dir_.listing_size());
    SQFS_CHECKED(advance());
  }
  return ok();
}

}  // namespace sqfs
