// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "squashfs-format/constants.h"
#include "squashfs-format/inode.h"
#include "squashfs-format/tables.h"

// Builds small images field by field, so that tests know where each field stands and can damage it.
// Metadata is stored raw; so is data, unless asked otherwise. Not a second writer: no I/O, no
// policy.
namespace sqfs {

struct TestXattr {
  uint16_t type = 0;  // as stored
  std::string name;   // without prefix
  std::string value;  // ignored when out of line
  int value_of = -1;  // out of line: the pair (counted over all sets) whose value this one shares
};

struct TestNode {
  std::string label;
  InodeType type = InodeType::kFile;
  std::string data = {};  // contents of a file, target of a symbolic link
  // Name and label of the child, in the order in which they are to be stored.
  std::vector<std::pair<std::string, std::string>> entries = {};
  int xattr_set = -1;
  bool tail_in_fragment = true;
  std::map<size_t, std::string> stored = {};  // compressed blocks, made elsewhere
};

struct TestSpec {
  CompressorId compressor = CompressorId::kGzip;
  std::string options;  // payload of the compressor options; empty: none
  uint32_t block_size = 4096;
  std::vector<uint32_t> ids = {0, 1000};  // all inodes have the uid 0 and the gid 1
  std::vector<TestNode> nodes;            // children before their parents; the root is last
  std::vector<std::vector<TestXattr>> xattr_sets;
  std::vector<XattrIdEntry> more_sets;  // without pairs of their own
  bool compress_data = false;           // data and fragments, where they shrink
  std::string stored_tails;             // compressed bytes of the first fragment, made elsewhere
  bool export_table = true, padding = true;
  uint32_t gap_before_tables = 0, gap_behind_fragments = 0;  // bytes
  std::map<std::string, uint32_t> first_block;  // table: bytes in its first block, instead of 8192
};

struct TestField {
  uint64_t offset = 0;
  uint32_t width = 0;  // 0: bytes
};

struct TestImage {
  Buffer bytes;
  // "super.flags" "inode.LABEL.mode" "inode.LABEL.word.0" "inode.LABEL.index.0.name"
  // "dir.LABEL.run.0.count" "dir.LABEL.entry.0.name" "fragment.0.start" "export.1" "id.0"
  // "set.0.pairs" "pair.0.size" "xattrs.count"; per table T (inodes dirs fragments exports ids
  // pairs sets) "T.block.0" is the header of a metadata block, "T.index.0" an entry of the index;
  // "data.LABEL.0" "tails.0" "options" "gap" "end" are positions.
  std::map<std::string, TestField> fields;
};

TestImage build_test_image(const TestSpec& spec);

}  // namespace sqfs
