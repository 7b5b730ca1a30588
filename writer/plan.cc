// SPDX-License-Identifier: MIT
#include "writer/plan.h"

#include <algorithm>
#include <limits>

namespace sqfs {
namespace {

constexpr int64_t kMaxTime = std::numeric_limits<uint32_t>::max();

uint32_t to_image_time(int64_t seconds) {
  return static_cast<uint32_t>(std::clamp<int64_t>(seconds, 0, kMaxTime));
}

// --- orders
// ---------------------------------------------------------------------------------------

// By priority, and where that is equal by path; a file with several names by the first of them.
std::vector<NodeId> files_to_store(const Tree& tree) {
  std::vector<NodeId> files, todo = {kRootNode};
  std::vector<bool> is_seen(tree.size());
  while (!todo.empty()) {
    const NodeId id = todo.back();
    todo.pop_back();
    const NodeId target = resolve_link(tree, id);
    if (tree.node(target).is_file() && !tree.file(target).is_stored && !is_seen[target]) {
      files.push_back(target);
      is_seen[target] = true;
    }
    if (const auto* directory = std::get_if<Directory>(&tree.node(id).kind)) {
      todo.insert(todo.end(), directory->children.rbegin(), directory->children.rend());
    }
  }
  const auto is_earlier = [&tree](NodeId a, NodeId b) {
    return tree.file(a).priority > tree.file(b).priority;
  };
  std::stable_sort(files.begin(), files.end(), is_earlier);
  return files;
}

// Visiting a directory before its sub-directories, the last one first, is the reverse of the order
// that is wanted.
std::vector<NodeId> directories_bottom_up(const Tree& tree) {
  std::vector<NodeId> directories, todo = {kRootNode};
  while (!todo.empty()) {
    const NodeId id = todo.back();
    todo.pop_back();
    directories.push_back(id);
    for (const NodeId child : std::get<Directory>(tree.node(id).kind).children) {
      if (tree.node(child).is_directory()) todo.push_back(child);
    }
  }
  std::reverse(directories.begin(), directories.end());
  return directories;
}

void number_inodes(Plan& plan, Tree& tree) {
  const auto number = [&](NodeId id) {
    plan.inodes.push_back(id);
    tree.node(id).inode_number = static_cast<uint32_t>(plan.inodes.size());
  };
  for (const NodeId directory : plan.directories) {
    for (const NodeId child : tree.directory(directory).children) {
      const NodeId target = resolve_link(tree, child);
      if (tree.node(target).inode_number == 0) number(target);
      tree.node(child).inode_number = tree.node(target).inode_number;
    }
  }
  number(kRootNode);
}

void count_links(const Plan& plan, Tree& tree) {
  for (const NodeId id : plan.inodes) {
    tree.node(id).nlink = tree.node(id).is_directory() ? 2 : 0;
  }
  for (const NodeId directory : plan.directories) {
    for (const NodeId child : tree.directory(directory).children) {
      const NodeId target = resolve_link(tree, child);
      ++tree.node(tree.node(target).is_directory() ? directory : target).nlink;
    }
  }
}

// --- attributes
// -----------------------------------------------------------------------------------

class TimePlanner {
 public:
  TimePlanner(const TimeOptions& options, int64_t now, const Warn& warn)
      : options_(options), now_(clamped(to_image_time(now))), warn_(warn) {}

  // Sets the times of all inodes and returns that of the image.
  uint32_t plan(const std::vector<NodeId>& inodes, Tree& tree) {
    for (const NodeId id : inodes) take_host_time(tree.node(id).attributes);
    const uint32_t newest = has_host_files_ ? newest_ : now_;

    const bool image_is_newest = options_.image.kind == TimeChoice::Kind::kNewestInode;
    const uint32_t fabricated = image_is_newest ? newest : now_;
    for (const NodeId id : inodes) {
      Attributes& attributes = tree.node(id).attributes;
      if (attributes.is_time_final) continue;
      if (attributes.is_fabricated) attributes.mtime = fabricated;
      attributes.mtime = chosen(options_.inodes, newest, to_image_time(attributes.mtime));
    }
    Attributes& root = tree.node(kRootNode).attributes;
    if (options_.inodes.kind == TimeChoice::Kind::kDefault && !root.is_time_final) {
      root.mtime = clamped(chosen(options_.root, newest, to_image_time(root.mtime)));
    }
    return chosen(options_.image, newest, options_.clamp.value_or(now_));
  }

 private:
  void take_host_time(Attributes& attributes) {
    if (attributes.is_fabricated || attributes.is_time_final) return;
    const bool fits = attributes.mtime >= 0 && attributes.mtime <= kMaxTime;
    const bool matters = options_.inodes.kind != TimeChoice::Kind::kFixed;
    if (!fits && matters && !has_warned_) {
      has_warned_ = true;
      warn_(
          "Some files were modified before 1970 or after 2106, which an image cannot express; "
          "they get the nearest time it can");
    }
    attributes.mtime = clamped(to_image_time(attributes.mtime));
    newest_ = std::max(newest_, to_image_time(attributes.mtime));
    has_host_files_ = true;
  }

  uint32_t clamped(uint32_t seconds) const {
    return options_.clamp ? std::min(seconds, *options_.clamp) : seconds;
  }

  static uint32_t chosen(const TimeChoice& choice, uint32_t newest, uint32_t otherwise) {
    switch (choice.kind) {
      case TimeChoice::Kind::kFixed: return choice.seconds;
      case TimeChoice::Kind::kNewestInode: return newest;
      default: return otherwise;
    }
  }

  const TimeOptions& options_;
  uint32_t now_;
  const Warn& warn_;
  uint32_t newest_ = 0;
  bool has_host_files_ = false;
  bool has_warned_ = false;
};

void plan_owner(const OwnerOptions& options, bool is_root, Attributes& attributes) {
  if (attributes.is_owner_final) return;
  if (is_root) {
    attributes.uid = options.root_uid.value_or(attributes.uid);
    attributes.gid = options.root_gid.value_or(attributes.gid);
  }
  attributes.uid = options.force_uid.value_or(attributes.uid) + options.id_offset;
  attributes.gid = options.force_gid.value_or(attributes.gid) + options.id_offset;
}

void plan_mode(const OwnerOptions& options, bool is_root, bool is_directory,
               Attributes& attributes) {
  if (attributes.is_owner_final) return;
  const auto& forced = is_directory ? options.force_dir_mode : options.force_file_mode;
  if (forced) {
    attributes.mode = forced->apply(attributes.mode, is_directory);
  } else if (is_root && options.root_mode) {
    attributes.mode = options.root_mode->apply(attributes.mode, true);
  }
}

}  // namespace

Result<Plan> make_plan(const BuildOptions& options, int64_t now, const Warn& warn, Tree& tree) {
  Plan plan;
  plan.files = files_to_store(tree);
  plan.directories = directories_bottom_up(tree);
  number_inodes(plan, tree);
  count_links(plan, tree);
  plan.image_time = TimePlanner(options.times, now, warn).plan(plan.inodes, tree);
  for (const NodeId id : plan.inodes) {
    Node& node = tree.node(id);
    plan_owner(options.owners, id == kRootNode, node.attributes);
    plan_mode(options.owners, id == kRootNode, node.is_directory(), node.attributes);
    SQFS_CHECKED(plan.ids.add_user(node.attributes.uid));
    SQFS_CHECKED(plan.ids.add_group(node.attributes.gid));
  }
  return plan;
}

}  // namespace sqfs
