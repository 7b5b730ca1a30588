// SPDX-License-Identifier: MIT
#include "compressors/zstd_frame.h"

#include "compressors/stream_errors.h"

// Frame: magic u32 | header | blocks | checksum u32, if announced. Header: descriptor u8 | window
// u8, unless single segment | dictionary id 0/1/2/4 | content size 0/1/2/4/8.
// Block: u24 (bit 0 last, bits 1-2 type, bits 3.. size) | content: `size` bytes, 1 for type RLE.
namespace sqfs {
namespace {

constexpr uint32_t kFrameMagic = 0xfd2fb528;
constexpr uint8_t kChecksumBit = 0x04, kReservedBit = 0x08, kSingleSegmentBit = 0x20;
constexpr uint32_t kRleBlock = 1, kReservedBlock = 3;  // 0: raw, 2: compressed

Result<uint64_t> read_number(ByteReader& in, size_t size) {
  SQFS_TRY(const Bytes bytes, in.bytes(size));
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= std::to_integer<uint64_t>(bytes[i]) << (8 * i);
  return value;
}

uint64_t window_size(uint8_t descriptor) {
  const uint64_t base = uint64_t{1} << (10 + (descriptor >> 3));
  return base + (base >> 3) * (descriptor & 7);
}

// The number of bytes that hold the content size; 0: it is not stated.
size_t content_size_bytes(uint8_t descriptor) {
  const unsigned code = descriptor >> 6;
  if (code == 0) return (descriptor & kSingleSegmentBit) != 0 ? 1 : 0;
  return size_t{1} << code;
}

Status read_header(ByteReader& in, ZstdFrame& frame) {
  SQFS_TRY(const uint8_t descriptor, in.u8());
  if ((descriptor & kReservedBit) != 0) return damaged_stream("zstd", "reserved bit is set");
  const bool single_segment = (descriptor & kSingleSegmentBit) != 0;
  frame.has_checksum = (descriptor & kChecksumBit) != 0;
  if (!single_segment) {
    SQFS_TRY(const uint8_t window, in.u8());
    frame.window_size = window_size(window);
  }
  constexpr size_t kDictionaryIdBytes[] = {0, 1, 2, 4};
  SQFS_TRY(const uint64_t dictionary_id, read_number(in, kDictionaryIdBytes[descriptor & 3]));
  frame.has_dictionary = dictionary_id != 0;

  const size_t size_bytes = content_size_bytes(descriptor);
  if (size_bytes == 0) return ok();
  SQFS_TRY(const uint64_t content_size, read_number(in, size_bytes));
  frame.content_size = content_size + (size_bytes == 2 ? 256 : 0);
  if (single_segment) frame.window_size = *frame.content_size;
  return ok();
}

Status skip_blocks(ByteReader& in, ZstdFrame& frame) {
  for (bool is_last = false; !is_last;) {
    SQFS_TRY(const uint64_t header, read_number(in, 3));
    is_last = (header & 1) != 0;
    const uint64_t type = (header >> 1) & 3, size = header >> 3;
    if (type == kReservedBlock) return damaged_stream("zstd", "block of a reserved type");
    SQFS_CHECKED(in.skip(type == kRleBlock ? 1 : static_cast<size_t>(size)));
    frame.has_empty_last_block = is_last && size == 0 && type <= kRleBlock;
  }
  return ok();
}

Status read_frame(ByteReader& in, ZstdFrame& frame) {
  SQFS_TRY(const uint32_t magic, in.u32());
  if (magic != kFrameMagic) return damaged_stream("zstd", "no frame starts here");
  SQFS_CHECKED(read_header(in, frame));
  SQFS_CHECKED(skip_blocks(in, frame));
  if (frame.has_checksum) SQFS_CHECKED(in.skip(4));
  frame.frame_size = in.offset();
  return ok();
}

}  // namespace

Result<ZstdFrame> inspect_zstd_frame(Bytes stored) {
  ByteReader in(stored);
  ZstdFrame frame;
  const Status status = read_frame(in, frame);
  if (status) return frame;
  if (problem_of(status.error()) == Problem::kTruncated) {
    return damaged_stream("zstd", "the frame ends early");
  }
  return status.error();
}

}  // namespace sqfs
