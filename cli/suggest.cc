// SPDX-License-Identifier: MIT
#include "cli/suggest.h"

#include <algorithm>

namespace sqfs {
namespace {

constexpr size_t kMaxWord = 64;  // longer words are no mistyped options

// The restricted Damerau-Levenshtein distance, by rows.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (word.size() > kMaxWord) return {};
  size_t best = std::max<size_t>(word.size() / 3, 1) + 1;
  std::string_view found;
  for (const std::string_view candidate : candidates) {
    const size_t difference = distance(word, candidate);
    if (difference >= best) continue;
    best = difference;
    found = candidate;
  }
  return std::string(found);
}

}  // namespace sqfs
