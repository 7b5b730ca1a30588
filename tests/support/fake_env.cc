// SPDX-License-Identifier: MIT
#include "tests/support/fake_env.h"

#include "base/text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sqfs {
namespace {

class FakeInput final : public InputFile {
 public:
  FakeInput(const FakeContent& content, const FileInfo& info, std::string path, FaultPlan& faults)
      : content_(content), info_(info), path_(std::move(path)), faults_(faults) {}

  Result<size_t> read_at(uint64_t offset, MutableBytes out) override {
    if (auto error = faults_.next("cannot read " + path_)) return *std::move(error);
    return content_.read_at(offset, out);
  }
  Result<FileInfo> info() override {
    if (auto error = faults_.next("cannot stat " + path_)) return *std::move(error);
    FileInfo info = info_;
    info.size = content_.has_hidden_size ? 0 : content_.size;
    return info;
  }
  Result<uint64_t> size() override {
    if (auto error = faults_.next("cannot find the size of " + path_)) return *std::move(error);
    return content_.size;
  }
  Result<std::optional<uint64_t>> next_data(uint64_t offset) override {
    if (auto error = faults_.next("cannot look for data in " + path_)) return *std::move(error);
    for (const auto& [start, bytes] : content_.extents) {
      if (start + bytes.size() > offset) return std::optional(std::max(start, offset));
    }
    return std::optional<uint64_t>();
  }
  Result<uint64_t> next_hole(uint64_t offset) override {
    if (auto error = faults_.next("cannot look for holes in " + path_)) return *std::move(error);
    for (const auto& [start, bytes] : content_.extents) {
      if (start <= offset && offset < start + bytes.size()) offset = start + bytes.size();
    }
    return std::min(offset, content_.size);
  }

 private:
  const FakeContent& content_;
  const FileInfo& info_;
  std::string path_;
  FaultPlan& faults_;
};

class FakeUpdate final : public OutputFile {
 public:
  FakeUpdate(FakeContent& content, FileInfo& info, FaultPlan& faults,
             std::vector<FakeChange>& changes)
      : content_(content), info_(info), faults_(faults), changes_(changes) {}

  Status write_at(uint64_t offset, Bytes in) override {
    return change({FakeChange::Kind::kWrite, offset, Buffer(in.begin(), in.end())});
  }
  Result<size_t> read_at(uint64_t offset, MutableBytes out) override {
    return content_.read_at(offset, out);
  }
  Status truncate(uint64_t size) override {
    return change({FakeChange::Kind::kTruncate, size, {}});
  }
  Status sync() override { return change({}); }
  Status commit() override { return ok(); }
  std::vector<std::pair<uint64_t, uint64_t>> identities() const override {
    return {{info_.device, info_.inode}};
  }

 private:
  Status change(FakeChange change) {
    if (auto error = faults_.next("cannot write")) return *std::move(error);
    change.apply_to(content_);
    info_.size = content_.size;
    changes_.push_back(std::move(change));
    return ok();
  }

  FakeContent& content_;
  FileInfo& info_;
  FaultPlan& faults_;
  std::vector<FakeChange>& changes_;
};

class FakeSpool final : public SpoolFile {
 public:
  FakeSpool(FaultPlan& faults, uint64_t& total) : faults_(faults), total_(total) {}

  Status append(Bytes in) override {
    if (auto error = faults_.next("cannot write a temporary file")) return *std::move(error);
    bytes_.insert(bytes_.end(), in.begin(), in.end());
    total_ += in.size();
    return ok();
  }
  Status skip(uint64_t count) override { return append(Buffer(count)); }
  uint64_t end() const override { return bytes_.size(); }
  Result<size_t> read_at(uint64_t offset, MutableBytes out) override {
    if (auto error = faults_.next("cannot read a temporary file")) return *std::move(error);
    if (offset >= bytes_.size()) return size_t{0};
    const size_t size = std::min<size_t>(out.size(), bytes_.size() - offset);
    std::copy_n(bytes_.begin() + static_cast<ptrdiff_t>(offset), size, out.begin());
    return size;
  }
  Result<FileInfo> info() override {
    FileInfo info;
    info.size = bytes_.size();
    return info;
  }
  Result<uint64_t> size() override { return bytes_.size(); }
  Result<std::optional<uint64_t>> next_data(uint64_t offset) override {
    return offset < bytes_.size() ? std::optional(offset) : std::nullopt;
  }
  Result<uint64_t> next_hole(uint64_t) override { return bytes_.size(); }

