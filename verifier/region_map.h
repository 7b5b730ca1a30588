// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace sqfs {

enum class Region : uint8_t {
  kSuperblock,
  kOptions,
  kInodeTable,
  kDirectoryTable,
  kFragmentTable,
  kExportTable,
  kIdTable,
  kXattrPairs,
  kXattrIdTable,
  kFragmentBlock,
  kFileData
};

// "inode table": how messages call it.
std::string_view region_name(Region region);
inline bool is_shareable(Region region) { return region >= Region::kFragmentBlock; }

// Who says that a range of the image is theirs. File data and fragment blocks may be claimed by
// several owners; everything else belongs to one.
struct Claim {
  uint64_t start = 0, end = 0;
  uint32_t owner = 0;  // kFileData: record of the inode; kFragmentBlock: index of the fragment
  Region region = Region::kSuperblock;
};

// The claims of all passes on the bytes of the image.
class RegionMap {
 public:
  // Empty ranges are dropped.
  void claim(Region region, uint64_t start, uint64_t end, uint32_t owner = 0);

  size_t claim_count() const { return claims_.size(); }
  // The lowest file data or fragment block that starts at or above `position`; ~0 when none.
  uint64_t first_data_from(uint64_t position) const;

  using Overlap = std::function<void(const Claim& table, const Claim& other)>;
  using Gap = std::function<void(uint64_t start, uint64_t end)>;
  // Puts the claims in order and calls `overlap` for each claim that shares bytes with a table or
  // the superblock, once however many tables it runs through, and `gap` for each range below `end`
  // that nobody claims.
  void sweep(uint64_t end, const Overlap& overlap, const Gap& gap);

 private:
  std::vector<Claim> claims_;
};

}  // namespace sqfs
