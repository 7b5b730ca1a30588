// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "squashfs-format/problem.h"
#include "verifier/verify.h"

namespace sqfs {

inline constexpr uint32_t kNoRecord = ~uint32_t{0};

// Where a problem is, as the passes know it. An inode is named by its record in Facts::inodes; its
// number and path are looked up when the finding is handed on.
struct Place {
  Where where = Where::kImage;
  uint64_t image_offset = 0;
  uint32_t record = kNoRecord;
  std::string label = {};  // "inode table", "fragment 3": goes in front of the message
  std::string entry = {};  // a name in the directory `record`
};

// Collects what the passes find: counts everything, keeps the first few of each problem, and hands
// them to the sink. Until release() they are held back, because no path is known before the
// directories have been read.
class Findings {
 public:
  struct Owner {
    uint32_t number = 0;
    std::string path;
  };
  using OwnerSource = std::function<Owner(uint32_t record)>;

  Findings(FindingSink& sink, uint32_t max_per_problem)
      : sink_(sink), max_per_problem_(max_per_problem) {}

  void report(Problem problem, const Place& place, uint64_t found = 0, uint64_t expected = 0,
              std::string_view detail = {});
  // What a decoder returned: error.problem must be set.
  void report(const Error& error, const Place& place);

  // Hands on what was held back and, from now on, each finding at once. `owner_of` may be empty.
  void release(OwnerSource owner_of);

  uint64_t count(Problem problem) const;
  bool has_fatal() const { return severity_counts_[static_cast<size_t>(Severity::kFatal)] > 0; }
  // Writes the counts into `verdict`.
  void summarize(Verdict& verdict) const;

 private:
  struct Held {
    Finding finding;
    uint32_t record;
    std::string entry;
  };

  bool count_in(Problem problem);
  void add(Finding finding, const Place& place);
  void hand_on(Held held);

  FindingSink& sink_;
  uint32_t max_per_problem_;
  std::map<Problem, uint64_t> counts_;
  uint64_t severity_counts_[4] = {};
  bool released_ = false;
  OwnerSource owner_of_;
  std::vector<Held> held_;
};

}  // namespace sqfs