 private:
  FaultPlan& faults_;
  uint64_t& total_;
  Buffer bytes_;
};

std::string parent_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

Error refusal(int os_errno, const std::string& what, const std::string& path) {
  return io_error(os_errno, what + " " + path + ": " + errno_text(os_errno));
}

}  // namespace

size_t FakeContent::read_at(uint64_t offset, MutableBytes out) const {
  if (offset >= size) return 0;
  out = out.first(static_cast<size_t>(std::min<uint64_t>(out.size(), size - offset)));
  std::ranges::fill(out, std::byte{0});
  for (const auto& [start, bytes] : extents) {
    const uint64_t from = std::max(start, offset);
    const uint64_t to = std::min(start + bytes.size(), offset + out.size());
    if (from < to) std::memcpy(&out[from - offset], &bytes[from - start], to - from);
  }
  return out.size();
}

Buffer FakeContent::bytes() const {
  Buffer all(size);
  read_at(0, all);
  return all;
}

// Makes a range a hole.
void FakeContent::forget(uint64_t from, uint64_t to) {
  auto it = extents.upper_bound(from);
  if (it != extents.begin()) --it;
  while (it != extents.end() && it->first < to) {
    const uint64_t start = it->first, end = start + it->second.size();
    if (end <= from || start >= to) {
      ++it;
      continue;
    }
    const Buffer old = std::move(it->second);
    it = extents.erase(it);
    if (start < from) {
      extents[start] = Buffer(old.begin(), old.begin() + static_cast<ptrdiff_t>(from - start));
    }
    if (end > to) {
      extents[to] = Buffer(old.begin() + static_cast<ptrdiff_t>(to - start), old.end());
    }
  }
}

void FakeContent::write_at(uint64_t offset, Bytes in) {
  if (in.empty()) return;
  forget(offset, offset + in.size());
  extents[offset] = Buffer(in.begin(), in.end());
  size = std::max(size, offset + in.size());
}

void FakeContent::truncate(uint64_t new_size) {
  if (new_size < size) forget(new_size, size);
  size = new_size;
}

void FakeChange::apply_to(FakeContent& content) const {
  if (kind == Kind::kWrite) content.write_at(offset, bytes);
  if (kind == Kind::kTruncate) content.truncate(offset);
}

Status FakeOutput::write_at(uint64_t offset, Bytes in) {
  if (auto error = write_faults.next("cannot write")) return *std::move(error);
  if (changes != nullptr) {
    changes->push_back({FakeChange::Kind::kWrite, offset, Buffer(in.begin(), in.end())});
  }
  if (bytes.size() < offset + in.size()) bytes.resize(offset + in.size());
  std::ranges::copy(in, bytes.begin() + static_cast<ptrdiff_t>(offset));
  return ok();
}

Result<size_t> FakeOutput::read_at(uint64_t offset, MutableBytes out) {
  if (auto error = read_faults.next("cannot read back")) return *std::move(error);
  if (offset >= bytes.size()) return size_t{0};
  const size_t size = std::min<size_t>(out.size(), bytes.size() - offset);
  std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(offset), size, out.begin());
  return size;
}

Status FakeOutput::truncate(uint64_t size) {
  if (auto error = write_faults.next("cannot set the length")) return *std::move(error);
  if (changes != nullptr) changes->push_back({FakeChange::Kind::kTruncate, size, {}});
  ++truncations;
  bytes.resize(size);
  return ok();
}

