// SPDX-License-Identifier: MIT
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "base/env.h"
#include "base/env_posix.h"

#ifndef XATTR_SUPPORT
#define XATTR_SUPPORT 1
#endif

namespace sqfs {
namespace {

FileType file_type(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR: return FileType::kDirectory;
    case S_IFLNK: return FileType::kSymlink;
    case S_IFBLK: return FileType::kBlockDevice;
    case S_IFCHR: return FileType::kCharDevice;
    case S_IFIFO: return FileType::kFifo;
    case S_IFSOCK: return FileType::kSocket;
    default: return FileType::kRegular;
  }
}

constexpr uint64_t kNanoseconds = 1'000'000'000;

uint64_t read_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * kNanoseconds + static_cast<uint64_t>(time.tv_nsec);
}

class PosixInputFile final : public InputFile {
 public:
  PosixInputFile(FileDescriptor fd, std::string path)
      : fd_(std::move(fd)), path_(std::move(path)) {}

  Result<size_t> read_at(uint64_t offset, MutableBytes out) override {
    return read_fully(fd_.get(), offset, out, path_);
  }

  Result<FileInfo> info() override {
    struct stat st;
    if (fstat(fd_.get(), &st) != 0) return system_error("cannot stat", path_);
    return file_info(st);
  }

  Result<uint64_t> size() override {
    const off_t end = lseek(fd_.get(), 0, SEEK_END);
    if (end < 0) return system_error("cannot find the size of", path_);
    return static_cast<uint64_t>(end);
  }

  Result<std::optional<uint64_t>> next_data(uint64_t offset) override {
    const off_t at = lseek(fd_.get(), static_cast<off_t>(offset), SEEK_DATA);
    if (at >= 0) return std::optional(static_cast<uint64_t>(at));
    if (errno == ENXIO) return std::optional<uint64_t>();
    if (errno == EINVAL || errno == EOPNOTSUPP) return std::optional(offset);
    return system_error("cannot look for data in", path_);
  }

  Result<uint64_t> next_hole(uint64_t offset) override {
    const off_t at = lseek(fd_.get(), static_cast<off_t>(offset), SEEK_HOLE);
    if (at >= 0) return static_cast<uint64_t>(at);
    if (errno == ENXIO || errno == EINVAL || errno == EOPNOTSUPP) return size();
    return system_error("cannot look for holes in", path_);
  }

 private:
  FileDescriptor fd_;
  std::string path_;
};

// Calls get(buffer, size) until the buffer is large enough; the value may grow in between.
template <class Get>
Result<Buffer> read_xattr_value(const Get& get, const std::string& what, const std::string& path) {
  Buffer value(256);
  for (;;) {
    const ssize_t size = get(value.data(), value.size());
    if (size >= 0) {
      value.resize(static_cast<size_t>(size));
      return value;
    }
    if (errno != ERANGE) return system_error(what, path);
    const ssize_t wanted = get(nullptr, 0);
    if (wanted < 0) return system_error(what, path);
    value.resize(static_cast<size_t>(wanted) + 256);
  }
}

