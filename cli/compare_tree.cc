// SPDX-License-Identifier: MIT
#include "cli/compare_tree.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/text.h"
#include "reader/content.h"
#include "reader/image.h"

namespace sqfs {
namespace {

constexpr std::string_view kPresence = "presence";

FileType type_of(InodeType type) {
  switch (basic_type(type)) {
    case InodeType::kDir: return FileType::kDirectory;
    case InodeType::kSymlink: return FileType::kSymlink;
    case InodeType::kBlockDevice: return FileType::kBlockDevice;
    case InodeType::kCharDevice: return FileType::kCharDevice;
    case InodeType::kFifo: return FileType::kFifo;
    case InodeType::kSocket: return FileType::kSocket;
    default: return FileType::kRegular;
  }
}

std::string type_name(FileType type) {
  switch (type) {
    case FileType::kRegular: return "file";
    case FileType::kDirectory: return "directory";
    case FileType::kSymlink: return "symbolic link";
    case FileType::kBlockDevice: return "block device";
    case FileType::kCharDevice: return "character device";
    case FileType::kFifo: return "fifo";
    case FileType::kSocket: return "socket";
  }
  return "file";
}

std::string octal(uint32_t mode) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%04o", mode);
  return text.data();
}

std::string hex(Bytes bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr size_t kShown = 32;
  std::string out = "0x";
  for (const std::byte b : bytes.first(std::min(bytes.size(), kShown))) {
    out += kDigits[std::to_integer<size_t>(b >> 4)];
    out += kDigits[std::to_integer<size_t>(b & std::byte{15})];
  }
  return bytes.size() > kShown ? out + "..." : out;
}

using Xattrs = std::map<std::string, Buffer>;

std::string xattr_text(const Xattrs& all, const std::string& name) {
  const auto found = all.find(name);
  return found == all.end() ? "none" : name + "=" + hex(found->second);
}

uint64_t storable_time(int64_t seconds) {
  return static_cast<uint64_t>(std::clamp<int64_t>(seconds, 0, 0xffffffff));
}

class Comparison {
 public:
  Comparison(Image& image, Env& env, std::string root, DifferenceSink& sink)
      : image_(image), fragments_(image), env_(env), root_(std::move(root)), sink_(sink) {}

  Result<uint64_t> run() {
    SQFS_TRY(const FileInfo info, env_.stat(root_));
    SQFS_CHECKED(compare_entry("", image_.superblock().root_inode, info));
    while (!pending_.empty()) {
      const Pair pair = std::move(pending_.back());
      pending_.pop_back();
      SQFS_CHECKED(compare_directory(pair));
    }
    return count_;
  }

 private:
  // A directory that both sides have.
  struct Pair {
    std::string path;  // "" for the root, else "/a/b"
    uint64_t inode_ref;
  };

  std::string host_path(const std::string& path) const { return root_ + path; }

  void report(const std::string& path, std::string_view field, std::string in_image,
              std::string in_directory) {
    ++count_;
    sink_.report({path.empty() ? "/" : path, field, std::move(in_image), std::move(in_directory)});
  }

  void compare_number(const std::string& path, std::string_view field, uint64_t image,
                      uint64_t host) {
    if (image != host) report(path, field, std::to_string(image), std::to_string(host));
  }

  Status compare_directory(const Pair& pair) {
    SQFS_TRY(std::vector<std::string> names, env_.list_dir(host_path(pair.path)));
    std::ranges::sort(names);
    SQFS_TRY(const ImageInode directory, image_.inode(pair.inode_ref));
    SQFS_TRY(DirectoryCursor entries, image_.list(directory));
    SQFS_TRY(std::optional<ImageEntry> entry, entries.next());
    auto name = names.begin();
    while (entry || name != names.end()) {
      const bool only_host = !entry || (name != names.end() && *name < entry->name);
      const bool only_image = !only_host && (name == names.end() || entry->name < *name);
      if (only_host) {
        report(pair.path + "/" + *name++, kPresence, "missing", "present");
        continue;
      }
      const std::string path = pair.path + "/" + entry->name;
      if (only_image) {
        report(path, kPresence, "present", "missing");
      } else {
        SQFS_TRY(const FileInfo info, env_.lstat(host_path(path)));
        SQFS_CHECKED(compare_entry(path, entry->inode_ref, info));
        ++name;
      }
      SQFS_TRY(entry, entries.next());
    }
    return ok();
  }

