// SPDX-License-Identifier: MIT
#include "writer/dereference.h"

#include <algorithm>

#include <fnmatch.h>

#include "writer/build.h"

namespace sqfs {
namespace {

#ifdef FNM_EXTMATCH  // an extension of glibc: !(a|b)
constexpr int kGlobFlags = FNM_PATHNAME | FNM_EXTMATCH;
#else
constexpr int kGlobFlags = FNM_PATHNAME;
#endif

std::string joined(std::span<const std::string> names) {
  std::string path;
  for (const std::string& name : names) path += (path.empty() ? "" : "/") + name;
  return path;
}

bool matches(const std::string& glob, const std::string& path) {
  const size_t start = std::min(glob.find_first_not_of('/'), glob.size());
  return fnmatch(glob.c_str() + start, path.c_str(), kGlobFlags) == 0;
}

}  // namespace

DereferencePolicy dereference_policy(const FilterOptions& options) {
  return [&options](const FoundSymlink& link) -> Result<Dereference> {
    if (options.dereference != Dereference::kNo || options.dereference_paths.empty()) {
      return options.dereference;
    }
    const std::string path = joined(link.image_path);
    const bool is_named = std::ranges::any_of(
        options.dereference_paths, [&](const std::string& glob) { return matches(glob, path); });
    return is_named ? Dereference::kOrLeaveOut : Dereference::kNo;
  };
}

Result<HostFile> follow_symlink(const std::string& path, Env& env) {
  // Not stat(): the file is opened later by a name, which must not be a link's.
  SQFS_TRY(std::string target, env.resolve(path));
  SQFS_TRY(const FileInfo info, env.lstat(target));
  return HostFile{std::move(target), info, true};
}

}  // namespace sqfs
