// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/extended_regex.h"
#include "base/warn.h"
#include "writer/build.h"

// What the scan leaves out.
namespace sqfs {

// Decides file by file, on the way down, so what lies below an excluded directory is never looked
// at.
class Filter {
 public:
  // Exact excludes are looked up on the host: absolute names and those that start with ./ or ../ as
  // they are, others below every source. One of the former that is missing is warned of, or is an
  // error with exit_on_error. Code::kUsage for a bad regex, and for a pattern that starts with /,
  // ./ or ../ where patterns start at the root of the image.
  static Result<Filter> make(const FilterOptions& options, std::span<const std::string> sources,
                             bool exit_on_error, Env& env, const Warn& warn);

  // Leaves out this file, whatever its names.
  void exclude(FileIdentity file) { identities_.insert(file); }

  // Whether a file can be left out for its path.
  bool has_patterns() const { return !patterns_.empty(); }

  // `path`: the names from below the root of the image down to the file itself.
  bool excludes(std::span<const std::string> path, const FileInfo& info) const;

  // Whether a directory `depth` levels below the root (itself: 0) is to be read.
  bool allows_descent(size_t depth) const;

 private:
  // One name of a pattern.
  struct NamePattern {
    std::string glob;
    std::optional<ExtendedRegex> regex;  // instead of the glob
    bool matches(const std::string& name) const;
  };
  struct PathPattern {
    bool is_anchored = true;  // starts at the root of the image, not anywhere
    std::vector<NamePattern> names;
    bool matches(std::span<const std::string> path) const;
  };

  Status add_exact(const std::string& name, std::span<const std::string> sources,
                   bool exit_on_error, Env& env, const Warn& warn);
  Status add_pattern(std::string_view text, ExcludeSyntax syntax);

  std::set<FileIdentity> identities_;
  std::vector<PathPattern> patterns_;
  std::optional<uint32_t> max_depth_;
};

}  // namespace sqfs
