// SPDX-License-Identifier: MIT
#include "writer/source_dir.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "writer/host_file.h"
#include "writer/host_node.h"
#include "writer/source_names.h"
#include "writer/source_paths.h"

namespace sqfs {
namespace {

constexpr uint16_t kFabricatedRootMode = 0777;

class Scanner {
 public:
  Scanner(const BuildOptions& options, const Filter& filter, Env& env, const Warn& warn,
          const std::function<bool()>& cancelled, Tree& tree, const DereferencePolicy& policy,
          ActionRunner* actions)
      : options_(options),
        filter_(filter),
        env_(env),
        warn_(warn),
        cancelled_(cancelled),
        tree_(tree),
        policy_(policy ? policy : dereference_policy(options.filter)),
        actions_(actions),
        nodes_(options, env, warn, tree),
        names_(tree, options.taken_names, warn) {}

  Status run() {
    switch (options_.source_kind) {
      case SourceKind::kFilePaths: SQFS_CHECKED(scan_paths(options_.sources)); break;
      case SourceKind::kListedPaths: {
        SQFS_TRY(const auto paths, read_path_list(env_, options_.path_end, cancelled_));
        SQFS_CHECKED(scan_paths(paths));
        break;
      }
      default: SQFS_CHECKED(scan_names());
    }
    tree_.sort();
    return ok();
  }

 private:
  // A directory that is being read; those above it are below it in the stack.
  struct OpenDirectory {
    NodeId node = kRootNode;
    std::string host_path;
    FileIdentity file = {};
    std::vector<std::string> names = {};  // those that are to be stored
    size_t next = 0;
  };

  // --- sources under their last names

  Status scan_names() {
    std::vector<HostFile> sources;
    for (const std::string& path : options_.sources) {
      SQFS_TRY(const std::string base, source_name(path, env_));
      SQFS_TRY(auto source, source_file(std::span(&base, 1), path));
      if (!source) return unsupported_error("The source " + printable(path) + " leads nowhere");
      sources.push_back(*std::move(source));
    }
    const bool is_one_directory =
        sources.size() == 1 && sources[0].info.type == FileType::kDirectory;
    if (is_one_directory && !options_.keep_as_directory) return scan_root(sources[0]);
    return scan_into_fabricated_root(sources);
  }

  Status scan_root(const HostFile& source) {
    tree_.node(kRootNode).attributes = attributes_of(source.info);
    tree_.set_host_root(kRootNode, source.path);
    source_device_ = source.info.device;
    OpenDirectory root;
    root.host_path = source.path;
    root.file = source.info.identity();
    if (filter_.allows_descent(0)) {
      auto names = list_sorted(env_, source.path);
      if (!names) {
        return because("Failed to scan source directory", source.path, names.error());
      }
      root.names = std::move(names).value();
    }
    stack_.push_back(std::move(root));
    return walk();
  }

  void fabricate_root() {
    tree_.node(kRootNode).attributes = {.mode = kFabricatedRootMode,
                                        .uid = env_.user_id(),
                                        .gid = env_.group_id(),
                                        .mtime = env_.now(),
                                        .is_fabricated = true};
  }

  Status scan_into_fabricated_root(const std::vector<HostFile>& sources) {
    fabricate_root();
    if (!filter_.allows_descent(0)) return ok();
    for (size_t i = 0; i < sources.size(); ++i) {
      const std::string& path = options_.sources[i];
      SQFS_TRY(const std::string base, source_name(path, env_));
      if (base.empty()) {
        warn_("Bad source directory " + printable(path) +
              ", skipping it: it has no name to be stored under");
        continue;
      }
      SQFS_CHECKED(visit_source(kRootNode, names_.choose(base), sources[i]));
    }
    return ok();
  }

  // A source, which has to be there; nullopt: a symbolic link that is left out.
  Result<std::optional<HostFile>> source_file(std::span<const std::string> image_path,
                                              const std::string& path) {
    const auto info = env_.lstat(path);
    if (!info) {
      const int why = info.error().os_errno;
      return io_error(why, "Cannot stat source directory \"" + printable(path) + "\" because " +
                               errno_text(why));
    }
    if (info->type == FileType::kSymlink) return follow(image_path, path, *info);
    return std::optional(HostFile{path, *info});
  }

