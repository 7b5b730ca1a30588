// SPDX-License-Identifier: MIT
#include "fragments/tail_index.h"

#include <gtest/gtest.h>

namespace sqfs {
namespace {

TEST(TailIndex, FindsNothingWhenEmpty) {
  TailIndex index;
  EXPECT_EQ(index.find(5, Digest{1, 2}), nullptr);
}

TEST(TailIndex, FindsWhatWasInserted) {
  TailIndex index;
  index.insert(5, Digest{1, 2}, {7, 99}, true);
  const auto* entry = index.find(5, Digest{1, 2});
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->ref, (FragmentRef{7, 99}));
  EXPECT_TRUE(entry->is_whole_file);
}

TEST(TailIndex, SizeIsPartOfTheKey) {
  TailIndex index;
  index.insert(5, Digest{1, 2}, {7, 99}, false);
  EXPECT_EQ(index.find(6, Digest{1, 2}), nullptr);
}

TEST(TailIndex, EqualKeysAreFoundOneAfterTheOther) {
  TailIndex index;
  index.insert(5, Digest{1, 2}, {1, 0}, false);
  index.insert(5, Digest{1, 2}, {2, 0}, false);
  const auto* first = index.find(5, Digest{1, 2});
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->ref.index, 1u);
  const auto* second = index.find(5, Digest{1, 2}, first);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->ref.index, 2u);
  EXPECT_EQ(index.find(5, Digest{1, 2}, second), nullptr);
}

TEST(TailIndex, KeepsAllEntriesWhileItGrows) {
  TailIndex index;
  constexpr uint32_t kCount = 10'000;
  const auto digest = [](uint32_t i) { return Digest{i * 0x9e3779b97f4a7c15u, i}; };
  for (uint32_t i = 0; i < kCount; ++i) index.insert(1 + i % 3, digest(i), {i, i}, false);
  EXPECT_EQ(index.size(), kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    const auto* entry = index.find(1 + i % 3, digest(i));
    ASSERT_NE(entry, nullptr) << i;
    EXPECT_EQ(entry->ref.index, i);
  }
}

// The places of a table wrap round: entries whose home is the last place go on at the first.
TEST(TailIndex, ProbesPastTheEndOfTheTable) {
  TailIndex index;
  for (uint32_t i = 0; i < 5; ++i) index.insert(1 + i, Digest{~uint64_t{0}, 0}, {i, 0}, false);
  for (uint32_t i = 0; i < 5; ++i) {
    const auto* entry = index.find(1 + i, Digest{~uint64_t{0}, 0});
    ASSERT_NE(entry, nullptr) << i;
    EXPECT_EQ(entry->ref.index, i);
  }
}

}  // namespace
}  // namespace sqfs
