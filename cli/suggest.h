// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

// "Did you mean": finds what a mistyped word was probably meant to be.
namespace sqfs {

// The candidate nearest to `word` by insertions, deletions, replacements and swaps of neighbours;
// the first of equals. Empty when none is near: more than a third of the word would have to change.
std::string nearest_word(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace sqfs
