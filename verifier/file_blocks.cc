// SPDX-License-Identifier: MIT
#include "verifier/file_blocks.h"

#include <algorithm>
#include <variant>

#include "squashfs-format/metadata.h"

namespace sqfs {
namespace {

constexpr size_t kWordSize = 4, kWordsPerView = 1024;

// Follows the blocks of one file through the image.
class BlockWalk {
 public:
  BlockWalk(const Facts& facts, const FileBody& file, const Place& place, Findings& findings)
      : facts_(facts), place_(place), findings_(findings), at_(file.start) {}

  void add(const FilePiece& piece) {
    const auto word = decode_block_word(piece.word, piece.raw_size);
    if (!word) {
      findings_.report(word.error(), place_);
      // What such a word stands for is unknown, and so where the next block starts.
      position_known_ &= problem_of(word.error()) == Problem::kBlockWordLarge;
      all_legal_ = false;
      if (position_known_) advance(piece.word & kBlockSizeMask);
      return;
    }
    if (word->is_hole()) {
      hole_bytes_ += piece.raw_size;
      return;
    }
    if (word->is_raw && word->stored_size != piece.raw_size) {
      findings_.report(Problem::kBlockRawSize, place_, word->stored_size, piece.raw_size);
      all_legal_ = false;
    }
    if (position_known_) advance(word->stored_size);
  }

  uint64_t end() const { return at_; }
  bool all_legal() const { return all_legal_; }
  uint64_t hole_bytes() const { return hole_bytes_; }

 private:
  void advance(uint32_t stored_size) {
    const uint64_t limit = facts_.super.bytes_used;
    if (at_ >= facts_.data_start && at_ <= limit && stored_size <= limit - at_) {
      at_ += stored_size;
      return;
    }
    findings_.report(Problem::kInodeDataRange, place_, at_, limit);
    // What it would cover up to the end of the image may be a table: say so too.
    if (at_ >= facts_.data_start && at_ < limit) at_ = limit;
    position_known_ = false;
    all_legal_ = false;
  }

  const Facts& facts_;
  const Place& place_;
  Findings& findings_;
  uint64_t at_;
  uint64_t hole_bytes_ = 0;
  bool position_known_ = true, all_legal_ = true;
};

// 0 is always right: it is written when the source file had no holes. A file that is nothing but
// holes may be counted as having one byte of data.
bool is_sparse_count_right(const FileBody& file, uint64_t hole_bytes) {
  if (file.sparse == 0 || file.sparse == hole_bytes) return true;
  return hole_bytes == file.size && file.sparse == file.size - 1;
}

}  // namespace

Result<bool> for_each_block(MetadataCursor& cursor, const FileBody& file, uint32_t block_size,
                            const PieceVisitor& visit) {
  uint64_t words = block_word_count(file, block_size), left = file.size;
  while (words > 0) {
    const auto step = static_cast<size_t>(std::min<uint64_t>(words, kWordsPerView));
    SQFS_TRY(const Bytes view, cursor.peek(step * kWordSize));
    const size_t readable = std::min(step, view.size() / kWordSize);
    if (readable == 0) return false;
    ByteReader in(view.first(readable * kWordSize));
    for (size_t i = 0; i < readable; ++i) {
      SQFS_TRY(const uint32_t word, in.u32());
      const auto raw_size = static_cast<uint32_t>(std::min<uint64_t>(left, block_size));
      left -= raw_size;
      SQFS_CHECKED(visit({word, raw_size}));
    }
    SQFS_TRY([[maybe_unused]] const uint64_t moved, cursor.skip(readable * kWordSize));
    words -= readable;
  }
  return true;
}

Result<bool> check_file_blocks(Facts& facts, MetadataCursor& cursor, const Inode& inode,
                               uint32_t record, const Place& place, Findings& findings) {
  const auto& file = std::get<FileBody>(inode.body);
  const uint64_t words = block_word_count(file, facts.super.block_size);
  if (words > cursor.remaining_at_most() / kWordSize) {
    findings.report(Problem::kInodeBlocksMissing, place, words,
                    cursor.remaining_at_most() / kWordSize);
    return false;
  }
  BlockWalk walk(facts, file, place, findings);
  SQFS_TRY(const bool complete, for_each_block(cursor, file, facts.super.block_size,
                                               [&](const FilePiece& piece) -> Status {
                                                 walk.add(piece);
                                                 return ok();
                                               }));
  if (!complete) {
    if (!cursor.hit_bad_block()) {
      findings.report(Problem::kInodeBlocksMissing, place, words, 0);
    }
    return false;
  }
  facts.all_claimed &= walk.all_legal();
  if (walk.end() > file.start) {
    SQFS_CHECKED(facts.budget.take(sizeof(Claim)));
    facts.regions.claim(Region::kFileData, file.start, walk.end(), record);
  }
  if (inode.is_extended() && walk.all_legal() && !is_sparse_count_right(file, walk.hole_bytes())) {
    findings.report(Problem::kInodeSparse, place, file.sparse, walk.hole_bytes());
  }
  return true;
}

}  // namespace sqfs
