// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/extended_regex.h"
#include "base/result.h"
#include "base/warn.h"
#include "writer/action_tests.h"
#include "writer/actions.h"
#include "writer/tree.h"
#include "xattr/pool.h"

// Does what the actions of a command line ask for, phase by phase: while the sources are scanned,
// on the tree, and on extended attributes. Within a phase a file's actions run in the order given.
// One thread.
namespace sqfs {

class ActionRunner {
 public:
  struct Setting {
    std::span<const Action> actions;
    uint32_t block_size = 0;
    Env& env;
    const Warn& warn;
    const std::function<void(const std::string& line)>& log;  // "/path=noop@true=True"
    const std::function<bool()>& cancelled;
  };

  // All of it outlives the runner.
  explicit ActionRunner(const Setting& setting);

  // Code::kUsage for a bad regular expression.
  Status prepare();

  // --- the scan, for each file before it goes into the tree

  bool has_scan_actions() const { return has_scan_actions_; }
  Result<bool> excludes(const ActionSubject& subject);
  // For symlinks. The last action that selects one counts.
  Result<Dereference> dereferences(const ActionSubject& subject);

  // --- the tree, once all sources are in it, before Tree::settle_links()

  // Fails as ActionTests::evaluate() does. A move that is not possible is warned of and left out.
  Status apply(Tree& tree);

  // --- extended attributes, of each inode of the finished tree

  struct XattrEdits {
    std::vector<const ExtendedRegex*> excludes, includes;
    XattrSet added;
    // Whether an attribute of the source stays.
    bool wants(const std::string& name) const;
  };
  bool has_xattr_actions() const { return has_xattr_actions_; }
  Result<XattrEdits> xattrs_of(const Tree& tree, NodeId id);

 private:
  struct Move {
    NodeId name = kNoNode;
    const Action* action = nullptr;
  };

  Result<bool> selects(const Action& action, const ActionSubject& subject);
  bool has(ActionKind kind) const;
  Status set_attributes(Tree& tree);
  Status set_attributes(Tree& tree, NodeId name);
  Status move_files(Tree& tree);
  void move_one(Tree& tree, const Move& move);
  Status prune(Tree& tree);
  Status remove_empty(Tree& tree);
  Status check_cancelled() const;

  Setting setting_;
  ActionTests tests_;
  bool has_scan_actions_ = false, has_tree_actions_ = false, has_xattr_actions_ = false;
  std::map<std::string, uint16_t> fragment_groups_;
  std::map<const Action*, ExtendedRegex> regexes_;  // of the actions on attributes
};

}  // namespace sqfs
