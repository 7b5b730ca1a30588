// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>
#include <cerrno>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reader/content.h"
#include "reader/image.h"
#include "squashfs-format/superblock.h"
#include "tests/support/fake_env.h"
#include "tests/support/verify_run.h"
#include "writer/build.h"

// An image in memory that is added to, and what is in it as text.
namespace sqfs {

class AppendRecorder final : public BuildObserver {
 public:
  void warning(const std::string& sentence) override { warnings.push_back(sentence); }
  void progress(uint64_t, uint64_t) override {}
  bool wants_files() const override { return true; }
  void file(const FileEvent& event) override { paths.insert(event.image_path); }
  void appending(const BaseImage& image) override { base = image; }

  std::vector<std::string> warnings;
  std::set<std::string> paths;
  std::optional<BaseImage> base;
};

inline Buffer text(std::string_view content) {
  const Bytes bytes = as_bytes(content);
  return Buffer(bytes.begin(), bytes.end());
}

// Bytes that no compressor makes smaller.
inline Buffer noise(size_t size, uint32_t seed) {
  Buffer out(size);
  for (std::byte& byte : out) {
    seed = seed * 1664525 + 1013904223;
    byte = static_cast<std::byte>(seed >> 24);
  }
  return out;
}

// A file that lies in memory, holes and all.
class FakeContentInput final : public InputFile {
 public:
  explicit FakeContentInput(const FakeContent& content) : content_(content) {}
  Result<size_t> read_at(uint64_t offset, MutableBytes out) override {
    return content_.read_at(offset, out);
  }
  Result<FileInfo> info() override { return FileInfo{}; }
  Result<uint64_t> size() override { return content_.size; }
  Result<std::optional<uint64_t>> next_data(uint64_t offset) override {
    return std::optional(offset);
  }
  Result<uint64_t> next_hole(uint64_t) override { return content_.size; }

 private:
  const FakeContent& content_;
};

inline Result<std::string> describe_file(Image& image, FragmentCache& fragments,
                                         const ImageInode& file) {
  FileCursor cursor(image, fragments, file);
  Buffer all;
  for (;;) {
    SQFS_TRY(const Bytes block, cursor.next());
    if (block.empty()) break;
    all.insert(all.end(), block.begin(), block.end());
  }
  return std::to_string(all.size()) + " bytes " + std::to_string(digest_of(all).low);
}

inline Status describe_directory(Image& image, FragmentCache& fragments,
                                 const ImageInode& directory, const std::string& path,
                                 std::string& out) {
  SQFS_TRY(DirectoryCursor cursor, image.list(directory));
  for (;;) {
    SQFS_TRY(const auto entry, cursor.next());
    if (!entry) return ok();
    SQFS_TRY(const ImageInode inode, image.inode(entry->inode_ref));
    const std::string name = path + "/" + entry->name;
    out += name + " mode " + std::to_string(inode.inode.header.mode) + " owner " +
           std::to_string(inode.uid) + " time " + std::to_string(inode.inode.header.mtime);
    SQFS_TRY(const auto xattrs, image.xattrs(inode.inode));
    for (const ImageXattr& xattr : xattrs) {
      out += " " + xattr.name + "=" + std::string(as_text(xattr.value));
    }
    if (std::holds_alternative<FileBody>(inode.inode.body)) {
      SQFS_TRY(const std::string content, describe_file(image, fragments, inode));
      out += " " + content;
    }
    if (const auto* link = std::get_if<SymlinkBody>(&inode.inode.body))
      out += " -> " + link->target;
    out += "\n";
    if (std::holds_alternative<DirBody>(inode.inode.body)) {
      SQFS_CHECKED(describe_directory(image, fragments, inode, name, out));
    }
  }
}

// Everything that is in an image, as text; what is wrong with it where something is.
inline std::string tree_of(const FakeContent& content, uint64_t offset = 0) {
  FakeContentInput input(content);
  std::string out;
  const auto read = [&]() -> Status {
    SQFS_TRY(const auto image, Image::open(input, offset));
    FragmentCache fragments(*image);
    SQFS_TRY(const ImageInode root, image->inode(image->superblock().root_inode));
    out = "/ mode " + std::to_string(root.inode.header.mode) + "\n";
    return describe_directory(*image, fragments, root, "", out);
  };
  const Status status = read();
  return status ? out : "unreadable: " + status.error().what;
}

inline std::string faults_of(const FakeContent& content, uint64_t offset = 0) {
  FakeContentInput input(content);
  FindingList list;
  VerifyOptions options;
  options.offset = offset;
  const auto verdict = verify_image(options, input, list);
  if (!verdict) return verdict.error().what;
  return verdict->is_clean() ? "" : describe(list.findings);
}

class AppendTest : public testing::Test {
 protected:
  AppendTest() {
    options_.sources = {"/old"};
    options_.data.compressor = &default_compressor();
    options_.data.block_size = 4096;
    options_.data.threads = 0;
    env_.add_file("/old/a", FakeContent(text("some text")));
    env_.add_file("/old/d/b", FakeContent(noise(10000, 1)));
    env_.add_file("/old/d/sparse", FakeContent::sparse(50000, {{40960, noise(100, 2)}}));
    env_.add_symlink("/old/l", "a");
    env_.set_xattr("/old/a", "user.x", text("value"));
    env_.attributes("/old").mode = 0700;
    env_.add_file("/new/n", FakeContent(text("new text")));
    env_.add_file("/new/e/copy", FakeContent(noise(10000, 1)));
    env_.add_file("/new/e/copy of a", FakeContent(text("some text")));
    env_.add_file("/new/e/other", FakeContent(noise(20000, 3)));
    env_.set_xattr("/new/n", "user.y", text("other value"));
    env_.attributes("/new").mode = 0711;
  }

  Result<BuildSummary> build() {
    recorder_ = AppendRecorder();
    env_.changes.clear();
    return build_image(options_, "/image", env_, recorder_, cancelled_);
  }

  Result<BuildSummary> append(const std::string& source = "/new") {
    options_.sources = {source};
    options_.append = true;
    return build();
  }

  FakeContent image() {
    const auto file = env_.open_input("/image");
    Buffer bytes(*(*file)->size());
    EXPECT_TRUE((*file)->read_at(0, bytes));
    return FakeContent(std::move(bytes));
  }

  // An image of /old, the same one whenever it is called.
  void start_again() { env_.replace_by_file("/image", old_); }
  void make_old() {
    ASSERT_TRUE(build());
    old_ = image();
    old_tree_ = tree_of(old_, options_.image_offset);
  }

  BuildOptions options_;
  FakeEnv env_;
  AppendRecorder recorder_;
  std::function<bool()> cancelled_ = [] { return false; };
  FakeContent old_;
  std::string old_tree_;
};

}  // namespace sqfs
