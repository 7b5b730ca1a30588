// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "verifier/facts.h"

namespace sqfs {

// A table of fixed records: metadata blocks, and behind them an array of their positions. Readers
// find record i in block i / (8192 / size), so all blocks but the last must be full.
struct IndexedTable {
  Region region = Region::kIdTable;
  uint64_t record_count = 0;  // at least 1
  uint32_t record_size = 0;
  uint64_t blocks_end = 0;  // where the blocks have to end: at the index, or at a header before it
  uint64_t index_start = 0;
};

// Where the table behind this one starts. When that is not known, the index array must end at or
// below `position`; else exactly there.
struct TableLimit {
  uint64_t position = 0;
  bool is_exact = true;
};

// Checks index array, blocks and lengths, and claims their bytes. nullopt: the table cannot be
// found, which has been reported.
Result<std::optional<MetadataChain>> open_indexed_table(const Context& context, Facts& facts,
                                                        Findings& findings,
                                                        const IndexedTable& table,
                                                        TableLimit limit);

// Calls `record` with a reader on each record in turn. False when a bad block or the end of the
// table comes before the last one.
using RecordHandler = std::function<Status(uint64_t index, ByteReader& in, const Place& place)>;
Result<bool> for_each_record(MetadataChain& chain, Findings& findings, const IndexedTable& table,
                             const RecordHandler& record);

}  // namespace sqfs
