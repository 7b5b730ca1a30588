// SPDX-License-Identifier: MIT
#include "writer/append_recover.h"

#include "tests/support/append_fixture.h"

namespace sqfs {
namespace {

class RecoverTest : public AppendTest {
 protected:
  void SetUp() override {
    make_old();
    const Buffer bytes = old_.bytes();
    super_ = *decode_superblock(bytes);
    recovery_ = text("Squashfs recovery file v1.0\n");
    recovery_.insert(recovery_.end(), bytes.begin(), bytes.begin() + kSuperblockSize);
    recovery_.insert(recovery_.end(),
                     bytes.begin() + static_cast<ptrdiff_t>(super_.inode_table_start),
                     bytes.begin() + static_cast<ptrdiff_t>(super_.bytes_used));
    broken_ = old_;
    broken_.write_at(0, Buffer(4));
    broken_.write_at(super_.inode_table_start, noise(30000, 4));
    env_.replace_by_file("/image", broken_);
  }

  Status recover(Buffer recovery) {
    env_.replace_by_file("/recovery", FakeContent(std::move(recovery)));
    return recover_image("/image", 0, "/recovery", env_);
  }

  Superblock super_;
  Buffer recovery_;
  FakeContent broken_;
};

TEST_F(RecoverTest, TheImageIsWhatItWas) {
  const Status status = recover(recovery_);
  ASSERT_TRUE(status) << status.error().what;
  EXPECT_EQ(tree_of(image()), old_tree_);
}

TEST_F(RecoverTest, EveryTruncationIsRefused) {
  for (size_t size = 0; size < recovery_.size(); ++size) {
    ASSERT_FALSE(
        recover(Buffer(recovery_.begin(), recovery_.begin() + static_cast<ptrdiff_t>(size))));
    ASSERT_EQ(image().bytes(), broken_.bytes());
  }
}

TEST_F(RecoverTest, WhatFollowsIsRefused) {
  Buffer longer = recovery_;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(recover(longer));
  EXPECT_EQ(image().bytes(), broken_.bytes());
}

TEST_F(RecoverTest, ForeignFilesAreRefused) {
  EXPECT_FALSE(recover(text("something else altogether")));
  env_.replace_by_file("/image", FakeContent(noise(50000, 5)));
  EXPECT_FALSE(recover(recovery_));
  EXPECT_TRUE(env_.changes.empty() || image().bytes() == noise(50000, 5));
}

}  // namespace
}  // namespace sqfs
