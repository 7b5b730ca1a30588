// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "base/result.h"
#include "writer/archive_tree.h"

namespace sqfs {

// What a layer of a container image changes in those below it. Its whiteouts hide what is below and
// nothing of the layer itself, in whatever order they come: so they are applied first, when the
// layer is known as a whole.
class LayerChanges {
 public:
  // Takes the path of an entry if it is no file of the image: .wh.NAME hides NAME,
  // .wh..wh..opq all that its directory has, and other names that begin with .wh..wh. are notes of
  // a union file system, together with all below them.
  bool take_whiteout(const PathNames& path);
  void add(ArchiveTree::Item item) { items_.push_back(std::move(item)); }

  // Fails as ArchiveTree::put().
  Status apply(ArchiveTree& tree);

 private:
  std::vector<PathNames> hidden_, opaque_;
  std::vector<ArchiveTree::Item> items_;
};

}  // namespace sqfs
