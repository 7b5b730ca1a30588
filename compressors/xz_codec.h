// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

// Private to this folder: what xz.cc has to know of the library behind xz_codec.cc.
namespace sqfs {

// Whether the library can encode the BCJ filter of one kXzFilter… bit. True for all when there is
// no library: the settings of an absent compressor are judged by their form alone.
bool xz_library_encodes(uint32_t filter_bit);

}  // namespace sqfs
