// SPDX-License-Identifier: MIT
#include "tests/support/problem_table.h"

#include <array>
#include <cstdio>
#include <string_view>

#include "squashfs-format/problem.h"

namespace sqfs {
namespace {

constexpr std::string_view kIntroduction =
    R"(# Problems

What `fsck.squashfs` can find, made from `squashfs-format/problems.def`. Do not edit: the test
`problems_test` writes it anew when `UPDATE_DOCS=1` is in its environment.

*fatal*: the rest of the image cannot be judged. *error*: the image is wrong. *warning*: a legal
reader copes. *note*: right, but not what a canonical writer emits; shown on request. Fatal problems
and errors make the exit status 4.

*Kernel* is what Linux does: *rejects* the mount; *fails* later, at the place; is *silent*, and
shows something wrong; *accepts* it; *crashes*. In messages, N is what was found and M what was
expected.
)";
constexpr std::array<std::string_view, 8> kSections = {"Blocks and references of any kind",
                                                       "Superblock and compressor options",
                                                       "Tables and metadata blocks",
                                                       "Inodes",
                                                       "Directories",
                                                       "Links",
                                                       "Data",
                                                       "Space"};
constexpr std::array<std::string_view, 4> kSeverities = {"note", "warning", "error", "fatal"};
constexpr std::array<std::string_view, 5> kVerdicts = {"accepts", "silent", "fails", "rejects",
                                                       "crashes"};

// A message with its fields as letters; "|" would end a cell.
std::string cell(std::string_view message) {
  std::string out;
  for (size_t i = 0; i < message.size(); ++i) {
    if (message[i] == '{') {
      out += message[i + 1] == 'd' ? "…" : message[i + 1] == 'f' ? "N" : "M";
      i = message.find('}', i);
    } else {
      out += message[i];
    }
  }
  return out;
}

}  // namespace

std::string render_problem_table() {
  std::string out(kIntroduction);
  int section = -1;
  for (const ProblemInfo& row : problem_catalogue()) {
    const auto number = static_cast<unsigned>(row.id);
    if (section != static_cast<int>(number >> 8)) {
      section = static_cast<int>(number >> 8);
      out += "\n## " + std::string(kSections[number >> 8]) + "\n\n";
      out +=
          "| number | name | severity | kernel | message | effect |\n|---|---|---|---|---|---|\n";
    }
    char text[16];
    std::snprintf(text, sizeof text, "%04x", number);
    out += "| " + std::string(text) + " | " + kebab_name(row.id) + " | " +
           std::string(kSeverities[static_cast<size_t>(row.severity)]) + " | " +
           std::string(kVerdicts[static_cast<size_t>(row.kernel)]) + " | " + cell(row.message) +
           " | " + std::string(row.effect) + " |\n";
  }
  return out;
}

}  // namespace sqfs
