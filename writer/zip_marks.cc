// SPDX-License-Identifier: MIT
#include "writer/zip_marks.h"

#include <algorithm>
#include <optional>

namespace sqfs {
namespace {

constexpr uint32_t kEndSignature = 0x06054b50, kLocatorSignature = 0x07064b50,
                   kEnd64Signature = 0x06064b50, kEntrySignature = 0x02014b50,
                   kLocalSignature = 0x04034b50;
constexpr size_t kEndSize = 22, kLocatorSize = 20, kEnd64Size = 56, kEntrySize = 46;
constexpr size_t kMaxComment = 65535;
constexpr uint32_t kInZip64 = 0xffffffff;
constexpr uint16_t kZip64Field = 1;
// The second byte of the flags holds the mark.
constexpr uint64_t kEntryMark = 9, kLocalMark = 7;
constexpr std::byte kMark{0x08};

uint64_t number_at(Bytes bytes, size_t at, size_t width) {
  uint64_t value = 0;
  for (size_t i = width; i > 0; --i)
    value = value << 8 | std::to_integer<uint64_t>(bytes[at + i - 1]);
  return value;
}

Result<Buffer> read_piece(InputFile& file, uint64_t offset, size_t size) {
  Buffer piece(size);
  SQFS_TRY(const size_t got, file.read_at(offset, piece));
  piece.resize(got);
  return piece;
}

struct Directory {
  uint64_t start = 0, end = 0;
};

Result<std::optional<Directory>> find_directory(InputFile& file, uint64_t size) {
  const uint64_t first = size - std::min<uint64_t>(size, kEndSize + kMaxComment + kLocatorSize);
  SQFS_TRY(const Buffer tail, read_piece(file, first, static_cast<size_t>(size - first)));
  if (tail.size() < kEndSize) return std::optional<Directory>();
  for (size_t at = tail.size() - kEndSize + 1; at-- > 0;) {
    if (number_at(tail, at, 4) != kEndSignature) continue;
    Directory directory{number_at(tail, at + 16, 4), 0};
    directory.end = directory.start + number_at(tail, at + 12, 4);
    if (at < kLocatorSize || number_at(tail, at - kLocatorSize, 4) != kLocatorSignature) {
      return std::optional(directory);
    }
    SQFS_TRY(const Buffer end64,
             read_piece(file, number_at(tail, at - kLocatorSize + 8, 8), kEnd64Size));
    if (end64.size() == kEnd64Size && number_at(end64, 0, 4) == kEnd64Signature) {
      directory.start = number_at(end64, 48, 8);
      directory.end = directory.start + std::min(number_at(end64, 40, 8), size);
    }
    return std::optional(directory);
  }
  return std::optional<Directory>();
}

// Where the local header of an entry is; in the extra field when 32 bits are too few.
uint64_t local_header(Bytes fixed, Bytes extra) {
  const uint64_t offset = number_at(fixed, 42, 4);
  if (offset != kInZip64) return offset;
  while (extra.size() >= 4) {
    const size_t size = static_cast<size_t>(number_at(extra, 2, 2));
    if (size > extra.size() - 4) break;
    if (number_at(extra, 0, 2) == kZip64Field) {
      size_t at = 4;
      for (const size_t field : {size_t{24}, size_t{20}}) {
        if (number_at(fixed, field, 4) == kInZip64) at += 8;
      }
      return at + 8 <= 4 + size ? number_at(extra, at, 8) : offset;
    }
    extra = extra.subspan(4 + size);
  }
  return offset;
}

}  // namespace

Result<ZipMarks> ZipMarks::find(InputFile& file, uint64_t size) {
  ZipMarks marks;
  SQFS_TRY(const auto directory, find_directory(file, size));
  if (!directory) return marks;
  for (uint64_t at = directory->start; at < std::min(directory->end, size);) {
    SQFS_TRY(const Buffer fixed, read_piece(file, at, kEntrySize));
    if (fixed.size() < kEntrySize || number_at(fixed, 0, 4) != kEntrySignature) break;
    const uint64_t name_size = number_at(fixed, 28, 2), extra_size = number_at(fixed, 30, 2);
    if ((fixed[kEntryMark] & kMark) != std::byte{0}) {
      marks.places_.push_back(at + kEntryMark);
      SQFS_TRY(const Buffer extra,
               read_piece(file, at + kEntrySize + name_size, static_cast<size_t>(extra_size)));
      const uint64_t local = local_header(fixed, extra);
      SQFS_TRY(const Buffer signature, read_piece(file, std::min(local, size), 4));
      if (signature.size() == 4 && number_at(signature, 0, 4) == kLocalSignature) {
        marks.places_.push_back(local + kLocalMark);
      }
    }
    at += kEntrySize + name_size + extra_size + number_at(fixed, 32, 2);
  }
  std::ranges::sort(marks.places_);
  return marks;
}

void ZipMarks::clear(uint64_t offset, MutableBytes bytes) const {
  for (auto at = std::ranges::lower_bound(places_, offset);
       at != places_.end() && *at - offset < bytes.size(); ++at) {
    bytes[static_cast<size_t>(*at - offset)] &= ~kMark;
  }
}

}  // namespace sqfs
