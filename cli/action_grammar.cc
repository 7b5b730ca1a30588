// SPDX-License-Identifier: MIT
#include "cli/action_grammar.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "base/text.h"
#include "cli/option_values.h"

namespace sqfs {
namespace {

constexpr uint64_t kMaxAlignment = 64u << 20;
constexpr size_t kAnyNumber = 64;

using Arguments = ActionArguments;

Error error_at(const ActionArgument& argument, std::string what) {
  Error error = unsupported_error(std::move(what));
  error.offset = argument.offset;
  return error;
}

Error moved_to(Error error, const ActionArgument& argument) {
  error.code = Code::kUnsupported;
  error.offset = argument.offset;
  return error;
}

// The arguments as they were between the brackets: commas belong to symbolic modes.
std::string joined(Arguments arguments) {
  std::string out;
  for (const ActionArgument& argument : arguments) {
    if (!out.empty()) out += ',';
    out += argument.text;
  }
  return out;
}

Result<uint32_t> user_of(const ActionArgument& argument, System& system) {
  auto id = parse_user(system, "a user", argument.text);
  if (!id || argument.text.empty()) {
    return error_at(argument, "expected the name or the id of a user, not \"" +
                                  printable(argument.text) + "\"");
  }
  return id;
}

Result<uint32_t> group_of(const ActionArgument& argument, System& system) {
  auto id = parse_group(system, "a group", argument.text);
  if (!id || argument.text.empty()) {
    return error_at(argument, "expected the name or the id of a group, not \"" +
                                  printable(argument.text) + "\"");
  }
  return id;
}

Status check_pattern(const ActionArgument& argument) {
  auto status = check_regex("regular expression", argument.text);
  return status ? ok() : Status(moved_to(std::move(status).error(), argument));
}

Result<uint64_t> number_of(const ActionArgument& argument, std::string_view digits) {
  const auto number = parse_size(digits);
  if (number) return *number;
  return error_at(argument, "expected a number, with k, m or g behind it or not, instead of \"" +
                                printable(argument.text) + "\"");
}

// --- actions
// --------------------------------------------------------------------------------------

Status take_text(Action& action, Arguments arguments, System&) {
  action.text = arguments[0].text;
  return action.text.empty() ? Status(error_at(arguments[0], "the argument is empty")) : ok();
}

Status take_uid(Action& action, Arguments arguments, System& system) {
  SQFS_TRY(action.uid, user_of(arguments[0], system));
  return ok();
}

Status take_gid(Action& action, Arguments arguments, System& system) {
  SQFS_TRY(action.gid, group_of(arguments[0], system));
  return ok();
}

Status take_guid(Action& action, Arguments arguments, System& system) {
  SQFS_TRY(action.uid, user_of(arguments[0], system));
  SQFS_TRY(action.gid, group_of(arguments[1], system));
  return ok();
}

Status take_mode(Action& action, Arguments arguments, System&) {
  auto mode = ModeChange::parse(joined(arguments));
  if (!mode) return moved_to(std::move(mode).error(), arguments[0]);
  action.mode = *std::move(mode);
  return ok();
}

Status take_alignment(Action& action, Arguments arguments, System&) {
  SQFS_TRY(const uint64_t size, number_of(arguments[0], arguments[0].text));
  if (!std::has_single_bit(size) || size > kMaxAlignment) {
    return error_at(arguments[0], "expected a power of two up to 64M, not \"" +
                                      printable(arguments[0].text) + "\"");
  }
  action.align_log = static_cast<uint8_t>(std::countr_zero(size));
  return ok();
}

Status take_empty(Action& action, Arguments arguments, System&) {
  if (arguments.empty() || arguments[0].text == "all") return ok();
  if (arguments[0].text == "source") {
    action.empty = EmptyChoice::kSource;
  } else if (arguments[0].text == "excluded") {
    action.empty = EmptyChoice::kExcluded;
  } else {
    return error_at(arguments[0], "expected all, source or excluded, not \"" +
                                      printable(arguments[0].text) + "\"");
  }
  return ok();
}

Status take_dereference(Action& action, Arguments arguments, System&) {
  if (arguments.empty() || arguments[0].text == "delete") return ok();
  if (arguments[0].text != "keep") {
    return error_at(arguments[0],
                    "expected keep or delete, not \"" + printable(arguments[0].text) + "\"");
  }
  action.dereference = Dereference::kOrKeep;
  return ok();
}

Status take_regex(Action& action, Arguments arguments, System&) {
  action.text = arguments[0].text;
  return check_pattern(arguments[0]);
}

Status take_xattr(Action& action, Arguments arguments, System&) {
  auto xattr = parse_xattr_argument("xattrs-add", arguments[0].text);
  if (!xattr) return moved_to(std::move(xattr).error(), arguments[0]);
  action.text = std::move(xattr->name);
  action.value = std::move(xattr->value);
  return ok();
}

constexpr ActionRow kActions[] = {
    {"exclude", ActionKind::kExclude, 0, 0, nullptr},
    {"dereference", ActionKind::kDereference, 0, 1, take_dereference},
    {"fragment", ActionKind::kFragment, 1, 1, take_text},
    {"fragments", ActionKind::kFragments, 0, 0, nullptr},
    {"no-fragments", ActionKind::kNoFragments, 0, 0, nullptr},
    {"always-use-fragments", ActionKind::kTailEnds, 0, 0, nullptr},
    {"tailend", ActionKind::kTailEnds, 0, 0, nullptr},
    {"dont-always-use-fragments", ActionKind::kNoTailEnds, 0, 0, nullptr},
    {"no-tailend", ActionKind::kNoTailEnds, 0, 0, nullptr},
    {"compressed", ActionKind::kCompressed, 0, 0, nullptr},
    {"uncompressed", ActionKind::kUncompressed, 0, 0, nullptr},
    {"uid", ActionKind::kUid, 1, 1, take_uid},
    {"gid", ActionKind::kGid, 1, 1, take_gid},
    {"guid", ActionKind::kGuid, 2, 2, take_guid},
    {"mode", ActionKind::kMode, 1, kAnyNumber, take_mode},
    {"chmod", ActionKind::kMode, 1, kAnyNumber, take_mode},
    {"align", ActionKind::kAlign, 1, 1, take_alignment},
    {"noop", ActionKind::kNoop, 0, 0, nullptr},
    {"move", ActionKind::kMove, 1, 1, take_text},
    {"prune", ActionKind::kPrune, 0, 0, nullptr},
    {"empty", ActionKind::kEmpty, 0, 1, take_empty},
    {"xattrs-exclude", ActionKind::kXattrsExclude, 1, 1, take_regex},
    {"xattrs-include", ActionKind::kXattrsInclude, 1, 1, take_regex},
    {"xattrs-add", ActionKind::kXattrsAdd, 1, 1, take_xattr},
};

// --- tests
// ----------------------------------------------------------------------------------------

// Nothing is smaller than 0, and nothing greater than the greatest number.
void select_none(ActionTest& test) {
  test.min = 1;
  test.max = 0;
}

Status take_number(ActionTest& test, Arguments arguments, System&) {
  std::string_view digits = arguments[0].text;
  std::string_view sign;
  for (const std::string_view known : {"<=", ">=", "<", ">", "=", "-", "+"}) {
    if (sign.empty() && digits.starts_with(known)) sign = known;
  }
  digits.remove_prefix(sign.size());
  SQFS_TRY(const uint64_t number, number_of(arguments[0], digits));
  if (sign == "<=") {
    test.max = number;
  } else if (sign == ">=") {
    test.min = number;
  } else if (sign == "<" || sign == "-") {
    test.max = number - 1;
    if (number == 0) select_none(test);
  } else if (sign == ">" || sign == "+") {
    test.min = number + 1;
    if (test.min == 0) select_none(test);
  } else {
    test.min = test.max = number;
  }
  return ok();
}

Status take_range(ActionTest& test, Arguments arguments, System&) {
  SQFS_TRY(test.min, number_of(arguments[0], arguments[0].text));
  SQFS_TRY(test.max, number_of(arguments[1], arguments[1].text));
  return ok();
}

Status take_user(ActionTest& test, Arguments arguments, System& system) {
  SQFS_TRY(test.min, user_of(arguments[0], system));
  test.max = test.min;
  return ok();
}

Status take_group(ActionTest& test, Arguments arguments, System& system) {
  SQFS_TRY(test.min, group_of(arguments[0], system));
  test.max = test.min;
  return ok();
}

Status take_type(ActionTest& test, Arguments arguments, System&) {
  constexpr std::pair<std::string_view, FileType> kTypes[] = {
      {"f", FileType::kRegular},     {"d", FileType::kDirectory},  {"l", FileType::kSymlink},
      {"b", FileType::kBlockDevice}, {"c", FileType::kCharDevice}, {"p", FileType::kFifo},
      {"s", FileType::kSocket},
  };
  for (const auto& [letter, type] : kTypes) {
    if (arguments[0].text == letter) return test.type = type, ok();
  }
  return error_at(arguments[0],
                  "expected f, d, l, b, c, p or s, not \"" + printable(arguments[0].text) + "\"");
}

Status take_permissions(ActionTest& test, Arguments arguments, System&) {
  std::string text = joined(arguments);
  if (text.starts_with('-') || text.starts_with('/')) {
    test.match = text[0] == '-' ? ActionTest::Match::kAllOf : ActionTest::Match::kAnyOf;
    text.erase(0, 1);
  }
  auto mode = ModeChange::parse(text);
  if (!mode) return moved_to(std::move(mode).error(), arguments[0]);
  test.mode = mode->apply(0, false);
  return ok();
}

Status take_glob(ActionTest& test, Arguments arguments, System&) {
  test.text = arguments[0].text;
  return ok();
}

Status take_path_glob(ActionTest& test, Arguments arguments, System&) {
  for (const std::string_view name : split(arguments[0].text, '/')) {
    if (!name.empty()) test.text += "/" + std::string(name);
  }
  if (test.text.empty()) test.text = "/";
  return ok();
}

Status take_file_regex(ActionTest& test, Arguments arguments, System&) {
  test.text = arguments[0].text;
  return check_pattern(arguments[0]);
}

constexpr TestRow number_test(std::string_view name, FileNumber number, bool is_for_scan = true) {
  return {name, TestKind::kNumber, 1, 1, is_for_scan, take_number, number};
}

constexpr TestRow range_test(std::string_view name, FileNumber number, bool is_for_scan = true) {
  return {name, TestKind::kNumber, 2, 2, is_for_scan, take_range, number};
}

// The arguments of stat, readlink and eval are taken by the parser.
constexpr TestRow kTests[] = {
    {"true", TestKind::kTrue, 0, 0, true, nullptr},
    {"false", TestKind::kFalse, 0, 0, true, nullptr},
    {"name", TestKind::kName, 1, 1, true, take_glob},
    {"pathname", TestKind::kPathname, 1, 1, true, take_path_glob},
    {"subpathname", TestKind::kSubpathname, 1, 1, true, take_path_glob},
    number_test("filesize", FileNumber::kFileSize),
    number_test("tailsize", FileNumber::kTailSize),
    number_test("dirsize", FileNumber::kDirSize),
    number_test("size", FileNumber::kSize),
    number_test("inode", FileNumber::kInode),
    number_test("nlink", FileNumber::kLinks),
    number_test("fileblocks", FileNumber::kFileBlocks),
    number_test("dirblocks", FileNumber::kDirBlocks),
    number_test("blocks", FileNumber::kBlocks),
    number_test("uid", FileNumber::kUser),
    number_test("gid", FileNumber::kGroup),
    number_test("depth", FileNumber::kDepth),
    number_test("dircount", FileNumber::kDirCount, false),
    range_test("filesize_range", FileNumber::kFileSize),
    range_test("tailsize_range", FileNumber::kTailSize),
    range_test("dirsize_range", FileNumber::kDirSize),
    range_test("size_range", FileNumber::kSize),
    range_test("inode_range", FileNumber::kInode),
    range_test("nlink_range", FileNumber::kLinks),
    range_test("fileblocks_range", FileNumber::kFileBlocks),
    range_test("dirblocks_range", FileNumber::kDirBlocks),
    range_test("blocks_range", FileNumber::kBlocks),
    range_test("uid_range", FileNumber::kUser),
    range_test("gid_range", FileNumber::kGroup),
    range_test("depth_range", FileNumber::kDepth),
    range_test("dircount_range", FileNumber::kDirCount, false),
    {"user", TestKind::kNumber, 1, 1, true, take_user, FileNumber::kUser},
    {"group", TestKind::kNumber, 1, 1, true, take_group, FileNumber::kGroup},
    {"type", TestKind::kType, 1, 1, true, take_type},
    {"perm", TestKind::kPermissions, 1, kAnyNumber, true, take_permissions},
    {"file", TestKind::kFile, 1, 1, true, take_file_regex},
    {"exec", TestKind::kExec, 1, 1, true, take_glob},
    {"exists", TestKind::kExists, 0, 0, false, nullptr},
    {"absolute", TestKind::kAbsolute, 0, 0, false, nullptr},
    {"stat", TestKind::kStat, 1, 1, true, nullptr},
    {"readlink", TestKind::kReadLink, 1, 1, false, nullptr},
    {"eval", TestKind::kEval, 2, 2, false, nullptr},
};

template <class Row, size_t N>
const Row* find_row(const Row (&rows)[N], std::string_view name) {
  const auto row = std::ranges::find(rows, name, &Row::name);
  return row == std::end(rows) ? nullptr : row;
}

template <class Row, size_t N>
std::vector<std::string_view> names_of(const Row (&rows)[N]) {
  std::vector<std::string_view> names;
  for (const Row& row : rows) names.push_back(row.name);
  return names;
}

}  // namespace

const ActionRow* find_action(std::string_view name) { return find_row(kActions, name); }
const TestRow* find_test(std::string_view name) { return find_row(kTests, name); }
std::vector<std::string_view> action_names() { return names_of(kActions); }
std::vector<std::string_view> test_names() { return names_of(kTests); }

std::string label_of(std::string_view name, ActionArguments arguments) {
  if (arguments.empty()) return std::string(name);
  return std::string(name) + "(" + joined(arguments) + ")";
}

}  // namespace sqfs
