// SPDX-License-Identifier: MIT
#include "writer/sort_order.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "writer/plan.h"

namespace sqfs {
namespace {

bool has_host_prefix(std::string_view name) {
  return name.starts_with("/") || name.starts_with("./") || name.starts_with("../");
}

class Sorter {
 public:
  Sorter(std::span<const std::string> sources, Env& env, const Warn& warn)
      : sources_(sources), env_(env), warn_(warn) {}

  Status add(const SortEntry& entry) {
    std::set<FileIdentity> found;
    const bool is_path = is_from_working_directory_ || has_host_prefix(entry.name);
    if (is_path) {
      look_up(entry.name, found);
    } else {
      for (const std::string& source : sources_) look_up(join_path(source, entry.name), found);
    }
    if (found.empty() && !is_path) {
      look_up(entry.name, found);
      is_from_working_directory_ = !found.empty();
      if (is_from_working_directory_) {
        warn_(entry.place + ": " + printable(entry.name) +
              " is in no source, but in the working directory: this name and those behind it are "
              "taken as in a sort file of mkisofs");
      }
    }
    if (found.empty()) {
      warn_(entry.place + ": there is no file " + printable(entry.name) +
            ", ignoring it; names are relative to the sources");
      return ok();
    }
    if (found.size() > 1) {
      return usage_error(entry.place + ": ambiguous name " + printable(entry.name) +
                         ", several sources have it; a path that begins with ./ or / says which");
    }
    priorities_[*found.begin()] = entry.priority;
    return ok();
  }

  void apply(Tree& tree) {
    struct Visit {
      NodeId id = kNoNode;
      int16_t inherited = 0;
    };
    std::set<NodeId> seen;  // files with several names
    std::vector<Visit> todo = {{kRootNode, 0}};
    while (!todo.empty()) {
      const Visit visit = todo.back();
      todo.pop_back();
      const NodeId id = resolve_link(tree, visit.id);
      if (tree.node(id).is_directory()) {
        const int16_t priority = priority_of(directory_identity(tree, id), visit.inherited);
        for (const NodeId child : tree.directory(id).children) todo.push_back({child, priority});
      } else if (tree.node(id).is_file()) {
        RegularFile& file = tree.file(id);
        const int16_t priority = priority_of(file.identity, visit.inherited);
        file.priority = seen.insert(id).second ? priority : std::max(file.priority, priority);
      }
    }
  }

 private:
  void look_up(const std::string& path, std::set<FileIdentity>& found) {
    if (const auto info = env_.lstat(path)) found.insert(info->identity());
  }

  FileIdentity directory_identity(const Tree& tree, NodeId id) {
    const std::string path = tree.host_path(id);
    if (path.empty()) return {};
    const auto info = env_.stat(path);
    return info ? info->identity() : FileIdentity{};
  }

  int16_t priority_of(const FileIdentity& file, int16_t inherited) const {
    const auto known = priorities_.find(file);
    return known == priorities_.end() ? inherited : known->second;
  }

  std::span<const std::string> sources_;
  Env& env_;
  const Warn& warn_;
  bool is_from_working_directory_ = false;
  std::map<FileIdentity, int16_t> priorities_;
};

}  // namespace

Status set_priorities(std::span<const SortEntry> entries, std::span<const std::string> sources,
                      Env& env, const Warn& warn, Tree& tree) {
  if (entries.empty()) return ok();
  Sorter sorter(sources, env, warn);
  for (const SortEntry& entry : entries) SQFS_CHECKED(sorter.add(entry));
  sorter.apply(tree);
  return ok();
}

}  // namespace sqfs
