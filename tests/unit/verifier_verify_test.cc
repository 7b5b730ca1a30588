// SPDX-License-Identifier: MIT
// verify_image as a whole: its options, and images that are unusual but right.
#include "verifier/verify.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/base_images.h"
#include "tests/support/verify_run.h"

namespace sqfs {
namespace {

TestImage base(std::string_view name) { return build_test_image(*base_image(name)); }

void put(TestImage& image, const std::string& field, uint64_t value) {
  const TestField place = image.fields.at(field);
  for (uint32_t i = 0; i < place.width; ++i) {
    image.bytes.at(place.offset + i) = static_cast<std::byte>(value >> (8 * i));
  }
}

uint64_t get(const TestImage& image, const std::string& field) {
  const TestField place = image.fields.at(field);
  uint64_t value = 0;
  for (uint32_t i = 0; i < place.width; ++i) {
    value |= std::to_integer<uint64_t>(image.bytes.at(place.offset + i)) << (8 * i);
  }
  return value;
}

TEST(VerifyImage, CountsWhatItSaw) {
  const VerifyRun run = run_verifier(base("tree").bytes);
  ASSERT_TRUE(run.verdict);
  EXPECT_EQ(run.verdict->inodes, 18u);
  EXPECT_EQ(run.verdict->directories, 8u);
  EXPECT_EQ(run.verdict->files, 7u);
  EXPECT_EQ(run.verdict->data_blocks, 6u);
  EXPECT_EQ(run.verdict->fragments, 2u);
  EXPECT_FALSE(run.verdict->stopped);
}

TEST(VerifyImage, TakesAnOffset) {
  Buffer bytes(5000, std::byte{0xee});
  const TestImage image = base("tree");
  bytes.insert(bytes.end(), image.bytes.begin(), image.bytes.end());
  VerifyOptions options;
  options.offset = 5000;
  EXPECT_EQ(describe(run_verifier(bytes, options).findings), "");
  options.offset = bytes.size() + 1;
  EXPECT_EQ(run_verifier(bytes, options).findings.at(0).problem, Problem::kSuperTruncated);
}

TEST(VerifyImage, QuickLeavesDataAlone) {
  TestImage image = base("packed");
  image.bytes[image.fields.at("data.z.0").offset + 20] ^= std::byte{0xff};
  VerifyOptions options;
  options.check_data = false;
  EXPECT_EQ(describe(run_verifier(image.bytes, options).findings), "");
  EXPECT_NE(describe(run_verifier(image.bytes).findings), "");
}

TEST(VerifyImage, CapsEachProblemAndCountsAll) {
  TestImage image = base("many");
  for (int i = 0; i < 100; ++i) {
    char field[32];
    std::snprintf(field, sizeof field, "inode.f%04d.mode", i);
    put(image, field, 0x11ff);
  }
  VerifyOptions options;
  options.max_per_problem = 3;
  const VerifyRun run = run_verifier(image.bytes, options);
  ASSERT_TRUE(run.verdict);
  EXPECT_EQ(run.findings.size(), 3u);
  EXPECT_EQ(run.verdict->errors, 100u);
  ASSERT_EQ(run.verdict->unreported.size(), 1u);
  EXPECT_EQ(run.verdict->unreported[0].count, 97u);
  EXPECT_FALSE(run.verdict->is_clean());
}

TEST(VerifyImage, FatalProblemsStopIt) {
  TestImage image = base("tree");
  put(image, "super.root_inode", 1);
  const VerifyRun run = run_verifier(image.bytes);
  ASSERT_TRUE(run.verdict);
  EXPECT_TRUE(run.verdict->stopped);
  EXPECT_EQ(run.verdict->fatal, 1u);
}

TEST(VerifyImage, TooLittleMemoryIsNoVerdict) {
  VerifyOptions options;
  options.max_memory = 10000;
  const VerifyRun run = run_verifier(base("many").bytes, options);
  ASSERT_FALSE(run.verdict);
  EXPECT_EQ(run.verdict.error().code, Code::kNoMemory);
}

class FailingInput final : public InputFile {
 public:
  FailingInput(Bytes bytes, int good_reads) : memory_(bytes), left_(good_reads) {}
  Result<size_t> read_at(uint64_t offset, MutableBytes out) override {
    if (left_-- <= 0) return io_error(5, "the disk is broken");
    return memory_.read_at(offset, out);
  }
  Result<FileInfo> info() override { return memory_.info(); }
  Result<uint64_t> size() override { return memory_.size(); }
  Result<std::optional<uint64_t>> next_data(uint64_t at) override { return memory_.next_data(at); }
  Result<uint64_t> next_hole(uint64_t at) override { return memory_.next_hole(at); }

