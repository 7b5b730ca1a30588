// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tests/support/memory_input.h"
#include "verifier/verify.h"

// Runs the verifier on an image in memory and keeps what it finds.
namespace sqfs {

class FindingList final : public FindingSink {
 public:
  void report(const Finding& finding) override { findings.push_back(finding); }
  std::vector<Finding> findings;
};

struct VerifyRun {
  Result<Verdict> verdict;
  std::vector<Finding> findings;
};

inline VerifyRun run_verifier(Bytes image, const VerifyOptions& options = {}) {
  MemoryInput input(image);
  FindingList list;
  Result<Verdict> verdict = verify_image(options, input, list);
  return {std::move(verdict), std::move(list.findings)};
}

// One line per finding: all that a tool can print of it.
inline std::string describe(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& finding : findings) {
    out += kebab_name(finding.problem) + " @" + std::to_string(finding.image_offset) + " inode " +
           std::to_string(finding.inode_number) + " \"" + finding.path + "\": " + finding.message +
           "\n";
  }
  return out;
}

}  // namespace sqfs
