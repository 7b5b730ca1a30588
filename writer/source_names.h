// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/result.h"
#include "base/warn.h"
#include "writer/tree.h"

// The names of sources that are stored under their last names.
namespace sqfs {

// The name that `path` ends with once dots are resolved, by its letters alone; empty for "/". Fails
// where the working directory is asked for and not known.
Result<std::string> source_name(const std::string& path, Env& env);

// The names in a directory, sorted; one that a changing directory lists twice counts once.
Result<std::vector<std::string>> list_sorted(Env& env, const std::string& path);

// Gives sources names at the root of a tree. Borrows all it is given; `taken` (sorted) are names of
// an image that is added to.
class SourceNames {
 public:
  SourceNames(const Tree& tree, std::span<const std::string> taken, const Warn& warn)
      : tree_(tree), taken_(taken), warn_(warn) {}

  // The first of NAME, NAME_1, NAME_2, … that no earlier source has.
  std::string choose(const std::string& name);

 private:
  bool is_taken(const std::string& name) const;

  const Tree& tree_;
  std::span<const std::string> taken_;
  const Warn& warn_;
  std::map<std::string, uint32_t, std::less<>> counts_;  // last number tried for a taken name
};

}  // namespace sqfs
