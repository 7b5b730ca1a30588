// SPDX-License-Identifier: MIT
#include "writer/source_dir.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "squashfs-format/directory.h"
#include "writer/host_file.h"

namespace sqfs {
namespace {

constexpr uint16_t kFabricatedRootMode = 0777;

struct IdentityHash {
  size_t operator()(const FileIdentity& file) const {
    return std::hash<uint64_t>()(file.second * 0x9e3779b97f4a7c15u + file.first);
  }
};

class Scanner {
 public:
  Scanner(const BuildOptions& options, const Filter& filter, Env& env, const Warn& warn,
          const std::function<bool()>& cancelled, Tree& tree)
      : options_(options),
        filter_(filter),
        env_(env),
        warn_(warn),
        cancelled_(cancelled),
        tree_(tree) {}

  Status run() {
    std::vector<FileInfo> sources;
    for (const std::string& path : options_.sources) {
      auto info = env_.lstat(path);
      if (!info) {
        const int why = info.error().os_errno;
        return io_error(why, "Cannot stat source directory \"" + printable(path) + "\" because " +
                                 errno_text(why));
      }
      sources.push_back(*info);
    }
    const bool is_one_directory = sources.size() == 1 && sources[0].type == FileType::kDirectory;
    if (is_one_directory && !options_.keep_as_directory) {
      SQFS_CHECKED(scan_root(options_.sources[0], sources[0]));
    } else {
      SQFS_CHECKED(scan_into_fabricated_root(sources));
    }
    tree_.sort();
    return ok();
  }

 private:
  // A directory that is being read; those above it are below it in the stack.
  struct OpenDirectory {
    NodeId node = kRootNode;
    std::string host_path;
    std::vector<std::string> names;
    size_t next = 0;
  };

  Status scan_root(const std::string& path, const FileInfo& info) {
    tree_.node(kRootNode).attributes = attributes_of(info);
    tree_.set_host_root(kRootNode, path);
    source_device_ = info.device;
    OpenDirectory root;
    root.host_path = path;
    if (filter_.allows_descent(0)) {
      auto names = list(path);
      if (!names) return because("Failed to scan source directory", path, names.error());
      root.names = std::move(names).value();
    }
    stack_.push_back(std::move(root));
    return walk();
  }

  Status scan_into_fabricated_root(const std::vector<FileInfo>& sources) {
    tree_.node(kRootNode).attributes = {.mode = kFabricatedRootMode,
                                        .uid = env_.user_id(),
                                        .gid = env_.group_id(),
                                        .mtime = env_.now(),
                                        .is_fabricated = true};
    if (!filter_.allows_descent(0)) return ok();
    for (size_t i = 0; i < sources.size(); ++i) {
      const std::string& path = options_.sources[i];
      SQFS_TRY(const std::string base, basename_of(path));
      if (base.empty()) {
        warn_("Bad source directory " + printable(path) +
              ", skipping it: it has no name to be stored under");
        continue;
      }
      source_device_ = sources[i].device;
      SQFS_TRY(const NodeId node, visit(kRootNode, free_name(base), path, sources[i]));
      if (node == kNoNode) continue;
      tree_.set_host_root(node, path);
      SQFS_CHECKED(walk());
    }
    return ok();
  }

  Result<std::string> basename_of(const std::string& path) {
    if (path.starts_with('/')) return lexical_basename(path);
    SQFS_TRY(const std::string directory, env_.current_directory());
    return lexical_basename(join_path(directory, path));
  }

  // The first of NAME, NAME_1, NAME_2, … that no earlier source has.
  std::string free_name(const std::string& base) {
    if (tree_.find_child(kRootNode, base) == kNoNode) return base;
    std::string name;
    uint32_t& number = name_counts_[base];
    do {
      name = base + "_" + std::to_string(++number);
    } while (tree_.find_child(kRootNode, name) != kNoNode);
    warn_("Source directory entry " + printable(base) + " already used! - trying " +
          printable(name));
    return name;
  }

  // Reads all directories on the stack and below, depth first, in the order of the names.
  Status walk() {
    while (!stack_.empty()) {
      OpenDirectory& top = stack_.back();
      if (top.next == top.names.size()) {
        stack_.pop_back();
        if (!path_.empty()) path_.pop_back();
        continue;
      }
      if (cancelled_()) return Error{Code::kCancelled, 0, 0, 0, "interrupted"};
      std::string name = std::move(top.names[top.next++]);
      const std::string path = join_path(top.host_path, name);
      auto info = env_.lstat(path);
      if (!info) {
        SQFS_CHECKED(leave_out(because("Cannot stat", path, info.error())));
        continue;
      }
      SQFS_TRY([[maybe_unused]] const NodeId node, visit(top.node, std::move(name), path, *info));
    }
    return ok();
  }

