// SPDX-License-Identifier: MIT
#include "writer/source_names.h"

#include <algorithm>

#include "base/text.h"

namespace sqfs {

Result<std::string> source_name(const std::string& path, Env& env) {
  if (path.starts_with('/')) return lexical_basename(path);
  SQFS_TRY(const std::string directory, env.current_directory());
  return lexical_basename(join_path(directory, path));
}

Result<std::vector<std::string>> list_sorted(Env& env, const std::string& path) {
  SQFS_TRY(auto names, env.list_dir(path));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string SourceNames::choose(const std::string& base) {
  if (!is_taken(base)) return base;
  std::string name;
  uint32_t& number = counts_[base];
  do {
    name = base + "_" + std::to_string(++number);
  } while (is_taken(name));
  warn_("Source directory entry " + printable(base) + " already used! - trying " + printable(name));
  return name;
}

bool SourceNames::is_taken(const std::string& name) const {
  return tree_.find_child(kRootNode, name) != kNoNode || std::ranges::binary_search(taken_, name);
}

}  // namespace sqfs
