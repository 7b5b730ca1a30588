// SPDX-License-Identifier: MIT
// Lists a tree, an entry a line, with everything that an image holds of it and a digest of each
// file, so that two listings are equal when the trees are.
//
//   tree_lister DIR     writes the listing of DIR to standard output
//   as process 1        is the only program of the guest: loads /modules/*, mounts each image found
//                       on /dev/vda and writes the listings to /dev/vdb
//
// /dev/vda starts with 64 KiB of text, a line "offset size name" per image, ended by a NUL.
#include <dirent.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace {

constexpr size_t kIndexSize = 65536;
constexpr size_t kOutputChunk =
    1 << 16;  // a multiple of the sector: /dev/vdb is written in whole ones

// Collects text and writes it in chunks to a file or a block device.
class Output {
 public:
  explicit Output(int fd) : fd_(fd) {}

  void add(const std::string& text) {
    buffer_ += text;
    while (buffer_.size() >= kOutputChunk) {
      write_all(buffer_.substr(0, kOutputChunk));
      buffer_.erase(0, kOutputChunk);
    }
  }
  void finish(bool pad) {
    if (pad) buffer_.resize((buffer_.size() / 4096 + 1) * 4096, '\0');
    write_all(buffer_);
    buffer_.clear();
    fsync(fd_);
  }

 private:
  void write_all(const std::string& text) const {
    for (size_t done = 0; done < text.size();) {
      const ssize_t count = write(fd_, text.data() + done, text.size() - done);
      if (count <= 0) return;
      done += static_cast<size_t>(count);
    }
  }

  int fd_;
  std::string buffer_;
};

// Bytes that would upset a line or a terminal become \xHH.
std::string escaped(const std::string& text) {
  std::string out;
  char hex[8];
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7f && c != '\\') {
      out += c;
    } else {
      std::snprintf(hex, sizeof hex, "\\x%02x", byte);
      out += hex;
    }
  }
  return out;
}

std::string failure(const char* call) { return std::string(call) + ":" + std::strerror(errno); }

std::string content_digest(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY);
  if (fd < 0) return failure("open");
  static char buffer[1 << 17];
  XXH64_state_t state;
  XXH64_reset(&state, 0);
  ssize_t count;
  while ((count = read(fd, buffer, sizeof buffer)) > 0) {
    XXH64_update(&state, buffer, static_cast<size_t>(count));
  }
  const std::string error = count < 0 ? failure("read") : "";
  close(fd);
  if (!error.empty()) return error;
  char text[24];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(XXH64_digest(&state)));
  return text;
}

std::string xattrs_of(const std::string& path) {
  std::string names(1 << 16, '\0'), value(1 << 16, '\0');
  const ssize_t total = llistxattr(path.c_str(), names.data(), names.size());
  if (total < 0) return errno == ENOTSUP ? "" : "\t" + failure("listxattr");
  std::map<std::string, std::string> found;
  for (size_t at = 0; at < static_cast<size_t>(total); at += std::strlen(&names[at]) + 1) {
    const std::string name = &names[at];
    if (name.rfind("system.", 0) == 0) continue;
    const ssize_t size = lgetxattr(path.c_str(), name.c_str(), value.data(), value.size());
    found[name] = size < 0 ? failure("getxattr") : value.substr(0, static_cast<size_t>(size));
  }
  std::string out;
  for (const auto& [name, text] : found) out += "\t" + escaped(name) + "=" + escaped(text);
  return out;
}

std::string describe(const std::string& path, const struct stat& status) {
  switch (status.st_mode & S_IFMT) {
    case S_IFREG: return "file " + std::to_string(status.st_size) + " " + content_digest(path);
    case S_IFDIR: return "directory";
    case S_IFLNK: {
      char target[4097];
      const ssize_t size = readlink(path.c_str(), target, sizeof target);
      return "symlink " +
             (size < 0 ? failure("readlink") : escaped({target, static_cast<size_t>(size)}));
    }
    case S_IFBLK:
    case S_IFCHR: {
      const std::string kind = S_ISBLK(status.st_mode) ? "block " : "char ";
      return kind + std::to_string(major(status.st_rdev)) + ":" +
             std::to_string(minor(status.st_rdev));
    }
    case S_IFIFO: return "fifo";
    case S_IFSOCK: return "socket";
    default: return "unknown type";
  }
}

class Lister {
 public:
  Lister(std::string root, Output& out) : root_(std::move(root)), out_(out) {}

