// SPDX-License-Identifier: MIT
#include "xattr/host.h"

#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/fake_env.h"

namespace sqfs {
namespace {

Buffer bytes_of(std::string_view text) {
  const Bytes bytes = as_bytes(text);
  return Buffer(bytes.begin(), bytes.end());
}

class XattrHostTest : public testing::Test {
 protected:
  XattrHostTest() { env_.add_file("/f", FakeContent()); }

  void set(const std::string& name, std::string_view value = "v") {
    env_.set_xattr("/f", name, bytes_of(value));
  }

  Result<HostXattrReader> make() {
    return HostXattrReader::make(
        rules_, env_, [this](const std::string& sentence) { warnings_.push_back(sentence); });
  }

  // The names of the set that the file gets.
  std::vector<std::string> read(bool allows_user = true) {
    auto reader = make();
    EXPECT_TRUE(reader);
    const auto set = reader->read("/f", "/f", allows_user, {});
    EXPECT_TRUE(set);
    std::vector<std::string> names;
    for (const XattrPair& pair : *set) names.push_back(pair.name);
    return names;
  }

  using Names = std::vector<std::string>;

  FakeEnv env_;
  XattrRules rules_;
  std::vector<std::string> warnings_;
};

TEST_F(XattrHostTest, KeepsTheThreePrefixesTheFormatKnows) {
  set("user.a");
  set("trusted.b");
  set("security.c");
  EXPECT_EQ(read(), (Names{"security.c", "trusted.b", "user.a"}));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(XattrHostTest, WarnsOncePerUnknownName) {
  set("system.posix_acl_access");
  auto reader = make();
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->read("/f", "/f", true, {}));
  EXPECT_TRUE(reader->read("/f", "/f", true, {}));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_TRUE(warnings_[0].starts_with("Unrecognised xattr prefix system.posix_acl_access"));
}

TEST_F(XattrHostTest, DropsUserAttributesThatNoKernelShowsWithOneWarning) {
  set("user.a");
  set("user.b");
  set("trusted.c");
  EXPECT_EQ(read(false), Names{"trusted.c"});
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(XattrHostTest, ExcludesAreAppliedBeforeIncludes) {
  set("user.a");
  set("user.b");
  set("trusted.a");
  rules_.exclude_regex = "a$";
  rules_.include_regex = "^user[.]";
  EXPECT_EQ(read(), Names{"user.b"});
}

TEST_F(XattrHostTest, ABadRegexIsAUsageError) {
  rules_.include_regex = "(";
  const auto reader = make();
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, Code::kUsage);
  EXPECT_TRUE(reader.error().what.starts_with("xattrs-include"));
}

TEST_F(XattrHostTest, AddsToEveryFileButUserOnesOnlyWhereTheyShow) {
  rules_.add = {{"user.k", bytes_of("v")}, {"security.k", bytes_of("v")}};
  EXPECT_EQ(read(true), (Names{"security.k", "user.k"}));
  EXPECT_EQ(read(false), Names{"security.k"});
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(XattrHostTest, AFileThatIsNotOnTheHostGetsTheAdditionsAlone) {
  rules_.add = {{"user.k", bytes_of("v")}};
  auto reader = make();
  ASSERT_TRUE(reader);
  const auto set = reader->read("", "", true, {});
  ASSERT_TRUE(set);
  EXPECT_EQ(set->size(), 1u);
}

TEST_F(XattrHostTest, AnAdditionThatTheFileHasIsAUsageError) {
  set("user.k");
  rules_.add = {{"user.k", bytes_of("v")}};
  auto reader = make();
  ASSERT_TRUE(reader);
  const auto failed = reader->read("/f", "/f", true, {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::kUsage);
  EXPECT_TRUE(failed.error().what.starts_with("Duplicate xattr name user.k in file /f"));
}

TEST_F(XattrHostTest, BadAdditionsAreUsageErrors) {
  for (const std::string& name : Names{"foo.k", "user.", "user." + std::string(251, 'n')}) {
    rules_.add = {{name, bytes_of("v")}};
    EXPECT_FALSE(make()) << name;
  }
  rules_.add = {{"user.k", Buffer(65537)}};
  EXPECT_FALSE(make());
  rules_.add = {{"user.k", bytes_of("1")}, {"user.k", bytes_of("2")}};
  EXPECT_FALSE(make());
}

TEST_F(XattrHostTest, LeavesOutWhatIsTooLongWithAWarning) {
  set("user.value", std::string(65537, 'v'));
  set("user." + std::string(251, 'n'));
  set("user.longest", std::string(65536, 'v'));
  EXPECT_EQ(read(), Names{"user.longest"});
  EXPECT_EQ(warnings_.size(), 2u);
}

TEST_F(XattrHostTest, LeavesOutTheNamesThatListxattrHasNoRoomFor) {
  for (int i = 0; i < 300; ++i) {
    set("user." + std::string(246, 'n') + std::to_string(1000 + i));  // 256 bytes with its NUL
  }
  EXPECT_EQ(read().size(), 256u);
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(XattrHostTest, AnUnreadableAttributeIsLeftOutOrAnError) {
  set("user.a");
  set("user.b");
  auto reader = make();
  ASSERT_TRUE(reader);
  env_.faults.fail_call(2, EIO);
  const auto set = reader->read("/f", "/f", true, {});
  ASSERT_TRUE(set);
  EXPECT_EQ(set->size(), 1u);
  EXPECT_EQ(warnings_.size(), 1u);

  rules_.errors_are_fatal = true;
  auto strict = make();
  ASSERT_TRUE(strict);
  for (const uint64_t nth : {1, 2}) {
    env_.faults.fail_call(nth, EIO);
    EXPECT_FALSE(strict->read("/f", "/f", true, {})) << nth;
  }
}

}  // namespace
}  // namespace sqfs
