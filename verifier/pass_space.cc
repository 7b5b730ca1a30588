// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>

#include "verifier/facts.h"

namespace sqfs {
namespace {

constexpr uint64_t kReadSize = 64 << 10;

Result<bool> is_zero(const Context& context, uint64_t start, uint64_t end) {
  Buffer window;
  while (start < end) {
    window.resize(std::min(kReadSize, end - start));
    SQFS_CHECKED(context.image.read(start, window));
    if (!is_all_zero(window)) return false;
    start += window.size();
  }
  return true;
}

void report_overlap(const Claim& table, const Claim& other, Findings& findings) {
  const std::string name(region_name(table.region));
  Place place{Where::kImage, other.start};
  if (other.region == Region::kFileData) {
    place = {Where::kBlock, other.start, other.owner, {}, {}};
  } else if (other.region == Region::kFragmentBlock) {
    place = {
        Where::kFragment, other.start, kNoRecord, "fragment " + std::to_string(other.owner), {}};
  } else {
    const std::string other_name(region_name(other.region));
    findings.report(Problem::kTablesOverlap, place, other.start, table.end,
                    other_name + " and " + name);
    return;
  }
  findings.report(Problem::kDataOverlapsTable, place, other.start, table.start, name);
}

// Bytes without an owner say something only when all owners are known.
bool knows_all_owners(const Facts& facts) {
  return facts.all_claimed && facts.all_inodes_read() && facts.all_listings_read;
}

Status check_claims(const Context& context, Facts& facts, Findings& findings) {
  Status status = ok();
  const bool judge_gaps = knows_all_owners(facts);
  facts.regions.sweep(
      facts.super.bytes_used,
      [&](const Claim& table, const Claim& other) { report_overlap(table, other, findings); },
      [&](uint64_t start, uint64_t end) {
        if (!judge_gaps || !status || start >= end) return;
        const auto zero = is_zero(context, start, end);
        if (!zero) {
          status = zero.error();
          return;
        }
        findings.report(*zero ? Problem::kGapZero : Problem::kGapData, Place{Where::kImage, start},
                        end - start);
      });
  return status;
}

// What follows bytes_used. The kernel reads in units of 1024 bytes, and a loop device ends at a
// multiple of 512.
Status check_end(const Context& context, const Facts& facts, Findings& findings) {
  const uint64_t used = facts.super.bytes_used, size = context.image.size();
  const uint64_t whole_units = size - size % kDeviceBlockSize;
  if (whole_units < used) {
    findings.report(Problem::kFileUnpadded, Place{Where::kImage, used}, size, kDeviceBlockSize);
  }
  const uint64_t padded = (used + kImageAlignment - 1) / kImageAlignment * kImageAlignment;
  SQFS_TRY(const bool zero, is_zero(context, used, std::min(padded, size)));
  if (!zero) findings.report(Problem::kPaddingNotZero, Place{Where::kImage, used}, used);
  if (size > padded) {
    findings.report(Problem::kTrailingBytes, Place{Where::kImage, padded}, size - padded);
  }
  return ok();
}

}  // namespace

Status pass_space(const Context& context, Facts& facts, Findings& findings) {
  SQFS_CHECKED(check_claims(context, facts, findings));
  return check_end(context, facts, findings);
}

}  // namespace sqfs
