// SPDX-License-Identifier: MIT
// What the data stage does when files change or cannot be read, and when the output or a compressor
// fails.
#include <gtest/gtest.h>

#include <cerrno>

#include "tests/support/stage_run.h"
#include "writer/data_stage.h"

namespace sqfs {
namespace {

constexpr uint32_t kBlock = 4096;

class DataStageFaults : public ::testing::TestWithParam<unsigned> {
 protected:
  DataStageFaults() { options.threads = GetParam(); }

  // Runs, and expects `content` in the file and no gap in the image.
  void expect_content(NodeId file, const Buffer& content) {
    const auto result = run.run(options);
    ASSERT_TRUE(result.has_value()) << result.error().what;
    EXPECT_EQ(run.read_back(file, *result, options), content);
    EXPECT_EQ(run.find_gap(*result), "");
  }
  Error expect_failure() {
    auto result = run.run(options);
    EXPECT_FALSE(result.has_value());
    return result ? Error{} : std::move(result).error();
  }

  const std::string changed = " changed size while reading filesystem, attempting to re-read";

  StageRun run;
  DataOptions options = small_block_options();
};

TEST_P(DataStageFaults, AnUnreadableFileBecomesEmptyWithAWarning) {
  const NodeId first = run.add(text_bytes(100, 1));
  const NodeId file = run.add(text_bytes(5000, 2));
  run.env.refuse_to_open(run.path(file), EACCES);
  expect_content(file, {});
  EXPECT_EQ(run.warnings,
            (std::vector<std::string>{
                "Failed to read file /src/f1, creating empty file (Permission denied)"}));
  EXPECT_EQ(run.events, (std::vector<StageEvent>{{first, 100, false}, {file, 0, false}}));
}

TEST_P(DataStageFaults, AnUnreadableLongFileBecomesEmptyWithAWarning) {
  const NodeId file = run.add(text_bytes(500'000, 2));
  run.env.refuse_to_open(run.path(file), ENOENT);
  expect_content(file, {});
  EXPECT_EQ(run.warnings.size(), 1u);
  EXPECT_EQ(run.blocks, 123u);
}

TEST_P(DataStageFaults, AnUnreadableFileIsAnErrorOnRequest) {
  run.add(text_bytes(100, 1));
  run.env.refuse_to_open(run.path(run.add(text_bytes(100, 2))), EACCES);
  options.exit_on_error = true;
  const Error error = expect_failure();
  EXPECT_EQ(error.what, "Failed to read file /src/f1: Permission denied");
  EXPECT_EQ(error.os_errno, EACCES);
  EXPECT_TRUE(run.warnings.empty());
}

TEST_P(DataStageFaults, AFileThatGrewIsReadAgain) {
  const NodeId file =
      run.add_changing({FakeContent(text_bytes(100, 1)), FakeContent(text_bytes(101, 1))});
  expect_content(file, text_bytes(101, 1));
  EXPECT_EQ(run.warnings, (std::vector<std::string>{"File /src/f0" + changed}));
}

TEST_P(DataStageFaults, AFileThatShrankIsReadAgain) {
  const NodeId file =
      run.add_changing({FakeContent(text_bytes(9000, 1)), FakeContent(text_bytes(4097, 1))});
  expect_content(file, text_bytes(4097, 1));
  EXPECT_EQ(run.warnings.size(), 1u);
  EXPECT_EQ(run.blocks, 3u);
}

TEST_P(DataStageFaults, AFileThatBecameEmptyIsEmpty) {
  const NodeId file = run.add_changing({FakeContent(text_bytes(9000, 1)), FakeContent()});
  expect_content(file, {});
  EXPECT_EQ(run.warnings.size(), 1u);
}

// Blocks that are already in the image when the change is seen are taken back.
TEST_P(DataStageFaults, ALongFileThatShrankLeavesNoTrace) {
  run.add(text_bytes(10, 1));
  const NodeId file = run.add_changing(
      {FakeContent(random_bytes(900'000, 1)), FakeContent(random_bytes(899'999, 1))});
  const NodeId last = run.add(text_bytes(5000, 2));
  options.memory_bytes = 1;
  expect_content(file, random_bytes(899'999, 1));
  EXPECT_EQ(run.output.truncations, 1u);
  EXPECT_EQ(run.events.back(), (StageEvent{last, 5000, false}));
}

TEST_P(DataStageFaults, ASparseFileWhoseEndMovedIsReadAgain) {
  const NodeId file = run.add_changing({FakeContent::sparse(500'000, {{0, text_bytes(10, 1)}}),
                                        FakeContent::sparse(500'001, {{0, text_bytes(10, 1)}})});
  run.tree.file(file).is_sparse_on_host = true;
  expect_content(file, FakeContent::sparse(500'001, {{0, text_bytes(10, 1)}}).bytes());
  EXPECT_EQ(run.warnings.size(), 1u);
}

TEST_P(DataStageFaults, ADuplicateOfAFileThatChangedIsStored) {
  const NodeId first =
      run.add_changing({FakeContent(text_bytes(9000, 1)), FakeContent(text_bytes(9001, 1))});
  const NodeId second = run.add(text_bytes(9000, 1));
  expect_content(second, text_bytes(9000, 1));
  EXPECT_NE(run.layout(first).start, run.layout(second).start);
}

// The file is hashed in one state and compared in another: the later state is the one stored.
TEST_P(DataStageFaults, ADuplicateThatChangesMeanwhileIsNoDuplicate) {
  run.add(text_bytes(9000, 1));
  const NodeId file =
      run.add_changing({FakeContent(text_bytes(9000, 1)), FakeContent(text_bytes(9000, 1)),
                        FakeContent(text_bytes(9000, 2))});
  const NodeId last = run.add(text_bytes(9000, 2));
  const auto result = run.run(options);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->duplicate_files, 0u);
  EXPECT_EQ(run.read_back(file, *result, options),
            text_bytes(9000, 1));  // the bytes that were kept
  EXPECT_EQ(run.read_back(last, *result, options), text_bytes(9000, 2));
}

TEST_P(DataStageFaults, ALongDuplicateThatChangesMeanwhileIsReadAnew) {
  run.add(text_bytes(500'000, 1));
  const NodeId file =
      run.add_changing({FakeContent(text_bytes(500'000, 1)), FakeContent(text_bytes(500'000, 1)),
                        FakeContent(text_bytes(500'000, 2)), FakeContent(text_bytes(500'000, 2))});
  const NodeId last = run.add(text_bytes(500'000, 2));
  const auto result = run.run(options);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(run.read_back(file, *result, options), text_bytes(500'000, 2));
  EXPECT_EQ(run.layout(last).start, run.layout(file).start);
  EXPECT_EQ(result->duplicate_files, 1u);
}

// --- empty files
// ----------------------------------------------------------------------------------

TEST_P(DataStageFaults, AnUnreadableEmptyFileIsReported) {
  run.env.refuse_to_open(run.path(run.add(Buffer())), EACCES);
  const NodeId last = run.add(text_bytes(100, 1));
  expect_content(last, text_bytes(100, 1));
  EXPECT_EQ(run.warnings,
            (std::vector<std::string>{
                "Failed to read file /src/f0, creating empty file (Permission denied)"}));
  options.exit_on_error = true;
  EXPECT_EQ(expect_failure().what, "Failed to read file /src/f0: Permission denied");
}

TEST_P(DataStageFaults, AnEmptyFileThatGrewIsReadAgain) {
  const NodeId file = run.add_changing({FakeContent(), FakeContent(text_bytes(9000, 1))});
  expect_content(file, text_bytes(9000, 1));
  EXPECT_EQ(run.warnings, (std::vector<std::string>{"File /src/f0" + changed}));
}

TEST_P(DataStageFaults, AnEmptyFileIsNoWarning) {
  expect_content(run.add(Buffer()), {});
  EXPECT_TRUE(run.warnings.empty());
}

// As those in /proc: the host gives their size as 0.
TEST_P(DataStageFaults, AFileWithContentButNoSizeBecomesEmptyWithAWarning) {
  const NodeId file = run.add(Buffer());
  run.env.add_file(run.path(file), FakeContent(text_bytes(100, 1)));
  run.env.hide_size(run.path(file));
  expect_content(file, {});
  ASSERT_EQ(run.warnings.size(), 4u);
  EXPECT_EQ(run.warnings[3],
            "Failed to read file /src/f0, creating empty file (the host says that it is empty, but "
            "it is not)");
}

// --- files that were replaced
// ---------------------------------------------------------------------

TEST_P(DataStageFaults, AFileThatBecameASymlinkIsNotFollowed) {
  for (const size_t size : {0u, 100u, 500'000u}) {
    StageRun other;
    const NodeId file = other.add(text_bytes(size, 1));
    other.env.add_file("/secret", FakeContent(text_bytes(size, 2)));
    other.env.replace_by_symlink(other.path(file), "/secret");
    ASSERT_TRUE(other.run(options).has_value());
    EXPECT_EQ(other.layout(file).size, 0u);
    EXPECT_EQ(other.warnings.size(), 1u);
    options.exit_on_error = true;
    EXPECT_FALSE(other.run(options).has_value());
    options.exit_on_error = false;
  }
}

TEST_P(DataStageFaults, AFileThatBecameSomethingElseIsNotRead) {
  const NodeId file = run.add(text_bytes(100, 1));
  run.env.attributes(run.path(file)).type = FileType::kFifo;
  expect_content(file, {});
  EXPECT_EQ(run.warnings,
            (std::vector<std::string>{"Failed to read file /src/f0, creating empty file (it is no "
                                      "longer a regular file)"}));
}

TEST_P(DataStageFaults, AFileThatWasReplacedByAnotherIsReadAgain) {
  for (const size_t size : {0u, 100u, 9000u, 500'000u}) {
    StageRun other;
    const NodeId file = other.add(text_bytes(size, 1));
    other.tree.file(file).identity = other.env.attributes(other.path(file)).identity();
    other.env.replace_by_file(other.path(file), FakeContent(text_bytes(size + 7, 2)));
    const auto result = other.run(options);
    ASSERT_TRUE(result.has_value());
    EXPECT_EQ(other.read_back(file, *result, options), text_bytes(size + 7, 2));
    EXPECT_EQ(other.warnings,
              (std::vector<std::string>{"File /src/f0 was replaced while reading filesystem, "
                                        "attempting to re-read"}));
  }
}

TEST_P(DataStageFaults, AFileInADirectoryThatBecameASymlinkIsNotRead) {
  const NodeId file = run.add(text_bytes(100, 1));
  run.tree.file(file).identity = {7, 7};
  run.env.attributes("/src").type = FileType::kSymlink;
  expect_content(file, {});
  ASSERT_EQ(run.warnings.size(), 2u);
  EXPECT_EQ(run.warnings[1],
            "Failed to read file /src/f0, creating empty file (its directory was replaced by "
            "something else)");
}

TEST_P(DataStageFaults, AFileThatIsTheScannedOneIsNoWarning) {
  const NodeId file = run.add(text_bytes(9000, 1));
  run.tree.file(file).identity = run.env.attributes(run.path(file)).identity();
  expect_content(file, text_bytes(9000, 1));
  EXPECT_TRUE(run.warnings.empty());
}

// --- what is not the file's fault, and limits
// -----------------------------------------------------

TEST_P(DataStageFaults, AHostWithoutDescriptorsOrMemoryIsAnError) {
  for (const int os_errno : {EMFILE, ENFILE, ENOMEM}) {
    for (const size_t size : {0u, 100u, 500'000u}) {
      StageRun other;
      other.env.refuse_to_open(other.path(other.add(text_bytes(size, 1))), os_errno);
      const auto result = other.run(options);
      ASSERT_FALSE(result.has_value());
      EXPECT_EQ(result.error().what, "Failed to read file /src/f0: " + errno_text(os_errno));
      EXPECT_TRUE(other.warnings.empty());
    }
  }
}

TEST_P(DataStageFaults, AFileThatGrewBeyondTheFormatIsAnError) {
  const uint64_t too_large = (uint64_t{1} << 31) * kBlock;
  run.add_changing({FakeContent(text_bytes(100, 1)), FakeContent::sparse(too_large, {})});
  EXPECT_EQ(expect_failure().code, Code::kUnsupported);
}

TEST_P(DataStageFaults, ALongHoleCanBeInterrupted) {
  run.add(FakeContent::sparse(uint64_t{100'000'000} * kBlock, {}));
  unsigned calls = 0;
  run.cancelled = [&calls] { return ++calls == 3; };
  EXPECT_EQ(expect_failure().code, Code::kCancelled);
  EXPECT_LT(run.layout(run.files[0]).block_words.size(), 10'000'000u);
}

TEST_P(DataStageFaults, CancellationIsAnError) {
  run.add(text_bytes(500'000, 1));
  run.cancelled = [] { return true; };
  EXPECT_EQ(expect_failure().code, Code::kCancelled);
}

// --- the first failure in the order of the files
// ---------------------------------------------------

TEST_P(DataStageFaults, TheFirstOfTwoFailingBlocksIsReported) {
  options.compressor = &counting_compressor();
  for (uint64_t i = 0; i < 50; ++i) run.add(text_bytes(200'000 + i, i));
  run.add(concat({text_bytes(10 * kBlock, 1), Buffer(kBlock, std::byte{'!'})}));
  run.add(Buffer(kBlock - 1, std::byte{'!'}));
  run.add(Buffer(kBlock + 7, std::byte{'!'}));
  const Error error = expect_failure();
  EXPECT_EQ(error.what, "cannot compress !4096");
}

TEST_P(DataStageFaults, AFailingFragmentComesBeforeALaterBlock) {
  options.compressor = &counting_compressor();
  run.add(Buffer(3000, std::byte{'!'}));
  run.add(text_bytes(3000, 1));  // closes the first fragment block
  run.add(Buffer(kBlock, std::byte{'!'}));
  EXPECT_EQ(expect_failure().what, "cannot compress !3000");
}

TEST_P(DataStageFaults, AFailingFragmentComesBeforeALaterUnreadableFile) {
  options.compressor = &counting_compressor();
  options.exit_on_error = true;
  run.add(Buffer(3000, std::byte{'!'}));
  run.add(text_bytes(3000, 1));
  run.env.refuse_to_open(run.path(run.add(text_bytes(10, 1))), EACCES);
  EXPECT_EQ(expect_failure().what, "cannot compress !3000");
}

INSTANTIATE_TEST_SUITE_P(Threads, DataStageFaults, ::testing::Values(0u, 1u, 3u));

// --- every call in turn
// ----------------------------------------------------------------------------

class DataStageFaultLoop : public ::testing::Test {
 protected:
  DataStageFaultLoop() {
    options.fragments = FragmentPolicy::kTailEnds;
    options.memory_bytes = 1;
    options.compressor = &counting_compressor();
  }

  void fill(StageRun& run) const {
    for (const FakeContent& content : contents) run.add(content);
  }

  const std::vector<FakeContent> contents = {
      FakeContent(text_bytes(9000, 1)),
      FakeContent(text_bytes(100, 2)),
      FakeContent(text_bytes(9000, 1)),
      FakeContent(text_bytes(300'000, 3)),
      FakeContent(text_bytes(300'000, 3)),
      FakeContent(Buffer(300'000, std::byte{'c'})),
      FakeContent(text_bytes(100, 2)),
      FakeContent(zeros(5000)),
      FakeContent::sparse(400'000, {{200'000, text_bytes(9000, 5)}}),
  };
  DataOptions options = small_block_options();
};

// Whichever call on a source fails: one file at most becomes empty, with a warning; all else is
// right.
TEST_F(DataStageFaultLoop, ASourceThatFailsCostsOneFile) {
  for (uint64_t n = 1;; ++n) {
    StageRun run;
    fill(run);
    run.env.faults.fail_call(n, EIO);
    const auto result = run.run(options);
    ASSERT_TRUE(result.has_value()) << n << ": " << result.error().what;
    if (!run.env.faults.was_hit()) break;
    size_t empty = 0;
    for (size_t i = 0; i < contents.size(); ++i) {
      const Buffer got = run.read_back(run.files[i], *result, options);
      if (got.empty()) {
        ++empty;
      } else {
        ASSERT_EQ(got, contents[i].bytes()) << "call " << n << ", file " << i;
      }
    }
    ASSERT_LE(empty, 1u) << n;
    ASSERT_EQ(run.warnings.size(), empty) << n;
    ASSERT_EQ(run.find_gap(*result), "") << n;
  }
}

TEST_F(DataStageFaultLoop, ASourceThatFailsIsNamedOnRequest) {
  options.exit_on_error = true;
  for (uint64_t n = 1;; ++n) {
    StageRun run;
    fill(run);
    run.env.faults.fail_call(n, EIO);
    const auto result = run.run(options);
    if (!run.env.faults.was_hit()) break;
    // Calls that only save work (finding holes, comparing) may fail without harm.
    if (result.has_value()) continue;
    ASSERT_TRUE(result.error().what.starts_with("Failed to read file /src/f")) << n;
    ASSERT_EQ(result.error().os_errno, EIO) << n;
  }
}

TEST_F(DataStageFaultLoop, AFailedWriteIsAnErrorWhereverItComes) {
  for (uint64_t n = 1;; ++n) {
    StageRun run;
    fill(run);
    run.failing_write = n;
    const auto result = run.run(options);
    if (result.has_value()) {
      EXPECT_FALSE(run.output.write_faults.was_hit());
      EXPECT_GT(n, 10u);
      break;
    }
    ASSERT_EQ(result.error().os_errno, ENOSPC) << n;
  }
}

TEST_F(DataStageFaultLoop, AFailedReadBackIsAnErrorWhereverItComes) {
  for (uint64_t n = 1;; ++n) {
    StageRun run;
    fill(run);
    run.failing_read = n;
    const auto result = run.run(options);
    if (result.has_value()) {
      EXPECT_FALSE(run.output.read_faults.was_hit());
      EXPECT_GT(n, 10u);
      break;
    }
    ASSERT_EQ(result.error().os_errno, EIO) << n;
  }
}

// A file that has another size whenever it is looked at.
class RestlessInput final : public InputFile {
 public:
  Result<size_t> read_at(uint64_t, MutableBytes out) override {
    return out.empty() ? 0 : out.size() - 1 - (out.size() > 1 ? 1 : 0);
  }
  Result<FileInfo> info() override { return FileInfo{}; }
  Result<uint64_t> size() override { return 5000; }
  Result<std::optional<uint64_t>> next_data(uint64_t offset) override {
    return std::optional(offset);
  }
  Result<uint64_t> next_hole(uint64_t) override { return 5000; }
};

class RestlessContent final : public Content {
 public:
  Result<std::unique_ptr<InputFile>> open(Env&) const override {
    return std::make_unique<RestlessInput>();
  }
};

TEST(DataStageRestless, AFileThatNeverComesToRestIsReadFourTimesAndBecomesEmpty) {
  StageRun run;
  const NodeId file = run.add(text_bytes(5000, 1));
  run.tree.file(file).content = std::make_unique<RestlessContent>();
  DataOptions options = small_block_options();
  ASSERT_TRUE(run.run(options).has_value());
  ASSERT_EQ(run.warnings.size(), 4u);
  EXPECT_EQ(run.warnings[3],
            "Failed to read file /f0, creating empty file (its size changes all the time)");
  EXPECT_EQ(run.layout(file).size, 0u);
  options.exit_on_error = true;
  EXPECT_FALSE(run.run(options).has_value());
}

}  // namespace
}  // namespace sqfs
