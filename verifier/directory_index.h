// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "squashfs-format/directory.h"
#include "verifier/facts.h"

namespace sqfs {

// Compares the index of one directory with its listing while that is read: a reader that looks a
// name up jumps where the index says, and finds nothing when that is wrong.
class DirectoryIndexCheck {
 public:
  DirectoryIndexCheck(Facts& facts, const DirFact& dir, Findings& findings);

  // To be called for each run in turn, with the listing offset and the place of its header, and the
  // first name of the run.
  Status at_run(uint32_t listing_offset, const MetadataRef& header, std::string_view first_name);
  // To be called when the listing has been read to its end.
  Status at_end();

 private:
  Status advance();
  Place place() const;
  void compare(const MetadataRef& header, std::string_view first_name);

  const DirFact& dir_;
  Findings& findings_;
  MetadataCursor cursor_;
  uint32_t left_;
  std::optional<DirIndexEntry> next_;
};

}  // namespace sqfs
