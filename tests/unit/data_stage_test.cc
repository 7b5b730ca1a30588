// SPDX-License-Identifier: MIT
#include "writer/data_stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "tests/support/stage_run.h"

namespace sqfs {
namespace {

constexpr uint32_t kBlock = 4096;

class DataStage : public ::testing::Test {
 protected:
  // Runs the stage, and checks that every file reads back as the host has it.
  DataResult store() {
    auto got = run.run(options);
    EXPECT_TRUE(got.has_value()) << (got ? "" : got.error().what);
    if (!got) return {};
    EXPECT_EQ(run.find_gap(*got), "");
    for (const NodeId file : run.files) {
      auto input = run.env.open_input(run.path(file));
      Buffer expected(*(*input)->size());
      EXPECT_TRUE((*input)->read_at(0, expected).has_value());
      EXPECT_EQ(run.read_back(file, *got, options), expected) << run.path(file);
    }
    return *std::move(got);
  }
  FileLayout& layout(NodeId file) { return run.layout(file); }

  StageRun run;
  DataOptions options = small_block_options();
};

TEST_F(DataStage, NoFilesNoData) {
  const DataResult result = store();
  EXPECT_EQ(result.end, StageRun::kStart);
  EXPECT_TRUE(result.fragments.empty());
}

TEST_F(DataStage, ASmallFileIsATail) {
  const NodeId file = run.add(text_bytes(100, 1));
  const DataResult result = store();
  EXPECT_EQ(layout(file).tail, (FragmentRef{0, 0}));
  EXPECT_TRUE(layout(file).block_words.empty());
  EXPECT_EQ(layout(file).start, 0u);
  EXPECT_EQ(result.fragments.size(), 1u);
  EXPECT_EQ(result.input_bytes, 100u);
}

TEST_F(DataStage, AFileOfWholeBlocksHasNoTail) {
  const NodeId file = run.add(text_bytes(2 * kBlock, 1));
  options.fragments = FragmentPolicy::kTailEnds;
  store();
  EXPECT_EQ(layout(file).tail, FragmentRef{});
  EXPECT_EQ(layout(file).block_words.size(), 2u);
  EXPECT_EQ(layout(file).start, StageRun::kStart);
}

TEST_F(DataStage, TheTailOfALongFileIsAShortBlock) {
  const NodeId file = run.add(text_bytes(kBlock + 7, 1));
  store();
  EXPECT_EQ(layout(file).tail, FragmentRef{});
  EXPECT_EQ(layout(file).block_words.size(), 2u);
}

TEST_F(DataStage, TailEndsArePackedOnRequest) {
  const NodeId file = run.add(text_bytes(kBlock + 7, 1));
  options.fragments = FragmentPolicy::kTailEnds;
  store();
  EXPECT_EQ(layout(file).tail, (FragmentRef{0, 0}));
  EXPECT_EQ(layout(file).block_words.size(), 1u);
}

TEST_F(DataStage, WithoutFragmentsASmallFileIsAShortBlock) {
  const NodeId file = run.add(text_bytes(7, 1));
  options.fragments = FragmentPolicy::kNone;
  EXPECT_TRUE(store().fragments.empty());
  EXPECT_EQ(layout(file).block_words.size(), 1u);
}

TEST_F(DataStage, WhatDoesNotShrinkIsStoredRaw) {
  const NodeId file = run.add(random_bytes(kBlock, 1));
  const NodeId tiny = run.add(random_bytes(1, 1));
  const DataResult result = store();
  EXPECT_EQ(layout(file).block_words, (std::vector<uint32_t>{kBlock | kBlockRawBit}));
  EXPECT_EQ(result.fragments[0].word, 1u | kBlockRawBit);
  EXPECT_EQ(layout(tiny).size, 1u);
}

TEST_F(DataStage, RawDataAndRawFragmentsAreNotCompressed) {
  const NodeId file = run.add(text_bytes(kBlock, 1));
  run.add(text_bytes(50, 1));
  run.add(text_bytes(kBlock, 1));
  options.raw_data = true;
  options.raw_fragments = true;
  options.compressor = &counting_compressor();
  reset_compress_calls();
  const DataResult result = store();
  EXPECT_EQ(compress_calls(), 0u);
  EXPECT_EQ(layout(file).block_words, (std::vector<uint32_t>{kBlock | kBlockRawBit}));
  EXPECT_EQ(result.fragments[0].word, 50u | kBlockRawBit);
}

TEST_F(DataStage, ZeroBlocksAreHoles) {
  const NodeId file = run.add(concat({zeros(kBlock), text_bytes(kBlock, 1), zeros(kBlock + 5)}));
  store();
  const auto& words = layout(file).block_words;
  ASSERT_EQ(words.size(), 4u);
  EXPECT_EQ(words[0], 0u);
  EXPECT_NE(words[1], 0u);
  EXPECT_EQ(words[2], 0u);
  EXPECT_EQ(words[3], 0u);
  EXPECT_EQ(layout(file).sparse, 0u);  // the host stores the zeros
}

TEST_F(DataStage, ASmallFileOfZerosIsAHoleAndNoFragment) {
  const NodeId file = run.add(zeros(10));
  const NodeId tail_ends = run.add(concat({text_bytes(kBlock, 1), zeros(11)}));
  options.fragments = FragmentPolicy::kTailEnds;
  EXPECT_TRUE(store().fragments.empty());
  EXPECT_EQ(layout(file).block_words, (std::vector<uint32_t>{0}));
  EXPECT_EQ(layout(file).start, 0u);
  EXPECT_EQ(layout(tail_ends).block_words.size(), 2u);
}

TEST_F(DataStage, ZerosAreDataWhenHolesAreNotWanted) {
  const NodeId file = run.add(zeros(kBlock));
  const NodeId sparse = run.add(FakeContent::sparse(300'000, {}));
  options.detect_holes = false;
  store();
  EXPECT_NE(layout(file).block_words[0], 0u);
  EXPECT_NE(layout(sparse).block_words[0], 0u);
  EXPECT_EQ(layout(sparse).sparse, 0u);
}

TEST_F(DataStage, ALongHoleIsNotRead) {
  const uint64_t size = (5ull << 30) + 100;
  const NodeId file = run.add(FakeContent::sparse(
      size, {{5 * kBlock, text_bytes(10, 1)}, {1ull << 30, text_bytes(kBlock, 2)}}));
  ASSERT_TRUE(run.run(options).has_value());
  EXPECT_LT(run.env.faults.calls(), 30u);
  const auto& words = layout(file).block_words;
  ASSERT_EQ(words.size(), size / kBlock + 1);
  EXPECT_EQ(words.size() - static_cast<size_t>(std::ranges::count(words, 0u)), 2u);
  EXPECT_NE(words[5], 0u);
  EXPECT_NE(words[(1u << 30) / kBlock], 0u);
  EXPECT_EQ(layout(file).sparse, size - 2 * kBlock);
}

TEST_F(DataStage, AFileThatIsAllHoleCountsOneByteAsData) {
  const NodeId file = run.add(FakeContent::sparse(1'000'000, {}));
  const NodeId small = run.add(FakeContent::sparse(10, {}));
  store();
  EXPECT_EQ(layout(file).sparse, 999'999u);
  EXPECT_EQ(layout(file).start, 0u);
  EXPECT_EQ(layout(small).sparse, 9u);
}

TEST_F(DataStage, HolesThatBlocksShareWithDataAreRead) {
  run.add(FakeContent::sparse(500'000, {{0, text_bytes(1, 1)},
                                        {kBlock + 1, text_bytes(kBlock, 2)},
                                        {200'000, text_bytes(70'000, 3)},
                                        {499'999, text_bytes(1, 4)}}));
  store();
}

TEST_F(DataStage, EqualFilesAreStoredOnce) {
  const NodeId first = run.add(text_bytes(3 * kBlock + 5, 1));
  run.add(text_bytes(2 * kBlock, 2));
  const NodeId second = run.add(text_bytes(3 * kBlock + 5, 1));
  const NodeId small = run.add(text_bytes(5, 1)), same_small = run.add(text_bytes(5, 1));
  options.compressor = &counting_compressor();
  reset_compress_calls();
  const DataResult result = store();
  EXPECT_EQ(compress_calls(), 4u + 2u + 1u);
  EXPECT_EQ(layout(second).start, layout(first).start);
  EXPECT_EQ(layout(same_small).tail, layout(small).tail);
  EXPECT_EQ(result.duplicate_files, 2u);
  EXPECT_EQ(run.events, (std::vector<StageEvent>{{first, 3 * kBlock + 5, false},
                                                 {run.files[1], 2 * kBlock, false},
                                                 {second, 3 * kBlock + 5, true},
                                                 {small, 5, false},
                                                 {same_small, 5, true}}));
}

TEST_F(DataStage, EqualLongFilesAreStoredOnce) {
  const NodeId first = run.add(text_bytes(500'000, 1));
  const NodeId second = run.add(text_bytes(500'000, 1));
  const NodeId other = run.add(text_bytes(500'000, 2));
  options.compressor = &counting_compressor();
  reset_compress_calls();
  EXPECT_EQ(store().duplicate_files, 1u);
  EXPECT_EQ(layout(second).block_words, layout(first).block_words);
  EXPECT_NE(layout(other).start, layout(first).start);
  EXPECT_EQ(compress_calls(), 2u * 123u);
}

TEST_F(DataStage, EqualFilesWithHolesAndTailsAreStoredOnce) {
  const Buffer content = concat({text_bytes(kBlock, 1), zeros(kBlock), text_bytes(300, 2)});
  const NodeId first = run.add(content), second = run.add(content);
  options.fragments = FragmentPolicy::kTailEnds;
  EXPECT_EQ(store().duplicate_files, 1u);
  EXPECT_EQ(layout(second).tail, layout(first).tail);
  EXPECT_EQ(layout(second).start, layout(first).start);
}

TEST_F(DataStage, ASparseDuplicateHasItsOwnSparseCount) {
  const Buffer data = text_bytes(kBlock, 1);
  const NodeId stored = run.add(concat({data, zeros(kBlock)}));
  const NodeId sparse = run.add(FakeContent::sparse(2 * kBlock, {{0, data}}));
  EXPECT_EQ(store().duplicate_files, 1u);
  EXPECT_EQ(layout(stored).sparse, 0u);
  EXPECT_EQ(layout(sparse).sparse, kBlock);
}

TEST_F(DataStage, FilesThatDifferInTheirHolesAloneAreNotEqual) {
  const Buffer data = text_bytes(kBlock, 1);
  run.add(concat({data, zeros(kBlock)}));
  run.add(concat({zeros(kBlock), data}));
  EXPECT_EQ(store().duplicate_files, 0u);
}

TEST_F(DataStage, TheTailOfALongFileServesASmallOne) {
  const Buffer tail = text_bytes(300, 2);
  const NodeId file = run.add(concat({text_bytes(kBlock, 1), tail}));
  const NodeId other = run.add(concat({text_bytes(kBlock, 3), tail}));
  const NodeId small = run.add(tail);
  options.fragments = FragmentPolicy::kTailEnds;
  EXPECT_EQ(store().duplicate_files, 0u);
  EXPECT_EQ(layout(small).tail, layout(file).tail);
  EXPECT_EQ(layout(other).tail, layout(file).tail);
}

TEST_F(DataStage, NothingIsSharedUnlessAskedFor) {
  const NodeId first = run.add(text_bytes(kBlock, 1)), second = run.add(text_bytes(kBlock, 1));
  const NodeId small = run.add(text_bytes(5, 1)), same_small = run.add(text_bytes(5, 1));
  options.find_duplicates = false;
  EXPECT_EQ(store().duplicate_files, 0u);
  EXPECT_NE(layout(second).start, layout(first).start);
  EXPECT_NE(layout(same_small).tail, layout(small).tail);
}

TEST_F(DataStage, EmptyFilesCountAsDuplicates) {
  const NodeId file = run.add(Buffer());
  const DataResult result = store();
  EXPECT_EQ(result.duplicate_files, 1u);
  EXPECT_EQ(run.events, (std::vector<StageEvent>{{file, 0, false}}));
  EXPECT_EQ(layout(file).start, 0u);
}

// A digest is a hint: with one that says nothing, equal files are still found and others kept
// apart.
TEST_F(DataStage, CollidingDigestsDoNoHarm) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    run.add(text_bytes(2 * kBlock + 9, seed % 2));
    run.add(text_bytes(200, seed % 2));
    run.add(concat({text_bytes(kBlock, 9), text_bytes(200, seed % 2)}));
    run.add(text_bytes(300'000, seed % 2));
  }
  options.fragments = FragmentPolicy::kTailEnds;
  options.digest = [](Bytes) { return Digest{1, 2}; };
  EXPECT_EQ(store().duplicate_files, 8u);
}

TEST_F(DataStage, ADuplicateIsFoundAmongOlderFragments) {
  const NodeId first = run.add(text_bytes(3000, 1));
  for (uint64_t seed = 2; seed < 30; ++seed) run.add(text_bytes(3000, seed));
  const NodeId again = run.add(text_bytes(3000, 1));
  options.memory_bytes = 1;
  EXPECT_EQ(store().duplicate_files, 1u);
  EXPECT_EQ(layout(again).tail, layout(first).tail);
}

TEST_F(DataStage, ProgressAddsUpToTheBlocksOfAllFiles) {
  run.add(text_bytes(100, 1));
  run.add(text_bytes(2 * kBlock, 2));
  run.add(text_bytes(2 * kBlock, 2));
  run.add(FakeContent::sparse(500'000, {}));
  run.add(text_bytes(500'000, 3));
  run.add(Buffer());
  store();
  EXPECT_EQ(run.blocks, 1u + 2 + 2 + 123 + 123);
}

class ContentOfTwoLetters final : public Content {
 public:
  Result<std::unique_ptr<InputFile>> open(Env& env) const override {
    return env.open_input("/elsewhere");
  }
};

TEST_F(DataStage, ContentMayComeFromElsewhere) {
  const NodeId file = run.add(text_bytes(2, 1));
  run.env.add_file("/elsewhere", FakeContent(text_bytes(2, 7)));
  run.tree.file(file).content = std::make_unique<ContentOfTwoLetters>();
  const auto result = run.run(options);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(run.read_back(file, *result, options), text_bytes(2, 7));
}

// --- the same bytes whatever the threads and the memory ------------------------------------------

struct Machine {
  unsigned threads;
  size_t memory_bytes;
};

void fill_with_everything(StageRun& run) {
  run.add(text_bytes(900'000, 1));
  for (uint64_t i = 0; i < 300; ++i) {
    const uint64_t seed = i * i % 83, kind = i % 7;
    Buffer content = text_bytes(seed * 37 % 5000 + 1, seed);
    if (kind == 1) content = concat({zeros(kBlock * (seed % 3)), content});
    if (kind == 2) content = concat({content, zeros(seed * 211)});
    if (kind == 3) content = random_bytes(seed * 300, seed);
    if (kind == 4) content = concat({text_bytes(kBlock, seed % 5), content});
    run.add(std::move(content));
  }
  run.add(text_bytes(900'000, 1));
  run.add(text_bytes(900'000, 2));
  run.add(FakeContent::sparse(900'000, {{100'000, text_bytes(50'000, 3)}}));
}

class DataStageOn : public ::testing::TestWithParam<std::tuple<Machine, FragmentPolicy>> {};

TEST_P(DataStageOn, GivesTheBytesOfTheSerialRun) {
  DataOptions options = small_block_options();
  options.fragments = std::get<FragmentPolicy>(GetParam());
  StageRun serial, other;
  fill_with_everything(serial);
  fill_with_everything(other);
  const auto expected = serial.run(options);
  ASSERT_TRUE(expected.has_value());
  options.threads = std::get<Machine>(GetParam()).threads;
  options.memory_bytes = std::get<Machine>(GetParam()).memory_bytes;
  const auto got = other.run(options);
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->end, expected->end);
  EXPECT_EQ(got->fragments, expected->fragments);
  EXPECT_TRUE(other.output.bytes == serial.output.bytes);
  EXPECT_EQ(other.events, serial.events);
  for (const NodeId file : other.files) {
    ASSERT_EQ(other.layout(file).start, serial.layout(file).start);
    ASSERT_EQ(other.layout(file).tail, serial.layout(file).tail);
    ASSERT_EQ(other.layout(file).block_words, serial.layout(file).block_words);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Machines, DataStageOn,
    ::testing::Combine(::testing::Values(Machine{0, 1}, Machine{1, 64u << 20}, Machine{2, 1},
                                         Machine{2, 64u << 20}, Machine{3, 100'000}, Machine{8, 1},
                                         Machine{8, 64u << 20}),
                       ::testing::Values(FragmentPolicy::kNone, FragmentPolicy::kSmallFiles,
                                         FragmentPolicy::kTailEnds)));

class DataStagePolicy : public DataStage, public ::testing::WithParamInterface<FragmentPolicy> {};

TEST_P(DataStagePolicy, StoresEverything) {
  fill_with_everything(run);
  options.fragments = GetParam();
  store();
}

INSTANTIATE_TEST_SUITE_P(Policies, DataStagePolicy,
                         ::testing::Values(FragmentPolicy::kNone, FragmentPolicy::kSmallFiles,
                                           FragmentPolicy::kTailEnds));

}  // namespace
}  // namespace sqfs