// --- FakeEnv
// --------------------------------------------------------------------------------------

FakeEnv::Entry& FakeEnv::add(const std::string& path, FileType type) {
  if (path != "/" && !entries_.contains(parent_of(path)))
    add(parent_of(path), FileType::kDirectory);
  Entry& entry = entries_[path];
  entry.info.type = type;
  entry.info.mode = type == FileType::kDirectory ? 0755 : 0644;
  entry.info.device = 1;
  entry.info.inode = ++last_inode_;
  entry.versions.resize(1);
  return entry;
}

void FakeEnv::add_file(const std::string& path, FakeContent content) {
  std::vector<FakeContent> versions;
  versions.push_back(std::move(content));
  add_changing_file(path, std::move(versions));
}

void FakeEnv::add_changing_file(const std::string& path, std::vector<FakeContent> versions) {
  Entry& entry = add(path, FileType::kRegular);
  entry.info.size = versions.front().size;
  entry.info.allocated_bytes = 0;
  for (const auto& [start, bytes] : versions.front().extents) {
    entry.info.allocated_bytes += (bytes.size() + 511) / 512 * 512;
  }
  entry.versions = std::move(versions);
}

void FakeEnv::add_directory(const std::string& path) { add(path, FileType::kDirectory); }

void FakeEnv::add_symlink(const std::string& path, const std::string& target) {
  add(path, FileType::kSymlink).target = target;
}

void FakeEnv::replace_by_file(const std::string& path, FakeContent content) {
  entries_.erase(path);
  add_file(path, std::move(content));
}

void FakeEnv::replace_by_symlink(const std::string& path, const std::string& target) {
  entries_.erase(path);
  add_symlink(path, target);
}

void FakeEnv::refuse_to_open(const std::string& path, int os_errno) {
  entries_.at(path).open_errno = os_errno;
}

void FakeEnv::hide_size(const std::string& path) {
  Entry& entry = entries_.at(path);
  entry.info.size = 0;
  for (FakeContent& content : entry.versions) content.has_hidden_size = true;
}

FileInfo& FakeEnv::attributes(const std::string& path) { return entries_.at(path).info; }

void FakeEnv::set_xattr(const std::string& path, const std::string& name, Buffer value) {
  entries_.at(path).xattrs[name] = std::move(value);
}

void FakeEnv::set_variable(const std::string& name, const std::string& value) {
  variables_[name] = value;
}

Result<FakeEnv::Entry*> FakeEnv::find(const std::string& what, const std::string& path) {
  const std::string sentence = what + " " + path;
  if (auto error = faults.next(sentence)) return *std::move(error);
  const auto it = entries_.find(path);
  if (it == entries_.end()) return io_error(ENOENT, sentence + ": " + errno_text(ENOENT));
  return &it->second;
}

Result<FileInfo> FakeEnv::lstat(const std::string& path) {
  SQFS_TRY(const Entry* entry, find("cannot stat", path));
  return entry->info;
}

Result<FileInfo> FakeEnv::stat(const std::string& path) {
  SQFS_TRY(const Entry* entry, find("cannot stat", path));
  if (entry->info.type != FileType::kSymlink) return entry->info;
  return stat(entry->target.starts_with('/') ? entry->target
                                             : join_path(parent_of(path), entry->target));
}

Result<std::vector<std::string>> FakeEnv::list_dir(const std::string& path) {
  SQFS_TRY(const Entry* entry, find("cannot open directory", path));
  if (entry->open_errno != 0) return refusal(entry->open_errno, "cannot open directory", path);
  std::vector<std::string> names;
  for (const auto& [name, other] : entries_) {
    if (name != path && parent_of(name) == path) names.push_back(name.substr(name.rfind('/') + 1));
  }
  return names;
}

Result<std::string> FakeEnv::read_link(const std::string& path) {
  SQFS_TRY(const Entry* entry, find("cannot read symbolic link", path));
  if (entry->open_errno != 0) return refusal(entry->open_errno, "cannot read symbolic link", path);
  return entry->target;
}

