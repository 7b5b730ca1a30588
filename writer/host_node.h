// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "base/env.h"
#include "base/result.h"
#include "base/warn.h"
#include "writer/build.h"
#include "writer/host_file.h"
#include "writer/tree.h"

// How one file of the host becomes a node of the tree.
namespace sqfs {

// Adds files to a tree, and knows which of them are names of one file. Borrows all it is given.
class HostNodes {
 public:
  HostNodes(const BuildOptions& options, Env& env, const Warn& warn, Tree& tree)
      : options_(options), env_(env), warn_(warn), tree_(tree) {}

  // A file that is no directory. kNoNode: it could not be read and was left out, with a warning.
  // Code::kUnsupported for what the format cannot hold; else as leave_out().
  Result<NodeId> add_file(NodeId parent, std::string name, const std::string& path,
                          const FileInfo& info);
  Result<NodeId> add_directory(NodeId parent, std::string name, const std::string& path,
                               const FileInfo& info) {
    return add(parent, std::move(name), path, info, Directory{});
  }

  // Warns that the file is left out; hands the error back where that is not allowed, or where the
  // host is to blame.
  Status leave_out(Error error);

 private:
  struct IdentityHash {
    size_t operator()(const FileIdentity& file) const {
      return std::hash<uint64_t>()(file.second * 0x9e3779b97f4a7c15u + file.first);
    }
  };

  // nullopt: it was left out.
  Result<std::optional<NodeKind>> kind_of(const std::string& path, const FileInfo& info);
  Result<NodeId> add(NodeId parent, std::string name, const std::string& path, const FileInfo& info,
                     NodeKind kind);

  const BuildOptions& options_;
  Env& env_;
  const Warn& warn_;
  Tree& tree_;
  std::unordered_map<FileIdentity, NodeId, IdentityHash> first_names_;  // of files with several
};

}  // namespace sqfs