  // A source and all below it; names above it are in path_ already.
  Status visit_source(NodeId parent, const std::string& name, const HostFile& source) {
    source_device_ = source.info.device;
    path_.push_back(name);
    SQFS_TRY(const bool is_excluded, excludes(parent, source.path, source.info));
    if (is_excluded) return path_.pop_back(), ok();
    SQFS_TRY(const NodeId node, store(parent, name, source));
    // Other nodes are found through their parents.
    const bool needs_path = parent == kRootNode || source.path.ends_with('/');
    if (node != kNoNode && needs_path && !tree_.is_host_root(node)) {
      tree_.set_host_root(node, source.path);
    }
    return walk();
  }

  // --- sources under their whole paths

  Status scan_paths(const std::vector<std::string>& paths) {
    stores_paths_ = true;
    fabricate_root();
    std::optional<HostFile> common_root;
    bool has_common_root = !paths.empty();
    for (const std::string& path : paths) {
      if (cancelled_()) return interrupted();
      SQFS_TRY(const SourcePath source, split_source_path(path));
      SQFS_TRY(const HostFile root, directory_of(source.root));
      SQFS_CHECKED(scan_path(path, source, root));
      if (!common_root) common_root = root;
      if (common_root->info.identity() != root.info.identity()) has_common_root = false;
    }
    if (!has_common_root) return ok();
    tree_.node(kRootNode).attributes = attributes_of(common_root->info);
    tree_.set_host_root(kRootNode, common_root->path);
    return ok();
  }

  Status scan_path(const std::string& path, const SourcePath& source, const HostFile& root) {
    const bool is_listed = options_.source_kind == SourceKind::kListedPaths;
    if (source.names.empty()) {
      if (is_listed) return ok();
      return usage_error("the source " + printable(path) + " has no name to be stored under");
    }
    stack_.push_back({.node = kRootNode, .host_path = root.path, .file = root.info.identity()});
    for (size_t i = 0; filter_.allows_descent(i); ++i) {
      if (i + 1 < source.names.size()) {
        SQFS_TRY(const bool is_entered, enter(source.names[i], path.substr(0, source.ends[i])));
        if (!is_entered) break;
        continue;
      }
      SQFS_TRY(const auto file, source_file(source.names, path));
      if (file) return visit_source(stack_.back().node, source.names[i], *file);
      if (is_listed) break;
      return unsupported_error("The source " + printable(path) + " leads nowhere");
    }
    return walk();
  }

  // The directory that `path` is or leads to.
  Result<HostFile> directory_of(const std::string& path) {
    auto info = env_.lstat(path);
    HostFile file{path, {}};
    if (info && info->type == FileType::kSymlink) {
      auto target = follow_symlink(path, env_);
      if (!target) return because("Cannot follow the symbolic link", path, target.error());
      return target;
    }
    if (!info) return because("Cannot stat source directory", path, info.error());
    file.info = *info;
    return file;
  }

  // Stores a directory on the way to a source, without what is in it. False: it is excluded.
  Result<bool> enter(const std::string& name, const std::string& path) {
    SQFS_TRY(HostFile file, directory_of(path));
    if (file.info.type != FileType::kDirectory) {
      return io_error(ENOTDIR, "The source component " + printable(path) + " is not a directory");
    }
    path_.push_back(name);
    const NodeId parent = stack_.back().node;
    SQFS_TRY(const bool is_excluded, excludes(parent, path, file.info));
    if (is_excluded) return path_.pop_back(), false;
    OpenDirectory opened{.host_path = file.path, .file = file.info.identity()};
    if (const auto* known = index_.find(parent, name)) {
      SQFS_CHECKED(check_same(*known, path, file.info));
      opened.node = known->node;
    } else {
      SQFS_TRY(opened.node, nodes_.add_directory(parent, name, path, file.info));
      index_.add(parent, name, {opened.node, opened.file});
      if (parent == kRootNode || file.is_target) tree_.set_host_root(opened.node, file.path);
    }
    stack_.push_back(std::move(opened));
    return true;
  }

  static Status check_same(const SourceIndex::Entry& known, const std::string& path,
                           const FileInfo& info) {
    if (known.file == info.identity()) return ok();
    return unsupported_error("Two different sources have the same path in the image, " +
                             printable(path) + " is the second one");
  }

