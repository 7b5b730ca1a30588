// SPDX-License-Identifier: MIT
// The parts that the verifier's passes stand on.
#include <gtest/gtest.h>

#include "compressors/compressor.h"
#include "tests/support/memory_input.h"
#include "tests/support/verify_run.h"
#include "verifier/findings.h"
#include "verifier/memory_budget.h"
#include "verifier/metadata_chain.h"
#include "verifier/region_map.h"
#include "verifier/stream_rules.h"

namespace sqfs {
namespace {

// --- RegionMap
// -------------------------------------------------------------------------------------

struct SweepResult {
  std::string overlaps, gaps;
};

SweepResult sweep(RegionMap& map, uint64_t end) {
  SweepResult result;
  map.sweep(
      end,
      [&](const Claim& table, const Claim& other) {
        result.overlaps += std::string(region_name(other.region)) + " " +
                           std::to_string(other.start) + " in " +
                           std::string(region_name(table.region)) + "; ";
      },
      [&](uint64_t from, uint64_t to) {
        result.gaps += std::to_string(from) + "-" + std::to_string(to) + " ";
      });
  return result;
}

TEST(RegionMap, AdjoiningClaimsLeaveNothingToSay) {
  RegionMap map;
  map.claim(Region::kInodeTable, 200, 300);
  map.claim(Region::kSuperblock, 0, 96);
  map.claim(Region::kFileData, 96, 200);
  const SweepResult result = sweep(map, 300);
  EXPECT_EQ(result.overlaps + result.gaps, "");
}

TEST(RegionMap, DataMayBeShared) {
  RegionMap map;
  map.claim(Region::kFileData, 0, 100, 1);
  map.claim(Region::kFileData, 50, 70, 2);
  map.claim(Region::kFragmentBlock, 50, 100, 0);
  EXPECT_EQ(sweep(map, 100).overlaps, "");
}

TEST(RegionMap, DataInATableIsAnOverlapOnce) {
  RegionMap map;
  map.claim(Region::kFileData, 50, 400, 1);
  map.claim(Region::kInodeTable, 100, 200);
  map.claim(Region::kDirectoryTable, 200, 300);
  EXPECT_EQ(sweep(map, 400).overlaps, "file data 50 in inode table; ");
}

TEST(RegionMap, DataStartingInATableIsAnOverlap) {
  RegionMap map;
  map.claim(Region::kInodeTable, 100, 200);
  map.claim(Region::kFileData, 150, 160, 1);
  EXPECT_EQ(sweep(map, 200).overlaps, "file data 150 in inode table; ");
}

TEST(RegionMap, TablesOverlap) {
  RegionMap map;
  map.claim(Region::kInodeTable, 100, 200);
  map.claim(Region::kDirectoryTable, 199, 300);
  EXPECT_EQ(sweep(map, 300).overlaps, "directory table 199 in inode table; ");
}

TEST(RegionMap, GapsAreFoundBetweenAndBehind) {
  RegionMap map;
  map.claim(Region::kSuperblock, 0, 96);
  map.claim(Region::kFileData, 100, 200);
  map.claim(Region::kFileData, 110, 120);
  map.claim(Region::kFileData, 250, 250);
  EXPECT_EQ(sweep(map, 300).gaps, "96-100 200-300 ");
}

TEST(RegionMap, KnowsTheFirstDataFromAPosition) {
  RegionMap map;
  map.claim(Region::kInodeTable, 100, 200);
  map.claim(Region::kFileData, 300, 310);
  map.claim(Region::kFragmentBlock, 250, 260);
  EXPECT_EQ(map.first_data_from(90), 250u);
  EXPECT_EQ(map.first_data_from(251), 300u);
  EXPECT_EQ(map.first_data_from(301), ~uint64_t{0});
}

// --- Findings
// ----------------------------------------------------------------------------------------

TEST(Findings, AreHeldBackUntilPathsAreKnown) {
  FindingList list;
  Findings findings(list, 20);
  findings.report(Problem::kNlink, {Where::kInode, 5, 3, {}, {}}, 1, 2);
  findings.report(Problem::kDirUnsorted, {Where::kDirectory, 6, 4, {}, "name"});
  EXPECT_TRUE(list.findings.empty());
  findings.release([](uint32_t record) {
    return Findings::Owner{record + 100, record == 3 ? "/" : "/dir"};
  });
  ASSERT_EQ(list.findings.size(), 2u);
  EXPECT_EQ(list.findings[0].path, "/");
  EXPECT_EQ(list.findings[0].inode_number, 103u);
  EXPECT_EQ(list.findings[1].path, "/dir/name");
  findings.report(Problem::kNlink, {Where::kInode, 5, 3, {}, {}}, 1, 2);
  EXPECT_EQ(list.findings.size(), 3u);
}

TEST(Findings, AllAreCountedAndSomeAreHandedOn) {
  FindingList list;
  Findings findings(list, 2);
  findings.release({});
  for (int i = 0; i < 5; ++i) findings.report(Problem::kNlink, Place{Where::kInode}, 1, 2);
  findings.report(Problem::kGapZero, Place{Where::kImage}, 1);
  EXPECT_EQ(list.findings.size(), 3u);
  EXPECT_EQ(findings.count(Problem::kNlink), 5u);
  Verdict verdict;
  findings.summarize(verdict);
  EXPECT_EQ(verdict.errors, 5u);
  EXPECT_EQ(verdict.notes, 1u);
  ASSERT_EQ(verdict.unreported.size(), 1u);
  EXPECT_EQ(verdict.unreported[0].problem, Problem::kNlink);
  EXPECT_EQ(verdict.unreported[0].count, 3u);
  EXPECT_FALSE(verdict.stopped);
}

TEST(Findings, DecoderErrorsKeepTheirSentence) {
  FindingList list;
  Findings findings(list, 2);
  findings.release({});
  findings.report(corrupt(Problem::kInodeType, 0, 15), {Where::kTable, 7, kNoRecord, "table", {}});
  ASSERT_EQ(list.findings.size(), 1u);
  EXPECT_EQ(list.findings[0].message, "table: inode type 15 does not exist");
  EXPECT_EQ(list.findings[0].image_offset, 7u);
}

// --- MemoryBudget --------------------------------------------------------------------------------

TEST(MemoryBudget, RefusesWhatItDoesNotHave) {
  MemoryBudget budget(1000);
  EXPECT_TRUE(budget.take(600));
  const Status refused = budget.take(401);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kNoMemory);
  EXPECT_TRUE(budget.take(400));
}

TEST(MemoryBudget, PaysForListsThatGrow) {
  MemoryBudget budget(10000);
  std::vector<uint64_t> list;
  size_t count = 0;
  while (budget.append(list, uint64_t{count})) ++count;
  EXPECT_EQ(list.size(), count);
  EXPECT_GT(count, 500u);
  EXPECT_LE(list.capacity() * sizeof(uint64_t), 10000u);
}

// --- MetadataChain
// ---------------------------------------------------------------------------------

class ChainTest : public testing::Test {
 protected:
  // Appends a raw block of `size` bytes 0, 1, 2, … counted over all blocks.
  void add_block(size_t size) {
    ByteWriter out(bytes_);
    out.u16(encode(MetadataHeader{static_cast<uint16_t>(size), true}));
    for (size_t i = 0; i < size; ++i) out.u8(static_cast<uint8_t>(next_++));
  }

