// SPDX-License-Identifier: MIT
#include "fragments/tail_index.h"

#include <utility>

namespace sqfs {
namespace {

constexpr size_t kFirstTableSize = 1024;

}  // namespace

TailIndex::Entry* TailIndex::find(uint32_t size, const Digest& digest, const Entry* after) {
  if (table_.empty()) return nullptr;
  const size_t mask = table_.size() - 1;
  size_t at =
      after == nullptr ? home(digest.low) : (static_cast<size_t>(after - table_.data()) + 1) & mask;
  for (;; at = (at + 1) & mask) {
    Entry& entry = table_[at];
    if (entry.size == 0) return nullptr;
    if (entry.size == size && entry.hash == digest.low) return &entry;
  }
}

void TailIndex::insert(uint32_t size, const Digest& digest, FragmentRef ref, bool is_whole_file) {
  if ((count_ + 1) * 4 > table_.size() * 3) grow();
  size_t at = home(digest.low);
  while (table_[at].size != 0) at = (at + 1) & (table_.size() - 1);
  table_[at].hash = digest.low;
  table_[at].ref = ref;
  table_[at].size = size & 0x7fffffff;
  table_[at].is_whole_file = is_whole_file;
  ++count_;
}

void TailIndex::grow() {
  std::vector<Entry> old(table_.empty() ? kFirstTableSize : table_.size() * 2);
  old.swap(table_);
  for (const Entry& entry : old) {
    if (entry.size == 0) continue;
    size_t at = home(entry.hash);
    while (table_[at].size != 0) at = (at + 1) & (table_.size() - 1);
    table_[at] = entry;
  }
}

}  // namespace sqfs