  // --- both

  // Reads all directories on the stack and below, depth first, in the order of the names.
  Status walk() {
    while (!stack_.empty()) {
      OpenDirectory& top = stack_.back();
      if (top.next == top.names.size()) {
        stack_.pop_back();
        if (!path_.empty()) path_.pop_back();
        continue;
      }
      if (cancelled_()) return interrupted();
      std::string name = std::move(top.names[top.next++]);
      const std::string path = join_path(top.host_path, name);
      auto info = env_.lstat(path);
      if (!info) {
        SQFS_CHECKED(nodes_.leave_out(because("Cannot stat", path, info.error())));
        continue;
      }
      SQFS_CHECKED(visit(top.node, std::move(name), path, *info));
    }
    return ok();
  }

  // Adds one file to the tree, unless it is left out; a directory is also put on the stack.
  Status visit(NodeId parent, std::string name, const std::string& path, const FileInfo& info) {
    path_.push_back(name);
    SQFS_TRY(bool is_excluded, excludes(parent, path, info));
    if (is_excluded) return path_.pop_back(), ok();
    std::optional<HostFile> file(HostFile{path, info});
    if (info.type == FileType::kSymlink) {
      SQFS_TRY(file, follow(path_, path, info));
      if (!file) return path_.pop_back(), ok();
      if (file->is_target) {
        SQFS_TRY(is_excluded, excludes(parent, file->path, file->info));
      }
      if (is_excluded) return path_.pop_back(), ok();
    }
    SQFS_TRY([[maybe_unused]] const NodeId node, store(parent, std::move(name), *file));
    return ok();
  }

  // Whether the file that path_ leads to, in the directory `parent`, is not wanted.
  Result<bool> excludes(NodeId parent, const std::string& path, const FileInfo& info) {
    bool is_excluded = filter_.excludes(path_, info);
    if (!is_excluded && actions_ != nullptr && actions_->has_scan_actions()) {
      SQFS_TRY(is_excluded, actions_->excludes(subject_at(path_, path, info)));
    }
    if (is_excluded) tree_.directory(parent).has_exclusions = true;
    return is_excluded;
  }

  // The file of the host that is to be stored under `image_path`, for actions.
  static ActionSubject subject_at(std::span<const std::string> image_path, const std::string& path,
                                  const FileInfo& info) {
    ActionSubject subject;
    for (const std::string& name : image_path) subject.path += "/" + name;
    subject.host_path = path;
    subject.info = info;
    return subject;
  }

  Result<Dereference> choose(std::span<const std::string> image_path, const std::string& path,
                             const FileInfo& info) {
    SQFS_TRY(const Dereference choice, policy_({image_path, path, info}));
    if (choice != Dereference::kNo || actions_ == nullptr || !actions_->has_scan_actions()) {
      return choice;
    }
    return actions_->dereferences(subject_at(image_path, path, info));
  }

  // What is to be stored of a symbolic link: itself, what it leads to, or nothing.
  Result<std::optional<HostFile>> follow(std::span<const std::string> image_path,
                                         const std::string& path, const FileInfo& info) {
    SQFS_TRY(const Dereference choice, choose(image_path, path, info));
    if (choice == Dereference::kNo) return std::optional(HostFile{path, info});
    auto target = follow_symlink(path, env_);
    if (!target && is_host_shortage(target.error())) return target.error();
    if (target && !is_being_read(target->info)) return std::optional(*std::move(target));
    const std::string why = target ? "Dereferencing " + printable(path) + " would lead back into " +
                                         printable(target->path)
                                   : because("Cannot dereference", path, target.error()).what;
    if (choice == Dereference::kOrKeep) {
      warn_(why + ", keeping the symbolic link");
      return std::optional(HostFile{path, info});
    }
    warn_(why + ", leaving it out");
    return std::optional<HostFile>();
  }

  // Whether a directory is one of those that the walk is in: whoever enters it never comes back.
  bool is_being_read(const FileInfo& info) const {
    if (info.type != FileType::kDirectory) return false;
    return std::ranges::any_of(
        stack_, [&](const OpenDirectory& opened) { return opened.file == info.identity(); });
  }

