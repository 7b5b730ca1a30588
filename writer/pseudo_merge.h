// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "base/env.h"
#include "base/result.h"
#include "base/warn.h"
#include "writer/build.h"
#include "writer/tree.h"

namespace sqfs {

// Puts options.pseudo into the tree that the sources have filled, or into an empty one, where they
// also make the root (SourceKind::kNothing).
//
// The order of definitions is free but for links, which come behind their targets, and for the
// commands, which run in it. A name that a source or an earlier definition has taken stays as it
// is, with a warning; so does one to be modified that is not there. With options.data.exit_on_error
// that is an error where a source is concerned. A directory above a new name that is missing is
// made from options.pseudo_parents. A command that fails leaves an empty file with a warning, or is
// an error with exit_on_error. With options.pseudo_override the owners and modes given are final.
//
// Errors name the definition. They are, in any case: no directory to put a name into, an extended
// attribute for a file that is not there, a link without a target, a host file that cannot be had,
// is a directory or is what stands at `destination`; the format's limits (Code::kUnsupported);
// objects of an image that is being appended to, whose owner and time are final; no room for the
// output of commands, which go to a temporary file; Code::kCancelled.
Status merge_pseudo(const BuildOptions& options, const std::string& destination, Env& env,
                    const Warn& warn, const std::function<bool()>& cancelled, Tree& tree);

}  // namespace sqfs
