// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/result.h"
#include "writer/tree.h"

// What it takes to store sources under their whole paths.
namespace sqfs {

// A path as it is stored. `/`, `./` and `../` at its front lead to the host's directory that
// stands at the root of the image; they are not stored.
struct SourcePath {
  std::string root;                // that directory: "/", ".", "../..", …
  std::vector<std::string> names;  // none: the path is that directory
  std::vector<size_t> ends;        // of the names in the path that was given
};

// Code::kUsage for `.` and `..` behind a name: no path in an image has them.
Result<SourcePath> split_source_path(std::string_view path);

// Reads standard input to its end. Every path is ended by `end`; the last one need not be. Empty
// ones are skipped. Code::kUsage, with the place, for one that no host can have.
Result<std::vector<std::string>> read_path_list(Env& env, char end,
                                                const std::function<bool()>& cancelled);

// Which host files stand behind the nodes that paths were given to.
class SourceIndex {
 public:
  struct Entry {
    NodeId node = kNoNode;
    FileIdentity file;
    bool is_listed = false;  // a directory whose files were all looked at
  };
  Entry* find(NodeId parent, const std::string& name) {  // null: none
    const auto found = entries_.find({parent, name});
    return found == entries_.end() ? nullptr : &found->second;
  }
  void add(NodeId parent, const std::string& name, const Entry& entry) {
    entries_.emplace(std::pair(parent, name), entry);
  }

 private:
  std::map<std::pair<NodeId, std::string>, Entry> entries_;
};

}  // namespace sqfs
