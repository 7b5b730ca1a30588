// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "squashfs-format/directory.h"
#include "verifier/directory_index.h"
#include "verifier/facts.h"

namespace sqfs {

// An entry that leads to a directory which another entry has led to before.
struct ExtraLink {
  uint32_t directory = 0, parent = 0;  // records
  uint64_t entry = 0;                  // StreamPosition::packed(), as InodeFact::entry
};

// Reads directory listings and judges each entry against the inodes; counts links, sets parents.
class ListingReader {
 public:
  ListingReader(Facts& facts, Findings& findings)
      : facts_(facts), findings_(findings), cursor_(*facts.directory_table, findings) {}

  // Reads the listing at `start` that `dirs` share (indices in Facts::directories; one as a rule).
  // It must end at or before `stop`, where another listing starts. Returns where it ended; nullopt
  // when it could not be read to its end, which is reported.
  Result<std::optional<StreamPosition>> read(std::span<const uint32_t> dirs, StreamPosition start,
                                             StreamPosition stop);

  const std::vector<ExtraLink>& extra_links() const { return extra_links_; }
  // Whether a listing ran into the end of the table.
  bool ran_out() const { return ran_out_; }

 private:
  enum class Step { kNext, kStop };

  const DirFact& dir() const { return facts_.directories[dirs_[0]]; }
  Place place(std::string_view name = {}) const;
  void begin(std::span<const uint32_t> dirs, StreamPosition start, StreamPosition stop);
  Status finish(std::vector<DirectoryIndexCheck>& indexes);
  Result<Step> read_run(std::vector<DirectoryIndexCheck>& indexes);
  Result<Step> read_entry(const DirRunHeader& run);
  Step stop_at(Problem problem);
  Step stop_after(const Error& error);
  void check_name(std::string_view name);
  void check_entry(const DirRunHeader& run, const DirEntry& entry, uint64_t entry_at);
  void link(uint32_t record, uint64_t entry_at);
  void link_directory(uint32_t record, uint64_t entry_at);
  uint32_t recorded_parent(uint32_t record) const;

  Facts& facts_;
  Findings& findings_;
  MetadataCursor cursor_;
  std::vector<ExtraLink> extra_links_;
  bool ran_out_ = false;

  // Of the listing being read.
  std::span<const uint32_t> dirs_;
  StreamPosition stop_;
  uint32_t done_ = 0;  // bytes
  uint32_t entries_ = 0, subdirectories_ = 0;
  std::string last_name_;
};

}  // namespace sqfs
