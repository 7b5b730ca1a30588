// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

#include "base/bytes.h"

namespace sqfs {

// A 128-bit content digest (XXH3). Fast, not cryptographic: equal digests are a hint that must be
// confirmed on the bytes, different digests prove different contents.
struct Digest {
  uint64_t low = 0, high = 0;
  auto operator<=>(const Digest&) const = default;
};

Digest digest_of(Bytes bytes);
// The digest of a sequence: `first` so far, then `next`.
Digest combine(const Digest& first, const Digest& next);

struct DigestHash {
  size_t operator()(const Digest& digest) const { return static_cast<size_t>(digest.low); }
};

}  // namespace sqfs
