// SPDX-License-Identifier: MIT
#pragma once

#include "squashfs-format/inode.h"
#include "verifier/facts.h"

// The checks of pass_inodes on one decoded inode, without what follows it in the table.
namespace sqfs {

// All fields but those of a file's data and of a directory's listing. Marks ids and xattr sets
// used.
void check_inode_fields(Facts& facts, const Inode& inode, const Place& place, Findings& findings);

// Size and fragment. Marks the fragment used.
void check_file_fields(Facts& facts, const FileBody& file, const Place& place, Findings& findings);

}  // namespace sqfs
