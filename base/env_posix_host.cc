// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <vector>

#include "base/env_posix.h"
#include "base/text.h"

// Temporary files, the standard streams, other programs, and names of users.
namespace sqfs {
namespace {

constexpr size_t kPipePiece = 64u << 10;
constexpr mode_t kSpoolMode = 0600, kLogMode = 0644;
constexpr int kInputMilliseconds = 200;

Status write_fully(int fd, Bytes bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t put = write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) {
      pollfd ready{fd, POLLOUT, 0};
      poll(&ready, 1, -1);
      continue;
    }
    if (put <= 0) return system_error("cannot write", path);
    bytes = bytes.subspan(static_cast<size_t>(put));
  }
  return ok();
}

// --- temporary files -----------------------------------------------------------------------------

class PosixSpoolFile final : public SpoolFile {
 public:
  PosixSpoolFile(FileDescriptor fd, std::string directory)
      : fd_(std::move(fd)), name_("a temporary file in " + directory) {}

  Status append(Bytes bytes) override {
    while (!bytes.empty()) {
      const ssize_t put = pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(end_));
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return system_error("cannot write", name_);
      end_ += static_cast<uint64_t>(put);
      bytes = bytes.subspan(static_cast<size_t>(put));
    }
    return ok();
  }
  Status skip(uint64_t bytes) override {
    if (ftruncate(fd_.get(), static_cast<off_t>(end_ + bytes)) != 0) {
      return system_error("cannot write", name_);
    }
    end_ += bytes;
    return ok();
  }
  uint64_t end() const override { return end_; }

  Result<size_t> read_at(uint64_t offset, MutableBytes out) override {
    return read_fully(fd_.get(), offset, out, name_);
  }
  Result<FileInfo> info() override {
    struct stat st;
    if (fstat(fd_.get(), &st) != 0) return system_error("cannot stat", name_);
    return file_info(st);
  }
  Result<uint64_t> size() override { return end_; }
  Result<std::optional<uint64_t>> next_data(uint64_t offset) override {
    const off_t at = lseek(fd_.get(), static_cast<off_t>(offset), SEEK_DATA);
    if (at >= 0) return std::optional(static_cast<uint64_t>(at));
    return errno == ENXIO ? std::optional<uint64_t>() : std::optional(offset);
  }
  Result<uint64_t> next_hole(uint64_t offset) override {
    const off_t at = lseek(fd_.get(), static_cast<off_t>(offset), SEEK_HOLE);
    return at >= 0 ? static_cast<uint64_t>(at) : end_;
  }

 private:
  FileDescriptor fd_;
  std::string name_;
  uint64_t end_ = 0;
};

FileDescriptor open_unnamed(const std::string& directory) {
  FileDescriptor fd(open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kSpoolMode));
  if (fd.is_open() || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return fd;
  std::string name = join_path(directory, ".squashkit.XXXXXX");
  FileDescriptor named(mkostemp(name.data(), O_CLOEXEC));
  if (named.is_open()) unlink(name.c_str());
  return named;
}

// --- standard output -----------------------------------------------------------------------------

class StreamOutput final : public OutputFile {
 public:
  explicit StreamOutput(FileDescriptor fd) : fd_(std::move(fd)) {}

  Status write_at(uint64_t offset, Bytes bytes) override {
    if (offset != end_) return io_error(ESPIPE, "standard output is only written front to back");
    SQFS_CHECKED(write_fully(fd_.get(), bytes, "standard output"));
    end_ += bytes.size();
    return ok();
  }
  Result<size_t> read_at(uint64_t, MutableBytes) override {
    return io_error(ESPIPE, "standard output cannot be read back");
  }
  Status truncate(uint64_t size) override {
    if (size == end_) return ok();
    return io_error(ESPIPE, "standard output has no length to set");
  }
  Status sync() override { return ok(); }
  Status commit() override { return ok(); }
  std::vector<std::pair<uint64_t, uint64_t>> identities() const override {
    struct stat st;
    if (fstat(fd_.get(), &st) != 0) return {};
    return {{st.st_dev, st.st_ino}};
  }

 private:
  FileDescriptor fd_;
  uint64_t end_ = 0;
};

// --- programs ------------------------------------------------------------------------------------

// The environment of this process, with these variables in the place of what it says of them.
std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> out;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view entry = *at;
    bool is_replaced = false;
    for (const auto& [name, value] : variables) {
      is_replaced = is_replaced || entry.starts_with(name + "=");
    }
    if (!is_replaced) out.emplace_back(entry);
  }
  for (const auto& [name, value] : variables) out.push_back(name + "=" + value);
  return out;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

