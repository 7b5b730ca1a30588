// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "cli/option_rows.h"
#include "cli/settings.h"

// Command lines to settings, driven by the rows. Nothing is looked at in the file system but what
// the values of options name.
namespace sqfs {

// `SOURCE... DESTINATION [OPTION [VALUE]]... [-e EXCLUDE...]`: single-dash words, the value in the
// next word. Options that print something win over all else wherever they stand before -e; then
// settings.print says which, and sources and destination are not filled in. -comp is looked for
// first, so that options of a compressor may stand in front of it.
//
// Errors are Code::kUsage when the usage lines should follow, another code when not.
Status parse_mksquashfs(std::span<const std::string_view> args, Settings& settings);

// `[OPTION [VALUE]]... DESTINATION [EXCLUDE...]`, all else as above, but -comp has to stand before
// the options of the compressor. The defaults differ: no export table, tail ends packed, excludes
// are shell patterns. The source is an archive on standard input.
Status parse_sqfstar(std::span<const std::string_view> args, Settings& settings);

// `[OPTION]... IMAGE` as POSIX and GNU programs take it: options and operands in any order, "--"
// ends the options, short ones may be joined, long ones take their value behind "=" or as the next
// word. All errors are Code::kUsage. `image` is filled in unless settings.print is set.
Status parse_fsck(std::span<const std::string_view> args, Settings& settings, std::string& image);

}  // namespace sqfs
