// SPDX-License-Identifier: MIT
#include "verifier/xattr_tables.h"

#include <algorithm>
#include <string>

#include "squashfs-format/tables.h"
#include "verifier/xattr_sets.h"

namespace sqfs {
namespace {

Place at_header(uint64_t start) {
  return {Where::kTable, start, kNoRecord, std::string(region_name(Region::kXattrIdTable))};
}

Result<std::optional<XattrTableHeader>> read_header(const Context& context, const Facts& facts,
                                                    Findings& findings) {
  const uint64_t start = facts.super.xattr_table_start, end = facts.super.bytes_used;
  if (start > end || end - start < kXattrTableHeaderSize) {
    findings.report(Problem::kXattrTableStart, at_header(start), start, end);
    return std::optional<XattrTableHeader>();
  }
  std::byte raw[kXattrTableHeaderSize];
  SQFS_CHECKED(context.image.read(start, raw));
  ByteReader in(raw);
  SQFS_TRY(const XattrTableHeader header, decode_xattr_table_header(in));
  if (header.unused != 0) {
    findings.report(Problem::kXattrHeaderUnusedSet, at_header(start), header.unused);
  }
  return std::optional(header);
}

// Judges each set of the id table, with its pairs.
Status read_sets(const Context& context, Facts& facts, Findings& findings,
                 const IndexedTable& table, MetadataChain& ids, uint64_t pairs_start) {
  SQFS_TRY(MetadataChain pairs,
           MetadataChain::walk(facts.chain_tools(context), Region::kXattrPairs, pairs_start,
                               ids.start(), ~uint64_t{0}, &findings));
  facts.regions.claim(Region::kXattrPairs, pairs_start, pairs.end());
  std::vector<XattrSetFact> sets;
  XattrSetReader reader(pairs, facts.budget, findings);
  SQFS_TRY(const bool complete,
           for_each_record(ids, findings, table,
                           [&](uint64_t i, ByteReader& in, const Place&) -> Status {
                             SQFS_TRY(const XattrIdEntry entry, decode_xattr_id_entry(in));
                             SQFS_TRY(const XattrSetFact set, reader.read_set(i, entry));
                             return facts.budget.append(sets, set);
                           }));
  if (!complete) return ok();
  facts.all_claimed &= pairs.is_complete();
  SQFS_CHECKED(reader.finish());
  facts.xattr_sets = std::move(sets);
  return ok();
}

Result<TableLimit> read_xattr_tables(const Context& context, Facts& facts, Findings& findings,
                                     TableLimit limit) {
  const uint64_t start = facts.super.xattr_table_start;
  TableLimit before{std::min(start, limit.position), false};
  SQFS_TRY(const auto header, read_header(context, facts, findings));
  if (!header) return before;
  const bool pairs_are_inside =
      header->pairs_start >= facts.data_start && header->pairs_start < start;
  if (pairs_are_inside) before = {header->pairs_start, true};
  if (header->id_count == 0) {
    findings.report(Problem::kXattrNoIds, at_header(start));
    return before;
  }
  const IndexedTable table{Region::kXattrIdTable, header->id_count, kXattrIdEntrySize, start,
                           start + kXattrTableHeaderSize};
  SQFS_TRY(auto ids, open_indexed_table(context, facts, findings, table, limit));
  if (!pairs_are_inside || (ids && header->pairs_start >= ids->start())) {
    findings.report(Problem::kXattrPairsStart, at_header(start), header->pairs_start,
                    ids ? ids->start() : start);
    return TableLimit{ids ? ids->start() : before.position, false};
  }
  if (ids) SQFS_CHECKED(read_sets(context, facts, findings, table, *ids, header->pairs_start));
  return before;
}

}  // namespace

Result<TableLimit> check_xattr_tables(const Context& context, Facts& facts, Findings& findings,
                                      TableLimit limit) {
  if (!facts.super.has_xattr_table()) {
    facts.xattr_sets = std::vector<XattrSetFact>();
    return limit;
  }
  SQFS_TRY(limit, read_xattr_tables(context, facts, findings, limit));
  facts.all_claimed &= facts.xattr_sets.has_value();
  return limit;
}

}  // namespace sqfs
