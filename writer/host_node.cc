// SPDX-License-Identifier: MIT
#include "writer/host_node.h"

#include <utility>

#include "base/text.h"
#include "squashfs-format/directory.h"

namespace sqfs {

Attributes attributes_of(const FileInfo& info) {
  return {.mode = info.mode, .uid = info.uid, .gid = info.gid, .mtime = info.mtime_seconds};
}

Error failed_to(const std::string& action, const std::string& path, const Error& error) {
  const std::string why = error.os_errno != 0 ? errno_text(error.os_errno) : error.what;
  return io_error(error.os_errno, action + " " + printable(path) + " because " + why);
}

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

// What a file that is no directory becomes; nullopt: it was left out.
Result<std::optional<NodeKind>> HostNodes::kind_of(const std::string& path, const FileInfo& info) {
  switch (info.type) {
    case FileType::kSymlink: return symlink_of(path);
    case FileType::kBlockDevice:
    case FileType::kCharDevice:
      if (info.rdev_major > kMaxMajor || info.rdev_minor > kMaxMinor) {
        return unsupported_error("The device numbers " + std::to_string(info.rdev_major) + ":" +
                                 std::to_string(info.rdev_minor) + " of " + printable(path) +
                                 " are beyond the format's 4095:1048575");
      }
      return std::optional<NodeKind>(
          DeviceNode{info.type == FileType::kBlockDevice, info.rdev_major, info.rdev_minor});
    case FileType::kFifo: return std::optional<NodeKind>(IpcNode{.is_socket = false});
    case FileType::kSocket: return std::optional<NodeKind>(IpcNode{.is_socket = true});
    default: break;
  }
  SQFS_CHECKED(check_file_size(info.size, options_.data.block_size, printable(path)));
  RegularFile file;
  file.identity = info.identity();
  file.expected_size = info.size;
  file.is_sparse_on_host = info.allocated_bytes < info.size;
  return std::optional<NodeKind>(std::move(file));
}

Result<std::optional<NodeKind>> HostNodes::symlink_of(const std::string& path) {
  auto target = env_.read_link(path);
  if (!target) {
    SQFS_CHECKED(leave_out(failed_to("Cannot read the symbolic link", path, target.error())));
    return std::optional<NodeKind>();
  }
  if (target->empty() || target->size() > kMaxSymlinkLength) {
    return unsupported_error("The target of the symbolic link " + printable(path) + " has " +
                             std::to_string(target->size()) +
                             " bytes; a kernel can follow 1 to 4095");
  }
  return std::optional<NodeKind>(Symlink{std::move(target).value()});
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
