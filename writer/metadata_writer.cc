// SPDX-License-Identifier: MIT
#include "writer/metadata_writer.h"

#include <algorithm>
#include <optional>

namespace sqfs {

MetadataWriter::MetadataWriter(Compressor* compressor) : compressor_(compressor) {
  open_.reserve(kMetadataBlockSize);
}

MetadataRef MetadataWriter::position() const {
  return {stored_.size(), static_cast<uint16_t>(open_.size())};
}

Status MetadataWriter::append(Bytes bytes) {
  raw_bytes_ += bytes.size();
  while (!bytes.empty()) {
    const size_t taken = std::min(bytes.size(), kMetadataBlockSize - open_.size());
    open_.insert(open_.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(taken));
    bytes = bytes.subspan(taken);
    if (open_.size() == kMetadataBlockSize) SQFS_CHECKED(flush());
  }
  return ok();
}

Status MetadataWriter::finish() { return open_.empty() ? ok() : flush(); }

Status MetadataWriter::flush() {
  std::optional<size_t> packed_size;
  if (compressor_ != nullptr && open_.size() > 1) {
    packed_.resize(open_.size() - 1);
    SQFS_TRY(packed_size, compressor_->compress_metadata(open_, packed_));
  }
  const Bytes payload = packed_size ? Bytes(packed_).first(*packed_size) : Bytes(open_);
  block_starts_.push_back(stored_.size());
  ByteWriter out(stored_);
  out.u16(encode(MetadataHeader{static_cast<uint16_t>(payload.size()), !packed_size.has_value()}));
  out.bytes(payload);
  open_.clear();
  return ok();
}

Status ImageTail::append(Bytes bytes) {
  SQFS_CHECKED(output_.write_at(image_offset_ + position_, bytes));
  position_ += bytes.size();
  return ok();
}

Result<uint64_t> append_table(MetadataWriter& table, ImageTail& tail) {
  SQFS_CHECKED(table.finish());
  const uint64_t start = tail.position();
  if (!table.stored().empty()) SQFS_CHECKED(tail.append(table.stored()));
  return start;
}

Result<uint64_t> append_indexed_table(Bytes records, Bytes header, Compressor* compressor,
                                      ImageTail& tail) {
  MetadataWriter table(compressor);
  SQFS_CHECKED(table.append(records));
  SQFS_TRY(const uint64_t start, append_table(table, tail));
  const uint64_t index_start = tail.position();
  Buffer index;
  ByteWriter out(index);
  out.bytes(header);
  for (const uint64_t block : table.block_starts()) out.u64(start + block);
  SQFS_CHECKED(tail.append(index));
  return index_start;
}

}  // namespace sqfs
