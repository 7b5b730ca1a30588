// SPDX-License-Identifier: MIT
#include "base/digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sqfs {

Digest digest_of(Bytes bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

Digest combine(const Digest& first, const Digest& next) {
  const uint64_t words[4] = {first.low, first.high, next.low, next.high};
  return digest_of(std::as_bytes(std::span(words)));
}

}  // namespace sqfs
