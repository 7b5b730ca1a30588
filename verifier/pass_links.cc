// SPDX-License-Identifier: MIT
#include <algorithm>

#include "verifier/facts.h"

namespace sqfs {
namespace {

Place at_inode(const Facts& facts, uint32_t record) {
  const MetadataRef ref = MetadataRef::unpack(facts.inodes[record].ref);
  return {Where::kInode, facts.super.inode_table_start + ref.block, record, {}, {}};
}

// Whether entries and inodes are all known, so that what is missing is missing in the image.
bool knows_all(const Facts& facts) {
  return facts.all_listings_read && facts.all_inodes_read() && facts.root != kNoRecord;
}

void check_file_links(const Facts& facts, uint32_t record, Findings& findings) {
  const InodeFact& inode = facts.inodes[record];
  // Links may be missing from the count, but none too many.
  if (inode.links > inode.nlink || (inode.links < inode.nlink && knows_all(facts))) {
    findings.report(Problem::kNlink, at_inode(facts, record), inode.nlink, inode.links);
  }
}

void check_directory_links(const Facts& facts, const DirFact& dir, Findings& findings) {
  const InodeFact& inode = facts.inodes[dir.record];
  if (inode.is_broken() || !knows_all(facts)) return;
  const uint64_t usual = 2 + uint64_t{dir.subdirectories};
  if (inode.nlink == usual) return;
  const Problem problem =
      inode.nlink == 2 + uint64_t{dir.entries} ? Problem::kNlinkCountsEntries : Problem::kNlink;
  findings.report(problem, at_inode(facts, dir.record), inode.nlink, usual);
}

void check_links(const Facts& facts, Findings& findings) {
  for (uint32_t record = 0; record < facts.inodes.size(); ++record) {
    const InodeFact& inode = facts.inodes[record];
    if (inode.links == 0 && record != facts.root) {
      if (knows_all(facts)) {
        findings.report(Problem::kInodeUnreachable, at_inode(facts, record), inode.number);
      }
    } else if (!inode.is_broken() && !inode.is(InodeType::kDir)) {
      check_file_links(facts, record, findings);
    }
  }
  for (const DirFact& dir : facts.directories) check_directory_links(facts, dir, findings);
}

// --- numbers
// -----------------------------------------------------------------------------------------

std::vector<uint32_t> records_by_number(const Facts& facts) {
  std::vector<uint32_t> records(facts.inodes.size());
  for (uint32_t i = 0; i < records.size(); ++i) records[i] = i;
  std::sort(records.begin(), records.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(facts.inodes[a].number, a) < std::pair(facts.inodes[b].number, b);
  });
  return records;
}

void check_numbers(const Facts& facts, const std::vector<uint32_t>& by_number, Findings& findings) {
  for (size_t i = 1; i < by_number.size(); ++i) {
    const uint32_t number = facts.inodes[by_number[i]].number;
    if (number != 0 && number == facts.inodes[by_number[i - 1]].number) {
      findings.report(Problem::kInodeNumberShared, at_inode(facts, by_number[i]), number);
    }
  }
  if (facts.all_inodes_read() && facts.inodes.size() != facts.super.inode_count) {
    findings.report(Problem::kInodeCount, Place{Where::kSuperblock}, facts.super.inode_count,
                    facts.inodes.size());
  }
}

bool is_in_use(const Facts& facts, const std::vector<uint32_t>& by_number, uint32_t number) {
  return std::binary_search(by_number.begin(), by_number.end(), kNoRecord,
                            [&](uint32_t a, uint32_t b) {
                              const auto value = [&](uint32_t record) {
                                return record == kNoRecord ? number : facts.inodes[record].number;
                              };
                              return value(a) < value(b);
                            });
}

void check_parents(const Facts& facts, const std::vector<uint32_t>& by_number, Findings& findings) {
  for (const DirFact& dir : facts.directories) {
    const InodeFact& inode = facts.inodes[dir.record];
    if (dir.record == facts.root) {
      // By custom the root's parent is a number that no inode has; its own would do as well.
      const bool names_another =
          dir.parent_number != inode.number && is_in_use(facts, by_number, dir.parent_number);
      if (dir.parent_number == 0) {
        findings.report(Problem::kRootParentZero, at_inode(facts, dir.record));
      } else if (names_another) {
        findings.report(Problem::kRootParent, at_inode(facts, dir.record), dir.parent_number);
      }
    } else if (inode.parent != kNoRecord &&
               dir.parent_number != facts.inodes[inode.parent].number) {
      findings.report(Problem::kParentNumber, at_inode(facts, dir.record), dir.parent_number,
                      facts.inodes[inode.parent].number);
    }
  }
}

void check_export(const Facts& facts, Findings& findings) {
  if (!facts.export_refs) return;
  const Place place{Where::kTable, facts.super.export_table_start, kNoRecord, "export table", {}};
  for (size_t slot = 0; slot < facts.export_refs->size(); ++slot) {
    const MetadataRef ref = MetadataRef::unpack((*facts.export_refs)[slot]);
    if (ref.block > 0xffffffff) {
      findings.report(Problem::kRefHighBits, place, (*facts.export_refs)[slot], 0,
                      "slot " + std::to_string(slot));
    }
    const uint64_t kernels_view = MetadataRef{ref.block & 0xffffffff, ref.offset}.packed();
    const uint32_t record = facts.find_inode(kernels_view);
    if (record == kNoRecord) {
      if (facts.is_unjudged(kernels_view)) continue;
      findings.report(Problem::kExportRef, place, kernels_view, slot + 1);
    } else if (facts.inodes[record].number != slot + 1) {
      findings.report(Problem::kExportNumber, place, facts.inodes[record].number, slot + 1);
    }
  }
}

}  // namespace

Status pass_links(const Context&, Facts& facts, Findings& findings) {
  SQFS_CHECKED(facts.budget.take(facts.inodes.size() * sizeof(uint32_t)));
  const std::vector<uint32_t> by_number = records_by_number(facts);
  check_links(facts, findings);
  check_numbers(facts, by_number, findings);
  check_parents(facts, by_number, findings);
  check_export(facts, findings);
  return ok();
}

}  // namespace sqfs
