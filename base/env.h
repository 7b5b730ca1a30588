// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

// The seam to the operating system: everything the engine asks of it goes through Env, InputFile
// and OutputFile, so tests can make any call fail. env_posix.cc implements them with libc functions
// alone (lstat, readdir, llistxattr, …), because fakeroot and pseudo interpose those.
namespace sqfs {

// What makes a file on the host the same one under any name: device, inode.
using FileIdentity = std::pair<uint64_t, uint64_t>;

enum class FileType : uint8_t {
  kRegular,
  kDirectory,
  kSymlink,
  kBlockDevice,
  kCharDevice,
  kFifo,
  kSocket
};

struct FileInfo {
  FileType type = FileType::kRegular;
  uint16_t mode = 0;  // permission bits, 07777
  uint32_t uid = 0, gid = 0;
  uint32_t nlink = 1;
  int64_t mtime_seconds = 0;  // rounded down
  uint64_t size = 0;
  uint64_t allocated_bytes = 0;    // st_blocks * 512
  uint64_t device = 0, inode = 0;  // identity of the file on this host
  uint32_t rdev_major = 0, rdev_minor = 0;

  FileIdentity identity() const { return {device, inode}; }
  bool operator==(const FileInfo&) const = default;
};

// A file open for reading. Thread-safe: any number of threads may read at once.
class InputFile {
 public:
  virtual ~InputFile() = default;
  // Reads up to out.size() bytes at `offset`; less than asked for only at the end of the file.
  virtual Result<size_t> read_at(uint64_t offset, MutableBytes out) = 0;
  virtual Result<FileInfo> info() = 0;
  // Size in bytes, also of a block device.
  virtual Result<uint64_t> size() = 0;
  // The first position >= offset that holds data; nullopt when only a hole follows. `offset` itself
  // where the file system cannot tell.
  virtual Result<std::optional<uint64_t>> next_data(uint64_t offset) = 0;
  // The first position >= offset inside a hole, or the end of the file.
  virtual Result<uint64_t> next_hole(uint64_t offset) = 0;
};

// A file open for writing. One thread.
class OutputFile {
 public:
  virtual ~OutputFile() = default;
  virtual Status write_at(uint64_t offset, Bytes bytes) = 0;
  // Reads back what was written; as InputFile::read_at. Safe to call from several threads.
  virtual Result<size_t> read_at(uint64_t offset, MutableBytes out) = 0;
  // Sets the length of a regular file; does nothing on a block device.
  virtual Status truncate(uint64_t size) = 0;
  virtual Status sync() = 0;
  // Keeps the file, under its name. Until then an older file stays untouched; when this is never
  // called, nothing is left behind (see Env::create_output).
  virtual Status commit() = 0;
  // Identities to leave out when the output lies inside a tree that is being read.
  virtual std::vector<std::pair<uint64_t, uint64_t>> identities() const = 0;  // {device, inode}
};

// A temporary file without a name, for bytes that come once and are needed later: written by one
// thread, front to back; what is written can be read by any. Gone with the object.
class SpoolFile : public InputFile {
 public:
  virtual Status append(Bytes bytes) = 0;
  // Moves the end forward without writing; the gap reads as zeros and is a hole where possible.
  virtual Status skip(uint64_t bytes) = 0;
  virtual uint64_t end() const = 0;
};

// A program to run: its words, and variables to set on top of the environment. Standard input and
// standard error are those of this process.
struct Command {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> variables;
};

// Two clocks, in nanoseconds since some moment: only differences mean anything.
struct Clocks {
  uint64_t wall = 0;
  uint64_t processor = 0;  // of all threads of this process together
};

class Env {
 public:
  virtual ~Env() = default;

  virtual Result<FileInfo> lstat(const std::string& path) = 0;
  virtual Result<FileInfo> stat(const std::string& path) = 0;
  // Names without "." and "..", in no order.
  virtual Result<std::vector<std::string>> list_dir(const std::string& path) = 0;
  virtual Result<std::string> read_link(const std::string& path) = 0;
  virtual Result<std::unique_ptr<InputFile>> open_input(const std::string& path) = 0;
  // As open_input, but fails when `path` itself is a symlink. For files that lstat() has seen.
  virtual Result<std::unique_ptr<InputFile>> open_source(const std::string& path) {
    return open_input(path);
  }

