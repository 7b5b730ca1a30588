// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

// The one place where the version is written down.
namespace sqfs {

inline constexpr std::string_view kVersion = "0.1.0";
inline constexpr std::string_view kVersionDate = "2026/11/30";
// The release of squashfs-tools whose command line ours follows. Callers decide by it which options
// they may pass, so it has to be the third word of `mksquashfs -version`.
inline constexpr std::string_view kPeerVersion = "4.7.0";

}  // namespace sqfs
