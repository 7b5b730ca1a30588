// SPDX-License-Identifier: MIT
#include "xattr/pool.h"

#include <string_view>

#include <gtest/gtest.h>

#include "squashfs-format/constants.h"

namespace sqfs {
namespace {

XattrPair pair_of(std::string name, std::string_view value) {
  const Bytes bytes = as_bytes(value);
  return {std::move(name), Buffer(bytes.begin(), bytes.end())};
}

TEST(XattrPool, AnEmptySetHasNoNumber) {
  XattrPool pool;
  EXPECT_EQ(pool.intern({}), kNoXattr);
  EXPECT_TRUE(pool.sets().empty());
}

TEST(XattrPool, EqualSetsShareANumberWhateverTheirOrder) {
  XattrPool pool;
  const uint32_t first = pool.intern({pair_of("user.b", "2"), pair_of("user.a", "1")});
  const uint32_t second = pool.intern({pair_of("user.a", "1"), pair_of("user.b", "2")});
  EXPECT_EQ(first, second);
  ASSERT_EQ(pool.sets().size(), 1u);
  EXPECT_EQ(pool.sets()[0][0].name, "user.a");
}

TEST(XattrPool, NumbersCountUpInTheOrderOfFirstSight) {
  XattrPool pool;
  EXPECT_EQ(pool.intern({pair_of("user.z", "1")}), 0u);
  EXPECT_EQ(pool.intern({pair_of("user.a", "1")}), 1u);
  EXPECT_EQ(pool.intern({pair_of("user.z", "1")}), 0u);
}

TEST(XattrPool, SetsThatDifferInAValueOrWhereItStartsAreDifferent) {
  XattrPool pool;
  EXPECT_EQ(pool.intern({pair_of("user.a", "1")}), 0u);
  EXPECT_EQ(pool.intern({pair_of("user.a", "2")}), 1u);
  EXPECT_EQ(pool.intern({pair_of("user.a1", "")}), 2u);
  EXPECT_EQ(pool.intern({pair_of("user.a", "1"), pair_of("user.b", "")}), 3u);
}

}  // namespace
}  // namespace sqfs
