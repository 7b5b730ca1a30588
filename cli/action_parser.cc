// SPDX-License-Identifier: MIT
#include "cli/action_parser.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "cli/action_grammar.h"
#include "cli/action_lexer.h"
#include "cli/suggest.h"

namespace sqfs {
namespace {

using Kind = ActionToken::Kind;

// Evaluation recurses, so an expression must not be of any size.
constexpr size_t kMaxTests = 2000;
constexpr int kMaxNesting = 200;

Error error_at(size_t offset, std::string what) {
  Error error = unsupported_error(std::move(what));
  error.offset = offset;
  return error;
}

std::string count_text(size_t min, size_t max) {
  if (max == 0) return "no arguments";
  if (min == max) return std::to_string(min) + (min == 1 ? " argument" : " arguments");
  if (min == 0) return "one argument or none";
  return "arguments";
}

class Parser {
 public:
  explicit Parser(System& system) : system_(system) {}

  Result<Action> parse(std::string_view text) {
    SQFS_TRY(tokens_, action_tokens(text));
    Action action;
    const ActionToken name = peek();
    if (name.kind != Kind::kText) return unexpected("the name of an action");
    const ActionRow* row = find_action(name.text);
    if (row == nullptr) return unknown("action", name, action_names());
    ++next_;
    action.kind = row->kind;
    std::vector<ActionArgument> arguments;
    if (peek().kind == Kind::kOpen) {
      SQFS_TRY(arguments, take_arguments());
    }
    if (peek().kind != Kind::kAt) return unexpected(arguments.empty() ? "\"(\" or \"@\"" : "\"@\"");
    SQFS_CHECKED(check_count(name, row->min_arguments, row->max_arguments, arguments.size()));
    if (row->take != nullptr) SQFS_CHECKED(row->take(action, arguments, system_));
    action.label = label_of(row->name, arguments);
    is_of_scan_ = is_of_scan(row->kind);
    ++next_;
    return take_whole_expression(std::move(action));
  }

 private:
  Result<Action> take_whole_expression(Action action) {
    SQFS_TRY([[maybe_unused]] const uint32_t root, take_expression(action.expression));
    if (peek().kind != Kind::kEnd) return unexpected("\"&&\", \"||\" or the end");
    return action;
  }

  const ActionToken& peek() const { return tokens_[next_]; }

  Error unexpected(const std::string& expected) const {
    return error_at(peek().offset + base_, "expected " + expected + ", found " + describe(peek()));
  }

  Error unknown(const std::string& what, const ActionToken& name,
                const std::vector<std::string_view>& names) const {
    const std::string nearest = nearest_word(name.text, names);
    return error_at(name.offset + base_,
                    "there is no " + what + " " + describe(name) +
                        (nearest.empty() ? "" : ". Did you mean " + nearest + "?"));
  }

  Status check_count(const ActionToken& name, size_t min, size_t max, size_t count) const {
    if (count >= min && count <= max) return ok();
    return error_at(name.offset + base_, name.text + " takes " + count_text(min, max) + ", not " +
                                             std::to_string(count));
  }

  // From "(" to behind ")".
  Result<std::vector<ActionArgument>> take_arguments() {
    std::vector<ActionArgument> arguments;
    do {
      ++next_;
      SQFS_TRY(ActionArgument argument, take_argument());
      arguments.push_back(std::move(argument));
    } while (peek().kind == Kind::kComma);
    SQFS_CHECKED(take_close());
    return arguments;
  }

  Result<ActionArgument> take_argument() {
    if (peek().kind != Kind::kText) {
      return unexpected("an argument (one with blanks or signs has to be in \"quotes\")");
    }
    const ActionToken& token = tokens_[next_++];
    return ActionArgument{token.text, token.offset + base_};
  }

  Status take_close() {
    if (peek().kind != Kind::kClose) return unexpected("\",\" or \")\"");
    ++next_;
    return ok();
  }

  // --- expressions: each function returns where the result is

  static Result<uint32_t> append(ActionExpression& out, ActionTest test) {
    if (out.size() == kMaxTests) {
      return error_at(0, "the expression has more than " + std::to_string(kMaxTests) + " parts");
    }
    out.push_back(std::move(test));
    return static_cast<uint32_t>(out.size() - 1);
  }

  // Operators have no precedence.
  Result<uint32_t> take_expression(ActionExpression& out) {
    SQFS_TRY(uint32_t left, take_operand(out));
    while (peek().kind == Kind::kAnd || peek().kind == Kind::kOr) {
      ActionTest pair;
      pair.kind = peek().kind == Kind::kAnd ? TestKind::kAnd : TestKind::kOr;
      ++next_;
      pair.left = left;
      SQFS_TRY(pair.right, take_operand(out));
      SQFS_TRY(left, append(out, std::move(pair)));
    }
    return left;
  }

  Result<uint32_t> take_operand(ActionExpression& out) {
    if (nesting_ == kMaxNesting) return error_at(peek().offset + base_, "it is nested too deeply");
    ++nesting_;
    auto result = take_operand_here(out);
    --nesting_;
    return result;
  }

  Result<uint32_t> take_operand_here(ActionExpression& out) {
    if (peek().kind == Kind::kNot) {
      ++next_;
      ActionTest negation;
      negation.kind = TestKind::kNot;
      SQFS_TRY(negation.left, take_operand(out));
      return append(out, std::move(negation));
    }
    if (peek().kind == Kind::kOpen) {
      ++next_;
      SQFS_TRY(const uint32_t inner, take_expression(out));
      if (peek().kind != Kind::kClose) return unexpected("\"&&\", \"||\" or \")\"");
      ++next_;
      return inner;
    }
    if (peek().kind != Kind::kText) return unexpected("a test, \"!\" or \"(\"");
    return take_test(out);
  }

