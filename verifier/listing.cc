// SPDX-License-Identifier: MIT
#include "verifier/listing.h"

#include <algorithm>

namespace sqfs {
namespace {

// More than these are counted, but not followed up.
constexpr size_t kMaxExtraLinks = 64;
// Of directories that share a listing; sharing is reported in any case.
constexpr size_t kMaxIndexesOfOneListing = 64;

}  // namespace

Place ListingReader::place(std::string_view name) const {
  return {Where::kDirectory, cursor_.place().image_offset, dir().record, {}, std::string(name)};
}

void ListingReader::begin(std::span<const uint32_t> dirs, StreamPosition start,
                          StreamPosition stop) {
  dirs_ = dirs;
  stop_ = stop;
  done_ = entries_ = subdirectories_ = 0;
  last_name_.clear();
  cursor_.seek(start);
}

Result<std::optional<StreamPosition>> ListingReader::read(std::span<const uint32_t> dirs,
                                                          StreamPosition start,
                                                          StreamPosition stop) {
  begin(dirs, start, stop);
  std::vector<DirectoryIndexCheck> indexes;
  for (const uint32_t index : dirs) {
    const DirFact& fact = facts_.directories[index];
    if (fact.index_count == 0 || indexes.size() == kMaxIndexesOfOneListing) continue;
    indexes.emplace_back(facts_, fact, findings_);
  }
  bool complete = true;
  while (complete && done_ < dir().listing_size()) {
    SQFS_TRY(const Step step, read_run(indexes));
    complete = step == Step::kNext;
  }
  for (const uint32_t index : dirs) {
    facts_.directories[index].entries = entries_;
    facts_.directories[index].subdirectories = subdirectories_;
  }
  if (!complete) return std::optional<StreamPosition>();
  SQFS_CHECKED(finish(indexes));
  return std::optional(cursor_.position());
}

Status ListingReader::finish(std::vector<DirectoryIndexCheck>& indexes) {
  if (done_ != dir().listing_size()) {
    findings_.report(Problem::kDirSize, place(), dir().listing_size(), done_);
  }
  for (DirectoryIndexCheck& index : indexes) SQFS_CHECKED(index.at_end());
  SQFS_TRY([[maybe_unused]] const Bytes settled, cursor_.peek(1));
  return ok();
}

ListingReader::Step ListingReader::stop_at(Problem problem) {
  findings_.report(problem, place(), done_, dir().listing_size());
  return Step::kStop;
}

// An entry or header that cannot be decoded: because of a bad block (reported), because the table
// ends, or because of what stands there.
ListingReader::Step ListingReader::stop_after(const Error& error) {
  if (cursor_.hit_bad_block()) return Step::kStop;
  if (problem_of(error) != Problem::kTruncated) {
    findings_.report(error, place());
    return Step::kStop;
  }
  ran_out_ = true;
  // When the chain of blocks broke, that is what gets reported.
  return facts_.directory_table->is_complete() ? stop_at(Problem::kDirListingTruncated)
                                               : Step::kStop;
}

Result<ListingReader::Step> ListingReader::read_run(std::vector<DirectoryIndexCheck>& indexes) {
  SQFS_TRY(const Bytes view, cursor_.peek(kDirRunHeaderSize));
  if (!view.empty() && cursor_.position() >= stop_) return stop_at(Problem::kDirListingOverlap);
  const MetadataRef header_at = cursor_.ref();
  ByteReader in(view);
  const auto run = decode_dir_run_header(in);
  if (!run) return stop_after(run.error());
  const uint32_t listing_offset = done_;
  SQFS_TRY([[maybe_unused]] const uint64_t moved, cursor_.skip(kDirRunHeaderSize));
  done_ += kDirRunHeaderSize;
  for (uint32_t i = 0; i < run->count; ++i) {
    SQFS_TRY(const Step step, read_entry(*run));
    if (step == Step::kStop) return step;
    if (i > 0) continue;
    for (DirectoryIndexCheck& index : indexes) {
      SQFS_CHECKED(index.at_run(listing_offset, header_at, last_name_));
    }
  }
  return Step::kNext;
}

Result<ListingReader::Step> ListingReader::read_entry(const DirRunHeader& run) {
  SQFS_TRY(const Bytes view, cursor_.peek(kDirEntryFixedSize + kMaxNameLengthKernel));
  if (!view.empty() && cursor_.position() >= stop_) return stop_at(Problem::kDirListingOverlap);
  ByteReader in(view);
  const auto entry = decode_dir_entry(in);
  if (!entry) return stop_after(entry.error());
  check_name(entry->name);
  check_entry(run, *entry, cursor_.position().packed());
  last_name_ = entry->name;
  done_ += static_cast<uint32_t>(in.offset());
  SQFS_TRY([[maybe_unused]] const uint64_t moved, cursor_.skip(in.offset()));
  return Step::kNext;
}

void ListingReader::check_name(std::string_view name) {
  if (name.size() > kMaxNameLength) {
    findings_.report(Problem::kDirNameLong, place(name), name.size(), kMaxNameLength);
  }
  if (name == "." || name == "..") findings_.report(Problem::kDirNameDot, place(name));
  if (name.find('/') != std::string_view::npos) {
    findings_.report(Problem::kDirNameSlash, place(name));
  }
  if (name.find('\0') != std::string_view::npos) {
    findings_.report(Problem::kDirNameNul, place(name));
  }
  if (last_name_.empty()) return;
  const int order = name.compare(last_name_);  // of unsigned bytes, as strcmp
  if (order == 0) findings_.report(Problem::kDirNameDuplicate, place(name));
  if (order < 0) findings_.report(Problem::kDirUnsorted, place(name));
}

void ListingReader::check_entry(const DirRunHeader& run, const DirEntry& entry, uint64_t entry_at) {
  ++entries_;
  const bool is_known_type = entry.type >= 1 && entry.type <= 7;
  if (!is_known_type) findings_.report(Problem::kDirEntryType, place(entry.name), entry.type);
  const uint64_t ref = MetadataRef{run.inode_block, entry.inode_offset}.packed();
  const uint32_t record = facts_.find_inode(ref);
  if (record == kNoRecord) {
    if (!facts_.is_unjudged(ref)) {
      findings_.report(Problem::kDirEntryRef, place(entry.name), ref);
    } else if (entry.type == static_cast<uint16_t>(InodeType::kDir)) {
      ++subdirectories_;
    }
    return;
  }
  const InodeFact& inode = facts_.inodes[record];
  const uint32_t number = run.number_base + static_cast<uint32_t>(int32_t{entry.number_delta});
  if (number != inode.number) {
    findings_.report(Problem::kDirEntryNumber, place(entry.name), number, inode.number);
  }
  if (is_known_type && !inode.is_broken() && entry.type != inode.type) {
    findings_.report(Problem::kDirEntryTypeMismatch, place(entry.name), entry.type, inode.type);
  }
  link(record, entry_at);
}

void ListingReader::link(uint32_t record, uint64_t entry_at) {
  InodeFact& inode = facts_.inodes[record];
  inode.links += static_cast<uint32_t>(dirs_.size());
  if (inode.is(InodeType::kDir)) {
    ++subdirectories_;
    link_directory(record, entry_at);
  } else if (inode.parent == kNoRecord) {
    inode.parent = dir().record;
    inode.entry = entry_at;
  }
}

// A directory has one entry. Of several, the one that the inode's parent field agrees with counts
// as the right one, whatever the order in which they are met.
void ListingReader::link_directory(uint32_t record, uint64_t entry_at) {
  InodeFact& inode = facts_.inodes[record];
  ExtraLink extra{record, dir().record, entry_at};
  if (record != facts_.root && inode.parent == kNoRecord) {
    inode.parent = dir().record;
    inode.entry = entry_at;
    if (dirs_.size() == 1) return;
  } else if (record != facts_.root && inode.parent != dir().record &&
             recorded_parent(record) == facts_.inodes[dir().record].number) {
    std::swap(extra.parent, inode.parent);
    std::swap(extra.entry, inode.entry);
  }
  if (extra_links_.size() < kMaxExtraLinks) {
    extra_links_.push_back(extra);
  } else {
    findings_.report(Problem::kDirReachedTwice, place());
  }
}

uint32_t ListingReader::recorded_parent(uint32_t record) const {
  const auto& all = facts_.directories;
  const auto it =
      std::lower_bound(all.begin(), all.end(), record,
                       [](const DirFact& fact, uint32_t wanted) { return fact.record < wanted; });
  return it != all.end() && it->record == record ? it->parent_number : 0;
}

}  // namespace sqfs
