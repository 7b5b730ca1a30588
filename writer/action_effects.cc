// SPDX-License-Identifier: MIT
#include "writer/action_effects.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text.h"
#include "squashfs-format/directory.h"
#include "writer/plan.h"

namespace sqfs {
namespace {

using Choice = DataPolicy::Choice;

bool is_of_attributes(ActionKind kind) {
  return kind >= ActionKind::kFragment && kind <= ActionKind::kNoop;
}

// Whether files of this type are looked at at all.
bool concerns(ActionKind kind, FileType type) {
  switch (kind) {
    case ActionKind::kFragment:
    case ActionKind::kFragments:
    case ActionKind::kNoFragments:
    case ActionKind::kTailEnds:
    case ActionKind::kNoTailEnds:
    case ActionKind::kCompressed:
    case ActionKind::kUncompressed:
    case ActionKind::kAlign: return type == FileType::kRegular;
    case ActionKind::kMode: return type != FileType::kSymlink;
    case ActionKind::kDereference: return type == FileType::kSymlink;
    case ActionKind::kEmpty: return type == FileType::kDirectory;
    default: return true;
  }
}

// All names, by path; a directory before what is in it, but the root last.
std::vector<NodeId> names_in_order(const Tree& tree) {
  std::vector<NodeId> names, todo = {kRootNode};
  while (!todo.empty()) {
    const NodeId id = todo.back();
    todo.pop_back();
    if (id != kRootNode) names.push_back(id);
    if (const auto* directory = std::get_if<Directory>(&tree.node(id).kind)) {
      todo.insert(todo.end(), directory->children.rbegin(), directory->children.rend());
    }
  }
  names.push_back(kRootNode);
  return names;
}

// All names but the root, a directory behind what is in it.
std::vector<NodeId> names_bottom_up(const Tree& tree) {
  std::vector<NodeId> names, todo = {kRootNode};
  while (!todo.empty()) {
    const NodeId id = todo.back();
    todo.pop_back();
    if (id != kRootNode) names.push_back(id);
    if (const auto* directory = std::get_if<Directory>(&tree.node(id).kind)) {
      todo.insert(todo.end(), directory->children.begin(), directory->children.end());
    }
  }
  std::ranges::reverse(names);
  return names;
}

bool lies_below(const Tree& tree, NodeId id, NodeId ancestor) {
  while (id != ancestor && id != kNoNode) id = tree.node(id).parent;
  return id == ancestor;
}

void leave_out(Tree& tree, NodeId id) {
  tree.directory(tree.node(id).parent).has_exclusions = true;
  tree.detach(id);
}

void set_policy(const Action& action, uint16_t group, DataPolicy& policy) {
  switch (action.kind) {
    case ActionKind::kFragment: policy.fragment_group = group; break;
    case ActionKind::kFragments: policy.fragments = Choice::kYes; break;
    case ActionKind::kNoFragments: policy.fragments = Choice::kNo; break;
    case ActionKind::kTailEnds: policy.tail_ends = Choice::kYes; break;
    case ActionKind::kNoTailEnds: policy.tail_ends = Choice::kNo; break;
    case ActionKind::kCompressed: policy.compressed = Choice::kYes; break;
    case ActionKind::kUncompressed: policy.compressed = Choice::kNo; break;
    case ActionKind::kAlign: policy.align_log = action.align_log; break;
    default: break;
  }
}

}  // namespace

ActionRunner::ActionRunner(const Setting& setting)
    : setting_(setting), tests_(setting.block_size, setting.env, setting.cancelled) {
  for (const Action& action : setting.actions) {
    has_scan_actions_ = has_scan_actions_ || is_of_scan(action.kind);
    has_xattr_actions_ = has_xattr_actions_ || is_of_xattrs(action.kind);
    has_tree_actions_ =
        has_tree_actions_ || !(is_of_scan(action.kind) || is_of_xattrs(action.kind));
  }
}

Status ActionRunner::prepare() {
  for (const Action& action : setting_.actions) {
    if (action.kind == ActionKind::kFragment && !fragment_groups_.contains(action.text)) {
      if (fragment_groups_.size() == std::numeric_limits<uint16_t>::max()) {
        return usage_error("there are more than 65535 names of fragment actions");
      }
      // Group 0 is of the files without a name.
      fragment_groups_.emplace(action.text, static_cast<uint16_t>(fragment_groups_.size() + 1));
    }
    if (action.kind != ActionKind::kXattrsExclude && action.kind != ActionKind::kXattrsInclude) {
      continue;
    }
    SQFS_TRY(ExtendedRegex regex, ExtendedRegex::compile(action.text));
    regexes_.emplace(&action, std::move(regex));
  }
  return ok();
}

Status ActionRunner::check_cancelled() const {
  if (setting_.cancelled()) return Error{Code::kCancelled, 0, 0, 0, "interrupted"};
  return ok();
}

bool ActionRunner::has(ActionKind kind) const {
  return std::ranges::any_of(setting_.actions,
                             [kind](const Action& action) { return action.kind == kind; });
}

Result<bool> ActionRunner::selects(const Action& action, const ActionSubject& subject) {
  if (!concerns(action.kind, subject.info.type)) return false;
  const bool logs = action.logs_true || action.logs_false;
  std::string line;
  SQFS_TRY(const bool result, tests_.evaluate(action.expression, subject, logs ? &line : nullptr));
  if (result ? action.logs_true : action.logs_false) {
    setting_.log(subject.path + "=" + action.label + "@" + line);
  }
  return result;
}

// --- the scan
// -------------------------------------------------------------------------------------

Result<bool> ActionRunner::excludes(const ActionSubject& subject) {
  for (const Action& action : setting_.actions) {
    if (action.kind != ActionKind::kExclude) continue;
    SQFS_TRY(const bool is_selected, selects(action, subject));
    if (is_selected) return true;
  }
  return false;
}

Result<Dereference> ActionRunner::dereferences(const ActionSubject& subject) {
  Dereference choice = Dereference::kNo;
  for (const Action& action : setting_.actions) {
    if (action.kind != ActionKind::kDereference) continue;
    SQFS_TRY(const bool is_selected, selects(action, subject));
    if (is_selected) choice = action.dereference;
  }
  return choice;
}

// --- the tree
// -------------------------------------------------------------------------------------

Status ActionRunner::apply(Tree& tree) {
  if (!has_tree_actions_) return ok();
  tree.sort();
  SQFS_CHECKED(set_attributes(tree));
  if (has(ActionKind::kMove)) {
    SQFS_CHECKED(move_files(tree));
    tree.sort();
  }
  if (has(ActionKind::kPrune)) SQFS_CHECKED(prune(tree));
  if (has(ActionKind::kEmpty)) SQFS_CHECKED(remove_empty(tree));
  return ok();
}

Status ActionRunner::set_attributes(Tree& tree) {
  if (std::ranges::none_of(setting_.actions, is_of_attributes, &Action::kind)) return ok();
  for (const NodeId name : names_in_order(tree)) {
    SQFS_CHECKED(check_cancelled());
    SQFS_CHECKED(set_attributes(tree, name));
  }
  return ok();
}

// A hard link is a name of its own for the tests, and shares what it gets with the other names.
Status ActionRunner::set_attributes(Tree& tree, NodeId name) {
  ActionSubject subject = subject_of(tree, name, setting_.env);
  Node& node = tree.node(resolve_link(tree, name));
  Attributes& attributes = node.attributes;
  for (const Action& action : setting_.actions) {
    if (!is_of_attributes(action.kind)) continue;
    SQFS_TRY(const bool is_selected, selects(action, subject));
    if (!is_selected) continue;
    attributes.uid = action.uid.value_or(attributes.uid);
    attributes.gid = action.gid.value_or(attributes.gid);
    if (action.mode) {
      attributes.mode = action.mode->apply(attributes.mode, node.is_directory());
    }
    if (auto* file = std::get_if<RegularFile>(&node.kind)) {
      const bool has_group = action.kind == ActionKind::kFragment;
      set_policy(action, has_group ? fragment_groups_.at(action.text) : uint16_t{0}, file->policy);
    }
    subject.info.mode = attributes.mode;
    subject.info.uid = attributes.uid;
    subject.info.gid = attributes.gid;
  }
  return ok();
}

// What is to be moved is decided on the tree as it was.
Status ActionRunner::move_files(Tree& tree) {
  std::vector<Move> moves;
  for (const NodeId name : names_in_order(tree)) {
    if (name == kRootNode) continue;
    SQFS_CHECKED(check_cancelled());
    const ActionSubject subject = subject_of(tree, name, setting_.env);
    for (const Action& action : setting_.actions) {
      if (action.kind != ActionKind::kMove) continue;
      SQFS_TRY(const bool is_selected, selects(action, subject));
      if (is_selected) moves.push_back({name, &action});
    }
  }
  for (const Move& move : moves) move_one(tree, move);
  return ok();
}

// As mv(1): into a directory that exists under the path, or else under the new name that the path
// ends in.
void ActionRunner::move_one(Tree& tree, const Move& move) {
  const NodeId start = tree.node(move.name).parent;
  const auto refuse = [&](const std::string& why) {
    setting_.warn("Cannot move " + printable(tree.image_path(move.name)) + " to " +
                  printable(move.action->text) + ": " + why + ", leaving it where it is");
  };
  std::string path = move.action->text;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  NodeId parent = follow_path(tree, start, path, true);
  std::string name = tree.node(move.name).name;
  if (parent == kNoNode || !tree.node(parent).is_directory()) {
    const size_t slash = path.rfind('/');
    name = path.substr(slash + 1);
    if (slash == std::string::npos) {
      parent = start;
    } else {
      parent = follow_path(tree, start, path.substr(0, std::max<size_t>(slash, 1)), true);
    }
    if (parent == kNoNode || !tree.node(parent).is_directory()) {
      return refuse("there is no such directory in the image");
    }
    if (name == "." || name == ".." || !is_legal_name(name)) {
      return refuse("this is no name for a file");
    }
  }
  if (parent == start && name == tree.node(move.name).name) return;
  if (lies_below(tree, parent, move.name)) return refuse("it cannot go below itself");
  if (tree.find_child(parent, name) != kNoNode) return refuse("there is a file of this name");
  tree.move(move.name, parent, std::move(name));
}

Status ActionRunner::prune(Tree& tree) {
  for (const NodeId name : names_bottom_up(tree)) {
    SQFS_CHECKED(check_cancelled());
    const ActionSubject subject = subject_of(tree, name, setting_.env);
    bool is_pruned = false;
    for (const Action& action : setting_.actions) {
      if (action.kind != ActionKind::kPrune || is_pruned) continue;
      SQFS_TRY(is_pruned, selects(action, subject));
    }
    if (is_pruned) leave_out(tree, name);
  }
  return ok();
}

Status ActionRunner::remove_empty(Tree& tree) {
  for (const NodeId name : names_bottom_up(tree)) {
    const auto* directory = std::get_if<Directory>(&tree.node(name).kind);
    if (directory == nullptr || !directory->children.empty()) continue;
    SQFS_CHECKED(check_cancelled());
    const ActionSubject subject = subject_of(tree, name, setting_.env);
    bool is_removed = false;
    for (const Action& action : setting_.actions) {
      if (action.kind != ActionKind::kEmpty || is_removed) continue;
      if (action.empty == EmptyChoice::kSource && directory->has_exclusions) continue;
      if (action.empty == EmptyChoice::kExcluded && !directory->has_exclusions) continue;
      SQFS_TRY(is_removed, selects(action, subject));
    }
    if (is_removed) leave_out(tree, name);
  }
  return ok();
}

// --- extended attributes
// ---------------------------------------------------------------------------

bool ActionRunner::XattrEdits::wants(const std::string& name) const {
  const auto is_match = [&](const ExtendedRegex* regex) { return regex->matches(name); };
  if (std::ranges::any_of(excludes, is_match)) return false;
  return includes.empty() || std::ranges::any_of(includes, is_match);
}

Result<ActionRunner::XattrEdits> ActionRunner::xattrs_of(const Tree& tree, NodeId id) {
  XattrEdits edits;
  const ActionSubject subject = subject_of(tree, id, setting_.env);
  for (const Action& action : setting_.actions) {
    if (!is_of_xattrs(action.kind)) continue;
    SQFS_TRY(const bool is_selected, selects(action, subject));
    if (!is_selected) continue;
    if (action.kind == ActionKind::kXattrsAdd) {
      edits.added.push_back({action.text, action.value});
    } else {
      auto& list = action.kind == ActionKind::kXattrsExclude ? edits.excludes : edits.includes;
      list.push_back(&regexes_.at(&action));
    }
  }
  return edits;
}

}  // namespace sqfs