 private:
  MemoryInput memory_;
  int left_;
};

TEST(VerifyImage, EachFailingReadIsAnErrorAndNoVerdict) {
  const TestImage image = base("tree");
  int reads = 0;
  for (;; ++reads) {
    ASSERT_LT(reads, 1000);
    FailingInput input(image.bytes, reads);
    FindingList list;
    const auto verdict = verify_image({}, input, list);
    if (verdict) break;
    EXPECT_EQ(verdict.error().code, Code::kIo) << reads;
    EXPECT_EQ(describe(list.findings), "") << reads;
  }
  EXPECT_GT(reads, 10);
}

// Moves the data of "bare" behind the directory table, with `gap` bytes between them.
Buffer data_behind_directories(uint64_t gap) {
  TestSpec spec = *base_image("bare");
  spec.padding = false;
  TestImage image = build_test_image(spec);
  const uint64_t at = image.fields.at("ids.block.0").offset;
  const uint64_t data = get(image, "inode.y.start"), size = 9000;
  Buffer moved(gap);
  moved.insert(moved.end(), image.bytes.begin() + static_cast<std::ptrdiff_t>(data),
               image.bytes.begin() + static_cast<std::ptrdiff_t>(data + size));
  put(image, "inode.y.start", at + gap);
  put(image, "super.bytes_used", get(image, "super.bytes_used") + moved.size());
  put(image, "super.id_table_start", get(image, "super.id_table_start") + moved.size());
  put(image, "ids.index.0", get(image, "ids.index.0") + moved.size());
  std::fill_n(image.bytes.begin() + static_cast<std::ptrdiff_t>(data), size, std::byte{0});
  image.bytes.insert(image.bytes.begin() + static_cast<std::ptrdiff_t>(at), moved.begin(),
                     moved.end());
  image.bytes.resize((image.bytes.size() + 4095) / 4096 * 4096);
  return image.bytes;
}

TEST(VerifyImage, DataMayFollowTheDirectoryTable) {
  const VerifyRun run = run_verifier(data_behind_directories(0));
  ASSERT_EQ(run.findings.size(), 1u) << describe(run.findings);
  EXPECT_EQ(run.findings[0].problem, Problem::kGapZero);  // where the data was
}

TEST(VerifyImage, DataMayFollowTheDirectoryTableAfterAGap) {
  const VerifyRun run = run_verifier(data_behind_directories(100));
  ASSERT_EQ(run.findings.size(), 2u) << describe(run.findings);
  EXPECT_EQ(run.findings[0].problem, Problem::kGapZero);
  EXPECT_EQ(run.findings[1].problem, Problem::kGapZero);
}

// The usual writer counts full names and values, whatever is stored.
TEST(VerifyImage, XattrSizesMayCountNamesAndValuesInFull) {
  TestImage image = base("tree");
  const std::string_view big = "a value that is worth a reference";
  put(image, "set.0.bytes", sizeof "user.key" + 5 + sizeof "trusted.big" + big.size());
  put(image, "set.1.bytes", sizeof "trusted.link" + 7 + sizeof "trusted.more" + big.size());
  EXPECT_EQ(describe(run_verifier(image.bytes).findings), "");
}

TEST(VerifyImage, EveryTruncationOfAnImageIsFound) {
  const TestImage image = base("packed");
  for (size_t size = 0; size < image.fields.at("end").offset; ++size) {
    const VerifyRun run = run_verifier(Bytes(image.bytes).first(size));
    ASSERT_TRUE(run.verdict);
    ASSERT_FALSE(run.verdict->is_clean()) << size;
  }
}

// Flips each bit behind the data: the verdict may be any, but there must be one, the same each
// time.
TEST(VerifyImage, EveryFlippedBitOfTheTablesIsJudged) {
  const TestImage image = base("packed");
  for (size_t at = image.fields.at("inodes.block.0").offset; at < image.fields.at("end").offset;
       ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      Buffer flipped = image.bytes;
      flipped[at] ^= static_cast<std::byte>(1u << bit);
      EXPECT_TRUE(run_verifier(flipped).verdict) << at;
    }
  }
}

}  // namespace
}  // namespace sqfs
