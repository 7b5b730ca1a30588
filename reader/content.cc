// SPDX-License-Identifier: MIT
#include "reader/content.h"

#include <algorithm>
#include <string>

#include "squashfs-format/metadata.h"
#include "squashfs-format/problem.h"

namespace sqfs {
namespace {

constexpr size_t kMaxFragments = 3;

Error wrong_size(uint64_t position, uint64_t found, uint64_t expected) {
  return Error{Code::kCorrupt, 0, position, 0,
               "a block holds " + std::to_string(found) + " bytes where " +
                   std::to_string(expected) + " are expected"};
}

}  // namespace

Status read_stored_block(Image& image, uint64_t position, BlockWord word, Buffer& stored,
                         Buffer& out) {
  Buffer& target = word.is_raw ? out : stored;
  target.resize(word.stored_size);
  SQFS_CHECKED(image.bytes().read(position, target));
  if (word.is_raw) return ok();
  out.resize(image.superblock().block_size);
  SQFS_TRY(const size_t size, image.compressor().decompress(stored, out));
  out.resize(size);
  return ok();
}

Result<Bytes> FragmentCache::block(uint32_t index) {
  const auto found = std::ranges::find(kept_, index, &Kept::index);
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
    return Bytes(kept_.front().bytes);
  }
  SQFS_TRY(const FragmentEntry entry, image_.fragment(index));
  SQFS_TRY(const BlockWord word, decode_block_word(entry.word, image_.superblock().block_size));
  if (word.is_hole()) return corrupt(Problem::kFragmentEmpty, entry.start);
  Buffer stored, bytes;
  SQFS_CHECKED(read_stored_block(image_, entry.start, word, stored, bytes));
  if (kept_.size() == kMaxFragments) kept_.pop_back();
  kept_.push_front({index, std::move(bytes)});
  return Bytes(kept_.front().bytes);
}

FileCursor::FileCursor(Image& image, FragmentCache& fragments, const ImageInode& file)
    : image_(image),
      fragments_(fragments),
      file_(std::get<FileBody>(file.inode.body)),
      words_(file.behind),
      words_left_(block_word_count(file_, image.superblock().block_size)),
      size_left_(file_.size),
      position_(file_.start) {}

Result<Bytes> FileCursor::next() {
  if (size_left_ == 0) return Bytes();
  const auto raw_size =
      static_cast<uint32_t>(std::min<uint64_t>(size_left_, image_.superblock().block_size));
  SQFS_TRY(const Bytes block, words_left_ == 0 ? read_tail() : read_block(raw_size));
  if (block.size() != raw_size) return wrong_size(position_, block.size(), raw_size);
  size_left_ -= raw_size;
  return block;
}

Result<Bytes> FileCursor::read_block(uint32_t raw_size) {
  Buffer word_bytes(4);
  SQFS_CHECKED(words_.read(word_bytes));
  --words_left_;
  SQFS_TRY(const uint32_t packed, ByteReader(word_bytes).u32());
  SQFS_TRY(const BlockWord word, decode_block_word(packed, image_.superblock().block_size));
  if (word.is_hole()) {
    raw_.assign(raw_size, std::byte{0});
    return Bytes(raw_);
  }
  SQFS_CHECKED(read_stored_block(image_, position_, word, stored_, raw_));
  position_ += word.stored_size;
  return Bytes(raw_);
}

Result<Bytes> FileCursor::read_tail() {
  const uint32_t size = fragment_tail_size(file_, image_.superblock().block_size);
  SQFS_TRY(const Bytes block, fragments_.block(file_.fragment));
  if (file_.fragment_offset > block.size() || size > block.size() - file_.fragment_offset) {
    return wrong_size(position_, block.size(), uint64_t{file_.fragment_offset} + size);
  }
  return block.subspan(file_.fragment_offset, size);
}

}  // namespace sqfs
