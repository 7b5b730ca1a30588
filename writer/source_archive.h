// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "base/env.h"
#include "base/result.h"
#include "base/warn.h"
#include "writer/build.h"
#include "writer/filter.h"
#include "writer/tree.h"

namespace sqfs {

// All borrowed for the call; `env` for as long as the tree is read.
struct ArchiveContext {
  const BuildOptions& options;
  const Filter& filter;
  const std::string& destination;  // beside which there is room for temporary files
  Env& env;
  const Warn& warn;
  const std::function<bool()>& cancelled;
};

// Fills the empty `tree` with what the archives that options.sources names hold, one after the
// other; "-" is standard input. Their data is kept in a temporary file that lives as long as the
// tree. See ArchiveTree for what becomes of several entries of one path.
//
// With options.archive.are_layers, entries called .wh.NAME and .wh..wh..opq hide what the archives
// before hold, and are not stored.
//
// Nodes without an entry: the root has mode 0777 and belongs to the caller, other directories have
// 0755 and belong to 0:0; the times of both are now, and options.archive.default_* go before.
//
// Errors, all naming the archive and most the entry: those of ArchiveReader; paths of
// ArchiveTree; an id, a symlink's target, a device number or a size that the format cannot hold;
// holes beyond options.archive.max_hole_blocks (all Code::kUnsupported); the temporary file's;
// Code::kCancelled. Memory is bounded by the tree, whatever the length of the archives.
Status scan_archives(const ArchiveContext& context, Tree& tree);

}  // namespace sqfs
