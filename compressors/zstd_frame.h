// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"

// The shape of a zstd frame (RFC 8878), read without decompressing it and without the library. What
// the kernel accepts depends on it beyond the question whether the frame decodes:
//
// - A frame that states no content size is refused when its window is above
//   max(block size, 8192); one that states it, when its window is above 2^27.
// - The page-border trap: the kernel gives up when the last output page is full and input from a
//   further page is still wanted. A checksum, or an empty last block, stands behind the last byte
//   that produces data: a block of whole output pages then fails when the frame ends within the
//   first bytes of a 4096-byte page of the device. Frames without either are safe at every place.
namespace sqfs {

inline constexpr uint64_t kZstdMaxWindow = uint64_t{1} << 27;

struct ZstdFrame {
  uint64_t window_size = 0;
  std::optional<uint64_t> content_size;
  bool has_dictionary = false;  // names a dictionary: nothing can decode it here
  bool has_checksum = false;
  bool has_empty_last_block = false;
  size_t frame_size = 0;  // the bytes from the magic number to the end of the checksum
};

// Reads the frame at the front of `stored`; bytes behind it are not looked at. Code::kCorrupt with
// kCompressedCorrupt when no frame stands there (a skippable frame is none) or when it ends early.
Result<ZstdFrame> inspect_zstd_frame(Bytes stored);

// The largest window for which a kernel decodes a frame without a content size.
inline uint64_t zstd_window_limit(uint32_t block_size) {
  return block_size < 8192 ? 8192 : block_size;
}

}  // namespace sqfs
