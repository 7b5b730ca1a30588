// SPDX-License-Identifier: MIT
#include "writer/filter.h"

#include <algorithm>
#include <string_view>

#include <fnmatch.h>

#include "base/text.h"

namespace sqfs {
namespace {

#ifdef FNM_EXTMATCH  // an extension of glibc: !(a|b)
constexpr int kGlobFlags = FNM_PATHNAME | FNM_PERIOD | FNM_EXTMATCH;
#else
constexpr int kGlobFlags = FNM_PATHNAME | FNM_PERIOD;
#endif

constexpr std::string_view kAnywherePrefix = "... ";

bool has_host_prefix(std::string_view name) {
  return name.starts_with("/") || name.starts_with("./") || name.starts_with("../");
}

std::string_view without_trailing_slashes(std::string_view name) {
  while (name.size() > 1 && name.ends_with('/')) name.remove_suffix(1);
  return name;
}

}  // namespace

Result<Filter> Filter::make(const FilterOptions& options, std::span<const std::string> sources,
                            bool exit_on_error, Env& env, const Warn& warn) {
  Filter filter;
  filter.max_depth_ = options.max_depth;
  for (const std::string& exclude : options.excludes) {
    const std::string_view name = without_trailing_slashes(exclude);
    if (name.empty()) continue;
    if (options.syntax == ExcludeSyntax::kExact) {
      SQFS_CHECKED(filter.add_exact(std::string(name), sources, exit_on_error, env, warn));
    } else {
      SQFS_CHECKED(filter.add_pattern(name, options.syntax));
    }
  }
  return filter;
}

Status Filter::add_exact(const std::string& name, std::span<const std::string> sources,
                         bool exit_on_error, Env& env, const Warn& warn) {
  if (!has_host_prefix(name)) {
    for (const std::string& source : sources) {
      const auto info = env.lstat(join_path(source, name));
      if (info) exclude({info->device, info->inode});
    }
    return ok();
  }
  const auto info = env.lstat(name);
  if (info) {
    exclude({info->device, info->inode});
    return ok();
  }
  const int why = info.error().os_errno;
  const std::string sentence =
      "Cannot stat exclude dir/file " + printable(name) + " because " + errno_text(why);
  if (exit_on_error) return io_error(why, sentence);
  warn(sentence + ", ignoring it");
  return ok();
}

Status Filter::add_pattern(std::string_view text, ExcludeSyntax syntax) {
  PathPattern pattern;
  std::string_view rest = text;
  if (rest.starts_with(kAnywherePrefix)) {
    pattern.is_anchored = false;
    rest.remove_prefix(kAnywherePrefix.size());
  }
  if (has_host_prefix(rest)) {
    return usage_error("the exclude \"" + printable(text) +
                       "\" starts with /, ./ or ../, but with -wildcards and -regex excludes start "
                       "at the root of the image");
  }
  for (const std::string_view name : split(rest, '/')) {
    if (name.empty()) continue;
    NamePattern part;
    part.glob = name;
    if (syntax == ExcludeSyntax::kRegex) {
      auto regex = ExtendedRegex::compile(part.glob);
      if (!regex) {
        return std::move(regex).error().with_context("exclude \"" + printable(text) + "\"");
      }
      part.regex = std::move(regex).value();
    }
    pattern.names.push_back(std::move(part));
  }
  if (!pattern.names.empty()) patterns_.push_back(std::move(pattern));
  return ok();
}

bool Filter::NamePattern::matches(const std::string& name) const {
  if (regex) return regex->matches(name);
  return fnmatch(glob.c_str(), name.c_str(), kGlobFlags) == 0;
}

// From the last name on: it is the one that most often differs.
bool Filter::PathPattern::matches(std::span<const std::string> path) const {
  if (path.size() < names.size() || (is_anchored && path.size() != names.size())) return false;
  return std::equal(
      names.rbegin(), names.rend(), path.rbegin(),
      [](const NamePattern& part, const std::string& name) { return part.matches(name); });
}

bool Filter::excludes(std::span<const std::string> path, const FileInfo& info) const {
  if (identities_.contains({info.device, info.inode})) return true;
  return std::any_of(patterns_.begin(), patterns_.end(),
                     [&](const PathPattern& pattern) { return pattern.matches(path); });
}

bool Filter::allows_descent(size_t depth) const { return !max_depth_ || depth < *max_depth_; }

}  // namespace sqfs
