// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/env.h"

// What the two files that implement Env over libc share; no other file includes this.
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

// "WHAT PATH: reason", with the errno of the call that failed last.
Error system_error(const std::string& what, const std::string& path);
FileInfo file_info(const struct stat& st);
// As InputFile::read_at.
Result<size_t> read_fully(int fd, uint64_t offset, MutableBytes out, const std::string& path);

Result<std::unique_ptr<OutputFile>> create_posix_output(const std::string& path);

}  // namespace sqfs
