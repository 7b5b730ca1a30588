// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tests/support/image_builder.h"

namespace sqfs {

// The undamaged images that recipes start from, by name; nullopt when there is none of that name.
std::optional<TestSpec> base_image(std::string_view name);
std::vector<std::string_view> base_image_names();

}  // namespace sqfs
