// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace sqfs {

// A POSIX extended regular expression, as grep -E takes it. Unanchored.
class ExtendedRegex {
 public:
  // Code::kUsage when `pattern` is none; the sentence names it and says why.
  static Result<ExtendedRegex> compile(const std::string& pattern);

  bool matches(const std::string& text) const;

 private:
  struct Compiled;
  struct Free {
    void operator()(Compiled* compiled) const;
  };
  explicit ExtendedRegex(std::unique_ptr<Compiled, Free> compiled);

  std::unique_ptr<Compiled, Free> compiled_;
};

}  // namespace sqfs
