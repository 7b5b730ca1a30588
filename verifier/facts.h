// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compressors/compressor.h"
#include "squashfs-format/constants.h"
#include "squashfs-format/inode.h"
#include "squashfs-format/superblock.h"
#include "verifier/findings.h"
#include "verifier/image_file.h"
#include "verifier/memory_budget.h"
#include "verifier/metadata_chain.h"
#include "verifier/region_map.h"
#include "verifier/verify.h"

// What the passes learn about an image and leave to later passes. Everything per inode is small and
// of fixed size: block words, names and directory indexes stay in the image and are read again
// where they are needed.
namespace sqfs {

struct Context {
  const VerifyOptions& options;
  ImageFile image;
};

// One inode of the table, in table order, so sorted by ref. A broken inode (its type or its size
// cannot be read) keeps a record, so that the entries which name it lead somewhere.
struct InodeFact {
  uint64_t ref = 0;    // MetadataRef::packed()
  uint64_t entry = 0;  // StreamPosition::packed() in the directory table of the first entry
  uint32_t parent = kNoRecord;  // record of the directory that holds that entry
  uint32_t number = 0;
  uint32_t nlink = 0;
  uint32_t links = 0;  // entries that name it
  uint8_t type = 0;    // basic type 1..7; 0: broken
  bool extended = false;
  bool reached = false;  // from the root; directories only

  bool is_broken() const { return type == 0; }
  bool is(InodeType wanted) const { return type == static_cast<uint8_t>(wanted); }
};

struct DirFact {
  uint64_t index_at = 0;  // StreamPosition::packed() in the inode table of the first index entry
  uint32_t record = 0;
  uint32_t start_block = 0, file_size = 0;
  uint32_t parent_number = 0;
  uint32_t subdirectories = 0, entries = 0;
  uint16_t offset = 0, index_count = 0;

  bool has_listing() const { return file_size > kDirSizeBias; }
  uint32_t listing_size() const { return file_size - kDirSizeBias; }
};

struct FragmentFact {
  uint64_t start = 0;
  uint32_t word = 0;      // 0: unusable, and reported
  uint32_t raw_size = 0;  // exact for a raw block, and for all after pass_data; else an upper bound
  bool is_used = false;
};

struct XattrSetFact {
  bool is_used = false;
  bool has_user_keys = false;
};

struct Facts {
  Facts(uint64_t memory) : budget(memory) {}

  MemoryBudget budget;

  // pass_super
  Superblock super;
  const CompressorInfo* compressor = nullptr;
  CompressorConfig config;
  std::unique_ptr<Compressor> decompressor;  // of the main thread
  CompressorId compressor_id = CompressorId::kGzip;
  uint64_t data_start = kSuperblockSize;  // first byte behind the compressor options
  RegionMap regions;
  // Whether every byte that has an owner is claimed: false as soon as an owner could not be read.
  bool all_claimed = true;

  // pass_tables. nullopt: there is such a table, but it could not be read.
  uint64_t directory_limit = 0;  // the directory table ends here at the latest
  bool directory_limit_is_exact = true;
  std::optional<std::vector<FragmentFact>> fragments;
  std::optional<std::vector<XattrSetFact>> xattr_sets;  // empty without a table
  std::optional<std::vector<uint64_t>> export_refs;     // empty without a table
  std::vector<bool> used_ids;                           // one per id

  // pass_inodes
  std::optional<MetadataChain> inode_table;
  std::vector<InodeFact> inodes;
  std::vector<DirFact> directories;  // in the order of their records
  // Ranges [first, second) of packed refs that could not be decoded: nobody knows what stands
  // there.
  std::vector<std::pair<uint64_t, uint64_t>> unjudged_refs;

  // pass_directories
  std::optional<MetadataChain> directory_table;
  uint32_t root = kNoRecord;
  // How many names may still be read for paths in reports: a deep tree full of damage has many.
  uint64_t names_to_read = 1 << 16;
  bool all_listings_read = true;  // each to its end: only then an inode without entries is lost

  ChainTools chain_tools(const Context& context) {
    return {&context.image, decompressor.get(), compressor_id, &budget};
  }
  uint32_t find_inode(uint64_t ref) const;  // record that starts at `ref`, or kNoRecord
  bool is_unjudged(uint64_t ref) const;
  bool all_inodes_read() const { return unjudged_refs.empty(); }
};

// The passes, in their order (each in the file of its name). Each reports what is wrong and goes
// on; an Error is a failure to read the image or to get memory. After a fatal finding no pass
// follows.

// Proves: the superblock and the compressor options are what a kernel accepts, the tables lie
// inside
//         the image in the right order, the flags agree with them.
// Needs:  nothing.
// Leaves: super, compressor, config, decompressor, compressor_id, data_start.
Status pass_super(const Context& context, Facts& facts, Findings& findings);

// Proves: the id, export, fragment and xattr tables are exactly as long as their counts say, stand
//         without gaps where the kernel derives them to be, and each record is legal.
// Needs:  super.
// Leaves: directory_limit, fragments, xattr_sets, export_refs, used_ids (all unset).
Status pass_tables(const Context& context, Facts& facts, Findings& findings);

// Proves: the inode table decodes from end to end, and every field is legal for its type.
// Needs:  super, tables.
// Leaves: inode_table, inodes, directories, unjudged_refs, and what is used of ids, fragments and
//         xattr sets.
Status pass_inodes(const Context& context, Facts& facts, Findings& findings);

// Proves: the root is a directory; every entry names the start of an inode of its type and number;
//         names are legal, sorted and unique; sizes and indexes are exact; each directory is
//         reached once and without a cycle; no listing runs into another.
// Needs:  super, tables (limit), inodes.
// Leaves: directory_table, root, all_listings_read, and per inode: parent, entry, links, reached.
Status pass_directories(const Context& context, Facts& facts, Findings& findings);

// Proves: link counts, parent numbers, the numbering of inodes, the export table, reachability.
// Needs:  inodes, directories.
// Leaves: nothing.
Status pass_links(const Context& context, Facts& facts, Findings& findings);

// Proves: every data block and fragment block decompresses to exactly its size, and every tail lies
//         inside its fragment. Runs on all threads.
// Needs:  inodes.
// Leaves: exact fragment sizes; counts in `verdict`.
Status pass_data(const Context& context, Facts& facts, Findings& findings, Verdict& verdict);

// Proves: no byte of the image has two kinds of owner; reports bytes without owner, and what
// follows
//         the image.
// Needs:  the claims of all passes.
// Leaves: nothing.
Status pass_space(const Context& context, Facts& facts, Findings& findings);

}  // namespace sqfs
