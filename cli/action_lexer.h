// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// The words of an action: "name(a*)&&!type(d)" is name ( a* ) && ! type ( d ). Blanks separate
// words and mean nothing else; "..." takes everything literally but \, and \ takes the next
// character literally anywhere.
namespace sqfs {

struct ActionToken {
  enum class Kind : uint8_t { kText, kOpen, kClose, kAnd, kOr, kNot, kComma, kAt, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;        // of kText, without its quotes
  size_t offset = 0;       // where it begins
  bool is_quoted = false;  // it begins with a quote
};

// All tokens, the last one kEnd. Code::kUnsupported with the offset of what is wrong: an open quote
// or a \ at the end.
Result<std::vector<ActionToken>> action_tokens(std::string_view text);

// For a message: "end", or the token in quotes.
std::string describe(const ActionToken& token);

}  // namespace sqfs
