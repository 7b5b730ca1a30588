// SPDX-License-Identifier: MIT
#include "writer/action_tests.h"

#include <algorithm>
#include <utility>

#include <fnmatch.h>

#include "base/text.h"
#include "writer/plan.h"

namespace sqfs {
namespace {

#ifdef FNM_EXTMATCH  // an extension of glibc: !(a|b)
constexpr int kGlobFlags = FNM_PATHNAME | FNM_EXTMATCH;
#else
constexpr int kGlobFlags = FNM_PATHNAME;
#endif

constexpr int kMaxLinks = 40;  // followed in a row, as a kernel has it
constexpr uint64_t kHostBlock = 512;
constexpr int kShellCannotRun = 126, kShellNotFound = 127;

bool matches(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), kGlobFlags) == 0;
}

// Behind "/": as many names of the path as the pattern has, which are none where it has more.
std::optional<std::string> first_names(std::string_view path, size_t count) {
  size_t end = 0;
  for (size_t i = 0; i < count; ++i) {
    if (end >= path.size()) return std::nullopt;
    end = std::min(path.find('/', end + 1), path.size());
  }
  return std::string(path.substr(0, end));
}

bool matches_first_names(const std::string& pattern, const std::string& path) {
  const auto count = static_cast<size_t>(std::ranges::count(pattern, '/'));
  const auto names = path == "/" ? std::nullopt : first_names(path, count);
  return names && matches(pattern, *names);
}

FileType type_of(const NodeKind& kind) {
  if (std::holds_alternative<Directory>(kind)) return FileType::kDirectory;
  if (std::holds_alternative<Symlink>(kind)) return FileType::kSymlink;
  if (const auto* device = std::get_if<DeviceNode>(&kind)) {
    return device->is_block ? FileType::kBlockDevice : FileType::kCharDevice;
  }
  if (const auto* ipc = std::get_if<IpcNode>(&kind)) {
    return ipc->is_socket ? FileType::kSocket : FileType::kFifo;
  }
  return FileType::kRegular;
}

const std::string* link_target(const ActionSubject& subject) {
  if (subject.tree == nullptr) return nullptr;
  const Tree& tree = *subject.tree;
  const auto* link = std::get_if<Symlink>(&tree.node(resolve_link(tree, subject.node)).kind);
  return link == nullptr ? nullptr : &link->target;
}

// What the symlink `name` with this target leads to in the image; kNoNode: nothing.
NodeId follow_link(const Tree& tree, NodeId name, const std::string& target) {
  if (target.starts_with('/')) return kNoNode;
  return follow_path(tree, tree.node(name).parent, target, false);
}

void append_result(std::string* log, bool result) {
  if (log != nullptr) *log += result ? "=True" : "=False";
}

}  // namespace

std::string_view ActionSubject::name() const {
  return std::string_view(path).substr(path.rfind('/') + 1);
}

uint64_t ActionSubject::depth() const {
  return path == "/" ? 0 : static_cast<uint64_t>(std::ranges::count(path, '/'));
}

ActionSubject subject_of(const Tree& tree, NodeId name, Env& env) {
  ActionSubject subject;
  subject.tree = &tree;
  subject.path = tree.image_path(name);
  subject.host_path = tree.host_path(name);
  subject.node = name;
  const Node& node = tree.node(resolve_link(tree, name));
  const FileType type = type_of(node.kind);
  if (!subject.host_path.empty()) {
    auto info = env.lstat(subject.host_path);
    // What the scan dereferenced is a symlink on the host.
    if (info && info->type != type) info = env.stat(subject.host_path);
    if (info && info->type == type) subject.info = *info;
  }
  subject.info.type = type;
  subject.info.mode = node.attributes.mode;
  subject.info.uid = node.attributes.uid;
  subject.info.gid = node.attributes.gid;
  if (node.is_file()) subject.info.size = std::get<RegularFile>(node.kind).expected_size;
  return subject;
}

