// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/env.h"
#include "base/result.h"
#include "base/warn.h"
#include "writer/build.h"
#include "writer/tree.h"

// The content of files that definitions make.
namespace sqfs {

// Code::kUnsupported: too large for files with such blocks.
Result<RegularFile> file_of_section(const PseudoSection& section, const std::string& label,
                                    uint32_t block_size);

// Runs the commands of options.pseudo, in their order, and makes what they print the content of
// their files; nodes[i] is the node of definition i, kNoNode: it has none and is not run. All
// output goes into one temporary file, for which merge_pseudo() says when it fails.
Status run_pseudo_commands(const BuildOptions& options, std::span<const NodeId> nodes,
                           const std::string& destination, Env& env, const Warn& warn,
                           const std::function<bool()>& cancelled, Tree& tree);

}  // namespace sqfs
