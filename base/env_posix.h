// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/env.h"

// What the files that implement Env over libc share; no other file includes this.
struct stat;

namespace sqfs {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_;
};

// A path in the form that system calls take. One that is too long for them (PATH_MAX) is opened
// directory by directory, and reached through /proc/self/fd; where that fails it stays as it is,
// and the call will say why. Borrows `path`.
class CallPath {
 public:
  explicit CallPath(const std::string& path);
  const char* c_str() const { return text_.empty() ? path_.c_str() : text_.c_str(); }

 private:
  const std::string& path_;
  FileDescriptor directory_;
  std::string text_;  // instead of path_
};

// "WHAT PATH: reason", with the errno of the call that failed last.
Error system_error(const std::string& what, const std::string& path);
FileInfo file_info(const struct stat& st);
// As InputFile::read_at.
Result<size_t> read_fully(int fd, uint64_t offset, MutableBytes out, const std::string& path);

// "a/b" of "a/b/c", "." of "c", "/" of "/c".
std::string directory_of(const std::string& path);

// What Env promises under the names without "posix".
Result<std::unique_ptr<OutputFile>> create_posix_output(const std::string& path);
Result<std::unique_ptr<OutputFile>> open_posix_update(const std::string& path);
Result<std::unique_ptr<OutputFile>> make_posix_standard_output();
Result<std::unique_ptr<SpoolFile>> create_posix_spool(const std::string& beside);
Result<int> run_posix_command(const Command& command, const std::function<Status(Bytes)>& take);
Result<size_t> read_posix_standard_input(MutableBytes out);
Status append_posix_line(const std::string& path, const std::string& line);
Result<std::string> resolve_posix_path(const std::string& path);
std::optional<uint32_t> find_posix_user(const std::string& name);
std::optional<uint32_t> find_posix_group(const std::string& name);

}  // namespace sqfs