NodeId follow_path(const Tree& tree, NodeId start, std::string_view path, bool keeps_last) {
  NodeId at = path.starts_with('/') ? kRootNode : start;
  int links = 0;
  std::string rest(path);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('/'), rest.size());
    const std::string name = rest.substr(0, end);
    rest.erase(0, std::min(end + 1, rest.size()));
    if (name.empty()) continue;
    if (name == "..") {
      if (at == kRootNode) return kNoNode;
      at = tree.node(at).parent;
      continue;
    }
    if (!tree.node(at).is_directory()) return kNoNode;
    if (name == ".") continue;
    const NodeId next = tree.find_child(at, name);
    if (next == kNoNode) return kNoNode;
    const auto* link = std::get_if<Symlink>(&tree.node(resolve_link(tree, next)).kind);
    if (link == nullptr || (rest.empty() && keeps_last)) {
      at = next;
    } else {
      if (++links > kMaxLinks || link->target.starts_with('/')) return kNoNode;
      rest = link->target + "/" + rest;
    }
  }
  return at;
}

Result<bool> ActionTests::evaluate(const ActionExpression& expression, const ActionSubject& subject,
                                   std::string* log) {
  return evaluate_at(expression, static_cast<uint32_t>(expression.size() - 1), subject, log);
}

Result<bool> ActionTests::evaluate_at(const ActionExpression& expression, uint32_t at,
                                      const ActionSubject& subject, std::string* log) {
  const ActionTest& test = expression[at];
  switch (test.kind) {
    case TestKind::kAnd:
    case TestKind::kOr: return evaluate_pair(expression, test, subject, log);
    case TestKind::kNot: {
      if (log != nullptr) *log += '!';
      SQFS_TRY(const bool result, evaluate_at(expression, test.left, subject, log));
      return !result;
    }
    case TestKind::kStat:
    case TestKind::kReadLink:
    case TestKind::kEval: return evaluate_other(expression, test, subject, log);
    default: break;
  }
  if (log != nullptr) *log += test.label;
  SQFS_TRY(const bool result, test_one(test, subject));
  append_result(log, result);
  return result;
}

Result<bool> ActionTests::evaluate_pair(const ActionExpression& expression, const ActionTest& test,
                                        const ActionSubject& subject, std::string* log) {
  const bool is_and = test.kind == TestKind::kAnd;
  if (log != nullptr) *log += '(';
  SQFS_TRY(bool result, evaluate_at(expression, test.left, subject, log));
  if (result == is_and) {
    if (log != nullptr) *log += is_and ? "&&" : "||";
    SQFS_TRY(result, evaluate_at(expression, test.right, subject, log));
  }
  if (log != nullptr) *log += ')';
  return result;
}

Result<bool> ActionTests::evaluate_other(const ActionExpression& expression, const ActionTest& test,
                                         const ActionSubject& subject, std::string* log) {
  const auto other = other_file(test, subject);
  if (log != nullptr) {
    *log += test.label + "(";
    if (test.kind == TestKind::kEval) *log += (other ? other->path : test.text) + ",";
    if (!other) *log += "=False";
  }
  bool result = false;
  if (other) {
    SQFS_TRY(result, evaluate_at(expression, test.left, *other, log));
  }
  if (log != nullptr) *log += ')';
  append_result(log, result);
  return result;
}

std::optional<ActionSubject> ActionTests::other_file(const ActionTest& test,
                                                     const ActionSubject& subject) {
  const bool is_link = subject.info.type == FileType::kSymlink;
  if (test.kind == TestKind::kStat) {
    // The file keeps its name and path, and has the attributes of what the host finds behind it.
    if (!is_link) return subject;
    const auto info = env_.stat(subject.host_path);
    if (!info) return std::nullopt;
    ActionSubject other = subject;
    other.info = *info;
    return other;
  }
  const Tree& tree = *subject.tree;
  NodeId found = kNoNode;
  if (test.kind == TestKind::kEval) {
    found = follow_path(tree, subject.node, test.text, false);
  } else if (const std::string* target = link_target(subject)) {
    found = follow_link(tree, subject.node, *target);
  }
  if (found == kNoNode) return std::nullopt;
  return subject_of(tree, found, env_);
}

