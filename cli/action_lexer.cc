// SPDX-License-Identifier: MIT
#include "cli/action_lexer.h"

#include <optional>
#include <utility>

#include "base/text.h"

namespace sqfs {
namespace {

using Kind = ActionToken::Kind;

constexpr std::pair<std::string_view, Kind> kSigns[] = {
    {"(", Kind::kOpen}, {")", Kind::kClose}, {"&&", Kind::kAnd}, {"||", Kind::kOr},
    {"!", Kind::kNot},  {",", Kind::kComma}, {"@", Kind::kAt},
};

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view sign_at(std::string_view text) {
  for (const auto& [sign, kind] : kSigns) {
    if (text.starts_with(sign)) return sign;
  }
  return {};
}

Error error_at(size_t offset, std::string what) {
  Error error = unsupported_error(std::move(what));
  error.offset = offset;
  return error;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<std::vector<ActionToken>> run() {
    std::vector<ActionToken> tokens;
    for (;;) {
      while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
      ActionToken token;
      token.offset = at_;
      if (at_ < text_.size()) {
        const std::string_view sign = sign_at(text_.substr(at_));
        if (sign.empty()) {
          SQFS_CHECKED(take_text(token));
        } else {
          token.kind = kind_of(sign);
          at_ += sign.size();
        }
      }
      tokens.push_back(std::move(token));
      if (tokens.back().kind == Kind::kEnd) return tokens;
    }
  }

 private:
  static Kind kind_of(std::string_view sign) {
    for (const auto& [known, kind] : kSigns) {
      if (known == sign) return kind;
    }
    return Kind::kEnd;
  }

  Status take_text(ActionToken& token) {
    token.kind = Kind::kText;
    token.is_quoted = text_[at_] == '"';
    std::optional<size_t> quote;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        quote = quote ? std::nullopt : std::optional(at_);
      } else if (c == '\\') {
        if (++at_ == text_.size()) return error_at(at_ - 1, "nothing follows the \\");
        token.text += text_[at_];
      } else if (!quote && (is_blank(c) || !sign_at(text_.substr(at_)).empty())) {
        return ok();
      } else {
        token.text += c;
      }
    }
    if (quote) return error_at(*quote, "the quote is not closed");
    return ok();
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<std::vector<ActionToken>> action_tokens(std::string_view text) { return Lexer(text).run(); }

std::string describe(const ActionToken& token) {
  if (token.kind == Kind::kEnd) return "the end";
  for (const auto& [sign, kind] : kSigns) {
    if (kind == token.kind) return "\"" + std::string(sign) + "\"";
  }
  return "\"" + printable(token.text) + "\"";
}

}  // namespace sqfs
