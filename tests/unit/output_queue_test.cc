// SPDX-License-Identifier: MIT
#include "writer/output_queue.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/support/fake_env.h"

namespace sqfs {
namespace {

constexpr uint64_t kStart = 96, kImageOffset = 1000;

Buffer bytes_of(size_t size, char fill) { return Buffer(size, static_cast<std::byte>(fill)); }

BlockWord raw_word(const Buffer& bytes) { return {static_cast<uint32_t>(bytes.size()), true}; }

struct Placement {
  NodeId file;
  uint64_t number, position;
  uint32_t word;
  bool operator==(const Placement&) const = default;
};

class OutputQueueTest : public ::testing::TestWithParam<unsigned> {
 protected:
  OutputQueue make_queue(OutputQueue::Limits limits = {}) {
    return OutputQueue(output, kImageOffset, kStart, pool, limits,
                       [this](SlotOwner owner, uint64_t position, BlockWord word) {
                         placed.push_back({owner.file, owner.number, position, word.packed()});
                       });
  }
  std::unique_ptr<CompressJob> job(Buffer raw) {
    return std::make_unique<CompressJob>(std::make_shared<const Buffer>(std::move(raw)));
  }
  Bytes written() const { return Bytes(output.bytes).subspan(kImageOffset + kStart); }

