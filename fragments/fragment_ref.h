// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "squashfs-format/constants.h"

namespace sqfs {

// Where a tail is: in which fragment block, and at which byte of its decompressed content.
struct FragmentRef {
  uint32_t index = kNoFragment;
  uint32_t offset = 0;
  bool operator==(const FragmentRef&) const = default;
};

}  // namespace sqfs
