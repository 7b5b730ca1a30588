// SPDX-License-Identifier: MIT
#include "verifier/indexed_table.h"

#include <algorithm>
#include <string>

namespace sqfs {
namespace {

constexpr uint64_t kIndexEntrySize = 8;

Place at_index(const IndexedTable& table, uint64_t entry) {
  return {Where::kTable, table.index_start + kIndexEntrySize * entry, kNoRecord,
          std::string(region_name(table.region))};
}

uint64_t raw_bytes(const IndexedTable& table) { return table.record_count * table.record_size; }

// Whether the index array lies inside the limit; its end is judged.
bool check_index_end(const IndexedTable& table, TableLimit limit, Findings& findings) {
  const uint64_t size = index_array_size(raw_bytes(table));
  const bool fits =
      table.index_start <= limit.position && size <= limit.position - table.index_start;
  const uint64_t end = table.index_start + size;
  if (!fits) {
    findings.report(Problem::kIndexEnd, at_index(table, 0), end, limit.position);
  } else if (limit.is_exact && end != limit.position) {
    const bool is_fragments = table.region == Region::kFragmentTable;
    findings.report(is_fragments ? Problem::kFragmentIndexGap : Problem::kIndexEnd,
                    at_index(table, 0), end, limit.position);
  }
  return fits;
}

// Compares the index array with where the blocks really are.
class IndexCheck {
 public:
  IndexCheck(const Context& context, const IndexedTable& table, Findings& findings)
      : context_(context), table_(table), findings_(findings) {}

  Result<uint64_t> first() {
    std::byte raw[kIndexEntrySize];
    SQFS_CHECKED(context_.image.read(table_.index_start, raw));
    return ByteReader(raw).u64();
  }

  Status run(const MetadataChain& chain) {
    const uint64_t count = metadata_block_count(raw_bytes(table_));
    Buffer window;
    for (uint64_t i = 0; i < count;) {
      const uint64_t step = std::min<uint64_t>(count - i, kWindowEntries);
      window.resize(step * kIndexEntrySize);
      SQFS_CHECKED(context_.image.read(table_.index_start + i * kIndexEntrySize, window));
      ByteReader in(window);
      for (const uint64_t stop = i + step; i < stop; ++i) {
        SQFS_TRY(const uint64_t entry, in.u64());
        judge(i, entry, chain);
      }
    }
    check_step(count - 1, previous_, table_.blocks_end);
    return ok();
  }

 private:
  static constexpr uint64_t kWindowEntries = 8192;

  void judge(uint64_t i, uint64_t entry, const MetadataChain& chain) {
    if (i > 0) check_step(i - 1, previous_, entry);
    if (i < chain.block_count() && entry != chain.position(i)) {
      findings_.report(Problem::kIndexEntry, at_index(table_, i), entry, chain.position(i));
    }
    previous_ = entry;
  }

  // The kernel refuses to mount when a block would not fit between two neighbours.
  void check_step(uint64_t i, uint64_t from, uint64_t to) {
    if (from < to && to - from <= kMetadataMaxStored) return;
    findings_.report(Problem::kIndexOrder, at_index(table_, i), from, to);
  }

  const Context& context_;
  const IndexedTable& table_;
  Findings& findings_;
  uint64_t previous_ = 0;
};

Status check_lengths(MetadataChain& chain, const IndexedTable& table, Findings& findings) {
  uint64_t total = 0;
  for (uint64_t i = 0; i < chain.block_count(); ++i) {
    SQFS_TRY(const Bytes view, chain.load(i, findings));
    if (view.empty()) return ok();  // reported; the total would be wrong
    total += view.size();
    if (i + 1 < chain.block_count() && view.size() != kMetadataBlockSize) {
      findings.report(Problem::kTableBlockShort, chain.place(i), view.size(), kMetadataBlockSize);
    }
  }
  if (!chain.is_complete() || total == raw_bytes(table)) return ok();
  const Problem problem = total < raw_bytes(table) ? Problem::kTableShort : Problem::kTableLong;
  findings.report(problem, chain.place(0), total, raw_bytes(table));
  return ok();
}

}  // namespace

Result<std::optional<MetadataChain>> open_indexed_table(const Context& context, Facts& facts,
                                                        Findings& findings,
                                                        const IndexedTable& table,
                                                        TableLimit limit) {
  if (!check_index_end(table, limit, findings)) return std::optional<MetadataChain>();
  IndexCheck index(context, table, findings);
  SQFS_TRY(const uint64_t first, index.first());
  if (first < facts.data_start || first >= table.blocks_end) {
    findings.report(Problem::kIndexOrder, at_index(table, 0), first, table.blocks_end);
    return std::optional<MetadataChain>();
  }
  const uint64_t index_size = index_array_size(raw_bytes(table));
  facts.regions.claim(table.region, first, table.index_start + index_size);
  SQFS_TRY(MetadataChain chain,
           MetadataChain::walk(facts.chain_tools(context), table.region, first, table.blocks_end,
                               index_size / kIndexEntrySize, &findings));
  SQFS_CHECKED(index.run(chain));
  if (chain.is_complete() && chain.end() < table.blocks_end) {
    findings.report(Problem::kTableGap, chain.place(chain.block_count()), chain.end(),
                    table.blocks_end);
  }
  SQFS_CHECKED(check_lengths(chain, table, findings));
  return std::optional(std::move(chain));
}

Result<bool> for_each_record(MetadataChain& chain, Findings& findings, const IndexedTable& table,
                             const RecordHandler& record) {
  MetadataCursor cursor(chain, findings);
  for (uint64_t i = 0; i < table.record_count; ++i) {
    SQFS_TRY(const Bytes view, cursor.peek(table.record_size));
    if (view.size() < table.record_size) return false;
    ByteReader in(view);
    SQFS_CHECKED(record(i, in, cursor.place()));
    SQFS_TRY([[maybe_unused]] const uint64_t moved, cursor.skip(table.record_size));
  }
  return true;
}

}  // namespace sqfs
