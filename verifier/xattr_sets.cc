// SPDX-License-Identifier: MIT
#include "verifier/xattr_sets.h"

#include <algorithm>
#include <iterator>

namespace sqfs {
namespace {

constexpr uint64_t kKeyFixedSize = 4, kValueFixedSize = 4, kReferenceSize = 8;
constexpr uint64_t kMinPairSize = kKeyFixedSize + kValueFixedSize;
// Sets may overlap, so their pairs may be more than the stream holds; but a table in which they are
// very many more is made to keep readers busy.
constexpr uint64_t kMaxOverlap = 8, kAlwaysAllowedPairs = 1 << 16;

}  // namespace

Place XattrSetReader::place(uint64_t set) const {
  Place at = cursor_.place();
  at.where = Where::kXattrSet;
  at.label = "xattr set " + std::to_string(set);
  return at;
}

Result<XattrSetFact> XattrSetReader::read_set(uint64_t index, const XattrIdEntry& entry) {
  if (stopped_) return XattrSetFact{};
  const MetadataRef ref = MetadataRef::unpack(entry.ref);
  if (ref.block > 0xffffffff) {
    findings_.report(Problem::kRefHighBits, place(index), entry.ref, 0, "first pair");
  }
  if (entry.pair_count == 0) {
    all_read_ = false;
    findings_.report(Problem::kXattrSetEmpty, place(index));
    return XattrSetFact{};
  }
  SQFS_TRY(const bool found, cursor_.seek_ref({ref.block & 0xffffffff, ref.offset}));
  if (!found) {
    all_read_ = false;
    if (!cursor_.hit_bad_block()) findings_.report(Problem::kXattrSetRef, place(index), entry.ref);
    return XattrSetFact{};
  }
  SQFS_TRY([[maybe_unused]] const Bytes settled, cursor_.peek(1));
  const StreamPosition from = cursor_.position();
  Sums sums;
  SQFS_TRY(const Step step, read_pairs(index, entry, sums));
  if (step == Step::kStop) {
    all_read_ = false;
    return XattrSetFact{false, sums.has_user_keys};
  }
  SQFS_CHECKED(check_sums(index, entry, sums));
  SQFS_CHECKED(add_range(ranges_, from));
  return XattrSetFact{false, sums.has_user_keys};
}

Result<XattrSetReader::Step> XattrSetReader::read_pairs(uint64_t set, const XattrIdEntry& entry,
                                                        Sums& sums) {
  const uint64_t allowed =
      kMaxOverlap * (pairs_.block_count() * kMetadataBlockSize / kMinPairSize) +
      kAlwaysAllowedPairs;
  while (sums.pairs < entry.pair_count) {
    if (++pairs_read_ > allowed) {
      stopped_ = true;
      findings_.report(Problem::kXattrSetsOverlap, place(set));
      return Step::kStop;
    }
    SQFS_TRY(const Step step, read_pair(set, sums));
    if (step == Step::kStop) return step;
    ++sums.pairs;
    SQFS_TRY(const Bytes rest, cursor_.peek(1));
    if (!rest.empty() || sums.pairs == entry.pair_count) continue;
    if (!cursor_.hit_bad_block()) {
      findings_.report(Problem::kXattrSetTruncated, place(set), sums.pairs, entry.pair_count);
    }
    return Step::kStop;
  }
  return Step::kNext;
}

Result<uint64_t> XattrSetReader::skip(uint64_t count, Sums& sums) {
  SQFS_TRY(const uint64_t moved, cursor_.skip(count));
  sums.bytes += moved;
  return moved;
}

Result<XattrSetReader::Step> XattrSetReader::read_pair(uint64_t set, Sums& sums) {
  // Most names are short; the length of a long one is in the first bytes.
  SQFS_TRY(Bytes view, cursor_.peek(kKeyFixedSize + kMaxXattrName));
  ByteReader in(view);
  auto key = decode_xattr_key(in);
  if (!key && view.size() >= kKeyFixedSize) {
    SQFS_TRY(view, cursor_.peek(kKeyFixedSize + 0xffff));
    in = ByteReader(view);
    key = decode_xattr_key(in);
  }
  if (!key) {
    if (!cursor_.hit_bad_block()) findings_.report(key.error(), place(set));
    return Step::kStop;
  }
  const bool out_of_line = key->is_out_of_line();
  check_key(set, *key, sums);
  SQFS_TRY([[maybe_unused]] const uint64_t moved, skip(in.offset(), sums));
  if (sums.list_bytes > kMaxXattrList) {
    findings_.report(Problem::kXattrListLong, place(set), sums.list_bytes, kMaxXattrList);
    return Step::kStop;
  }
  return read_value(set, out_of_line, sums);
}

void XattrSetReader::check_key(uint64_t set, const XattrKey& key, Sums& sums) {
  if (!key.has_known_prefix()) {
    findings_.report(Problem::kXattrPrefix, place(set), key.type);
    sums.list_bytes += key.name.size() + 1;
    return;
  }
  const std::string name = key.full_name();
  sums.list_bytes += name.size() + 1;
  if (key.name.empty()) findings_.report(Problem::kXattrNameEmpty, place(set), 0, 0, name);
  if (name.size() > kMaxXattrName) {
    findings_.report(Problem::kXattrNameLong, place(set), name.size(), kMaxXattrName);
  }
  if (key.name.find('\0') != std::string_view::npos) {
    findings_.report(Problem::kXattrNameNul, place(set));
  }
  if ((key.type & 0xff) == static_cast<uint16_t>(XattrPrefix::kUser)) sums.has_user_keys = true;
  sums.names.push_back(name);
}

Result<XattrSetReader::Step> XattrSetReader::read_value(uint64_t set, bool out_of_line,
                                                        Sums& sums) {
  SQFS_TRY(const Bytes view, cursor_.peek(kValueFixedSize + kReferenceSize));
  const uint64_t at = cursor_.position().packed();
  ByteReader in(view);
  const auto size = in.u32();
  if (!size) {
    if (!cursor_.hit_bad_block()) findings_.report(size.error(), place(set));
    return Step::kStop;
  }
  if (out_of_line) {
    if (*size != kReferenceSize) {
      findings_.report(Problem::kXattrRefSize, place(set), *size, kReferenceSize);
      return Step::kStop;
    }
    if (const auto target = in.u64()) {
      SQFS_CHECKED(budget_.append(references_, Reference{*target, set}));
      SQFS_CHECKED(budget_.append(references_at_, at));
    }
  } else if (*size > kMaxXattrValue) {
    findings_.report(Problem::kXattrValueLarge, place(set), *size, kMaxXattrValue);
    return Step::kStop;
  } else {
    sums.value_bytes += *size;
    SQFS_CHECKED(budget_.append(inline_values_, at));
  }
  const uint64_t wanted = kValueFixedSize + *size;
  SQFS_TRY(const uint64_t moved, skip(wanted, sums));
  if (moved == wanted) return Step::kNext;
  if (!cursor_.hit_bad_block()) {
    findings_.report(
        Problem::kTruncated, place(set), 0, 0,
        std::to_string(wanted) + " bytes of a value wanted, " + std::to_string(moved) + " left");
  }
  return Step::kStop;
}

Status XattrSetReader::check_sums(uint64_t set, const XattrIdEntry& entry, Sums& sums) {
  std::sort(sums.names.begin(), sums.names.end());
  const auto twice = std::adjacent_find(sums.names.begin(), sums.names.end());
  if (twice != sums.names.end()) {
    findings_.report(Problem::kXattrDuplicate, place(set), 0, 0, *twice);
  }
  if (sums.bytes == entry.byte_count) return ok();
  return budget_.append(odd_sizes_, OddSize{set, entry.byte_count, sums.bytes,
                                            sums.list_bytes + sums.value_bytes, place(set)});
}

Status XattrSetReader::add_range(std::vector<std::pair<uint64_t, uint64_t>>& ranges,
                                 StreamPosition from) {
  SQFS_TRY([[maybe_unused]] const Bytes settled, cursor_.peek(1));
  return budget_.append(ranges, std::pair(from.packed(), cursor_.position().packed()));
}

// --- when all sets are known ---------------------------------------------------------------------

Status XattrSetReader::finish() {
  std::sort(inline_values_.begin(), inline_values_.end());
  std::sort(references_at_.begin(), references_at_.end());
  std::sort(ranges_.begin(), ranges_.end());
  for (const Reference& reference : references_) {
    SQFS_TRY(const uint64_t size, check_reference(reference));
    const auto odd =
        std::lower_bound(odd_sizes_.begin(), odd_sizes_.end(), reference.set,
                         [](const OddSize& entry, uint64_t set) { return entry.set < set; });
    if (odd != odd_sizes_.end() && odd->set == reference.set) odd->in_full += size;
  }
  check_odd_sizes();
  if (!all_read_ || !pairs_.is_complete()) return ok();
  return report_unused();
}

void XattrSetReader::check_odd_sizes() {
  for (const OddSize& odd : odd_sizes_) {
    if (odd.stated == odd.in_full) continue;
    findings_.report(Problem::kXattrSetSize, odd.place, odd.stated, odd.stored);
  }
}

// Returns the size of the value; 0 when there is none, which is reported.
Result<uint64_t> XattrSetReader::check_reference(const Reference& reference) {
  const MetadataRef ref = MetadataRef::unpack(reference.target);
  SQFS_TRY(const bool found, cursor_.seek_ref(ref));
  if (cursor_.hit_bad_block()) return uint64_t{0};
  SQFS_TRY(const Bytes view, found ? cursor_.peek(kValueFixedSize) : Result<Bytes>(Bytes()));
  const StreamPosition from = cursor_.position();
  const auto size = ByteReader(view).u32();
  if (!size) {
    findings_.report(Problem::kXattrRef, place(reference.set), reference.target);
    return uint64_t{0};
  }
  const uint64_t at = from.packed();
  if (std::binary_search(inline_values_.begin(), inline_values_.end(), at)) return uint64_t{*size};
  if (std::binary_search(references_at_.begin(), references_at_.end(), at)) {
    findings_.report(Problem::kXattrRefToRef, place(reference.set), reference.target);
    return uint64_t{0};
  }
  SQFS_CHECKED(add_stray_value(reference, from, *size));
  return uint64_t{*size};
}

// A value that stands alone, between the sets: it must not share bytes with one.
Status XattrSetReader::add_stray_value(const Reference& reference, StreamPosition from,
                                       uint64_t size) {
  const uint64_t wanted = kValueFixedSize + size;
  SQFS_TRY(const uint64_t moved, cursor_.skip(size <= kMaxXattrValue ? wanted : 0));
  SQFS_TRY([[maybe_unused]] const Bytes settled, cursor_.peek(1));
  const auto next =
      std::upper_bound(ranges_.begin(), ranges_.end(), std::pair(from.packed(), ~uint64_t{0}));
  const bool in_front_of_next = next == ranges_.end() || cursor_.position().packed() <= next->first;
  const bool behind_last = next == ranges_.begin() || std::prev(next)->second <= from.packed();
  if (moved == wanted && in_front_of_next && behind_last) return add_range(stray_values_, from);
  findings_.report(Problem::kXattrRef, place(reference.set), reference.target);
  return ok();
}

Status XattrSetReader::report_unused() {
  ranges_.insert(ranges_.end(), stray_values_.begin(), stray_values_.end());
  std::sort(ranges_.begin(), ranges_.end());
  uint64_t covered = 0;
  const auto report = [&] {
    const StreamPosition at = StreamPosition::unpack(covered);
    findings_.report(Problem::kXattrBytesUnused, pairs_.place(at.block), at.offset);
  };
  for (const auto& [from, to] : ranges_) {
    if (from > covered) report();
    covered = std::max(covered, to);
  }
  cursor_.seek(StreamPosition::unpack(covered));
  SQFS_TRY(const Bytes rest, cursor_.peek(1));
  if (!rest.empty()) report();
  return ok();
}

}  // namespace sqfs
