// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/env_posix.h"
#include "base/text.h"

namespace sqfs {
namespace {

constexpr mode_t kNewFileMode = 0644;  // less the umask
constexpr int kMaxSymlinks = 40;
constexpr int kMaxTemporaryNames = 100;
constexpr size_t kMaxTemporaryStem = 200;

// What stands under the destination's name when the output is opened decides how it is written.
enum class Style {
  kNew,      // created under its name at once, removed again unless committed
  kBeside,   // written to a temporary file in the same directory, renamed over the old one
  kInPlace,  // a regular file that cannot be replaced by renaming
  kUpdate,   // a regular file that is changed and never removed
  kDevice,   // a block device
};

class PosixOutputFile final : public OutputFile {
 public:
  PosixOutputFile(FileDescriptor fd, Style style, std::string path, std::string target)
      : fd_(std::move(fd)), style_(style), path_(std::move(path)), target_(std::move(target)) {}

  ~PosixOutputFile() override {
    if (is_committed_) return;
    const bool is_ours = style_ == Style::kNew || style_ == Style::kBeside;
    // In place, a half-written image is worth nothing and the old one is gone: leave no ruin.
    const bool is_ruin = style_ == Style::kInPlace && is_written_;
    if ((is_ours || is_ruin) && still_has_name()) unlink(path_.c_str());
  }

  Status write_at(uint64_t offset, Bytes bytes) override {
    is_written_ = true;
    while (!bytes.empty()) {
      const ssize_t put = pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return system_error("cannot write", target_);
      if (put == 0) {
        errno = ENOSPC;
        return system_error("cannot write", target_);
      }
      offset += static_cast<uint64_t>(put);
      bytes = bytes.subspan(static_cast<size_t>(put));
    }
    return ok();
  }

  Result<size_t> read_at(uint64_t offset, MutableBytes out) override {
    return read_fully(fd_.get(), offset, out, target_);
  }

  Status truncate(uint64_t size) override {
    if (style_ == Style::kDevice) return ok();
    is_written_ = true;
    if (ftruncate(fd_.get(), static_cast<off_t>(size)) != 0) {
      return system_error("cannot set the length of", target_);
    }
    return ok();
  }

  Status sync() override {
    if (fdatasync(fd_.get()) != 0 && errno != EINVAL && errno != ENOSYS) {
      return system_error("cannot write", target_);
    }
    return ok();
  }

  Status commit() override {
    if (!still_has_name())
      return usage_error(path_ + " was removed or replaced while it was written");
    if (style_ == Style::kBeside && rename(path_.c_str(), target_.c_str()) != 0) {
      return system_error("cannot replace", target_);
    }
    is_committed_ = true;
    return ok();
  }

  std::vector<std::pair<uint64_t, uint64_t>> identities() const override {
    std::vector<std::pair<uint64_t, uint64_t>> out;
    struct stat st;
    if (fstat(fd_.get(), &st) == 0) out.emplace_back(st.st_dev, st.st_ino);
    if (stat(target_.c_str(), &st) == 0) out.emplace_back(st.st_dev, st.st_ino);
    return out;
  }

 private:
  // Somebody else may have put another file under the name, which is not ours to keep or to remove.
  bool still_has_name() const {
    struct stat ours, named;
    return fstat(fd_.get(), &ours) == 0 && stat(path_.c_str(), &named) == 0 &&
           ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
  }

