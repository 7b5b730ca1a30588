// SPDX-License-Identifier: MIT
#include "base/extended_regex.h"

#include <array>
#include <utility>

#include <regex.h>

namespace sqfs {

struct ExtendedRegex::Compiled {
  regex_t regex;
};

void ExtendedRegex::Free::operator()(Compiled* compiled) const {
  regfree(&compiled->regex);
  delete compiled;
}

ExtendedRegex::ExtendedRegex(std::unique_ptr<Compiled, Free> compiled)
    : compiled_(std::move(compiled)) {}

Result<ExtendedRegex> ExtendedRegex::compile(const std::string& pattern) {
  auto compiled = std::make_unique<Compiled>();
  const int failure = regcomp(&compiled->regex, pattern.c_str(), REG_EXTENDED | REG_NOSUB);
  if (failure != 0) {
    std::array<char, 256> why{};
    regerror(failure, &compiled->regex, why.data(), why.size());
    return usage_error("invalid regex \"" + pattern + "\": " + why.data());
  }
  return ExtendedRegex(std::unique_ptr<Compiled, Free>(compiled.release()));
}

bool ExtendedRegex::matches(const std::string& text) const {
  return regexec(&compiled_->regex, text.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace sqfs
