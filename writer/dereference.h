// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/env.h"
#include "base/result.h"

// Which symbolic links are stored as what they lead to.
namespace sqfs {

struct FilterOptions;

enum class Dereference : uint8_t {
  kNo,          // the link is stored as one
  kOrLeaveOut,  // what it leads to is stored; a link that leads nowhere, or in a circle, is left
                // out
  kOrKeep,      // the same, but such a link is stored as one
};

// A symbolic link that the scan has come to.
struct FoundSymlink {
  std::span<const std::string> image_path;  // the names from below the root of the image down to it
  const std::string& host_path;
  const FileInfo& info;  // of the link itself
};

// Asked once for each symbolic link that is not excluded, errors end the scan; also for those that
// are sources, whose image path is their name when they stand at the root.
using DereferencePolicy = std::function<Result<Dereference>(const FoundSymlink& link)>;

// -dereference, -deref and -deref-path. Borrows `options`.
DereferencePolicy dereference_policy(const FilterOptions& options);

// A file of the host: under its name, or where a symbolic link leads to.
struct HostFile {
  std::string path;
  FileInfo info;
  bool is_target = false;  // a link was followed; `path` has no symbolic links in it
};

// What the symbolic link at `path` leads to in the end. Fails when it leads nowhere.
Result<HostFile> follow_symlink(const std::string& path, Env& env);

}  // namespace sqfs
