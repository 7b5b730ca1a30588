// SPDX-License-Identifier: MIT
#include "verifier/findings.h"

#include <cassert>
#include <utility>

namespace sqfs {

// Counts one occurrence; true while it is among those to be reported.
bool Findings::count_in(Problem problem) {
  ++severity_counts_[static_cast<size_t>(info(problem).severity)];
  return ++counts_[problem] <= max_per_problem_;
}

void Findings::report(Problem problem, const Place& place, uint64_t found, uint64_t expected,
                      std::string_view detail) {
  if (!count_in(problem)) return;
  Finding finding;
  finding.problem = problem;
  finding.found = found;
  finding.expected = expected;
  finding.detail = detail;
  finding.message = format_message(problem, found, expected, detail);
  add(std::move(finding), place);
}

void Findings::report(const Error& error, const Place& place) {
  assert(error.problem != 0);
  if (!count_in(problem_of(error))) return;
  Finding finding;
  finding.problem = problem_of(error);
  finding.message = error.what;
  add(std::move(finding), place);
}

void Findings::add(Finding finding, const Place& place) {
  finding.where = place.where;
  finding.image_offset = place.image_offset;
  if (!place.label.empty()) finding.message.insert(0, place.label + ": ");
  Held held{std::move(finding), place.record, place.entry};
  if (released_) {
    hand_on(std::move(held));
  } else {
    held_.push_back(std::move(held));
  }
}

void Findings::hand_on(Held held) {
  if (held.record != kNoRecord && owner_of_) {
    Owner owner = owner_of_(held.record);
    held.finding.inode_number = owner.number;
    held.finding.path = std::move(owner.path);
    if (!held.entry.empty() && !held.finding.path.empty()) {
      if (held.finding.path != "/") held.finding.path += '/';
      held.finding.path += held.entry;
    }
  }
  sink_.report(held.finding);
}

void Findings::release(OwnerSource owner_of) {
  owner_of_ = std::move(owner_of);
  released_ = true;
  for (Held& held : held_) hand_on(std::move(held));
  held_.clear();
}

uint64_t Findings::count(Problem problem) const {
  const auto it = counts_.find(problem);
  return it == counts_.end() ? 0 : it->second;
}

void Findings::summarize(Verdict& verdict) const {
  verdict.notes = severity_counts_[static_cast<size_t>(Severity::kNote)];
  verdict.warnings = severity_counts_[static_cast<size_t>(Severity::kWarning)];
  verdict.errors = severity_counts_[static_cast<size_t>(Severity::kError)];
  verdict.fatal = severity_counts_[static_cast<size_t>(Severity::kFatal)];
  verdict.stopped = has_fatal();
  for (const auto& [problem, count] : counts_) {
    if (count > max_per_problem_) verdict.unreported.push_back({problem, count - max_per_problem_});
  }
}

}  // namespace sqfs