  Status compare_entry(const std::string& path, uint64_t inode_ref, const FileInfo& host) {
    SQFS_TRY(const ImageInode entry, image_.inode(inode_ref));
    const InodeHeader& header = entry.inode.header;
    const FileType type = type_of(header.type);
    if (type != host.type) {
      report(path, "type", type_name(type), type_name(host.type));
      return ok();
    }
    if (type != FileType::kSymlink && header.mode != host.mode) {
      report(path, "mode", octal(header.mode), octal(host.mode));
    }
    compare_number(path, "uid", entry.uid, host.uid);
    compare_number(path, "gid", entry.gid, host.gid);
    compare_number(path, "mtime", header.mtime, storable_time(host.mtime_seconds));
    SQFS_CHECKED(compare_xattrs(path, entry.inode));
    if (type == FileType::kDirectory) {
      pending_.push_back({path, inode_ref});
      return ok();
    }
    compare_links(path, entry.inode, host);
    return compare_body(path, entry, host);
  }

  Status compare_body(const std::string& path, const ImageInode& entry, const FileInfo& host) {
    if (const auto* link = std::get_if<SymlinkBody>(&entry.inode.body)) {
      SQFS_TRY(const std::string target, env_.read_link(host_path(path)));
      if (link->target != target) report(path, "target", link->target, target);
    } else if (const auto* device = std::get_if<DeviceBody>(&entry.inode.body)) {
      const Device number = decode_device(device->rdev);
      if (number.major != host.rdev_major || number.minor != host.rdev_minor) {
        report(path, "rdev", std::to_string(number.major) + "," + std::to_string(number.minor),
               std::to_string(host.rdev_major) + "," + std::to_string(host.rdev_minor));
      }
    } else if (const auto* file = std::get_if<FileBody>(&entry.inode.body)) {
      compare_number(path, "size", file->size, host.size);
      if (file->size == host.size) return compare_content(path, entry);
    }
    return ok();
  }

  Status compare_content(const std::string& path, const ImageInode& entry) {
    SQFS_TRY(const auto file, env_.open_input(host_path(path)));
    FileCursor content(image_, fragments_, entry);
    Buffer host(image_.superblock().block_size);
    for (uint64_t offset = 0;;) {
      SQFS_TRY(const Bytes block, content.next());
      if (block.empty()) return ok();
      const MutableBytes part = MutableBytes(host).first(block.size());
      SQFS_TRY(const size_t got, file->read_at(offset, part));
      if (got != part.size() || !std::ranges::equal(block, part)) {
        const auto at = std::ranges::mismatch(block, part.first(got)).in1 - block.begin();
        const std::string place =
            "differs at byte " + std::to_string(offset + static_cast<uint64_t>(at));
        report(path, "content", place, "");
        return ok();
      }
      offset += block.size();
    }
  }

  Status compare_xattrs(const std::string& path, const Inode& inode) {
    SQFS_TRY(const std::vector<ImageXattr> stored, image_.xattrs(inode));
    Xattrs image, host;
    for (const ImageXattr& xattr : stored) image.emplace(xattr.name, xattr.value);
    SQFS_TRY(const auto names, env_.list_xattrs(host_path(path)));
    for (const std::string& name : names) {
      if (name.starts_with("system.")) continue;
      SQFS_TRY(host[name], env_.get_xattr(host_path(path), name));
    }
    if (image == host) return ok();
    Xattrs all = image;
    all.insert(host.begin(), host.end());
    for (const auto& [name, value] : all) {
      const std::string in_image = xattr_text(image, name), in_host = xattr_text(host, name);
      const bool differs =
          !image.contains(name) || !host.contains(name) || image.at(name) != host.at(name);
      if (differs) report(path, "xattr", in_image, in_host);
    }
    return ok();
  }

  // Both sides are walked in the same order, so names that are links of each other have the same
  // first name on both.
  void compare_links(const std::string& path, const Inode& inode, const FileInfo& host) {
    if (inode.nlink() < 2 && host.nlink < 2) return;
    const auto& in_image = image_links_.try_emplace(inode.header.number, path).first->second;
    const auto& in_host = host_links_.try_emplace({host.device, host.inode}, path).first->second;
    if (in_image != in_host) {
      report(path, "links", "a link of " + in_image, "a link of " + in_host);
    }
  }

  Image& image_;
  FragmentCache fragments_;
  Env& env_;
  const std::string root_;
  DifferenceSink& sink_;
  uint64_t count_ = 0;
  std::vector<Pair> pending_;
  std::map<uint32_t, std::string> image_links_;
  std::map<std::pair<uint64_t, uint64_t>, std::string> host_links_;
};

}  // namespace

Result<uint64_t> compare_tree(InputFile& image_file, uint64_t image_offset, Env& env,
                              const std::string& directory, DifferenceSink& sink) {
  SQFS_TRY(const std::unique_ptr<Image> image, Image::open(image_file, image_offset));
  Comparison comparison(*image, env, directory, sink);
  return comparison.run();
}

}  // namespace sqfs