  FileDescriptor fd_;
  Style style_;
  std::string path_;    // what is being written
  std::string target_;  // the name it is to have
  bool is_written_ = false;
  bool is_committed_ = false;
};

// Follows the symlinks of the last component, also where the last one dangles, so that the file
// behind them is created or replaced and not the link.
Result<std::string> follow_links(const std::string& path, Env& env) {
  std::string at = path;
  for (int i = 0; i < kMaxSymlinks; ++i) {
    struct stat st;
    if (lstat(at.c_str(), &st) != 0 || !S_ISLNK(st.st_mode)) return at;
    SQFS_TRY(const std::string target, env.read_link(at));
    at = target.starts_with('/') ? target : join_path(directory_of(at), target);
  }
  errno = ELOOP;
  return system_error("Could not create destination file", path);
}

// Creates "DIR/.NAME.PID-N.tmp" with the first free N; a long NAME is cut.
Result<std::pair<FileDescriptor, std::string>> create_temporary(const std::string& target) {
  const std::string directory = directory_of(target);
  const std::string stem = "." + target.substr(target.rfind('/') + 1, kMaxTemporaryStem) + ".";
  for (int i = 0; i < kMaxTemporaryNames; ++i) {
    const std::string name =
        join_path(directory, stem + std::to_string(getpid()) + "-" + std::to_string(i) + ".tmp");
    FileDescriptor fd(open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kNewFileMode));
    if (fd.is_open()) return std::pair(std::move(fd), name);
    if (errno != EEXIST) break;
  }
  return system_error("cannot create a temporary file beside", target);
}

// Only a file with one name, which is no mount point, can be replaced by renaming.
bool is_replaceable(const struct stat& st, const std::string& target) {
  struct stat parent;
  return st.st_nlink == 1 && stat(directory_of(target).c_str(), &parent) == 0 &&
         parent.st_dev == st.st_dev && access(target.c_str(), W_OK) == 0;
}

// Whether new files may not be made beside the old one at all: it can then only be overwritten.
bool is_forbidden(int os_errno) {
  return os_errno == EACCES || os_errno == EPERM || os_errno == EROFS;
}

Result<std::unique_ptr<OutputFile>> open_existing(const struct stat& st,
                                                  const std::string& target) {
  if (S_ISREG(st.st_mode) && is_replaceable(st, target)) {
    auto temporary = create_temporary(target);
    if (!temporary && !is_forbidden(temporary.error().os_errno))
      return std::move(temporary).error();
    if (temporary) {
      auto& [fd, name] = *temporary;
      // The new file takes over what belongs to the name: mode and, where allowed, owner.
      if (fchown(fd.get(), st.st_uid, st.st_gid) != 0) errno = 0;
      if (fchmod(fd.get(), st.st_mode & 07777) != 0) errno = 0;
      return std::make_unique<PosixOutputFile>(std::move(fd), Style::kBeside, name, target);
    }
  }
  const bool is_device = S_ISBLK(st.st_mode);
  // O_EXCL on a device fails with EBUSY while it is mounted.
  FileDescriptor fd(open(target.c_str(), O_RDWR | O_CLOEXEC | (is_device ? O_EXCL : 0)));
  if (!fd.is_open()) return system_error("cannot open", target);
  const Style style = is_device ? Style::kDevice : Style::kInPlace;
  return std::make_unique<PosixOutputFile>(std::move(fd), style, target, target);
}

}  // namespace

std::string directory_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Result<std::unique_ptr<OutputFile>> open_posix_update(const std::string& path) {
  struct stat st;
  if (stat(path.c_str(), &st) != 0) return system_error("cannot open", path);
  const bool is_device = S_ISBLK(st.st_mode);
  if (!is_device && !S_ISREG(st.st_mode)) {
    return usage_error("Destination not block device or regular file: " + path);
  }
  FileDescriptor fd(open(path.c_str(), O_RDWR | O_CLOEXEC | (is_device ? O_EXCL : 0)));
  if (!fd.is_open()) return system_error("cannot open", path);
  const Style style = is_device ? Style::kDevice : Style::kUpdate;
  return std::make_unique<PosixOutputFile>(std::move(fd), style, path, path);
}

Result<std::unique_ptr<OutputFile>> create_posix_output(const std::string& path) {
  const std::unique_ptr<Env> env = make_posix_env();
  SQFS_TRY(const std::string target, follow_links(path, *env));
  struct stat st;
  if (stat(target.c_str(), &st) == 0) {
    if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)) {
      return usage_error("Destination not block device or regular file: " + path);
    }
    return open_existing(st, target);
  }
  if (errno != ENOENT) return system_error("Could not create destination file", path);
  FileDescriptor fd(open(target.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kNewFileMode));
  if (!fd.is_open()) return system_error("Could not create destination file", path);
  return std::make_unique<PosixOutputFile>(std::move(fd), Style::kNew, target, target);
}

}  // namespace sqfs
