// SPDX-License-Identifier: MIT
#include <algorithm>
#include <span>
#include <tuple>

#include "verifier/facts.h"
#include "verifier/listing.h"
#include "verifier/paths.h"

namespace sqfs {
namespace {

void find_root(Facts& facts, Findings& findings) {
  const Place super{Where::kSuperblock};
  const MetadataRef stored = MetadataRef::unpack(facts.super.root_inode);
  const uint64_t ref = MetadataRef{stored.block & 0xffffffff, stored.offset}.packed();
  const uint32_t record = facts.find_inode(ref);
  if (record == kNoRecord) {
    if (!facts.is_unjudged(ref)) findings.report(Problem::kRootRef, super, ref);
    return;
  }
  const InodeFact& inode = facts.inodes[record];
  if (!inode.is_broken() && !inode.is(InodeType::kDir)) {
    findings.report(Problem::kRootNotDirectory, super, inode.type);
    return;
  }
  facts.root = record;
}

// Where the directory table ends stands nowhere. As a rule it reaches to the next table; but file
// data may follow it, and then it ends before that. Leaves the table, and returns up to where it
// was looked for.
Result<uint64_t> open_directory_table(const Context& context, Facts& facts) {
  const uint64_t start = facts.super.directory_table_start;
  uint64_t limit = facts.directory_limit;
  SQFS_TRY(MetadataChain chain,
           MetadataChain::walk(facts.chain_tools(context), Region::kDirectoryTable, start,
                               facts.directory_limit, ~uint64_t{0}, nullptr));
  const uint64_t data = facts.regions.first_data_from(start);
  if (!chain.is_complete() && data < limit) {
    limit = data;
    SQFS_TRY(MetadataChain shorter,
             MetadataChain::walk(facts.chain_tools(context), Region::kDirectoryTable, start, limit,
                                 ~uint64_t{0}, nullptr));
    facts.directory_table.emplace(std::move(shorter));
  } else {
    facts.directory_table.emplace(std::move(chain));
  }
  facts.regions.claim(Region::kDirectoryTable, start, facts.directory_table->end());
  return limit;
}

// Reads all listings in the order in which they stand in the table. So each byte is read once
// however the listings overlap, and what lies between two of them is seen.
class DirectoryTable {
 public:
  DirectoryTable(Facts& facts, Findings& findings)
      : facts_(facts),
        findings_(findings),
        seeker_(*facts.directory_table, findings),
        reader_(facts, findings) {}

  Status run() {
    sort();
    SQFS_TRY(Group group, next_group());
    while (!group.dirs.empty()) {
      SQFS_TRY(Group following, next_group());
      while (!following.dirs.empty() && following.start == group.start) {
        report_overlap(following.dirs);
        SQFS_TRY(following, next_group());
      }
      SQFS_CHECKED(read(group, following.start));
      group = following;
    }
    if (facts_.directory_limit_is_exact) SQFS_CHECKED(find_unused(covered_, end_of_table()));
    report_unused();
    return ok();
  }

  const ListingReader& reader() const { return reader_; }
  // Whether blocks were missing that a directory needs.
  bool needs_more_blocks() const {
    return !facts_.directory_table->is_complete() && (start_is_missing_ || reader_.ran_out());
  }

 private:
  struct Group {
    std::span<const uint32_t> dirs;  // whose listing starts here, the shortest first
    StreamPosition start;
  };

  struct Unused {
    StreamPosition start;
    uint64_t bytes = 0;
  };

  StreamPosition end_of_table() const { return {facts_.directory_table->block_count(), 0}; }

  void sort() {
    const auto& all = facts_.directories;
    for (uint32_t i = 0; i < all.size(); ++i) {
      if (all[i].has_listing()) order_.push_back(i);
      check_size(all[i], place_of(i));
    }
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
      return std::tuple(all[a].start_block, all[a].offset, all[a].file_size, a) <
             std::tuple(all[b].start_block, all[b].offset, all[b].file_size, b);
    });
  }

