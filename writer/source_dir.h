// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "base/env.h"
#include "base/result.h"
#include "base/warn.h"
#include "writer/action_effects.h"
#include "writer/build.h"
#include "writer/dereference.h"
#include "writer/filter.h"
#include "writer/tree.h"

namespace sqfs {

// Fills the empty `tree` with the files and directories that options.sources names.
//
// One directory becomes the root, with its own attributes. Anything else (several sources, a file,
// keep_as_directory) is put under its last name into a root made up for it: mode 0777, owned by the
// caller, modified now. A symlink is stored as one, also when it is a source, unless `policy`
// (empty: that of options.filter) says otherwise. A name that is taken becomes NAME_1, NAME_2 and
// so on, with a warning.
//
// SourceKind::kFilePaths and kListedPaths store sources under their whole paths. Directories on the
// way come from the host; the root is the directory that all paths start at, or made up when they
// start at several. What two paths lead to is stored once; where they lead to different files that
// would have the same path, that is an error.
//
// What cannot be read, and what vanished since its directory was listed, is left out with a
// warning, or is an error with options.data.exit_on_error. Errors in any case: a source that is
// missing, or that is to be the root and cannot be read; a name, a symlink's target, a device
// number or a file's size that the format cannot hold (Code::kUnsupported); a lack of memory or
// file descriptors on the host; Code::kCancelled when `cancelled` returns true.
//
// `actions`, unless null, are asked about each file but the root of the image before it is added:
// what they exclude is left out, symbolic links that they select are dereferenced, and they can
// fail.
//
// The tree does not depend on the order in which the host lists directories. Memory is bounded by
// the tree, the stack does not grow with its depth.
Status scan_sources(const BuildOptions& options, const Filter& filter, Env& env, const Warn& warn,
                    const std::function<bool()>& cancelled, Tree& tree,
                    const DereferencePolicy& policy = {}, ActionRunner* actions = nullptr);

}  // namespace sqfs
