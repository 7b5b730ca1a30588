// SPDX-License-Identifier: MIT
#include "verifier/paths.h"

#include "squashfs-format/directory.h"

namespace sqfs {
namespace {

constexpr size_t kMaxPathLength = 64 << 10;

}  // namespace

std::string entry_name(Facts& facts, uint64_t entry, Findings& findings) {
  MetadataCursor cursor(*facts.directory_table, findings);
  cursor.seek(StreamPosition::unpack(entry));
  const auto view = cursor.peek(kDirEntryFixedSize + kMaxNameLengthKernel);
  if (!view) return {};
  ByteReader in(*view);
  const auto decoded = decode_dir_entry(in);
  return decoded ? std::string(decoded->name) : std::string();
}

std::string path_of(Facts& facts, uint32_t record, Findings& findings) {
  if (!facts.directory_table || record == kNoRecord) return {};
  if (record == facts.root) return "/";
  std::string path;
  while (record != facts.root) {
    const InodeFact& inode = facts.inodes[record];
    // The length also ends the walk along a cycle of directories.
    if (inode.parent == kNoRecord || path.size() > kMaxPathLength) return {};
    path.insert(0, "/" + entry_name(facts, inode.entry, findings));
    record = inode.parent;
  }
  return path;
}

}  // namespace sqfs