  // Full names ("user.x") of the file itself, not of what a symlink points to. Empty where the file
  // system has none.
  virtual Result<std::vector<std::string>> list_xattrs(const std::string& path) = 0;
  virtual Result<Buffer> get_xattr(const std::string& path, const std::string& name) = 0;

  // Opens an image for writing. `path` may be missing, a regular file or a block device (a symlink
  // to one is followed); anything else is an error. A missing file is created at once. An existing
  // regular file is replaced at commit() by a finished one beside it, or, where that cannot be done
  // (it has several names, is a mount point, or its directory cannot be written), is overwritten in
  // place from the first write_at on. A block device is written in place. Destroying the OutputFile
  // without commit() removes what it made.
  virtual Result<std::unique_ptr<OutputFile>> create_output(const std::string& path) = 0;

  // Opens an existing image, a regular file or a block device, to be changed in place: nothing is
  // removed when it is destroyed, and commit() only says that all went well.
  virtual Result<std::unique_ptr<OutputFile>> open_for_update(const std::string& path) {
    return unsupported_error("cannot change " + path);
  }
  // Standard output as a file that is written front to back: a write_at() anywhere else than at its
  // end, and read_at(), fail.
  virtual Result<std::unique_ptr<OutputFile>> standard_output() {
    return unsupported_error("there is no standard output");
  }

  // In $TMPDIR, or else in the directory of `beside`, or else in /var/tmp.
  virtual Result<std::unique_ptr<SpoolFile>> create_spool(const std::string& beside) {
    return unsupported_error("there is no room for temporary files beside " + beside);
  }

  // Runs a program, hands its standard output to `take` piece by piece and returns its exit status;
  // 128 + N when signal N ended it. Fails when it cannot be started, and with what `take` returns,
  // in which case the program is killed. While the program prints nothing, `take` is called with no
  // bytes several times a second, so that it can ask for signals.
  virtual Result<int> run(const Command& command, const std::function<Status(Bytes)>& take) {
    (void)take;
    return unsupported_error("cannot run " + command.words[0]);
  }

  // The next bytes of standard input: none at its end. When they are long in coming it hands out
  // what there is, or fails with EINTR when there is nothing; asking again goes on. So a caller can
  // look whether a signal has arrived.
  virtual Result<size_t> read_standard_input(MutableBytes out) {
    (void)out;
    return unsupported_error("there is no standard input");
  }

  // Adds a line to a text file, which is made if it is missing. It has to be a regular file with
  // one name that nobody may execute, and no symlink: what is added must not become part of a
  // program.
  virtual Status append_line(const std::string& path, const std::string& line) {
    (void)line;
    return unsupported_error("cannot add to " + path);
  }

  // `path` made absolute, without symlinks and dots; it must exist.
  virtual Result<std::string> resolve(const std::string& path) {
    return unsupported_error("cannot resolve " + path);
  }

  // Ids by name, where the host knows the name.
  virtual std::optional<uint32_t> find_user(const std::string& name) {
    (void)name;
    return std::nullopt;
  }
  virtual std::optional<uint32_t> find_group(const std::string& name) {
    (void)name;
    return std::nullopt;
  }

  // Absolute path of the working directory.
  virtual Result<std::string> current_directory() {
    return unsupported_error("there is no working directory");
  }

  // Seconds since 1970, and the caller's ids.
  virtual int64_t now() = 0;
  virtual Clocks clocks() { return {}; }
  // Keeps the calling thread from working.
  virtual void sleep(uint64_t nanoseconds) { (void)nanoseconds; }
  virtual uint32_t user_id() = 0;
  virtual uint32_t group_id() = 0;
  virtual std::optional<std::string> variable(const std::string& name) = 0;  // of the environment
};

// The real one.
std::unique_ptr<Env> make_posix_env();

// To be called before any file is opened. Where descriptor 0, 1 or 2 is closed, the next file
// opened would get its number, and messages would be written into an image; /dev/null takes its
// place, for standard output one that cannot be written, so that an image sent there is not taken
// for delivered. False when that cannot be had.
bool hold_standard_descriptors();

// Whether the host ran out of memory or of file descriptors, which says nothing about the file that
// was asked for.
bool is_host_shortage(const Error& error);

// The sentence for an errno, as strerror, thread-safe.
std::string errno_text(int os_errno);

}  // namespace sqfs
