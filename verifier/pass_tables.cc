// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>

#include "squashfs-format/tables.h"
#include "verifier/facts.h"
#include "verifier/indexed_table.h"
#include "verifier/xattr_tables.h"

// The tables behind the directory table, from the last to the first: each must end exactly where
// the next begins, which is how the kernel finds out how long they are.
namespace sqfs {
namespace {

// Where the table before this one has to end.
TableLimit limit_before(Facts& facts, const std::optional<MetadataChain>& chain,
                        uint64_t index_start, TableLimit limit) {
  if (chain) return {chain->start(), true};
  facts.all_claimed = false;
  return {std::min(index_start, limit.position), false};
}

// --- ids -----------------------------------------------------------------------------------------

void report_duplicate_ids(std::vector<uint32_t> ids, const Place& place, Findings& findings) {
  std::sort(ids.begin(), ids.end());
  for (auto it = ids.begin(); (it = std::adjacent_find(it, ids.end())) != ids.end(); ++it) {
    findings.report(Problem::kIdDuplicate, place, *it);
  }
}

Result<TableLimit> check_ids(const Context& context, Facts& facts, Findings& findings,
                             TableLimit limit) {
  const uint64_t start = facts.super.id_table_start;
  const IndexedTable table{Region::kIdTable, facts.super.id_count, kIdEntrySize, start, start};
  facts.used_ids.assign(facts.super.id_count, false);
  if (table.record_count == 0) return limit_before(facts, std::nullopt, start, limit);
  SQFS_TRY(auto chain, open_indexed_table(context, facts, findings, table, limit));
  if (chain) {
    std::vector<uint32_t> ids;
    SQFS_TRY([[maybe_unused]] const bool complete,
             for_each_record(*chain, findings, table,
                             [&](uint64_t, ByteReader& in, const Place&) -> Status {
                               SQFS_TRY(const uint32_t id, in.u32());
                               ids.push_back(id);
                               return ok();
                             }));
    report_duplicate_ids(std::move(ids), chain->place(0), findings);
  }
  return limit_before(facts, chain, start, limit);
}

// --- export
// ----------------------------------------------------------------------------------------

Result<TableLimit> read_export(const Context& context, Facts& facts, Findings& findings,
                               TableLimit limit) {
  const uint64_t start = facts.super.export_table_start;
  const IndexedTable table{Region::kExportTable, facts.super.inode_count, kExportEntrySize, start,
                           start};
  std::vector<uint64_t> refs;
  if (!facts.super.has_export_table()) {
    facts.export_refs = std::move(refs);
    return limit;
  }
  if (table.record_count == 0) return limit_before(facts, std::nullopt, start, limit);
  SQFS_TRY(auto chain, open_indexed_table(context, facts, findings, table, limit));
  if (!chain) return limit_before(facts, chain, start, limit);
  SQFS_TRY(const bool complete,
           for_each_record(*chain, findings, table,
                           [&](uint64_t, ByteReader& in, const Place&) -> Status {
                             SQFS_TRY(const uint64_t ref, in.u64());
                             return facts.budget.append(refs, ref);
                           }));
  if (complete) facts.export_refs = std::move(refs);
  return limit_before(facts, chain, start, limit);
}

// --- fragments
// -------------------------------------------------------------------------------------

// The word of a usable fragment; 0 when something is wrong, which is reported.
uint32_t check_fragment(const Facts& facts, const FragmentEntry& entry, const Place& place,
                        Findings& findings) {
  if (entry.unused != 0) {
    findings.report(Problem::kFragmentUnusedSet, place, entry.unused);
  }
  const auto word = decode_block_word(entry.word, facts.super.block_size);
  if (!word) {
    findings.report(word.error(), place);
    return 0;
  }
  if (word->is_hole()) {
    findings.report(Problem::kFragmentEmpty, place);
    return 0;
  }
  if (entry.start == kNoTable) {
    findings.report(Problem::kFragmentStartNone, place);
    return 0;
  }
  const uint64_t end = facts.super.bytes_used;
  if (entry.start < facts.data_start || entry.start > end ||
      word->stored_size > end - entry.start) {
    findings.report(Problem::kFragmentRange, place, entry.start, end);
    return 0;
  }
  return entry.word;
}

Status add_fragment(Facts& facts, std::vector<FragmentFact>& fragments, const FragmentEntry& entry,
                    const Place& place, Findings& findings) {
  FragmentFact fact;
  fact.start = entry.start;
  fact.word = check_fragment(facts, entry, place, findings);
  fact.raw_size = facts.super.block_size;
  facts.all_claimed &= fact.word != 0;
  if (fact.word != 0) {
    const uint32_t stored_size = fact.word & kBlockSizeMask;
    if ((fact.word & kBlockRawBit) != 0) fact.raw_size = stored_size;
    facts.regions.claim(Region::kFragmentBlock, fact.start, fact.start + stored_size,
                        static_cast<uint32_t>(fragments.size()));
    SQFS_CHECKED(facts.budget.take(sizeof(Claim)));
  }
  return facts.budget.append(fragments, fact);
}

Result<TableLimit> read_fragments(const Context& context, Facts& facts, Findings& findings,
                                  TableLimit limit) {
  const uint64_t start = facts.super.fragment_table_start;
  const IndexedTable table{Region::kFragmentTable, facts.super.fragment_count, kFragmentEntrySize,
                           start, start};
  std::vector<FragmentFact> fragments;
  if (table.record_count == 0) {
    facts.fragments = std::move(fragments);
    return limit;
  }
  if (start == kNoTable) {
    findings.report(Problem::kFragmentTableMissing, Place{Where::kSuperblock}, table.record_count);
    facts.all_claimed = false;
    return TableLimit{limit.position, false};
  }
  SQFS_TRY(auto chain, open_indexed_table(context, facts, findings, table, limit));
  if (!chain) return limit_before(facts, chain, start, limit);
  SQFS_TRY(const bool complete,
           for_each_record(*chain, findings, table,
                           [&](uint64_t i, ByteReader& in, const Place& table_place) -> Status {
                             SQFS_TRY(const FragmentEntry entry, decode_fragment_entry(in));
                             const Place place{Where::kFragment, table_place.image_offset,
                                               kNoRecord, "fragment " + std::to_string(i)};
                             return add_fragment(facts, fragments, entry, place, findings);
                           }));
  facts.all_claimed &= complete;
  if (complete) facts.fragments = std::move(fragments);
  return limit_before(facts, chain, start, limit);
}

}  // namespace

Status pass_tables(const Context& context, Facts& facts, Findings& findings) {
  TableLimit limit{facts.super.bytes_used, true};
  SQFS_TRY(limit, check_xattr_tables(context, facts, findings, limit));
  SQFS_TRY(limit, check_ids(context, facts, findings, limit));
  SQFS_TRY(limit, read_export(context, facts, findings, limit));
  SQFS_TRY(limit, read_fragments(context, facts, findings, limit));
  facts.directory_limit = limit.position;
  facts.directory_limit_is_exact = limit.is_exact;
  facts.all_claimed &= limit.is_exact;
  if (facts.super.directory_table_start > limit.position) {
    findings.report(Problem::kSuperTableOrder, Place{Where::kSuperblock},
                    facts.super.directory_table_start, limit.position, "directory table");
  }
  return ok();
}

}  // namespace sqfs
