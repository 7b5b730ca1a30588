// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sqfs {

// A change of permission bits as chmod(1) writes it: octal ("755"), or symbolic clauses
// ("u=rwx,go-w,a+X"). Without a who-letter a clause means 0777; the umask plays no part.
class ModeChange {
 public:
  // Code::kUsage with a sentence that says what was expected where.
  static Result<ModeChange> parse(std::string_view text);
  static ModeChange fixed(uint16_t mode);  // sets exactly these bits

  // The bits (07777) that a file with `mode` gets.
  uint16_t apply(uint16_t mode, bool is_directory) const;

 private:
  struct Clause {
    uint16_t who = 0777;         // the bits the clause may touch
    char operation = '=';        // + - =
    uint16_t bits = 0;           // of r w x s t, for all three classes
    bool conditional_x = false;  // X
    char copy_from = 0;          // u g o: copy that class's bits
  };
  // Parses one comma-separated part from `at` on: who-letters, then any number of changes.
  Status parse_clauses(std::string_view text, size_t& at);

  std::vector<Clause> clauses_;
};

}  // namespace sqfs