  Result<MetadataChain> walk(uint64_t limit) {
    decompressor_ = *find_compressor(CompressorId::kGzip)->make({}, 4096);
    const ChainTools tools{&image_, decompressor_.get(), CompressorId::kGzip, &budget_};
    return MetadataChain::walk(tools, Region::kInodeTable, 0, limit, ~uint64_t{0}, &findings_);
  }

  Buffer bytes_;
  size_t next_ = 0;
  MemoryBudget budget_{1 << 20};
  FindingList list_;
  Findings findings_{list_, 20};
  std::unique_ptr<Compressor> decompressor_;
  struct Input final : InputFile {
    explicit Input(Buffer& buffer) : bytes(buffer) {}
    Result<size_t> read_at(uint64_t at, MutableBytes out) override {
      return MemoryInput(bytes).read_at(at, out);
    }
    Result<FileInfo> info() override { return MemoryInput(bytes).info(); }
    Result<uint64_t> size() override { return MemoryInput(bytes).size(); }
    Result<std::optional<uint64_t>> next_data(uint64_t at) override {
      return MemoryInput(bytes).next_data(at);
    }
    Result<uint64_t> next_hole(uint64_t at) override { return MemoryInput(bytes).next_hole(at); }
    Buffer& bytes;
  } input_{bytes_};
  ImageFile image_{input_, 0, 1 << 20};
};

TEST_F(ChainTest, ReadsAcrossBlocks) {
  add_block(10);
  add_block(5);
  add_block(20);
  auto chain = walk(bytes_.size());
  ASSERT_TRUE(chain);
  EXPECT_TRUE(chain->is_complete());
  EXPECT_EQ(chain->block_count(), 3u);
  MetadataCursor cursor(*chain, findings_);
  cursor.seek({0, 8});
  const auto view = cursor.peek(9);
  ASSERT_TRUE(view);
  ASSERT_GE(view->size(), 9u);
  for (size_t i = 0; i < 9; ++i) EXPECT_EQ((*view)[i], static_cast<std::byte>(8 + i));
  EXPECT_EQ(*cursor.skip(2), 2u);
  ASSERT_TRUE(cursor.peek(1));
  EXPECT_EQ(cursor.position(), (StreamPosition{1, 0}));
  EXPECT_EQ(cursor.ref(), (MetadataRef{12, 0}));
  EXPECT_EQ(*cursor.skip(1000), 25u);
  EXPECT_TRUE(cursor.peek(1)->empty());
  EXPECT_FALSE(cursor.hit_bad_block());
}

TEST_F(ChainTest, ReferencesNameBlocksThatExist) {
  add_block(10);
  add_block(5);
  auto chain = walk(bytes_.size());
  ASSERT_TRUE(chain);
  MetadataCursor cursor(*chain, findings_);
  EXPECT_TRUE(*cursor.seek_ref({12, 4}));
  EXPECT_TRUE(*cursor.seek_ref({0, 10}));
  EXPECT_FALSE(*cursor.seek_ref({0, 11}));
  EXPECT_FALSE(*cursor.seek_ref({1, 0}));
  EXPECT_FALSE(*cursor.seek_ref({~uint64_t{0}, 0}));
}

TEST_F(ChainTest, StopsAtAHeaderThatReachesTooFar) {
  add_block(10);
  add_block(5);
  const auto chain = walk(bytes_.size() - 1);
  ASSERT_TRUE(chain);
  EXPECT_FALSE(chain->is_complete());
  EXPECT_EQ(chain->end(), 12u);
  EXPECT_EQ(findings_.count(Problem::kMetadataOutside), 1u);
}

TEST_F(ChainTest, ABadBlockIsReportedOnceAndStopsTheCursor) {
  add_block(10);
  const size_t bad = bytes_.size();
  add_block(10);
  bytes_[bad + 1] = std::byte{0};  // no longer raw
  add_block(10);
  auto chain = walk(bytes_.size());
  ASSERT_TRUE(chain);
  EXPECT_TRUE(chain->is_complete());
  MetadataCursor cursor(*chain, findings_);
  EXPECT_EQ(*cursor.skip(100), 10u);
  EXPECT_TRUE(cursor.hit_bad_block());
  EXPECT_FALSE(*cursor.seek_ref({12, 0}));
  EXPECT_EQ(findings_.count(Problem::kCompressedCorrupt), 1u);
  EXPECT_TRUE(*cursor.seek_ref({24, 0}));
  EXPECT_EQ(cursor.peek(1)->size(), 10u);
}

TEST_F(ChainTest, ManyBlocksNeedMemory) {
  budget_ = MemoryBudget(1000);
  for (int i = 0; i < 100; ++i) add_block(1);
  const auto chain = walk(bytes_.size());
  ASSERT_FALSE(chain);
  EXPECT_EQ(chain.error().code, Code::kNoMemory);
}

// --- stream rules
// ------------------------------------------------------------------------------------

// A zstd frame of 4096 bytes 'a', with a checksum: 15 bytes.
const unsigned char kChecked[] = {0x28, 0xb5, 0x2f, 0xfd, 0x64, 0x00, 0x0f, 0x03,
                                  0x80, 0x00, 0x61, 0x03, 0x16, 0x2c, 0x89};

Problem zstd_issue(uint64_t end, size_t raw_size) {
  const Bytes frame = std::as_bytes(std::span(kChecked));
  const auto issue = check_stream(CompressorId::kZstd, frame, 8192 + end - frame.size(), raw_size);
  return issue ? issue->problem : Problem::kNone;
}

TEST(StreamRules, ZstdChecksumMustNotStraddleAPageOfTheDevice) {
  EXPECT_EQ(zstd_issue(0, 4096), Problem::kZstdTrailer);
  EXPECT_EQ(zstd_issue(1, 4096), Problem::kZstdPageBorder);
  EXPECT_EQ(zstd_issue(2, 4096), Problem::kZstdPageBorder);
  EXPECT_EQ(zstd_issue(3, 4096), Problem::kZstdPageBorder);
  EXPECT_EQ(zstd_issue(4, 4096), Problem::kZstdTrailer);
  EXPECT_EQ(zstd_issue(4095, 4096), Problem::kZstdTrailer);
}

TEST(StreamRules, ZstdTailsThatFillNoPageAreSafeAnywhere) {
  EXPECT_EQ(zstd_issue(2, 4095), Problem::kZstdTrailer);
}

TEST(StreamRules, OtherCompressorsHaveNoRules) {
  const Bytes frame = std::as_bytes(std::span(kChecked));
  EXPECT_FALSE(check_stream(CompressorId::kGzip, frame, 0, 4096));
  EXPECT_FALSE(check_stream(CompressorId::kLz4, frame, 0, 4096));
}

TEST(StreamRules, ShortXzStreamsAreLeftToTheDecoder) {
  const Buffer zeros(20);
  for (size_t size = 0; size < zeros.size(); ++size) {
    const auto issue = check_stream(CompressorId::kXz, Bytes(zeros).first(size), 0, 1);
    EXPECT_TRUE(!issue || issue->problem == Problem::kXzFilter);
  }
}

}  // namespace
}  // namespace sqfs