  DataOptions options = [] {
    DataOptions made;
    made.compressor = &default_compressor();
    made.block_size = 4096;
    return made;
  }();
  FakeOutput output;
  OrderedPool pool{GetParam(), 1u << 20, [this] { return DataWorker::make(options); }};
  std::vector<Placement> placed;
};

TEST_P(OutputQueueTest, PlacesBlocksBehindEachOther) {
  OutputQueue queue = make_queue();
  ASSERT_TRUE(queue.push({5, 0}, bytes_of(10, 'a'), {10, false}));
  ASSERT_TRUE(queue.push({5, 1}, bytes_of(20, 'b'), {20, true}));
  ASSERT_TRUE(queue.flush());
  EXPECT_EQ(placed, (std::vector<Placement>{{5, 0, 96, 10}, {5, 1, 106, 20 | kBlockRawBit}}));
  EXPECT_EQ(queue.position(), 126u);
  EXPECT_EQ(output.bytes.size(), kImageOffset + 126);
  EXPECT_TRUE(same_bytes(written().first(10), bytes_of(10, 'a')));
  EXPECT_TRUE(same_bytes(written().subspan(10), bytes_of(20, 'b')));
}

TEST_P(OutputQueueTest, ACompressedBlockKeepsItsPlaceInTheOrder) {
  OutputQueue queue = make_queue();
  ASSERT_TRUE(queue.push({kNoNode, 0}, job(bytes_of(4096, 'f'))));
  ASSERT_TRUE(queue.push({5, 0}, bytes_of(10, 'a'), {10, false}));
  EXPECT_EQ(queue.slot_count(), 2u);
  ASSERT_TRUE(queue.settle_all());
  ASSERT_EQ(placed.size(), 2u);
  EXPECT_EQ(placed[0].file, kNoNode);
  EXPECT_EQ(placed[0].position, 96u);
  EXPECT_EQ(placed[1].position, 96u + placed[0].word);
}

TEST_P(OutputQueueTest, ABlockThatDoesNotShrinkIsStoredRaw) {
  OutputQueue queue = make_queue();
  ASSERT_TRUE(queue.push({5, 0}, job(bytes_of(1, 'x'))));
  ASSERT_TRUE(queue.settle_all());
  ASSERT_TRUE(queue.flush());
  EXPECT_EQ(placed, (std::vector<Placement>{{5, 0, 96, 1 | kBlockRawBit}}));
  EXPECT_TRUE(same_bytes(written(), bytes_of(1, 'x')));
}

TEST_P(OutputQueueTest, SettleWaitsForNoMoreThanItIsAskedFor) {
  OutputQueue queue = make_queue();
  ASSERT_TRUE(queue.push({1, 0}, job(bytes_of(4096, 'a'))));
  ASSERT_TRUE(queue.push({2, 0}, job(bytes_of(4096, 'b'))));
  ASSERT_TRUE(queue.settle(0));
  EXPECT_EQ(placed.size(), 1u);
  ASSERT_TRUE(queue.settle(0));
  EXPECT_EQ(placed.size(), 1u);
}

TEST_P(OutputQueueTest, WaitingBytesAreBounded) {
  OutputQueue queue = make_queue({.waiting_bytes = 100, .write_bytes = 1u << 20});
  ASSERT_TRUE(queue.push({1, 0}, job(bytes_of(4096, 'a'))));
  EXPECT_EQ(placed.size(), 1u);
}

TEST_P(OutputQueueTest, SmallWritesArePutTogether) {
  OutputQueue queue = make_queue({.waiting_bytes = 100, .write_bytes = 4096});
  for (uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(queue.push({5, i}, bytes_of(100, 'a'), {100, false}));
  }
  EXPECT_EQ(output.write_faults.calls(), 2u);
  ASSERT_TRUE(queue.flush());
  EXPECT_EQ(output.write_faults.calls(), 3u);
  EXPECT_TRUE(same_bytes(written(), bytes_of(10'000, 'a')));
}

TEST_P(OutputQueueTest, ReadsBackWhatIsNotWrittenYet) {
  OutputQueue queue = make_queue();
  ASSERT_TRUE(queue.push({5, 0}, bytes_of(10, 'a'), {10, false}));
  Buffer back(10);
  ASSERT_TRUE(queue.read_at(96, back));
  EXPECT_EQ(back, bytes_of(10, 'a'));
  EXPECT_FALSE(queue.read_at(100, back));
}

TEST_P(OutputQueueTest, ADroppedRunLeavesNoTrace) {
  OutputQueue queue = make_queue();
  ASSERT_TRUE(queue.push({1, 0}, bytes_of(10, 'a'), {10, false}));
  queue.begin_run();
  ASSERT_TRUE(queue.push({2, 0}, bytes_of(10, 'b'), {10, false}));
  ASSERT_TRUE(queue.drop_run());
  EXPECT_EQ(queue.slot_count(), 1u);
  EXPECT_EQ(queue.position(), 106u);
  EXPECT_EQ(output.truncations, 0u);
}

TEST_P(OutputQueueTest, ADroppedRunThatWasWrittenIsCutOff) {
  OutputQueue queue = make_queue({.waiting_bytes = 100, .write_bytes = 4096});
  ASSERT_TRUE(queue.push({1, 0}, bytes_of(10, 'a'), {10, false}));
  queue.begin_run();
  const Buffer large = bytes_of(10'000, 'b');
  ASSERT_TRUE(queue.push({2, 0}, large, raw_word(large)));
  ASSERT_TRUE(queue.drop_run());
  EXPECT_EQ(queue.position(), 106u);
  EXPECT_EQ(output.bytes.size(), kImageOffset + 106);
  ASSERT_TRUE(queue.push({3, 0}, bytes_of(5, 'c'), {5, false}));
  ASSERT_TRUE(queue.flush());
  EXPECT_EQ(placed.back(), (Placement{3, 0, 106, 5}));
  EXPECT_TRUE(same_bytes(written().subspan(10), bytes_of(5, 'c')));
}

TEST_P(OutputQueueTest, ADroppedRunBehindAWaitingBlockIsForgotten) {
  OutputQueue queue = make_queue();
  ASSERT_TRUE(queue.push({1, 0}, job(bytes_of(4096, 'a'))));
  queue.begin_run();
  ASSERT_TRUE(queue.push({2, 0}, bytes_of(10, 'b'), {10, false}));
  ASSERT_TRUE(queue.drop_run());
  ASSERT_TRUE(queue.settle_all());
  EXPECT_EQ(queue.slot_count(), 1u);
  EXPECT_EQ(queue.position(), 96u + placed[0].word);
}

TEST_P(OutputQueueTest, AlignedSlotsFillUpWithZeros) {
  OutputQueue queue = make_queue();
  ASSERT_TRUE(queue.push({1, 0}, bytes_of(10, 'a'), {10, false}));
  ASSERT_TRUE(queue.align(64));
  ASSERT_TRUE(queue.push({2, 0}, bytes_of(5, 'b'), {5, false}));
  ASSERT_TRUE(queue.align(128 << 10));
  ASSERT_TRUE(queue.align(4096));
  EXPECT_EQ(queue.slot_count(), 5u);
  ASSERT_TRUE(queue.flush());
  EXPECT_EQ(placed, (std::vector<Placement>{{1, 0, 96, 10}, {2, 0, 128, 5}}));
  EXPECT_EQ(queue.position(), 128u << 10);
  EXPECT_TRUE(same_bytes(written().subspan(10, 22), Buffer(22)));
}

TEST_P(OutputQueueTest, AnAlignedSlotWaitsForWhatIsBeforeIt) {
  OutputQueue queue = make_queue();
  ASSERT_TRUE(queue.push({1, 0}, job(bytes_of(4096, 'a'))));
  ASSERT_TRUE(queue.align(256));
  ASSERT_TRUE(queue.push({2, 0}, bytes_of(5, 'b'), {5, false}));
  ASSERT_TRUE(queue.settle_all());
  ASSERT_EQ(placed.size(), 2u);
  EXPECT_EQ(placed[1].position % 256, 0u);
}

TEST_P(OutputQueueTest, ADroppedRunLosesItsAlignment) {
  OutputQueue queue = make_queue();
  ASSERT_TRUE(queue.push({1, 0}, bytes_of(10, 'a'), {10, false}));
  queue.begin_run();
  ASSERT_TRUE(queue.align(4096));
  ASSERT_TRUE(queue.push({2, 0}, bytes_of(10, 'b'), {10, false}));
  ASSERT_TRUE(queue.drop_run());
  ASSERT_TRUE(queue.settle_all());
  EXPECT_EQ(queue.slot_count(), 1u);
  EXPECT_EQ(queue.position(), 106u);
}

TEST_P(OutputQueueTest, AFailedWriteIsReported) {
  OutputQueue queue = make_queue();
  output.write_faults.fail_call(1, ENOSPC);
  ASSERT_TRUE(queue.push({1, 0}, bytes_of(10, 'a'), {10, false}));
  const auto status = queue.flush();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().os_errno, ENOSPC);
}

INSTANTIATE_TEST_SUITE_P(Threads, OutputQueueTest, ::testing::Values(0u, 2u));

}  // namespace
}  // namespace sqfs
