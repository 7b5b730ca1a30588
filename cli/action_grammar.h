// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/io.h"
#include "writer/actions.h"

// The vocabulary of -action: which actions and tests there are, and what their arguments mean.
namespace sqfs {

struct ActionArgument {
  std::string text;
  size_t offset = 0;
};
using ActionArguments = std::span<const ActionArgument>;

struct ActionRow {
  std::string_view name;
  ActionKind kind;
  size_t min_arguments, max_arguments;
  // Errors have the offset of the argument; null where there are no arguments.
  Status (*take)(Action& action, ActionArguments arguments, System& system);
};
const ActionRow* find_action(std::string_view name);  // null: none

struct TestRow {
  std::string_view name;
  TestKind kind;
  size_t min_arguments, max_arguments;
  bool is_for_scan;  // may stand in an exclude action
  Status (*take)(ActionTest& test, ActionArguments arguments, System& system);
  FileNumber number = FileNumber::kSize;  // of kNumber
};
const TestRow* find_test(std::string_view name);  // null: none

std::vector<std::string_view> action_names();
std::vector<std::string_view> test_names();

// "name", or "name(a,b)".
std::string label_of(std::string_view name, ActionArguments arguments);

}  // namespace sqfs
