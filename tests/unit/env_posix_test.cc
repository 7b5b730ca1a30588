// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/env.h"

namespace sqfs {
namespace {

namespace fs = std::filesystem;

class PosixEnvTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "env-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    dir_ = pattern;
    env_ = make_posix_env();
  }
  void TearDown() override { fs::remove_all(dir_); }

  std::string path(const std::string& name) const { return (dir_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::string content(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  size_t names_in_dir() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(dir_), fs::directory_iterator()));
  }

  fs::path dir_;
  std::unique_ptr<Env> env_;
};

TEST_F(PosixEnvTest, LstatTellsTypesAndSizes) {
  write("file", "12345");
  fs::create_symlink("file", path("link"));
  EXPECT_EQ(env_->lstat(path("file"))->size, 5u);
  EXPECT_EQ(env_->lstat(path("link"))->type, FileType::kSymlink);
  EXPECT_EQ(env_->stat(path("link"))->type, FileType::kRegular);
  EXPECT_EQ(*env_->read_link(path("link")), "file");
}

TEST_F(PosixEnvTest, MissingFileIsAnErrorThatNamesItAndItsErrno) {
  const auto got = env_->lstat(path("nosuch"));
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().os_errno, ENOENT);
  EXPECT_NE(got.error().what.find("nosuch"), std::string::npos);
}

TEST_F(PosixEnvTest, ASourceIsNotFollowedWhereAnInputIs) {
  write("file", "12345");
  fs::create_symlink("file", path("link"));
  EXPECT_TRUE(env_->open_source(path("file")));
  EXPECT_TRUE(env_->open_input(path("link")));
  const auto got = env_->open_source(path("link"));
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().os_errno, ELOOP);
}

TEST_F(PosixEnvTest, OnlySomeFailuresAreTheHosts) {
  EXPECT_TRUE(is_host_shortage(io_error(EMFILE, "")));
  EXPECT_TRUE(is_host_shortage(Error{Code::kNoMemory, 0, 0, 0, ""}));
  EXPECT_FALSE(is_host_shortage(io_error(EACCES, "")));
}

TEST_F(PosixEnvTest, ReadAtStopsAtTheEnd) {
  write("file", "12345");
  auto file = env_->open_input(path("file"));
  ASSERT_TRUE(file);
  Buffer buffer(10);
  EXPECT_EQ(*(*file)->read_at(3, buffer), 2u);
  EXPECT_EQ(*(*file)->size(), 5u);
}

TEST_F(PosixEnvTest, HolesAreFoundWhereTheFileSystemKnowsThem) {
  write("file", "x");
  fs::resize_file(path("file"), 1 << 20);
  auto file = env_->open_input(path("file"));
  ASSERT_TRUE(file);
  const auto data = (*file)->next_data(1 << 19);
  ASSERT_TRUE(data);
  EXPECT_TRUE(!data->has_value() || **data == 1u << 19);
}

TEST_F(PosixEnvTest, NewOutputVanishesWithoutCommit) {
  {
    auto output = env_->create_output(path("image"));
    ASSERT_TRUE(output);
    ASSERT_TRUE((*output)->write_at(0, as_bytes("half")));
    EXPECT_EQ(names_in_dir(), 1u);
  }
  EXPECT_EQ(names_in_dir(), 0u);
}

TEST_F(PosixEnvTest, NewOutputStaysAfterCommit) {
  {
    auto output = env_->create_output(path("image"));
    ASSERT_TRUE(output);
    ASSERT_TRUE((*output)->write_at(0, as_bytes("whole")));
    ASSERT_TRUE((*output)->commit());
  }
  EXPECT_EQ(content("image"), "whole");
}

TEST_F(PosixEnvTest, ExistingOutputIsUntouchedUntilCommit) {
  write("image", "old");
  fs::permissions(path("image"), fs::perms(0600));
  {
    auto output = env_->create_output(path("image"));
    ASSERT_TRUE(output);
    ASSERT_TRUE((*output)->write_at(0, as_bytes("new image")));
    EXPECT_EQ(content("image"), "old");
  }
  EXPECT_EQ(content("image"), "old");
  EXPECT_EQ(names_in_dir(), 1u);
  {
    auto output = env_->create_output(path("image"));
    ASSERT_TRUE(output);
    ASSERT_TRUE((*output)->write_at(0, as_bytes("new image")));
    ASSERT_TRUE((*output)->commit());
  }
  EXPECT_EQ(content("image"), "new image");
  EXPECT_EQ(names_in_dir(), 1u);
  EXPECT_EQ(fs::status(path("image")).permissions(), fs::perms(0600));
}

TEST_F(PosixEnvTest, HardLinkedOutputKeepsItsOtherName) {
  write("image", "old");
  fs::create_hard_link(path("image"), path("other"));
  auto output = env_->create_output(path("image"));
  ASSERT_TRUE(output);
  ASSERT_TRUE((*output)->write_at(0, as_bytes("new")));
  ASSERT_TRUE((*output)->commit());
  EXPECT_EQ(content("other"), "new");
}

TEST_F(PosixEnvTest, OutputThroughASymlinkReachesItsTarget) {
  fs::create_symlink("real", path("link"));
  {
    auto output = env_->create_output(path("link"));
    ASSERT_TRUE(output);
    ASSERT_TRUE((*output)->write_at(0, as_bytes("via link")));
    ASSERT_TRUE((*output)->commit());
  }
  EXPECT_EQ(content("real"), "via link");
  EXPECT_TRUE(fs::is_symlink(path("link")));
}

TEST_F(PosixEnvTest, AnotherFileUnderTheNameIsNeitherRemovedNorReportedAsOurs) {
  {
    auto output = env_->create_output(path("image"));
    ASSERT_TRUE(output);
    fs::remove(path("image"));
    write("image", "somebody else's");
    EXPECT_FALSE((*output)->commit());
  }
  EXPECT_EQ(content("image"), "somebody else's");
}

TEST_F(PosixEnvTest, NamesOfFullLengthAreReplacedToo) {
  const std::string name(255, 'n');
  write(name, "old");
  auto output = env_->create_output(path(name));
  ASSERT_TRUE(output);
  ASSERT_TRUE((*output)->write_at(0, as_bytes("new")));
  EXPECT_EQ(content(name), "old");
  ASSERT_TRUE((*output)->commit());
  EXPECT_EQ(content(name), "new");
}

TEST_F(PosixEnvTest, DirectoryIsNoOutput) {
  fs::create_directory(path("d"));
  const auto output = env_->create_output(path("d"));
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, Code::kUsage);
  EXPECT_FALSE(env_->create_output("/dev/null"));
  EXPECT_FALSE(env_->create_output(path("nosuch/image")));
}

}  // namespace
}  // namespace sqfs
