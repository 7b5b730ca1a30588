// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "cli/compare_tree.h"
#include "reader/content.h"
#include "reader/image.h"
#include "tests/support/tool_run.h"

namespace sqfs {
namespace {

class MemoryFile final : public InputFile {
 public:
  explicit MemoryFile(std::string bytes) : bytes_(std::move(bytes)) {}

  Result<size_t> read_at(uint64_t offset, MutableBytes out) override {
    if (offset >= bytes_.size()) return size_t{0};
    const size_t count = std::min(out.size(), bytes_.size() - static_cast<size_t>(offset));
    std::copy_n(as_bytes(bytes_).begin() + static_cast<std::ptrdiff_t>(offset), count, out.begin());
    return count;
  }
  Result<FileInfo> info() override { return FileInfo{}; }
  Result<uint64_t> size() override { return uint64_t{bytes_.size()}; }
  Result<std::optional<uint64_t>> next_data(uint64_t offset) override {
    return std::optional(offset);
  }
  Result<uint64_t> next_hole(uint64_t) override { return size(); }

 private:
  const std::string bytes_;
};

class CountingSink final : public DifferenceSink {
 public:
  void report(const Difference& difference) override {
    ++count;
    last = difference;
  }
  uint64_t count = 0;
  Difference last;
};

class ReaderTest : public testing::Test {
 protected:
  ReaderTest() {
    run_.write("tree/a", "alpha\n");
    run_.write("tree/blocks", std::string(10000, 'x') + std::string(9000, '\0') + "end");
    run_.write("tree/sub/deep/b", std::string(5000, 'b'));
    std::filesystem::create_symlink("a", tree_ + "/link");
    std::filesystem::create_hard_link(tree_ + "/a", tree_ + "/sub/hard");
  }

  // The bytes of an image of the tree, without padding.
  std::string image(std::vector<std::string> options) {
    options.insert(options.begin(),
                   {tree_, run_.path("image"), "-noappend", "-quiet", "-nopad", "-b", "4K",
                    "-xattrs-add", "user.long=0123456789", "-xattrs-add", "user.k=v"});
    EXPECT_EQ(run_.mksquashfs(options), 0) << run_.err;
    return run_.read("image");
  }
  // Compressed tables would hide most changes of a bit behind the compressor.
  std::string raw_image() { return image({"-no-compression", "-tailends"}); }

  // Reads everything; the outcome is no matter.
  uint64_t read_all(std::string bytes) {
    MemoryFile file(std::move(bytes));
    CountingSink sink;
    const auto count = compare_tree(file, 0, *env_, tree_, sink);
    return count ? *count : 1;
  }

  ToolRun run_;
  const std::string tree_ = run_.path("tree");
  const std::unique_ptr<Env> env_ = make_posix_env();
};

// The tree has no xattrs, the image has two for each directory and regular file.
constexpr uint64_t kAddedXattrs = 2 * (3 + 4);

TEST_F(ReaderTest, FindsTheXattrsThatTheTreeDoesNotHave) {
  for (const char* compressor : {"gzip", "xz", "lz4", "zstd"}) {
    EXPECT_EQ(read_all(image({"-comp", compressor})), kAddedXattrs) << compressor;
  }
  EXPECT_EQ(read_all(raw_image()), kAddedXattrs);
}

TEST_F(ReaderTest, ListsInOrderAndReadsContent) {
  MemoryFile file(raw_image());
  const auto opened = Image::open(file, 0);
  ASSERT_TRUE(opened);
  Image& image = **opened;
  const auto root = image.inode(image.superblock().root_inode);
  ASSERT_TRUE(root);
  auto entries = image.list(*root);
  ASSERT_TRUE(entries);
  std::vector<std::string> names;
  std::optional<ImageEntry> blocks;
  for (auto entry = entries->next(); entry && *entry; entry = entries->next()) {
    names.push_back((*entry)->name);
    if (names.back() == "blocks") blocks = **entry;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a", "blocks", "link", "sub"}));
  ASSERT_TRUE(blocks);
  const auto inode = image.inode(blocks->inode_ref);
  ASSERT_TRUE(inode);
  FragmentCache fragments(image);
  FileCursor content(image, fragments, *inode);
  std::string text;
  for (auto block = content.next(); block && !block->empty(); block = content.next()) {
    text += as_text(*block);
  }
  EXPECT_EQ(text, run_.read("tree/blocks"));
}

TEST_F(ReaderTest, EveryTruncationIsAnError) {
  const std::string good = raw_image();
  for (size_t size = 0; size < good.size(); size += 7) {
    MemoryFile file(good.substr(0, size));
    CountingSink sink;
    const auto count = compare_tree(file, 0, *env_, tree_, sink);
    EXPECT_TRUE(!count || *count > 0) << size;
  }
}

TEST_F(ReaderTest, NoChangeOfAByteDoesHarm) {
  const std::string good = raw_image();
  const size_t tables = good.size() - std::min<size_t>(good.size(), 2500);
  for (size_t at = 0; at < good.size(); ++at) {
    if (at >= kSuperblockSize && at < tables) continue;  // file contents
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ change);
      read_all(bad);
    }
  }
}

}  // namespace
}  // namespace sqfs