Result<std::unique_ptr<InputFile>> FakeEnv::open_input(const std::string& path) {
  SQFS_TRY(Entry * entry, find("cannot open", path));
  if (entry->open_errno != 0) return refusal(entry->open_errno, "cannot open", path);
  if (entry->info.type == FileType::kSymlink) return open_input(entry->target);
  const size_t opening = (*entry->openings)++;
  const FakeContent& content = entry->versions[std::min(opening, entry->versions.size() - 1)];
  return std::make_unique<FakeInput>(content, entry->info, path, faults);
}

Result<std::unique_ptr<InputFile>> FakeEnv::open_source(const std::string& path) {
  const auto it = entries_.find(path);
  if (it != entries_.end() && it->second.info.type == FileType::kSymlink) {
    return refusal(ELOOP, "cannot open", path);
  }
  return open_input(path);
}

Result<std::vector<std::string>> FakeEnv::list_xattrs(const std::string& path) {
  SQFS_TRY(const Entry* entry, find("cannot list extended attributes of", path));
  std::vector<std::string> names;
  for (const auto& [name, value] : entry->xattrs) names.push_back(name);
  return names;
}

Result<Buffer> FakeEnv::get_xattr(const std::string& path, const std::string& name) {
  SQFS_TRY(const Entry* entry, find("cannot read an extended attribute of", path));
  const auto it = entry->xattrs.find(name);
  if (it == entry->xattrs.end()) return io_error(ENODATA, path + ": " + errno_text(ENODATA));
  return it->second;
}

Result<std::unique_ptr<OutputFile>> FakeEnv::create_output(const std::string& path) {
  if (auto error = faults.next("cannot create " + path)) return *std::move(error);
  auto output = std::make_unique<FakeOutput>();
  if (failing_write != 0) output->write_faults.fail_call(failing_write, ENOSPC);
  output->changes = &changes;
  output->on_commit = [this, path](const Buffer& bytes) { add_file(path, FakeContent(bytes)); };
  return output;
}

Result<std::unique_ptr<OutputFile>> FakeEnv::open_for_update(const std::string& path) {
  SQFS_TRY(Entry* const entry, find("cannot open", path));
  return std::make_unique<FakeUpdate>(entry->versions.back(), entry->info, update_faults, changes);
}

Result<std::unique_ptr<SpoolFile>> FakeEnv::create_spool(const std::string& beside) {
  if (auto error = faults.next("cannot make a temporary file beside " + beside)) {
    return *std::move(error);
  }
  return std::make_unique<FakeSpool>(faults, spooled_bytes);
}

Result<size_t> FakeEnv::read_standard_input(MutableBytes out) {
  if (auto error = faults.next("cannot read standard input")) return *std::move(error);
  const size_t left = standard_input.size() - standard_input_position_;
  const size_t size = std::min({out.size(), left, standard_input_piece});
  std::copy_n(standard_input.begin() + static_cast<ptrdiff_t>(standard_input_position_), size,
              out.begin());
  standard_input_position_ += size;
  return size;
}

std::optional<uint32_t> FakeEnv::find_user(const std::string& name) {
  const auto it = users.find(name);
  return it == users.end() ? std::nullopt : std::optional(it->second);
}

std::optional<uint32_t> FakeEnv::find_group(const std::string& name) {
  const auto it = groups.find(name);
  return it == groups.end() ? std::nullopt : std::optional(it->second);
}

Result<int> FakeEnv::run(const Command& command, const std::function<Status(Bytes)>& take) {
  if (!program) return io_error(ENOENT, "cannot run " + command.words[0]);
  std::string printed;
  const int status = program(command, printed);
  if (!printed.empty()) SQFS_CHECKED(take(as_bytes(printed)));
  return status;
}

std::optional<std::string> FakeEnv::variable(const std::string& name) {
  const auto it = variables_.find(name);
  return it == variables_.end() ? std::nullopt : std::optional(it->second);
}

}  // namespace sqfs
