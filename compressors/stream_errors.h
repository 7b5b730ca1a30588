// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "squashfs-format/problem.h"

// Private to this folder: how every algorithm words its failures, and the room it may fill.
namespace sqfs {

// The largest result worth storing compressed.
inline size_t result_limit(Bytes in, MutableBytes out) {
  return in.empty() ? 0 : std::min(in.size() - 1, out.size());
}

inline Error damaged_stream(std::string_view algorithm, std::string_view reason) {
  return corrupt(Problem::kCompressedCorrupt, 0, 0, 0,
                 std::string(algorithm) + ": " + std::string(reason));
}
inline Error trailing_bytes(std::string_view algorithm, size_t stream_size, size_t stored_size) {
  return corrupt(Problem::kCompressedTrailing, stream_size, stored_size, stream_size, algorithm);
}
inline Error too_long(MutableBytes out) {
  return corrupt(Problem::kCompressedTooLong, 0, 0, out.size());
}
inline Error no_memory_for(std::string_view algorithm) {
  return Error{Code::kNoMemory, 0, 0, 0, "out of memory for " + std::string(algorithm)};
}
// A library refused settings or input that are ours: not the user's doing, but no reason to crash.
inline Error encoder_failed(std::string_view algorithm, std::string_view reason) {
  return unsupported_error(std::string(algorithm) + " cannot compress: " + std::string(reason));
}

}  // namespace sqfs