// O_NONBLOCK: should the path have become a fifo since it was looked at, the open must not hang.
Result<std::unique_ptr<InputFile>> open_for_reading(const std::string& path, int more_flags) {
  FileDescriptor fd(
      open(CallPath(path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | more_flags));
  if (!fd.is_open()) return system_error("cannot open", path);
  return std::make_unique<PosixInputFile>(std::move(fd), path);
}

class PosixEnv final : public Env {
 public:
  Result<FileInfo> lstat(const std::string& path) override {
    struct stat st;
    if (::lstat(CallPath(path).c_str(), &st) != 0) return system_error("cannot stat", path);
    return file_info(st);
  }

  Result<FileInfo> stat(const std::string& path) override {
    struct stat st;
    if (::stat(CallPath(path).c_str(), &st) != 0) return system_error("cannot stat", path);
    return file_info(st);
  }

  Result<std::vector<std::string>> list_dir(const std::string& path) override {
    const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(CallPath(path).c_str()), closedir);
    if (dir == nullptr) return system_error("cannot open directory", path);
    std::vector<std::string> names;
    for (;;) {
      errno = 0;
      const dirent* entry = readdir(dir.get());
      if (entry == nullptr) break;
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    if (errno != 0) return system_error("cannot list directory", path);
    return names;
  }

  Result<std::string> read_link(const std::string& path) override {
    const CallPath call_path(path);
    std::string target(256, '\0');
    for (;;) {
      const ssize_t size = readlink(call_path.c_str(), target.data(), target.size());
      if (size < 0) return system_error("cannot read symbolic link", path);
      if (static_cast<size_t>(size) < target.size()) {
        target.resize(static_cast<size_t>(size));
        return target;
      }
      target.resize(target.size() * 2);
    }
  }

  Result<std::unique_ptr<InputFile>> open_input(const std::string& path) override {
    return open_for_reading(path, 0);
  }

  Result<std::unique_ptr<InputFile>> open_source(const std::string& path) override {
    return open_for_reading(path, O_NOFOLLOW);
  }

#if XATTR_SUPPORT
  Result<std::vector<std::string>> list_xattrs(const std::string& path) override {
    const CallPath call_path(path);
    const auto get = [&](void* data, size_t size) {
      return llistxattr(call_path.c_str(), static_cast<char*>(data), size);
    };
    auto list = read_xattr_value(get, "cannot list extended attributes of", path);
    std::vector<std::string> names;
    if (!list) {
      const int why = list.error().os_errno;
      if (why == ENOTSUP || why == ENOSYS) return names;
      return std::move(list).error();
    }
    std::string_view rest = as_text(*list);
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('\0'), rest.size());
      if (end > 0) names.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return names;
  }

  Result<Buffer> get_xattr(const std::string& path, const std::string& name) override {
    const CallPath call_path(path);
    const auto get = [&](void* data, size_t size) {
      return lgetxattr(call_path.c_str(), name.c_str(), data, size);
    };
    return read_xattr_value(get, "cannot read extended attribute " + name + " of", path);
  }
#else
  Result<std::vector<std::string>> list_xattrs(const std::string&) override {
    return std::vector<std::string>();
  }
  Result<Buffer> get_xattr(const std::string& path, const std::string&) override {
    errno = ENOTSUP;
    return system_error("cannot read extended attributes of", path);
  }
#endif

  Result<std::unique_ptr<OutputFile>> create_output(const std::string& path) override {
    return create_posix_output(path);
  }
  Result<std::unique_ptr<OutputFile>> open_for_update(const std::string& path) override {
    return open_posix_update(path);
  }
  Clocks clocks() override {
    return {read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_PROCESS_CPUTIME_ID)};
  }

  void sleep(uint64_t nanoseconds) override {
    timespec left{static_cast<time_t>(nanoseconds / kNanoseconds),
                  static_cast<long>(nanoseconds % kNanoseconds)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
  }

  Result<std::unique_ptr<OutputFile>> standard_output() override {
    return make_posix_standard_output();
  }
  Result<std::unique_ptr<SpoolFile>> create_spool(const std::string& beside) override {
    return create_posix_spool(beside);
  }
  Result<int> run(const Command& command, const std::function<Status(Bytes)>& take) override {
    return run_posix_command(command, take);
  }
  Result<size_t> read_standard_input(MutableBytes out) override {
    return read_posix_standard_input(out);
  }
  Status append_line(const std::string& path, const std::string& line) override {
    return append_posix_line(path, line);
  }
  Result<std::string> resolve(const std::string& path) override { return resolve_posix_path(path); }
  std::optional<uint32_t> find_user(const std::string& name) override {
    return find_posix_user(name);
  }
  std::optional<uint32_t> find_group(const std::string& name) override {
    return find_posix_group(name);
  }

  Result<std::string> current_directory() override {
    std::error_code why;
    const std::filesystem::path path = std::filesystem::current_path(why);
    if (why) {
      errno = why.value();
      return system_error("cannot find the working directory", ".");
    }
    return path.string();
  }

  int64_t now() override { return static_cast<int64_t>(time(nullptr)); }
  uint32_t user_id() override { return getuid(); }
  uint32_t group_id() override { return getgid(); }

  std::optional<std::string> variable(const std::string& name) override {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }
};

}  // namespace

bool is_host_shortage(const Error& error) {
  const int why = error.os_errno;
  return error.code == Code::kNoMemory || why == EMFILE || why == ENFILE || why == ENOMEM;
}

std::string errno_text(int os_errno) {
  std::array<char, 256> text{};
  // The GNU strerror_r, which returns the text; it needs no lock and no locale set-up.
  return strerror_r(os_errno, text.data(), text.size());
}

Error system_error(const std::string& what, const std::string& path) {
  const int why = errno;
  return io_error(why, what + " " + path + ": " + errno_text(why));
}

FileInfo file_info(const struct stat& st) {
  FileInfo info;
  info.type = file_type(st.st_mode);
  info.mode = static_cast<uint16_t>(st.st_mode & 07777);
  info.uid = st.st_uid;
  info.gid = st.st_gid;
  info.nlink = static_cast<uint32_t>(st.st_nlink);
  info.mtime_seconds = st.st_mtim.tv_sec;
  info.size = static_cast<uint64_t>(st.st_size);
  info.allocated_bytes = static_cast<uint64_t>(st.st_blocks) * 512;
  info.device = st.st_dev;
  info.inode = st.st_ino;
  info.rdev_major = major(st.st_rdev);
  info.rdev_minor = minor(st.st_rdev);
  return info;
}

Result<size_t> read_fully(int fd, uint64_t offset, MutableBytes out, const std::string& path) {
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t got =
        pread(fd, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("cannot read", path);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) close(fd_);
}

std::unique_ptr<Env> make_posix_env() { return std::make_unique<PosixEnv>(); }

// "/" stands in where there is no /dev/null: writing to it fails.
bool hold_standard_descriptors() {
  for (int descriptor = 0; descriptor <= STDERR_FILENO; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    const int access = descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR;
    if (open("/dev/null", access) < 0 && open("/", O_RDONLY) < 0) return false;
  }
  return true;
}

}  // namespace sqfs