  // Adds a file that is not excluded to the tree, under the last name in path_, which stays there
  // while a directory is read. kNoNode: it was left out.
  Result<NodeId> store(NodeId parent, std::string name, const HostFile& file) {
    const bool is_directory = file.info.type == FileType::kDirectory;
    SourceIndex::Entry* known = stores_paths_ ? index_.find(parent, name) : nullptr;
    if (known != nullptr) SQFS_CHECKED(check_same(*known, file.path, file.info));
    const bool is_done = known != nullptr && (!is_directory || known->is_listed);
    if (is_done || is_out_of_reach(file.path, file.info)) {
      path_.pop_back();
      return is_done ? known->node : kNoNode;
    }
    if (is_directory) return store_directory(parent, name, file, known);
    path_.pop_back();
    SQFS_TRY(const NodeId node, nodes_.add_file(parent, name, file.path, file.info));
    if (node != kNoNode) remember(parent, name, file, node);
    return node;
  }

  Result<NodeId> store_directory(NodeId parent, const std::string& name, const HostFile& file,
                                 SourceIndex::Entry* known) {
    OpenDirectory opened{.host_path = file.path, .file = file.info.identity()};
    if (is_on_other_file_system(file.info)) {
      warn_(printable(file.path) + " is on another file system, storing it as an empty directory");
    } else if (descends() && filter_.allows_descent(path_.size())) {
      auto names = list_sorted(env_, file.path);
      if (!names) {
        path_.pop_back();
        if (options_.data.exit_on_error || is_host_shortage(names.error())) {
          return because("Could not open", file.path, names.error());
        }
        warn_("Could not open " + printable(file.path) + ", skipping... (" +
              errno_text(names.error().os_errno) + ")");
        return kNoNode;
      }
      opened.names = std::move(names).value();
      if (known != nullptr) known->is_listed = true;
    }
    if (known != nullptr) {
      opened.node = known->node;
    } else {
      SQFS_TRY(opened.node, nodes_.add_directory(parent, name, file.path, file.info));
      remember(parent, name, file, opened.node);
    }
    stack_.push_back(std::move(opened));
    return stack_.back().node;
  }

  void remember(NodeId parent, const std::string& name, const HostFile& file, NodeId node) {
    if (file.is_target) tree_.set_host_root(node, file.path);
    if (stores_paths_) index_.add(parent, name, {node, file.info.identity()});
  }

  // Whether what lies in a directory is stored without being named.
  bool descends() const { return options_.source_kind != SourceKind::kListedPaths; }

  bool is_on_other_file_system(const FileInfo& info) const {
    return options_.filter.file_systems != FilterOptions::FileSystems::kAll &&
           info.device != source_device_;
  }

  // Whether a file is on a file system that is not to be entered, and is not kept as a mount point.
  bool is_out_of_reach(const std::string& path, const FileInfo& info) {
    if (!is_on_other_file_system(info)) return false;
    const bool keeps_directories =
        options_.filter.file_systems == FilterOptions::FileSystems::kOneEmptyDirs;
    if (keeps_directories && info.type == FileType::kDirectory) return false;
    warn_(printable(path) + " is on another file system, leaving it out");
    return true;
  }

  static Error interrupted() { return Error{Code::kCancelled, 0, 0, 0, "interrupted"}; }

  const BuildOptions& options_;
  const Filter& filter_;
  Env& env_;
  const Warn& warn_;
  const std::function<bool()>& cancelled_;
  Tree& tree_;
  const DereferencePolicy policy_;
  ActionRunner* actions_;  // may be null
  HostNodes nodes_;

  uint64_t source_device_ = 0;  // of the source being read
  std::vector<OpenDirectory> stack_;
  std::vector<std::string> path_;  // names from the root of the image to the top of stack_
  SourceNames names_;
  bool stores_paths_ = false;
  SourceIndex index_;  // of all nodes, when stores_paths_
};

}  // namespace

Status scan_sources(const BuildOptions& options, const Filter& filter, Env& env, const Warn& warn,
                    const std::function<bool()>& cancelled, Tree& tree,
                    const DereferencePolicy& policy, ActionRunner* actions) {
  return Scanner(options, filter, env, warn, cancelled, tree, policy, actions).run();
}

}  // namespace sqfs