  // Adds one file to the tree; a directory is also put on the stack. kNoNode: it was left out.
  Result<NodeId> visit(NodeId parent, std::string name, const std::string& path,
                       const FileInfo& info) {
    path_.push_back(name);
    const bool is_excluded = filter_.excludes(path_, info) || is_out_of_reach(path, info);
    if (!is_excluded && info.type == FileType::kDirectory) {
      return visit_directory(parent, std::move(name), path, info);  // path_ keeps its name
    }
    path_.pop_back();
    if (is_excluded) return kNoNode;
    return add_file(parent, std::move(name), path, info);
  }

  Result<NodeId> visit_directory(NodeId parent, std::string name, const std::string& path,
                                 const FileInfo& info) {
    OpenDirectory opened;
    opened.host_path = path;
    const bool is_elsewhere = is_on_other_file_system(info);
    if (is_elsewhere) {
      warn_(printable(path) + " is on another file system, storing it as an empty directory");
    } else if (filter_.allows_descent(path_.size())) {
      auto names = list(path);
      if (!names) {
        path_.pop_back();
        if (options_.data.exit_on_error || is_host_shortage(names.error())) {
          return because("Could not open", path, names.error());
        }
        warn_("Could not open " + printable(path) + ", skipping... (" +
              errno_text(names.error().os_errno) + ")");
        return kNoNode;
      }
      opened.names = std::move(names).value();
    }
    SQFS_TRY(opened.node, add(parent, std::move(name), path, info, Directory{}));
    stack_.push_back(std::move(opened));
    return stack_.back().node;
  }

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

  Result<NodeId> add_file(NodeId parent, std::string name, const std::string& path,
                          const FileInfo& info) {
    const FileIdentity identity{info.device, info.inode};
    const bool may_have_links = options_.find_hard_links && info.nlink > 1;
    if (may_have_links) {
      const auto first = first_names_.find(identity);
      if (first != first_names_.end()) {
        return add(parent, std::move(name), path, info, HardLink{first->second});
      }
    }
    SQFS_TRY(auto kind, kind_of(path, info));
    if (!kind) return kNoNode;
    SQFS_TRY(const NodeId node, add(parent, std::move(name), path, info, std::move(*kind)));
    if (may_have_links) first_names_.emplace(identity, node);
    return node;
  }

  // What a file that is no directory becomes; nullopt: it was left out.
  Result<std::optional<NodeKind>> kind_of(const std::string& path, const FileInfo& info) {
    auto kind = kind_of_host_file(path, info, options_.data.block_size, env_);
    if (kind) return std::optional<NodeKind>(std::move(kind).value());
    if (kind.error().code != Code::kIo) return std::move(kind).error();
    SQFS_CHECKED(leave_out(std::move(kind).error()));
    return std::optional<NodeKind>();
  }

  Result<NodeId> add(NodeId parent, std::string name, const std::string& path, const FileInfo& info,
                     NodeKind kind) {
    if (!is_legal_name(name)) {
      return unsupported_error("The name of " + printable(path) +
                               " cannot be stored: names have 1 to 255 bytes, none of them / or 0");
    }
    Node node;
    node.name = std::move(name);
    node.attributes = attributes_of(info);
    node.kind = std::move(kind);
    return tree_.add(parent, std::move(node));
  }

  // The names in a directory, sorted; one that a changing directory lists twice counts once.
  Result<std::vector<std::string>> list(const std::string& path) {
    SQFS_TRY(auto names, env_.list_dir(path));
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

  Status leave_out(Error error) {
    if (options_.data.exit_on_error || is_host_shortage(error)) return error;
    warn_(error.what + ", leaving it out");
    return ok();
  }

  const BuildOptions& options_;
  const Filter& filter_;
  Env& env_;
  const Warn& warn_;
  const std::function<bool()>& cancelled_;
  Tree& tree_;

  uint64_t source_device_ = 0;  // of the source being read
  std::vector<OpenDirectory> stack_;
  std::vector<std::string> path_;  // names from the root of the image to the top of stack_
  std::unordered_map<FileIdentity, NodeId, IdentityHash> first_names_;  // of files with several
  std::map<std::string, uint32_t, std::less<>> name_counts_;  // last number tried for a taken name
};

}  // namespace

Status scan_sources(const BuildOptions& options, const Filter& filter, Env& env, const Warn& warn,
                    const std::function<bool()>& cancelled, Tree& tree) {
  return Scanner(options, filter, env, warn, cancelled, tree).run();
}

}  // namespace sqfs
