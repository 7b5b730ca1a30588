// SPDX-License-Identifier: MIT
#include "verifier/region_map.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace sqfs {
namespace {

constexpr std::array<std::string_view, 11> kNames = {
    "superblock",     "compressor options", "inode table", "directory table",
    "fragment table", "export table",       "id table",    "xattr pairs",
    "xattr id table", "fragment block",     "file data"};

}  // namespace

std::string_view region_name(Region region) { return kNames[static_cast<size_t>(region)]; }

void RegionMap::claim(Region region, uint64_t start, uint64_t end, uint32_t owner) {
  if (start < end) claims_.push_back({start, end, owner, region});
}

uint64_t RegionMap::first_data_from(uint64_t position) const {
  uint64_t first = ~uint64_t{0};
  for (const Claim& claim : claims_) {
    if (is_shareable(claim.region) && claim.start >= position) first = std::min(first, claim.start);
  }
  return first;
}

void RegionMap::sweep(uint64_t end, const Overlap& overlap, const Gap& gap) {
  std::sort(claims_.begin(), claims_.end(), [](const Claim& a, const Claim& b) {
    return std::tuple(a.start, a.region, a.end, a.owner) <
           std::tuple(b.start, b.region, b.end, b.owner);
  });
  uint64_t covered = 0;
  const Claim* table = nullptr;  // of those passed, the one that reaches furthest
  const Claim* furthest_data = nullptr;
  const Claim* reported_data = nullptr;
  for (const Claim& claim : claims_) {
    if (claim.start > covered) gap(covered, std::min(claim.start, end));
    covered = std::max(covered, claim.end);
    if (table != nullptr && claim.start < table->end) overlap(*table, claim);
    if (is_shareable(claim.region)) {
      if (furthest_data == nullptr || claim.end > furthest_data->end) furthest_data = &claim;
      continue;
    }
    if (furthest_data != reported_data && claim.start < furthest_data->end) {
      overlap(claim, *furthest_data);
      reported_data = furthest_data;
    }
    if (table == nullptr || claim.end > table->end) table = &claim;
  }
  if (covered < end) gap(covered, end);
}

}  // namespace sqfs
