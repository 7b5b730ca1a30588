// SPDX-License-Identifier: MIT
#include "writer/dedup.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/support/stage_run.h"

namespace sqfs {
namespace {

constexpr uint32_t kBlock = 4096;

std::vector<FileRole> roles_of(const std::vector<uint64_t>& sizes, bool find_duplicates) {
  Tree tree;
  std::vector<NodeId> files;
  for (const uint64_t size : sizes) {
    RegularFile file;
    file.expected_size = size;
    Node node;
    node.kind = std::move(file);
    files.push_back(tree.add(kRootNode, std::move(node)));
  }
  return assign_roles(tree, files, find_duplicates);
}

TEST(AssignRoles, OnlySharedSizesAreCandidates) {
  using enum FileRole;
  EXPECT_EQ(roles_of({5, 7, 5, 9, 7, 5}, true),
            (std::vector{kFirst, kFirst, kLater, kUnique, kLater, kLater}));
}

TEST(AssignRoles, AllAreUniqueWhenDuplicatesAreNotSought) {
  using enum FileRole;
  EXPECT_EQ(roles_of({5, 5}, false), (std::vector{kUnique, kUnique}));
}

TEST(AssignRoles, NoFilesNoRoles) { EXPECT_TRUE(roles_of({}, true).empty()); }

TEST(FileDigest, DependsOnSizeBlocksAndTheirPlaces) {
  FileDigest empty(5), longer(6), at_0(5), at_1(5), other(5);
  at_0.add(0, Digest{1, 2});
  at_1.add(1, Digest{1, 2});
  other.add(0, Digest{1, 3});
  EXPECT_NE(empty.value(), longer.value());
  EXPECT_NE(empty.value(), at_0.value());
  EXPECT_NE(at_0.value(), at_1.value());
  EXPECT_NE(at_0.value(), other.value());
}

TEST(FileIndex, FindsAllFilesOfADigest) {
  FileIndex index;
  index.insert(Digest{1, 2}, {10, 1});
  index.insert(Digest{1, 2}, {11, 2});
  index.insert(Digest{1, 3}, {12, 3});
  const auto [first, last] = index.find(Digest{1, 2});
  EXPECT_EQ(std::distance(first, last), 2);
}

// Compares host files with a file that is stored raw in an image.
class HasSameBlocks : public ::testing::TestWithParam<unsigned> {
 protected:
  HasSameBlocks() {
    options.raw_data = true;
    content = concat({text_bytes(40 * kBlock, 1), zeros(kBlock), text_bytes(100, 2)});
    original.start = 96;
    original.size = content.size();
    original.block_words.assign(40, kBlock | kBlockRawBit);
    original.block_words.push_back(0);
    original.block_words.push_back(100 | kBlockRawBit);
    output.bytes =
        concat({zeros(kImageOffset + 96), text_bytes(40 * kBlock, 1), text_bytes(100, 2)});
  }

  Result<bool> compare(const Buffer& candidate) {
    env.add_file("/candidate", FakeContent(candidate));
    JobFile reader;
    reader.path = "/candidate";
    return has_same_blocks(context, pool, output, kImageOffset, reader, original,
                           [] { return false; });
  }

  static constexpr uint64_t kImageOffset = 1000;
  FakeEnv env;
  DataOptions options = small_block_options();
  JobContext context{env, options};
  OrderedPool pool{GetParam(), 1u << 20, [this] { return DataWorker::make(options); }};
  FakeOutput output;
  Buffer content;
  FileLayout original;
};

TEST_P(HasSameBlocks, TrueForTheSameContent) {
  const auto same = compare(content);
  ASSERT_TRUE(same.has_value());
  EXPECT_TRUE(*same);
}

TEST_P(HasSameBlocks, FalseForADifferenceAnywhere) {
  for (const size_t at : {size_t{0}, size_t{33 * kBlock}, content.size() - 1}) {
    Buffer candidate = content;
    candidate[at] ^= std::byte{1};
    const auto same = compare(candidate);
    ASSERT_TRUE(same.has_value());
    EXPECT_FALSE(*same) << at;
  }
}

TEST_P(HasSameBlocks, FalseForAFileThatIsShorterNow) {
  Buffer candidate = content;
  candidate.pop_back();
  const auto same = compare(candidate);
  ASSERT_TRUE(same.has_value());
  EXPECT_FALSE(*same);
}

TEST_P(HasSameBlocks, FalseForAFileThatCannotBeOpened) {
  env.add_file("/candidate", FakeContent(content));
  env.refuse_to_open("/candidate", EACCES);
  JobFile reader;
  reader.path = "/candidate";
  const auto same =
      has_same_blocks(context, pool, output, kImageOffset, reader, original, [] { return false; });
  ASSERT_TRUE(same.has_value());
  EXPECT_FALSE(*same);
}

TEST_P(HasSameBlocks, FailsWhenTheImageCannotBeReadBack) {
  output.read_faults.fail_call(3, EIO);
  const auto same = compare(content);
  ASSERT_FALSE(same.has_value());
  EXPECT_EQ(same.error().os_errno, EIO);
}

TEST_P(HasSameBlocks, FailsWhenTheImageEndsEarly) {
  output.bytes.resize(output.bytes.size() - 1);
  EXPECT_FALSE(compare(content).has_value());
}

TEST_P(HasSameBlocks, StopsWhenCancelled) {
  JobFile reader;
  env.add_file("/candidate", FakeContent(content));
  reader.path = "/candidate";
  const auto same =
      has_same_blocks(context, pool, output, kImageOffset, reader, original, [] { return true; });
  ASSERT_FALSE(same.has_value());
  EXPECT_EQ(same.error().code, Code::kCancelled);
}

INSTANTIATE_TEST_SUITE_P(Threads, HasSameBlocks, ::testing::Values(0u, 2u));

}  // namespace
}  // namespace sqfs
