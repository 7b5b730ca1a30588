// SPDX-License-Identifier: MIT
#include "writer/whiteouts.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace sqfs {
namespace {

constexpr std::string_view kWhiteout = ".wh.", kNote = ".wh..wh.", kOpaque = ".wh..wh..opq";

}  // namespace

bool LayerChanges::take_whiteout(const PathNames& path) {
  const auto note =
      std::ranges::find_if(path, [](const std::string& name) { return name.starts_with(kNote); });
  if (note != path.end()) {
    if (*note == kOpaque && note + 1 == path.end()) opaque_.emplace_back(path.begin(), note);
    return true;
  }
  if (path.empty() || !path.back().starts_with(kWhiteout)) return false;
  PathNames hidden = path;
  hidden.back().erase(0, kWhiteout.size());
  const std::string& name = hidden.back();
  if (!name.empty() && name != "." && name != "..") hidden_.push_back(std::move(hidden));
  return true;
}

Status LayerChanges::apply(ArchiveTree& tree) {
  for (const PathNames& path : opaque_) tree.empty(path);
  for (const PathNames& path : hidden_) tree.remove(path);
  for (ArchiveTree::Item& item : std::exchange(items_, {})) {
    SQFS_CHECKED(tree.put(std::move(item)));
  }
  return ok();
}

}  // namespace sqfs
