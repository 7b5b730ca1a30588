// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "cli/io.h"
#include "writer/build.h"

// What mksquashfs prints about an image. Scripts read these lines: labels, order and number formats
// are those of squashfs-tools. Pure, but for the names of users that it asks `system` for.
namespace sqfs {

// "Parallel mksquashfs: …" and "Creating 4.0 filesystem on …".
std::string build_banner(const BuildOptions& options, std::string_view destination);

// A line of -info.
std::string info_line(const BuildObserver::FileEvent& event);

// All from "Exportable Squashfs 4.0 filesystem" on.
std::string build_summary(const BuildSummary& summary, std::string_view compressor, System& system);

}  // namespace sqfs
