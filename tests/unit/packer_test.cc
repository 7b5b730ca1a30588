// SPDX-License-Identifier: MIT
#include "fragments/packer.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace sqfs {
namespace {

constexpr uint32_t kBlock = 4096;

// Keeps the blocks that the packer hands out.
class ClosedBlocks final : public FragmentSource {
 public:
  Result<Bytes> fragment_bytes(uint32_t index) override {
    ++reads;
    if (is_broken) return io_error(5, "broken");
    return Bytes(blocks.at(index));
  }
  void keep(std::optional<FragmentBlock>& full) {
    if (full) blocks[full->index] = std::move(full->bytes);
  }
  std::map<uint32_t, Buffer> blocks;
  int reads = 0;
  bool is_broken = false;
};

Buffer tail_of(size_t size, char fill) { return Buffer(size, static_cast<std::byte>(fill)); }

class FragmentPackerTest : public ::testing::Test {
 protected:
  FragmentPacker::Added add(const Buffer& tail, bool is_whole_file = true) {
    return add(tail, digest_of(tail), is_whole_file);
  }
  FragmentPacker::Added add(const Buffer& tail, Digest digest, bool is_whole_file) {
    auto added = packer.add(tail, digest, is_whole_file);
    EXPECT_TRUE(added.has_value());
    closed.keep(added->full);
    return *std::move(added);
  }

  ClosedBlocks closed;
  FragmentPacker packer{kBlock, closed};
};

TEST_F(FragmentPackerTest, TailsLieBehindEachOther) {
  EXPECT_EQ(add(tail_of(100, 'a')).ref, (FragmentRef{0, 0}));
  EXPECT_EQ(add(tail_of(200, 'b')).ref, (FragmentRef{0, 100}));
  EXPECT_EQ(add(tail_of(1, 'c')).ref, (FragmentRef{0, 300}));
}

TEST_F(FragmentPackerTest, ATailThatDoesNotFitClosesTheBlock) {
  add(tail_of(3000, 'a'));
  auto added = packer.add(tail_of(1097, 'b'), digest_of(tail_of(1097, 'b')), true);
  ASSERT_TRUE(added.has_value());
  ASSERT_TRUE(added->full.has_value());
  EXPECT_EQ(added->full->index, 0u);
  EXPECT_EQ(added->full->bytes, tail_of(3000, 'a'));
  EXPECT_EQ(added->ref, (FragmentRef{1, 0}));
}

TEST_F(FragmentPackerTest, ATailThatFitsExactlyStays) {
  add(tail_of(3000, 'a'));
  const auto added = add(tail_of(1096, 'b'));
  EXPECT_FALSE(added.full.has_value());
  EXPECT_EQ(added.ref, (FragmentRef{0, 3000}));
}

TEST_F(FragmentPackerTest, SecondIdenticalTailSharesTheFirst) {
  const auto first = add(tail_of(100, 'a'));
  EXPECT_FALSE(first.is_shared);
  add(tail_of(100, 'b'));
  const auto second = add(tail_of(100, 'a'));
  EXPECT_TRUE(second.is_shared);
  EXPECT_TRUE(second.is_whole_file_known);
  EXPECT_EQ(second.ref, first.ref);
  EXPECT_EQ(closed.reads, 0);
}

TEST_F(FragmentPackerTest, AnIdenticalTailInAClosedBlockIsCompared) {
  const auto first = add(tail_of(100, 'a'));
  add(tail_of(4096, 'b'));
  const auto second = add(tail_of(100, 'a'));
  EXPECT_TRUE(second.is_shared);
  EXPECT_EQ(second.ref, first.ref);
  EXPECT_EQ(closed.reads, 1);
}

TEST_F(FragmentPackerTest, EqualDigestsOfDifferentTailsDoNotShare) {
  const Digest digest{1, 2};
  add(tail_of(100, 'a'), digest, true);
  EXPECT_FALSE(add(tail_of(100, 'b'), digest, true).is_shared);
  const auto third = add(tail_of(100, 'b'), digest, true);
  EXPECT_TRUE(third.is_shared);
  EXPECT_EQ(third.ref, (FragmentRef{0, 100}));
}

TEST_F(FragmentPackerTest, TheTailOfALongFileIsNoDuplicateFile) {
  add(tail_of(100, 'a'), false);
  const auto first_whole = add(tail_of(100, 'a'), true);
  EXPECT_TRUE(first_whole.is_shared);
  EXPECT_FALSE(first_whole.is_whole_file_known);
  EXPECT_TRUE(add(tail_of(100, 'a'), true).is_whole_file_known);
}

TEST_F(FragmentPackerTest, AppendedTailsAreNeverShared) {
  packer.append(tail_of(100, 'a'));
  EXPECT_FALSE(add(tail_of(100, 'a')).is_shared);
  EXPECT_EQ(packer.append(tail_of(100, 'a')).ref, (FragmentRef{0, 200}));
}

TEST_F(FragmentPackerTest, CloseHandsOutTheRestOnce) {
  add(tail_of(10, 'a'));
  const auto last = packer.close();
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->bytes.size(), 10u);
  EXPECT_FALSE(packer.close().has_value());
}

TEST_F(FragmentPackerTest, FailsWhenAClosedBlockCannotBeRead) {
  add(tail_of(100, 'a'));
  add(tail_of(4096, 'b'));
  closed.is_broken = true;
  EXPECT_FALSE(packer.add(tail_of(100, 'a'), digest_of(tail_of(100, 'a')), true).has_value());
}

TEST_F(FragmentPackerTest, GroupsHaveBlocksOfTheirOwn) {
  EXPECT_EQ(packer.append(tail_of(100, 'a'), 3).ref, (FragmentRef{0, 0}));
  EXPECT_EQ(packer.append(tail_of(100, 'b'), 1).ref, (FragmentRef{1, 0}));
  EXPECT_EQ(packer.append(tail_of(100, 'c'), 3).ref, (FragmentRef{0, 100}));
  auto added = packer.append(tail_of(4000, 'd'), 3);
  EXPECT_EQ(added.ref, (FragmentRef{2, 0}));
  ASSERT_TRUE(added.full);
  EXPECT_EQ(added.full->index, 0u);
  EXPECT_EQ(added.full->group, 3u);
  const auto first = packer.close(), second = packer.close();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->index, 1u);
  EXPECT_EQ(second->index, 2u);
  EXPECT_FALSE(packer.close());
}

TEST_F(FragmentPackerTest, IdenticalTailsAreSharedBetweenGroups) {
  const Buffer tail = tail_of(100, 'a');
  ASSERT_TRUE(packer.add(tail, digest_of(tail), true, 1));
  const auto other = packer.add(tail, digest_of(tail), true, 2);
  ASSERT_TRUE(other);
  EXPECT_TRUE(other->is_shared);
  EXPECT_EQ(other->ref, (FragmentRef{0, 0}));
}

TEST_F(FragmentPackerTest, HoldsRefusesAPlacePastTheBlock) {
  add(tail_of(100, 'a'));
  const auto held = packer.holds({0, 50}, tail_of(51, 'a'));
  ASSERT_TRUE(held.has_value());
  EXPECT_FALSE(*held);
}

}  // namespace
}  // namespace sqfs