// 0, or the errno of what failed.
int spawn_with_output(const Command& command, int output, pid_t& child) {
  std::vector<std::string> words = command.words;
  std::vector<std::string> variables = environment_with(command.variables);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigdefault(&attributes, &all);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  const int status = posix_spawnp(&child, words[0].c_str(), &actions, &attributes,
                                  pointers_to(words).data(), pointers_to(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return status;
}

// Signals that are blocked, to be asked for by `take`, end no read().
constexpr int kSilentMilliseconds = 200;

Status drain(int fd, const std::string& name, const std::function<Status(Bytes)>& take) {
  Buffer piece(kPipePiece);
  for (;;) {
    pollfd ready{fd, POLLIN, 0};
    if (poll(&ready, 1, kSilentMilliseconds) <= 0) {
      SQFS_CHECKED(take({}));
      continue;
    }
    const ssize_t got = read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) {
      SQFS_CHECKED(take({}));
      continue;
    }
    if (got < 0) return system_error("cannot read the output of", name);
    if (got == 0) return ok();
    SQFS_CHECKED(take(Bytes(piece).first(static_cast<size_t>(got))));
  }
}

}  // namespace

Result<std::unique_ptr<SpoolFile>> create_posix_spool(const std::string& beside) {
  std::vector<std::string> directories;
  if (const char* chosen = std::getenv("TMPDIR"); chosen != nullptr && *chosen != '\0') {
    directories.emplace_back(chosen);
  }
  struct stat st;
  if (stat(beside.c_str(), &st) != 0 || S_ISREG(st.st_mode)) {
    directories.push_back(directory_of(beside));
  }
  directories.insert(directories.end(), {"/var/tmp", "/tmp"});
  for (const std::string& directory : directories) {
    FileDescriptor fd = open_unnamed(directory);
    if (fd.is_open()) return std::make_unique<PosixSpoolFile>(std::move(fd), directory);
  }
  return system_error("cannot make a temporary file in", directories.front());
}

Result<std::unique_ptr<OutputFile>> make_posix_standard_output() {
  FileDescriptor fd(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!fd.is_open()) return system_error("cannot write", "standard output");
  return std::make_unique<StreamOutput>(std::move(fd));
}

Result<int> run_posix_command(const Command& command, const std::function<Status(Bytes)>& take) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("cannot run", command.words[0]);
  FileDescriptor from_child(ends[0]), to_parent(ends[1]);
  pid_t child = 0;
  if (const int why = spawn_with_output(command, to_parent.get(), child); why != 0) {
    errno = why;
    return system_error("cannot run", command.words[0]);
  }
  to_parent = FileDescriptor();
  const Status status = drain(from_child.get(), command.words[0], take);
  from_child = FileDescriptor();
  if (!status) kill(child, SIGKILL);
  int how = 0;
  while (waitpid(child, &how, 0) < 0) {
    if (errno != EINTR) return system_error("cannot wait for", command.words[0]);
  }
  if (!status) return status.error();
  return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

// Signals are blocked while an image is made, so that they do not interrupt a read: it is not begun
// before there is something to read.
Result<size_t> read_posix_standard_input(MutableBytes out) {
  size_t done = 0;
  while (done < out.size()) {
    pollfd ready{STDIN_FILENO, POLLIN, 0};
    if (poll(&ready, 1, kInputMilliseconds) == 0) {
      if (done > 0) return done;
      errno = EINTR;
      return system_error("cannot read", "standard input");
    }
    const ssize_t got = read(STDIN_FILENO, out.data() + done, out.size() - done);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return system_error("cannot read", "standard input");
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

Status append_posix_line(const std::string& path, const std::string& line) {
  const int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const FileDescriptor fd(open(path.c_str(), flags, kLogMode));
  struct stat st {};
  if (!fd.is_open() || fstat(fd.get(), &st) != 0) return system_error("cannot open", path);
  const bool is_plain = S_ISREG(st.st_mode) && st.st_nlink == 1;
  if (!is_plain || (st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0) {
    return unsupported_error("\"" + printable(path) +
                             "\" has to be a regular file with one name that nobody may execute");
  }
  const std::string text = line + "\n";
  return write_fully(fd.get(), as_bytes(text), path);
}

CallPath::CallPath(const std::string& path) : path_(path) {
  if (path.size() < PATH_MAX) return;
  FileDescriptor directory(AT_FDCWD);
  size_t at = 0;
  while (path.size() - at >= PATH_MAX / 2) {
    const size_t end = path.rfind('/', at + PATH_MAX / 2);
    if (end == std::string::npos || end <= at) return;  // no name is that long
    const std::string piece = path.substr(at, end - at);
    const int fd = openat(directory.get(), piece.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    directory = FileDescriptor(fd);
    at = end + 1;
  }
  directory_ = std::move(directory);
  text_ = "/proc/self/fd/" + std::to_string(directory_.get()) + "/" + path.substr(at);
}

Result<std::string> resolve_posix_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free);
  if (real == nullptr) return system_error("cannot resolve", path);
  return std::string(real.get());
}

std::optional<uint32_t> find_posix_user(const std::string& name) {
  const passwd* entry = getpwnam(name.c_str());
  return entry == nullptr ? std::nullopt : std::optional<uint32_t>(entry->pw_uid);
}

std::optional<uint32_t> find_posix_group(const std::string& name) {
  const group* entry = getgrnam(name.c_str());
  return entry == nullptr ? std::nullopt : std::optional<uint32_t>(entry->gr_gid);
}

}  // namespace sqfs