  // Lists `name` (relative, "" for the root) and everything below it in the order of bytes.
  void list(const std::string& name) {
    const std::string path = name.empty() ? root_ : root_ + "/" + name;
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0) {
      out_.add(escaped(name) + "\t" + failure("lstat") + "\n");
      return;
    }
    out_.add(escaped(name) + "\t" + describe(path, status) + common(name, status) +
             xattrs_of(path) + "\n");
    if (!S_ISDIR(status.st_mode)) return;
    for (const std::string& child : children_of(path))
      list(name.empty() ? child : name + "/" + child);
  }

 private:
  std::string common(const std::string& name, const struct stat& status) {
    char text[128];
    std::snprintf(text, sizeof text, "\t%04o %u:%u %lld", status.st_mode & 07777, status.st_uid,
                  status.st_gid, static_cast<long long>(status.st_mtime));
    if (S_ISDIR(status.st_mode) || status.st_nlink == 1) return text;
    // Hard links are named by the first of them.
    const auto [first, is_new] = first_names_.try_emplace({status.st_dev, status.st_ino}, name);
    return text + (is_new ? std::string() : " =" + escaped(first->second));
  }

  std::vector<std::string> children_of(const std::string& path) {
    std::vector<std::string> names;
    DIR* directory = opendir(path.c_str());
    if (directory == nullptr) {
      out_.add("\t" + failure("opendir") + "\n");
      return names;
    }
    errno = 0;
    while (const dirent* entry = readdir(directory)) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") names.push_back(name);
    }
    if (errno != 0) out_.add("\t" + failure("readdir") + "\n");
    closedir(directory);
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string root_;
  Output& out_;
  std::map<std::pair<dev_t, ino_t>, std::string> first_names_;
};

// --- the guest
// ------------------------------------------------------------------------------------

void load_modules() {
  std::vector<std::string> paths;
  if (DIR* directory = opendir("/modules")) {
    while (const dirent* entry = readdir(directory)) {
      if (entry->d_name[0] != '.') paths.push_back(std::string("/modules/") + entry->d_name);
    }
    closedir(directory);
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (syscall(SYS_finit_module, fd, "", 0) != 0) {
      std::printf("guest: %s: %s\n", path.c_str(), std::strerror(errno));
    }
    close(fd);
  }
}

// Gives the range of /dev/vda a loop device, mounts it and lists it.
void list_image(uint64_t offset, uint64_t size, Output& out) {
  const int disk = open("/dev/vda", O_RDONLY | O_CLOEXEC);
  const int loop = open("/dev/loop0", O_RDONLY | O_CLOEXEC);
  loop_config config{};
  config.fd = static_cast<uint32_t>(disk);
  config.info.lo_offset = offset;
  config.info.lo_sizelimit = size;
  config.info.lo_flags = LO_FLAGS_READ_ONLY;
  if (ioctl(loop, LOOP_CONFIGURE, &config) != 0) {
    out.add(failure("loop device") + "\n");
  } else if (mount("/dev/loop0", "/image", "squashfs", MS_RDONLY, nullptr) != 0) {
    out.add(failure("mount") + "\n");
  } else {
    Lister("/image", out).list("");
    umount("/image");
  }
  ioctl(loop, LOOP_CLR_FD, 0);
  close(loop);
  close(disk);
}

std::string wait_for_index() {
  std::string index(kIndexSize, '\0');
  for (int attempt = 0; attempt < 100; ++attempt, usleep(100000)) {
    const int disk = open("/dev/vda", O_RDONLY | O_CLOEXEC);
    if (disk < 0 || access("/dev/vdb", W_OK) != 0) continue;
    const ssize_t count = pread(disk, index.data(), kIndexSize, 0);
    close(disk);
    if (count == static_cast<ssize_t>(kIndexSize)) return index.c_str();
  }
  return {};
}

int run_guest() {
  mount("devtmpfs", "/dev", "devtmpfs", 0, nullptr);
  load_modules();
  std::istringstream index(wait_for_index());
  Output out(open("/dev/vdb", O_WRONLY | O_CLOEXEC));
  uint64_t offset = 0, size = 0;
  std::string name;
  while (index >> offset >> size >> name) {
    std::printf("guest: %s\n", name.c_str());
    std::fflush(stdout);
    out.add("image " + name + "\n");
    list_image(offset, size, out);
    out.add("end " + name + "\n");
  }
  out.finish(true);
  std::printf("guest: done\n");
  std::fflush(stdout);
  return reboot(RB_AUTOBOOT);
}

}  // namespace

int main(int count, char** arguments) {
  if (getpid() == 1) return run_guest();
  if (count != 2) {
    std::fprintf(stderr, "usage: tree_lister DIR\n");
    return 2;
  }
  Output out(STDOUT_FILENO);
  Lister(arguments[1], out).list("");
  out.finish(false);
  return 0;
}