  void check_size(const DirFact& dir, const Place& at) {
    if (dir.file_size < kDirSizeBias) {
      findings_.report(Problem::kDirSizeSmall, at, dir.file_size, kDirSizeBias);
    }
    if (dir.has_listing() && dir.listing_size() > kMaxDirListing) {
      findings_.report(Problem::kDirSizeLarge, at, dir.file_size,
                       uint64_t{kMaxDirListing} + kDirSizeBias);
    }
    if (!dir.has_listing() && dir.index_count > 0) {
      findings_.report(Problem::kDirIndexOffset, at, 0, 0);
    }
    if (dir.index_count == 0 && !facts_.inodes[dir.record].is_broken() && dir.has_listing() &&
        dir.listing_size() > kMetadataBlockSize) {
      findings_.report(Problem::kDirIndexMissing, at, dir.listing_size());
    }
  }

  uint64_t position_of(const DirFact& dir) const {
    return facts_.super.directory_table_start + dir.start_block;
  }

  // The next directories, in order, whose listing starts at a block and offset that exist. `dirs`
  // is empty when there are none.
  Result<Group> next_group() {
    while (next_ < order_.size()) {
      const size_t first = next_;
      const DirFact& dir = facts_.directories[order_[first]];
      while (next_ < order_.size() && same_start(facts_.directories[order_[next_]], dir)) ++next_;
      SQFS_TRY(const bool found, seeker_.seek_ref({dir.start_block, dir.offset}));
      if (found) {
        SQFS_TRY([[maybe_unused]] const Bytes settled, seeker_.peek(1));
        const Group group{std::span(order_).subspan(first, next_ - first), seeker_.position()};
        return group;
      }
      facts_.all_listings_read = false;
      if (!seeker_.hit_bad_block()) report_start(first);
    }
    return Group{{}, end_of_table()};
  }

  static bool same_start(const DirFact& a, const DirFact& b) {
    return a.start_block == b.start_block && a.offset == b.offset;
  }

  void report_start(size_t first) {
    start_is_missing_ = true;
    if (!facts_.directory_table->is_complete()) return;  // that is what is wrong
    for (size_t i = first; i < next_; ++i) {
      const DirFact& dir = facts_.directories[order_[i]];
      findings_.report(Problem::kDirListingStart, place_of(order_[i]), dir.offset, dir.start_block);
    }
  }

  Place place_of(uint32_t index) const {
    const DirFact& dir = facts_.directories[index];
    return {Where::kDirectory, position_of(dir), dir.record, {}, {}};
  }

  // Listings that start where another starts, but do not end where it ends.
  void report_overlap(std::span<const uint32_t> dirs) {
    for (const uint32_t index : dirs) {
      facts_.all_listings_read = false;
      findings_.report(Problem::kDirListingOverlap, place_of(index), 0,
                       facts_.directories[index].listing_size());
    }
  }

  // Reads what the shortest have in common; a longer one would run into what follows.
  Status read(const Group& group, StreamPosition stop) {
    SQFS_CHECKED(find_unused(covered_, group.start));
    size_t sharing = 1;
    const uint32_t size = facts_.directories[group.dirs[0]].file_size;
    while (sharing < group.dirs.size() &&
           facts_.directories[group.dirs[sharing]].file_size == size) {
      ++sharing;
    }
    report_overlap(group.dirs.subspan(sharing));
    const auto dirs = group.dirs.first(sharing);
    SQFS_TRY(const auto end, reader_.read(dirs, group.start, stop));
    for (const uint32_t index : dirs) {
      if (sharing > 1) findings_.report(Problem::kDirListingShared, place_of(index), sharing);
    }
    if (!end) facts_.all_listings_read = false;
    covered_ = std::max(covered_, end.value_or(stop));
    return ok();
  }

