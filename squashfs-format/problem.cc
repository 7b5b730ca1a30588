// SPDX-License-Identifier: MIT
#include "squashfs-format/problem.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cctype>
#include <cstdio>

namespace sqfs {
namespace {

constexpr auto kCatalogue = std::to_array<ProblemInfo>({
#define SQFS_PROBLEM(id, number, severity, kernel, message, effect) \
  {                                                                 \
      Problem::id,                                                  \
      std::string_view(#id).substr(1),                              \
      Severity::severity,                                           \
      KernelVerdict::kernel,                                        \
      message,                                                      \
      effect},
#include "squashfs-format/problems.def"
#undef SQFS_PROBLEM
});

constexpr bool is_sorted_by_number() {
  for (size_t i = 1; i < kCatalogue.size(); ++i) {
    if (kCatalogue[i - 1].id >= kCatalogue[i].id) return false;
  }
  return true;
}
static_assert(is_sorted_by_number(),
              "problems.def is in the order of its numbers, without repeats");

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

std::span<const ProblemInfo> problem_catalogue() { return kCatalogue; }

const ProblemInfo& info(Problem problem) {
  const auto it =
      std::lower_bound(kCatalogue.begin(), kCatalogue.end(), problem,
                       [](const ProblemInfo& row, Problem wanted) { return row.id < wanted; });
  assert(it != kCatalogue.end() && it->id == problem);
  return *it;
}

std::string kebab_name(Problem problem) {
  std::string out;
  for (const char c : info(problem).name) {
    const bool upper = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (upper && !out.empty()) out += '-';
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

std::string format_message(Problem problem, uint64_t found, uint64_t expected,
                           std::string_view detail) {
  const std::string_view text = info(problem).message;
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t close = text[i] == '{' ? text.find('}', i) : std::string_view::npos;
    if (close == std::string_view::npos) {
      out += text[i++];
      continue;
    }
    const std::string_view field = text.substr(i + 1, close - i - 1);
    if (field == "found") out += std::to_string(found);
    if (field == "expected") out += std::to_string(expected);
    if (field == "found:x") out += hex(found);
    if (field == "expected:x") out += hex(expected);
    if (field == "detail") out += detail;
    i = close + 1;
  }
  return out;
}

Error corrupt(Problem problem, uint64_t offset, uint64_t found, uint64_t expected,
              std::string_view detail) {
  return Error{Code::kCorrupt, static_cast<uint16_t>(problem), offset, 0,
               format_message(problem, found, expected, detail)};
}

}  // namespace sqfs