Result<bool> ActionTests::test_one(const ActionTest& test, const ActionSubject& subject) {
  switch (test.kind) {
    case TestKind::kFalse: return false;
    case TestKind::kNumber: {
      const auto number = number_of(test.number, subject);
      return number && *number >= test.min && *number <= test.max;
    }
    case TestKind::kType: return subject.info.type == test.type;
    case TestKind::kPermissions:
      switch (test.match) {
        case ActionTest::Match::kExactly: return subject.info.mode == test.mode;
        case ActionTest::Match::kAllOf: return (subject.info.mode & test.mode) == test.mode;
        case ActionTest::Match::kAnyOf: return (subject.info.mode & test.mode) != 0;
      }
      return false;
    case TestKind::kName: return matches(test.text, std::string(subject.name()));
    case TestKind::kPathname: return matches(test.text, subject.path);
    case TestKind::kSubpathname: return matches_first_names(test.text, subject.path);
    case TestKind::kFile: return ask_file(test, subject);
    case TestKind::kExec: return ask_shell(test, subject);
    case TestKind::kExists: {
      const std::string* target = link_target(subject);
      return target == nullptr || follow_link(*subject.tree, subject.node, *target) != kNoNode;
    }
    case TestKind::kAbsolute: {
      const std::string* target = link_target(subject);
      return target != nullptr && target->starts_with('/');
    }
    default: return true;
  }
}

std::optional<uint64_t> ActionTests::number_of(FileNumber number,
                                               const ActionSubject& subject) const {
  const FileInfo& info = subject.info;
  const auto of_type = [&](FileType type, uint64_t value) {
    return info.type == type ? std::optional(value) : std::nullopt;
  };
  const uint64_t blocks = info.allocated_bytes / kHostBlock;
  switch (number) {
    case FileNumber::kFileSize: return of_type(FileType::kRegular, info.size);
    case FileNumber::kTailSize: return of_type(FileType::kRegular, info.size % block_size_);
    case FileNumber::kDirSize: return of_type(FileType::kDirectory, info.size);
    case FileNumber::kSize: return info.size;
    case FileNumber::kInode: return info.inode;
    case FileNumber::kLinks: return info.nlink;
    case FileNumber::kFileBlocks: return of_type(FileType::kRegular, blocks);
    case FileNumber::kDirBlocks: return of_type(FileType::kDirectory, blocks);
    case FileNumber::kBlocks: return blocks;
    case FileNumber::kUser: return info.uid;
    case FileNumber::kGroup: return info.gid;
    case FileNumber::kDepth: return subject.depth();
    case FileNumber::kDirCount: break;
  }
  if (subject.tree == nullptr) return std::nullopt;
  const auto* directory = std::get_if<Directory>(&subject.tree->node(subject.node).kind);
  return directory == nullptr ? std::nullopt : std::optional<uint64_t>(directory->children.size());
}

// --- programs
// -------------------------------------------------------------------------------------

Result<int> ActionTests::run(const Command& command, std::string& printed) {
  const auto take = [&](Bytes bytes) -> Status {
    if (cancelled_()) return Error{Code::kCancelled, 0, 0, 0, "interrupted"};
    for (const std::byte byte : bytes) printed += static_cast<char>(byte);
    return ok();
  };
  return env_.run(command, take);
}

Result<bool> ActionTests::ask_file(const ActionTest& test, const ActionSubject& subject) {
  auto regex = regexes_.find(test.text);
  if (regex == regexes_.end()) {
    SQFS_TRY(ExtendedRegex compiled, ExtendedRegex::compile(test.text));
    regex = regexes_.emplace(test.text, std::move(compiled)).first;
  }
  if (subject.host_path.empty()) return false;
  std::string printed;
  auto status = run({{"file", "-b", "--", subject.host_path}, {}}, printed);
  if (!status) return std::move(status).error().with_context("the test file() runs file(1)");
  if (*status == kShellNotFound || *status == kShellCannotRun) {
    return unsupported_error("the test file() needs the program file(1), which cannot be run");
  }
  if (*status != 0) return false;
  if (printed.ends_with('\n')) printed.pop_back();
  return regex->second.matches(printed);
}

Result<bool> ActionTests::ask_shell(const ActionTest& test, const ActionSubject& subject) {
  const Command command{{"/bin/sh", "-c", test.text},
                        {{"NAME", std::string(subject.name())},
                         {"PATHNAME", subject.path},
                         {"SOURCE_PATHNAME", subject.host_path}}};
  std::string printed;
  auto status = run(command, printed);
  if (!status) return std::move(status).error().with_context("the test exec() runs a shell");
  return *status == 0;
}

}  // namespace sqfs