  // Counts the bytes between two listings, which also decompresses blocks that no listing uses.
  Status find_unused(StreamPosition from, StreamPosition to) {
    uint64_t count = 0;
    for (uint64_t block = from.block; block <= to.block && block < end_of_table().block; ++block) {
      SQFS_TRY(const Bytes view, facts_.directory_table->load(block, findings_));
      const uint64_t first = block == from.block ? from.offset : 0;
      const uint64_t last = block == to.block ? to.offset : view.size();
      count += last - std::min(first, last);
    }
    if (count == 0) return ok();
    return facts_.budget.append(unused_, Unused{from, count});
  }

  // They belong to nobody only when all listings are known.
  void report_unused() {
    if (!facts_.all_inodes_read() || !facts_.all_listings_read) return;
    for (const Unused& unused : unused_) {
      findings_.report(Problem::kDirBytesUnused, facts_.directory_table->place(unused.start.block),
                       unused.bytes, unused.start.offset);
    }
  }

  Facts& facts_;
  Findings& findings_;
  MetadataCursor seeker_;
  ListingReader reader_;
  std::vector<uint32_t> order_;
  size_t next_ = 0;
  StreamPosition covered_;
  std::vector<Unused> unused_;
  bool start_is_missing_ = false;
};

// --- the tree
// --------------------------------------------------------------------------------------

// Marks the directories from which the root is reached by going up; returns those on cycles, one
// for each cycle.
std::vector<uint32_t> mark_reached(Facts& facts) {
  constexpr uint32_t kUnseen = 0;
  std::vector<uint32_t> walk_of(facts.inodes.size(), kUnseen);
  std::vector<uint32_t> cycles, steps;
  if (facts.root != kNoRecord) facts.inodes[facts.root].reached = true;
  uint32_t walk = kUnseen;
  for (const DirFact& dir : facts.directories) {
    ++walk;
    steps.clear();
    uint32_t at = dir.record;
    while (at != kNoRecord && walk_of[at] == kUnseen && !facts.inodes[at].reached) {
      walk_of[at] = walk;
      steps.push_back(at);
      at = facts.inodes[at].parent;
    }
    if (at == kNoRecord) continue;
    if (facts.inodes[at].reached) {
      for (const uint32_t step : steps) facts.inodes[step].reached = true;
    } else if (walk_of[at] == walk) {
      cycles.push_back(at);
    }
  }
  return cycles;
}

bool is_above(const Facts& facts, uint32_t ancestor, uint32_t record) {
  for (size_t steps = 0; record != kNoRecord && steps <= facts.directories.size(); ++steps) {
    if (record == ancestor) return true;
    record = facts.inodes[record].parent;
  }
  return false;
}

void report_extra_links(Facts& facts, const std::vector<ExtraLink>& links, Findings& findings) {
  for (const ExtraLink& link : links) {
    const StreamPosition at = StreamPosition::unpack(link.entry);
    const Place place{Where::kDirectory,
                      facts.directory_table->position(at.block),
                      link.parent,
                      {},
                      entry_name(facts, link.entry, findings)};
    const bool is_cycle = is_above(facts, link.directory, link.parent);
    findings.report(is_cycle ? Problem::kDirCycle : Problem::kDirReachedTwice, place);
  }
}

}  // namespace

Status pass_directories(const Context& context, Facts& facts, Findings& findings) {
  find_root(facts, findings);
  SQFS_TRY(const uint64_t limit, open_directory_table(context, facts));
  DirectoryTable table(facts, findings);
  SQFS_CHECKED(table.run());
  if (table.needs_more_blocks()) {
    const uint64_t end = facts.directory_table->end();
    SQFS_TRY([[maybe_unused]] const MetadataChain again,
             MetadataChain::walk(facts.chain_tools(context), Region::kDirectoryTable, end, limit, 1,
                                 &findings));
  }
  const std::vector<uint32_t> cycles = mark_reached(facts);
  report_extra_links(facts, table.reader().extra_links(), findings);
  for (const uint32_t record : cycles) {
    findings.report(Problem::kDirCycle,
                    {Where::kDirectory, facts.super.directory_table_start, record, {}, {}});
  }
  return ok();
}

}  // namespace sqfs
