// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "writer/build.h"

// What mksquashfs prints about the image that it adds to. As in cli/report.h, labels and order are
// those of squashfs-tools. Pure.
namespace sqfs {

// All lines before the progress bar.
std::string base_report(const BaseImage& base, const BuildOptions& options,
                        std::string_view destination);

}  // namespace sqfs
