// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/env.h"
#include "base/extended_regex.h"
#include "base/result.h"
#include "writer/actions.h"
#include "writer/tree.h"

// Whether a file is one of those that an action's expression selects.
namespace sqfs {

// The file in question. `info` holds what the image is to have of type, mode, owner and size, and
// what the host says of the rest.
struct ActionSubject {
  std::string path;       // in the image: "/a/b"; "/" for the root
  std::string host_path;  // empty: nothing on the host stands behind it
  FileInfo info;
  const Tree* tree = nullptr;  // null while the sources are scanned
  NodeId node = kNoNode;       // in `tree`; a hard link stands for its target

  std::string_view name() const;  // empty for the root
  uint64_t depth() const;         // 0 for the root
};

// The subject that `name` of the tree is. Its attributes on the host are asked for; what vanished
// meanwhile has none.
ActionSubject subject_of(const Tree& tree, NodeId name, Env& env);

class ActionTests {
 public:
  ActionTests(uint32_t block_size, Env& env, const std::function<bool()>& cancelled)
      : block_size_(block_size), env_(env), cancelled_(cancelled) {}

  // `log`, unless null, gets the tests that were looked at, with what each came to, behind what it
  // holds: "(name(a)=False||type(d)=True)". && and || look at their right side only when it counts.
  //
  // Errors: a program that cannot be run, a bad regular expression, and Code::kCancelled.
  Result<bool> evaluate(const ActionExpression& expression, const ActionSubject& subject,
                        std::string* log);

 private:
  Result<bool> evaluate_at(const ActionExpression& expression, uint32_t at,
                           const ActionSubject& subject, std::string* log);
  Result<bool> evaluate_pair(const ActionExpression& expression, const ActionTest& test,
                             const ActionSubject& subject, std::string* log);
  Result<bool> evaluate_other(const ActionExpression& expression, const ActionTest& test,
                              const ActionSubject& subject, std::string* log);
  Result<bool> test_one(const ActionTest& test, const ActionSubject& subject);
  std::optional<uint64_t> number_of(FileNumber number, const ActionSubject& subject) const;
  std::optional<ActionSubject> other_file(const ActionTest& test, const ActionSubject& subject);
  Result<bool> ask_file(const ActionTest& test, const ActionSubject& subject);
  Result<bool> ask_shell(const ActionTest& test, const ActionSubject& subject);
  Result<int> run(const Command& command, std::string& printed);

  uint32_t block_size_;
  Env& env_;
  const std::function<bool()>& cancelled_;
  std::map<std::string, ExtendedRegex> regexes_;  // those that were used
};

// Where `path` leads in the tree, from `start`; symlinks are followed, the last one too unless
// `keeps_last`. kNoNode: nowhere. Absolute paths begin at the root of the image, absolute targets
// of symlinks lead nowhere.
NodeId follow_path(const Tree& tree, NodeId start, std::string_view path, bool keeps_last);

}  // namespace sqfs
