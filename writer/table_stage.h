// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>

#include "base/result.h"
#include "compressors/compressor.h"
#include "squashfs-format/superblock.h"
#include "squashfs-format/tables.h"
#include "writer/build.h"
#include "writer/metadata_writer.h"
#include "writer/plan.h"
#include "writer/tree.h"
#include "xattr/pool.h"

namespace sqfs {

// What the table stage writes down, all of it final.
struct TableInputs {
  const BuildOptions& options;
  const Plan& plan;
  const XattrPool& xattrs;
  std::span<const FragmentEntry> fragments;
};

struct TableResult {
  Superblock
      superblock;  // complete but for kFlagCompressorOptions, which is not the tables' business
  TableSize inode_table, directory_table, xattr_table;  // of the latter, the pairs
};

// Appends all tables to `tail`, in the order and without gaps, as the kernel demands
// (docs/FORMAT.md, "Table order"): inodes, directories, fragments, export, ids, xattrs.
//
// `visit` and `cancelled` as for write_inodes_and_listings(). Errors: the output's, the
// compressor's, Code::kUnsupported when a table grows beyond the format, Code::kCancelled.
Result<TableResult> write_tables(const TableInputs& inputs, Tree& tree, Compressor& compressor,
                                 ImageTail& tail, const std::function<void(NodeId name)>& visit,
                                 const std::function<bool()>& cancelled);

}  // namespace sqfs
