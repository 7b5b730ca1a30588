// SPDX-License-Identifier: MIT
#include "verifier/paths.h"

#include <vector>

#include "squashfs-format/directory.h"

namespace sqfs {

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
  if (!facts.directory_table || facts.root == kNoRecord || record == kNoRecord) return {};
  if (record == facts.root) return "/";
  std::vector<std::string> names;  // from the inode up
  // A cycle of directories has no end; a path is no longer than there are directories.
  for (size_t left = facts.directories.size() + 1; record != facts.root; --left) {
    const InodeFact& inode = facts.inodes[record];
    if (inode.parent == kNoRecord || left == 0 || facts.names_to_read == 0) return {};
    --facts.names_to_read;
    names.push_back(entry_name(facts, inode.entry, findings));
    record = inode.parent;
  }
  std::string path;
  for (auto name = names.rbegin(); name != names.rend(); ++name) path += "/" + *name;
  return path;
}

}  // namespace sqfs
