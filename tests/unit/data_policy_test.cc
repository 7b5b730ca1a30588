// SPDX-License-Identifier: MIT
#include "writer/data_policy.h"

#include <gtest/gtest.h>

#include "squashfs-format/metadata.h"
#include "tests/support/stage_run.h"

namespace sqfs {
namespace {

using Choice = DataPolicy::Choice;

constexpr uint32_t kBlock = 4096;

// --- choices

TEST(DataPolicy, AFileFollowsTheOptionsUnlessItSaysOtherwise) {
  const DataPolicy none;
  EXPECT_EQ(none.fragment_policy(FragmentPolicy::kNone), FragmentPolicy::kNone);
  EXPECT_EQ(none.fragment_policy(FragmentPolicy::kTailEnds), FragmentPolicy::kTailEnds);
  EXPECT_TRUE(none.is_raw(true));
  EXPECT_FALSE(none.is_raw(false));
}

TEST(DataPolicy, FragmentsAndTailEndsAreSeparateChoices) {
  EXPECT_EQ(DataPolicy{.fragments = Choice::kYes}.fragment_policy(FragmentPolicy::kNone),
            FragmentPolicy::kSmallFiles);
  EXPECT_EQ(DataPolicy{.fragments = Choice::kNo}.fragment_policy(FragmentPolicy::kTailEnds),
            FragmentPolicy::kNone);
  EXPECT_EQ(DataPolicy{.tail_ends = Choice::kYes}.fragment_policy(FragmentPolicy::kSmallFiles),
            FragmentPolicy::kTailEnds);
  EXPECT_EQ(DataPolicy{.tail_ends = Choice::kYes}.fragment_policy(FragmentPolicy::kNone),
            FragmentPolicy::kNone);
  EXPECT_EQ(DataPolicy{.tail_ends = Choice::kNo}.fragment_policy(FragmentPolicy::kTailEnds),
            FragmentPolicy::kSmallFiles);
}

TEST(DataPolicy, AnAlignedFileHasNoTail) {
  EXPECT_EQ(DataPolicy{.align_log = 1}.fragment_policy(FragmentPolicy::kTailEnds),
            FragmentPolicy::kNone);
}

// --- what the data stage makes of them

class PolicyOfFiles : public ::testing::TestWithParam<unsigned> {
 protected:
  NodeId add(Buffer content, const DataPolicy& policy) {
    const NodeId id = run.add(std::move(content));
    run.tree.file(id).policy = policy;
    return id;
  }
  DataResult store() {
    options.threads = GetParam();
    auto got = run.run(options);
    EXPECT_TRUE(got.has_value()) << (got ? "" : got.error().what);
    if (!got) return {};
    for (const NodeId file : run.files) {
      auto input = run.env.open_input(run.path(file));
      Buffer expected(*(*input)->size());
      EXPECT_TRUE((*input)->read_at(0, expected).has_value());
      EXPECT_EQ(run.read_back(file, *got, options), expected) << run.path(file);
    }
    return *std::move(got);
  }
  static bool is_raw(uint32_t word) { return (word & kBlockRawBit) != 0; }

