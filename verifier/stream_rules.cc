// SPDX-License-Identifier: MIT
#include "verifier/stream_rules.h"

#include "compressors/zstd_frame.h"

namespace sqfs {
namespace {

constexpr uint64_t kPageSize = 4096;
constexpr uint64_t kChecksumSize = 4, kBlockHeaderSize = 3;

// What stands behind the last byte that makes data must not begin a further page of the device.
std::optional<StreamIssue> check_zstd_trailer(const ZstdFrame& frame, uint64_t image_offset,
                                              size_t raw_size) {
  const uint64_t trailer = (frame.has_checksum ? kChecksumSize : 0) +
                           (frame.has_empty_last_block ? kBlockHeaderSize : 0);
  if (trailer == 0) return std::nullopt;
  const uint64_t end = (image_offset + frame.frame_size) % kPageSize;
  const bool fills_pages = raw_size % kPageSize == 0;
  const Problem problem =
      fills_pages && 0 < end && end < trailer ? Problem::kZstdPageBorder : Problem::kZstdTrailer;
  return StreamIssue{problem, end, 0, frame.has_checksum ? "a checksum" : "an empty last block"};
}

std::optional<StreamIssue> check_zstd(Bytes stored, uint64_t image_offset, size_t raw_size) {
  const Result<ZstdFrame> frame = inspect_zstd_frame(stored);
  if (!frame) return StreamIssue{problem_of(frame.error()), 0, 0, "no zstd frame of known shape"};
  return check_zstd_trailer(*frame, image_offset, raw_size);
}

// Filter ids of the .xz format that every kernel with xz understands.
constexpr std::byte kXzBcjX86{0x04}, kXzLzma2{0x21};

// The first block header stands behind the 12 bytes of the stream header: size, flags (bit 6:
// packed size stated, bit 7: unpacked size stated), those sizes, and then the first filter's id.
std::optional<StreamIssue> check_xz(Bytes stored) {
  size_t at = 12 + 1;
  if (stored.size() <= at) return std::nullopt;
  const auto flags = std::to_integer<unsigned>(stored[at++]);
  for (unsigned sizes = ((flags >> 6) & 1) + (flags >> 7); sizes > 0; --sizes) {
    while (at < stored.size() && (stored[at] & std::byte{0x80}) != std::byte{0}) ++at;
    ++at;
  }
  if (at >= stored.size() || stored[at] == kXzLzma2 || stored[at] == kXzBcjX86) {
    return std::nullopt;
  }
  return StreamIssue{Problem::kXzFilter, std::to_integer<uint64_t>(stored[at]), 0, {}};
}

}  // namespace

std::optional<StreamIssue> check_stream(CompressorId compressor, Bytes stored,
                                        uint64_t image_offset, size_t raw_size) {
  switch (compressor) {
    case CompressorId::kZstd: return check_zstd(stored, image_offset, raw_size);
    case CompressorId::kXz: return check_xz(stored);
    default: return std::nullopt;
  }
}

}  // namespace sqfs
