// SPDX-License-Identifier: MIT
#include "writer/host_file.h"

#include <utility>

#include "base/text.h"
#include "squashfs-format/constants.h"
#include "writer/data_stage.h"

namespace sqfs {
namespace {

Result<NodeKind> symlink_of(const std::string& path, Env& env) {
  auto target = env.read_link(path);
  if (!target) return because("Cannot read the symbolic link", path, target.error());
  if (target->empty() || target->size() > kMaxSymlinkLength) {
    return unsupported_error("The target of the symbolic link " + printable(path) + " has " +
                             std::to_string(target->size()) +
                             " bytes; a kernel can follow 1 to 4095");
  }
  return NodeKind(Symlink{std::move(target).value()});
}

Result<NodeKind> device_of(const std::string& path, const FileInfo& info) {
  if (info.rdev_major > kMaxMajor || info.rdev_minor > kMaxMinor) {
    return unsupported_error("The device numbers " + std::to_string(info.rdev_major) + ":" +
                             std::to_string(info.rdev_minor) + " of " + printable(path) +
                             " are beyond the format's 4095:1048575");
  }
  return NodeKind(
      DeviceNode{info.type == FileType::kBlockDevice, info.rdev_major, info.rdev_minor});
}

}  // namespace

Attributes attributes_of(const FileInfo& info) {
  return {.mode = info.mode, .uid = info.uid, .gid = info.gid, .mtime = info.mtime_seconds};
}

Result<NodeKind> kind_of_host_file(const std::string& path, const FileInfo& info,
                                   uint32_t block_size, Env& env) {
  switch (info.type) {
    case FileType::kSymlink: return symlink_of(path, env);
    case FileType::kBlockDevice:
    case FileType::kCharDevice: return device_of(path, info);
    case FileType::kFifo: return NodeKind(IpcNode{.is_socket = false});
    case FileType::kSocket: return NodeKind(IpcNode{.is_socket = true});
    default: break;
  }
  SQFS_CHECKED(check_file_size(info.size, block_size, printable(path)));
  RegularFile file;
  file.identity = info.identity();
  file.expected_size = info.size;
  file.is_sparse_on_host = info.allocated_bytes < info.size;
  return NodeKind(std::move(file));
}

Error because(const std::string& action, const std::string& path, const Error& error) {
  const std::string why = error.os_errno != 0 ? errno_text(error.os_errno) : error.what;
  return io_error(error.os_errno, action + " " + printable(path) + " because " + why);
}

}  // namespace sqfs
