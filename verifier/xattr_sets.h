// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "squashfs-format/tables.h"
#include "verifier/facts.h"

namespace sqfs {

// Judges the sets of an xattr table one by one, and in finish() what can be said once all are
// known: where values out of line lead, and which bytes of the pair stream belong to nobody.
class XattrSetReader {
 public:
  XattrSetReader(MetadataChain& pairs, MemoryBudget& budget, Findings& findings)
      : pairs_(pairs), budget_(budget), findings_(findings), cursor_(pairs, findings) {}

  Result<XattrSetFact> read_set(uint64_t index, const XattrIdEntry& entry);
  Status finish();

 private:
  struct Reference {
    uint64_t target = 0;  // MetadataRef::packed()
    uint64_t set = 0;
  };
  // A set whose size is not that of its pairs as stored. The usual writer counts full names with a
  // NUL, and values in full wherever they stand.
  struct OddSize {
    uint64_t set = 0;
    uint64_t stated = 0, stored = 0, in_full = 0;
    Place place;
  };
  // What the pairs of one set add up to.
  struct Sums {
    uint32_t pairs = 0;
    uint64_t bytes = 0;
    uint64_t list_bytes = 0;   // of all names with prefix and NUL
    uint64_t value_bytes = 0;  // of all values but those out of line
    std::vector<std::string> names;
    bool has_user_keys = false;
  };
  enum class Step { kNext, kStop };

  Place place(uint64_t set) const;
  Result<Step> read_pairs(uint64_t set, const XattrIdEntry& entry, Sums& sums);
  Result<Step> read_pair(uint64_t set, Sums& sums);
  void check_key(uint64_t set, const XattrKey& key, Sums& sums);
  Result<Step> read_value(uint64_t set, bool out_of_line, Sums& sums);
  Status check_sums(uint64_t set, const XattrIdEntry& entry, Sums& sums);
  Result<uint64_t> check_reference(const Reference& reference);
  Status add_stray_value(const Reference& reference, StreamPosition from, uint64_t size);
  void check_odd_sizes();
  Result<uint64_t> skip(uint64_t count, Sums& sums);
  Status report_unused();
  Status add_range(std::vector<std::pair<uint64_t, uint64_t>>& ranges, StreamPosition from);

  MetadataChain& pairs_;
  MemoryBudget& budget_;
  Findings& findings_;
  MetadataCursor cursor_;
  // Packed stream positions of the size fields of values.
  std::vector<uint64_t> inline_values_, references_at_;
  std::vector<Reference> references_;
  std::vector<OddSize> odd_sizes_;  // in the order of their sets
  // Ranges of the stream (packed positions) that sets cover, and values that stand in none of them.
  std::vector<std::pair<uint64_t, uint64_t>> ranges_, stray_values_;
  uint64_t pairs_read_ = 0;
  bool stopped_ = false, all_read_ = true;
};

}  // namespace sqfs
