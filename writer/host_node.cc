// SPDX-License-Identifier: MIT
#include "writer/host_node.h"

#include <utility>

#include "base/text.h"
#include "squashfs-format/directory.h"
#include "writer/host_file.h"

namespace sqfs {

Result<NodeId> HostNodes::add_file(NodeId parent, std::string name, const std::string& path,
                                   const FileInfo& info) {
  const bool may_have_links = options_.find_hard_links && info.nlink > 1;
  if (may_have_links) {
    const auto first = first_names_.find(info.identity());
    if (first != first_names_.end()) {
      return add(parent, std::move(name), path, info, HardLink{first->second});
    }
  }
  SQFS_TRY(auto kind, kind_of(path, info));
  if (!kind) return kNoNode;
  SQFS_TRY(const NodeId node, add(parent, std::move(name), path, info, std::move(*kind)));
  if (may_have_links) first_names_.emplace(info.identity(), node);
  return node;
}

Status HostNodes::leave_out(Error error) {
  if (options_.data.exit_on_error || is_host_shortage(error)) return error;
  warn_(error.what + ", leaving it out");
  return ok();
}

Result<std::optional<NodeKind>> HostNodes::kind_of(const std::string& path, const FileInfo& info) {
  auto kind = kind_of_host_file(path, info, options_.data.block_size, env_);
  if (kind) return std::optional<NodeKind>(std::move(kind).value());
  if (kind.error().code != Code::kIo) return std::move(kind).error();
  SQFS_CHECKED(leave_out(std::move(kind).error()));
  return std::optional<NodeKind>();
}

Result<NodeId> HostNodes::add(NodeId parent, std::string name, const std::string& path,
                              const FileInfo& info, NodeKind kind) {
  if (!is_legal_name(name)) {
    return unsupported_error("The name of " + printable(path) +
                             " cannot be stored: names have 1 to 255 bytes, none of them / or 0");
  }
  Node node;
  node.name = std::move(name);
  node.attributes = attributes_of(info);
  node.kind = std::move(kind);
  return tree_.add(parent, std::move(node));
}

}  // namespace sqfs