  Result<uint32_t> take_test(ActionExpression& out) {
    const ActionToken name = tokens_[next_++];
    const TestRow* row = find_test(name.text);
    if (row == nullptr) {
      --next_;
      return unknown("test", name, test_names());
    }
    if (is_of_scan_ && !row->is_for_scan) {
      return error_at(name.offset + base_,
                      "the test " + name.text +
                          " cannot be used while the sources are scanned, where exclude and "
                          "dereference do their work; the action prune can use it");
    }
    ActionTest test;
    test.kind = row->kind;
    test.number = row->number;
    if (row->kind == TestKind::kStat || row->kind == TestKind::kReadLink ||
        row->kind == TestKind::kEval) {
      return take_other(out, name, *row, std::move(test));
    }
    std::vector<ActionArgument> arguments;
    if (peek().kind == Kind::kOpen) {
      SQFS_TRY(arguments, take_arguments());
    }
    SQFS_CHECKED(check_count(name, row->min_arguments, row->max_arguments, arguments.size()));
    if (row->take != nullptr) SQFS_CHECKED(row->take(test, arguments, system_));
    for (ActionArgument& argument : arguments) {
      const bool is_path = row->kind == TestKind::kPathname || row->kind == TestKind::kSubpathname;
      if (is_path) argument.text = test.text;
    }
    test.label = label_of(name.text, arguments);
    return append(out, std::move(test));
  }

  // stat(expression), readlink(expression), eval(path,expression).
  Result<uint32_t> take_other(ActionExpression& out, const ActionToken& name, const TestRow& row,
                              ActionTest test) {
    if (peek().kind != Kind::kOpen) {
      return check_count(name, row.min_arguments, row.max_arguments, 0).error();
    }
    ++next_;
    test.label = name.text;
    if (row.kind == TestKind::kEval) {
      SQFS_TRY(ActionArgument path, take_argument());
      if (peek().kind != Kind::kComma) return unexpected("\",\"");
      ++next_;
      test.text = std::move(path.text);
    }
    const bool is_text = peek().kind == Kind::kText && peek().is_quoted;
    if (is_text) {
      SQFS_TRY(test.left, take_quoted_expression(out));
    } else {
      SQFS_TRY(test.left, take_expression(out));
    }
    SQFS_CHECKED(take_close());
    return append(out, std::move(test));
  }

  Result<uint32_t> take_quoted_expression(ActionExpression& out) {
    const ActionToken quoted = tokens_[next_++];
    const size_t first = quoted.offset + 1 + base_;
    auto tokens = action_tokens(quoted.text);
    if (!tokens) {
      Error error = std::move(tokens).error();
      error.offset += first;
      return error;
    }
    const size_t base = std::exchange(base_, first), next = std::exchange(next_, 0);
    std::swap(tokens_, *tokens);
    auto result = take_expression(out);
    if (result && peek().kind != Kind::kEnd) {
      result = unexpected("\"&&\", \"||\" or the end of the quoted expression");
    }
    std::swap(tokens_, *tokens);
    base_ = base;
    next_ = next;
    return result;
  }

  System& system_;
  std::vector<ActionToken> tokens_;
  size_t next_ = 0;
  size_t base_ = 0;  // offset of what is being parsed, where it stands in quotes
  int nesting_ = 0;
  bool is_of_scan_ = false;
};

// --- files
// ----------------------------------------------------------------------------------------

// A definition of a file, put together from its lines.
struct Definition {
  struct Piece {
    size_t offset = 0;  // in `text`
    size_t line = 0;    // of the file, from 1
    size_t column = 0;  // of its first character there, from 0
  };
  std::string text;
  std::vector<Piece> pieces;

  std::string place(size_t offset) const {
    const auto behind = std::ranges::upper_bound(pieces, offset, {}, &Piece::offset);
    const Piece& piece = *std::prev(behind);
    return "line " + std::to_string(piece.line) + ", column " +
           std::to_string(piece.column + offset - piece.offset + 1);
  }
};

std::vector<Definition> definitions_of(std::string_view text) {
  std::vector<Definition> out;
  bool continues = false;
  size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    size_t start = std::min(line.find_first_not_of(" \t\v\f\r"), line.size());
    if (!continues && (start == line.size() || line[start] == '#')) continue;
    if (continues) start = 0;
    // An even number of them stands for themselves.
    const size_t last = line.find_last_not_of('\\');
    const size_t count = line.size() - (last == std::string_view::npos ? 0 : last + 1);
    if (!continues) out.emplace_back();
    continues = count % 2 == 1;
    Definition& definition = out.back();
    definition.pieces.push_back({definition.text.size(), number, start});
    definition.text += line.substr(start, line.size() - start - (continues ? 1 : 0));
  }
  return out;
}

}  // namespace

Result<Action> parse_action(std::string_view text, System& system) {
  auto action = Parser(system).parse(text);
  if (action) return action;
  Error error = std::move(action).error();
  error.what =
      "\"" + printable(text) + "\", column " + std::to_string(error.offset + 1) + ": " + error.what;
  return error;
}

Result<std::vector<Action>> parse_action_file(std::string_view path, std::string_view text,
                                              System& system) {
  std::vector<Action> actions;
  for (const Definition& definition : definitions_of(text)) {
    auto action = Parser(system).parse(definition.text);
    if (!action) {
      Error error = std::move(action).error();
      error.what =
          "\"" + printable(path) + "\", " + definition.place(error.offset) + ": " + error.what;
      return error;
    }
    actions.push_back(*std::move(action));
  }
  return actions;
}

}  // namespace sqfs