  StageRun run;
  DataOptions options = small_block_options();
};

TEST_P(PolicyOfFiles, TailsGoWhereTheyAreWanted) {
  const NodeId small = add(text_bytes(100, 1), {.fragments = Choice::kNo});
  const NodeId packed = add(text_bytes(200, 2), {});
  const NodeId long_one = add(text_bytes(kBlock + 300, 3), {.tail_ends = Choice::kYes});
  store();
  EXPECT_EQ(run.layout(small).block_words.size(), 1u);
  EXPECT_EQ(run.layout(small).tail, FragmentRef{});
  EXPECT_EQ(run.layout(packed).tail, (FragmentRef{0, 0}));
  EXPECT_EQ(run.layout(long_one).tail, (FragmentRef{0, 200}));
  EXPECT_EQ(run.layout(long_one).block_words.size(), 1u);
}

TEST_P(PolicyOfFiles, BlocksAndTailsAreCompressedAsEachFileWants) {
  options.fragments = FragmentPolicy::kTailEnds;
  const NodeId raw = add(text_bytes(kBlock + 500, 1), {.compressed = Choice::kNo});
  const NodeId plain = add(text_bytes(kBlock + 501, 2), {});
  const DataResult result = store();
  EXPECT_TRUE(is_raw(run.layout(raw).block_words[0]));
  EXPECT_FALSE(is_raw(run.layout(plain).block_words[0]));
  ASSERT_EQ(result.fragments.size(), 2u);
  EXPECT_TRUE(is_raw(result.fragments[run.layout(raw).tail.index].word));
  EXPECT_FALSE(is_raw(result.fragments[run.layout(plain).tail.index].word));
}

TEST_P(PolicyOfFiles, CompressedFilesAmongRawOnes) {
  options.raw_data = options.raw_fragments = true;
  options.fragments = FragmentPolicy::kTailEnds;
  const NodeId packed = add(text_bytes(kBlock + 500, 1), {.compressed = Choice::kYes});
  const NodeId raw = add(text_bytes(kBlock + 501, 2), {});
  const DataResult result = store();
  EXPECT_FALSE(is_raw(run.layout(packed).block_words[0]));
  EXPECT_TRUE(is_raw(run.layout(raw).block_words[0]));
  EXPECT_FALSE(is_raw(result.fragments[run.layout(packed).tail.index].word));
}

TEST_P(PolicyOfFiles, GroupsHaveFragmentBlocksOfTheirOwn) {
  const NodeId a = add(text_bytes(1000, 1), {.fragment_group = 1});
  const NodeId b = add(text_bytes(1001, 2), {.fragment_group = 2});
  const NodeId c = add(text_bytes(1002, 3), {.fragment_group = 1});
  const NodeId d = add(text_bytes(1003, 4), {});
  const DataResult result = store();
  EXPECT_EQ(result.fragments.size(), 3u);
  EXPECT_EQ(run.layout(a).tail.index, run.layout(c).tail.index);
  EXPECT_NE(run.layout(a).tail.index, run.layout(b).tail.index);
  EXPECT_NE(run.layout(a).tail.index, run.layout(d).tail.index);
}

TEST_P(PolicyOfFiles, AlignedFilesBeginAtAMultiple) {
  add(text_bytes(5000, 1), {});
  const NodeId small = add(text_bytes(10, 2), {.align_log = 12});
  const NodeId large = add(text_bytes(3 * kBlock, 3), {.align_log = 16});
  store();
  EXPECT_EQ(run.layout(small).start, 4096u);
  EXPECT_EQ(run.layout(large).start, 65536u);
}

TEST_P(PolicyOfFiles, ADuplicateIsSharedWhereItIsAligned) {
  const Buffer content = text_bytes(3 * kBlock, 1);
  const NodeId first = add(content, {});
  const NodeId aligned = add(content, {.align_log = 12});
  const NodeId again = add(content, {.align_log = 10});
  const NodeId unaligned = add(content, {});
  store();
  EXPECT_NE(run.layout(first).start, run.layout(aligned).start);
  EXPECT_EQ(run.layout(aligned).start % 4096, 0u);
  EXPECT_EQ(run.layout(again).start, run.layout(aligned).start);
  EXPECT_TRUE(run.layout(unaligned).start == run.layout(first).start ||
              run.layout(unaligned).start == run.layout(aligned).start);
}

TEST_P(PolicyOfFiles, RawAndCompressedDuplicatesAreShared) {
  const Buffer content = text_bytes(3 * kBlock, 1);
  const NodeId first = add(content, {});
  const NodeId raw = add(content, {.compressed = Choice::kNo});
  store();
  EXPECT_EQ(run.layout(raw).start, run.layout(first).start);
}

INSTANTIATE_TEST_SUITE_P(Threads, PolicyOfFiles, ::testing::Values(0u, 3u));

}  // namespace
}  // namespace sqfs
