// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/io.h"
#include "cli/settings.h"
#include "writer/pseudo.h"

namespace sqfs {

// Appends the definitions in the file at `path`, "-" for standard input, to `out`.
//
// One a line, of at most 16384 bytes; a \ at the end of a line goes on with the next one; empty
// lines and those that begin with # are skipped. The comment that unsquashfs -pf writes begins a
// section of data, which may be of any size: it is read from the file itself when it is wanted, or,
// where that is no regular file, from a temporary file, in $TMPDIR or beside `destination`.
//
// Errors name file, line and column; Code::kUnsupported for all that is wrong with the text.
Status read_pseudo_file(const std::string& path, const std::string& destination, Io& io,
                        std::vector<PseudoDefinition>& out);

// Makes definitions of what -p and -pf say, in their order. Code::kUnsupported also where another
// option reads standard input, too.
Status read_pseudo_arguments(Settings& settings);

}  // namespace sqfs
