// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/env.h"

// An operating system in memory, whose calls fail on demand. Thread-safe once it is set up.
namespace sqfs {

// What a file holds: a size, and data in some places; all else is a hole.
struct FakeContent {
  uint64_t size = 0;
  bool has_hidden_size = false;        // the host says 0
  std::map<uint64_t, Buffer> extents;  // by position; they do not overlap

  FakeContent() = default;
  explicit FakeContent(Buffer data) : size(data.size()) {
    if (size > 0) extents.emplace(0, std::move(data));
  }
  static FakeContent sparse(uint64_t size, std::map<uint64_t, Buffer> extents) {
    FakeContent content;
    content.size = size;
    content.extents = std::move(extents);
    return content;
  }

  size_t read_at(uint64_t offset, MutableBytes out) const;
  Buffer bytes() const;
  void write_at(uint64_t offset, Bytes in);
  void truncate(uint64_t new_size);

 private:
  void forget(uint64_t from, uint64_t to);
};

// What was asked of an output: everything between two syncs may reach the disk or not.
struct FakeChange {
  enum class Kind : uint8_t { kWrite, kTruncate, kSync } kind = Kind::kSync;
  uint64_t offset = 0;  // kTruncate: the size
  Buffer bytes;

  void apply_to(FakeContent& content) const;
};

// Counts calls and makes one of them fail, once.
class FaultPlan {
 public:
  void fail_call(uint64_t nth, int os_errno) {  // from 1
    calls_ = 0;
    stays_ = false;
    nth_ = nth;
    os_errno_ = os_errno;
  }
  // The error of this call, if it is to fail.
  std::optional<Error> next(const std::string& what) {
    const uint64_t call = ++calls_;
    if (nth_ == 0 || (stays_ ? call < nth_ : call != nth_)) return std::nullopt;
    return io_error(os_errno_, what + ": " + errno_text(os_errno_));
  }
  // Makes that call fail, and all that follow it.
  void fail_from_call(uint64_t nth, int os_errno) {
    fail_call(nth, os_errno);
    stays_ = true;
  }
  uint64_t calls() const { return calls_; }
  bool was_hit() const { return nth_ != 0 && calls_ >= nth_; }

 private:
  std::atomic<uint64_t> calls_ = 0;
  uint64_t nth_ = 0;
  bool stays_ = false;
  int os_errno_ = 0;
};

// A file in memory that is written, and read back.
class FakeOutput final : public OutputFile {
 public:
  Status write_at(uint64_t offset, Bytes in) override;
  Result<size_t> read_at(uint64_t offset, MutableBytes out) override;
  Status truncate(uint64_t size) override;
  Status sync() override {
    if (changes != nullptr) changes->push_back({});
    return ok();
  }
  Status commit() override {
    is_committed = true;
    if (on_commit) on_commit(bytes);
    return ok();
  }
  std::vector<std::pair<uint64_t, uint64_t>> identities() const override { return {}; }

  Buffer bytes;
  bool is_committed = false;
  uint64_t truncations = 0;
  FaultPlan write_faults, read_faults;
  std::function<void(const Buffer& bytes)> on_commit;
  std::vector<FakeChange>* changes = nullptr;
};

class FakeEnv : public Env {
 public:
  // Parent directories come into being with default attributes.
  void add_file(const std::string& path, FakeContent content);
  void add_directory(const std::string& path);
  void add_symlink(const std::string& path, const std::string& target);
  // The first opening of the file sees the first version, the next one the next; the last one
  // stays.
  void add_changing_file(const std::string& path, std::vector<FakeContent> versions);
  // Puts another file, or a symlink, where something else was; as after a rename over it.
  void replace_by_file(const std::string& path, FakeContent content);
  void replace_by_symlink(const std::string& path, const std::string& target);
  // From now on open_input(path), list_dir(path) and read_link(path) fail.
  void refuse_to_open(const std::string& path, int os_errno);
  // The file's size is said to be 0, whatever it holds; as in /proc.
  void hide_size(const std::string& path);
  FileInfo& attributes(const std::string& path);
  void set_xattr(const std::string& path, const std::string& name, Buffer value);
  void set_variable(const std::string& name, const std::string& value);

  Result<FileInfo> lstat(const std::string& path) override;
  Result<FileInfo> stat(const std::string& path) override;
  Result<std::vector<std::string>> list_dir(const std::string& path) override;
  Result<std::string> read_link(const std::string& path) override;
  Result<std::unique_ptr<InputFile>> open_input(const std::string& path) override;
  Result<std::unique_ptr<InputFile>> open_source(const std::string& path) override;
  Result<std::vector<std::string>> list_xattrs(const std::string& path) override;
  Result<Buffer> get_xattr(const std::string& path, const std::string& name) override;
  // In memory; at commit() it becomes a file of this environment.
  Result<std::unique_ptr<OutputFile>> create_output(const std::string& path) override;
  // Changes the file of this environment at once; a missing one is an error.
  Result<std::unique_ptr<OutputFile>> open_for_update(const std::string& path) override;
  // In memory; what all of them hold counts towards spooled_bytes.
  Result<std::unique_ptr<SpoolFile>> create_spool(const std::string& beside) override;
  // Hands out standard_input in pieces of standard_input_piece bytes, which fail by `faults`.
  Result<size_t> read_standard_input(MutableBytes out) override;
  std::optional<uint32_t> find_user(const std::string& name) override;
  std::optional<uint32_t> find_group(const std::string& name) override;
  Result<std::string> current_directory() override { return std::string("/"); }
  int64_t now() override { return 1'700'000'000; }
  uint32_t user_id() override { return 0; }
  uint32_t group_id() override { return 0; }
  std::optional<std::string> variable(const std::string& name) override;
  Result<int> run(const Command& command, const std::function<Status(Bytes)>& take) override;

  // What run() does: the exit status, and in `printed` the standard output. Without it nothing can
  // be run.
  std::function<int(const Command& command, std::string& printed)> program;

  // All calls that can fail count, those of the files opened here included.
  FaultPlan faults;
  void set_standard_input(Buffer bytes) {  // read from its beginning again
    standard_input = std::move(bytes);
    standard_input_position_ = 0;
  }
  Buffer standard_input;
  size_t standard_input_piece = SIZE_MAX;
  uint64_t spooled_bytes = 0;
  std::map<std::string, uint32_t> users, groups;  // that the host knows
  // The write to an output that is to fail, from 1; 0: none.
  uint64_t failing_write = 0;
  // Of writes, lengths and syncs of files opened for update.
  FaultPlan update_faults;
  // All that was done to outputs.
  std::vector<FakeChange> changes;

 private:
  struct Entry {
    FileInfo info;
    std::vector<FakeContent> versions;
    std::unique_ptr<std::atomic<size_t>> openings = std::make_unique<std::atomic<size_t>>(0);
    int open_errno = 0;
    std::string target;
    std::map<std::string, Buffer> xattrs;
  };

  Entry& add(const std::string& path, FileType type);
  Result<Entry*> find(const std::string& what, const std::string& path);

  std::map<std::string, Entry> entries_;
  uint64_t last_inode_ = 0;
  size_t standard_input_position_ = 0;
  std::map<std::string, std::string> variables_;
};

}  // namespace sqfs
