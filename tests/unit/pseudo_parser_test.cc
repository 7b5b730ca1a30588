// SPDX-License-Identifier: MIT
#include "cli/pseudo_parser.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "cli/pseudo_file.h"
#include "tests/support/tool_run.h"

namespace sqfs {
namespace {

class PseudoParserTest : public testing::Test {
 protected:
  PseudoDefinition parse(std::string_view text, bool allows_sections = false) {
    auto out = parse_pseudo_definition(text, system_, allows_sections);
    EXPECT_TRUE(out) << text << ": " << (out ? "" : out.error().what);
    return out.value_or({});
  }
  // The column of the error, from 1; 0: there is none.
  uint64_t column(std::string_view text) {
    const auto out = parse_pseudo_definition(text, system_, true);
    return out ? 0 : out.error().offset + 1;
  }

  FakeSystem system_;
};

TEST_F(PseudoParserTest, AttributesComeFromNumbersAndNames) {
  const PseudoDefinition got = parse("a/b d 4755 alice staff");
  EXPECT_EQ(got.path, "a/b");
  EXPECT_EQ(got.attributes.mode, 04755);
  EXPECT_EQ(got.attributes.uid, 1000u);
  EXPECT_EQ(got.attributes.gid, 50u);
  EXPECT_FALSE(got.attributes.time);
  EXPECT_TRUE(std::holds_alternative<Directory>(got.kind));
}

TEST_F(PseudoParserTest, UpperCaseLettersHaveATime) {
  EXPECT_EQ(parse("a M 5 644 0 0").attributes.time, 5u);
  EXPECT_EQ(parse("a M \"yesterday\" 644 0 0").attributes.time, 86400u);
}

TEST_F(PseudoParserTest, NamesKeepBlanksByQuotesAndBackslashes) {
  EXPECT_EQ(parse("//a\"b c\"d//e\\ f/ d 755 0 0").path, "ab cd/e f");
  EXPECT_EQ(parse("\"\" d 755 0 0").path, "");
  EXPECT_EQ(parse("/ d 755 0 0").path, "");
  EXPECT_EQ(parse("\\\"\\\\ d 755 0 0").path, "\"\\");
}

TEST_F(PseudoParserTest, CommandsAndTargetsAreTheRestOfTheLine) {
  EXPECT_EQ(std::get<PseudoCommand>(parse("a f 644 0 0  echo \"x\"  ").kind).command,
            "echo \"x\"  ");
  EXPECT_EQ(std::get<Symlink>(parse("a S 1 644 0 0 b  \\c").kind).target, "b  \\c");
}

TEST_F(PseudoParserTest, DevicesAndIpc) {
  const auto device = std::get<DeviceNode>(parse("a B 1 644 0 0 4095 1048575").kind);
  EXPECT_TRUE(device.is_block);
  EXPECT_EQ(device.major, 4095u);
  EXPECT_EQ(device.minor, 1048575u);
  EXPECT_FALSE(std::get<DeviceNode>(parse("a c 644 0 0 1 3").kind).is_block);
  EXPECT_TRUE(std::get<IpcNode>(parse("a i 644 0 0 s").kind).is_socket);
  EXPECT_FALSE(std::get<IpcNode>(parse("a I 1 644 0 0 f").kind).is_socket);
}

TEST_F(PseudoParserTest, FilesOfTheHostAndLinks) {
  EXPECT_EQ(std::get<PseudoHostFile>(parse("a l \"x y\"").kind).path, "x y");
  EXPECT_TRUE(std::get<PseudoHostFile>(parse("a h x").kind).follows_symlinks);
  EXPECT_EQ(std::get<PseudoLink>(parse("a L /b//c").kind).target, "b/c");
}

TEST_F(PseudoParserTest, AttributesOfFiles) {
  const XattrPair pair = std::get<PseudoXattr>(parse("a x user.b=0x4142").kind).pair;
  EXPECT_EQ(pair.name, "user.b");
  EXPECT_EQ(pair.value, (Buffer{std::byte{'A'}, std::byte{'B'}}));
}

TEST_F(PseudoParserTest, SectionsMayLackTheirLastWord) {
  const auto full = std::get<PseudoSection>(parse("a R 1 644 0 0 10 20 0", true).kind);
  EXPECT_EQ(full.size, 10u);
  EXPECT_EQ(full.offset, 20u);
  EXPECT_FALSE(full.is_sparse);
  EXPECT_TRUE(std::get<PseudoSection>(parse("a R 1 644 0 0 10 20", true).kind).is_sparse);
}

TEST_F(PseudoParserTest, EveryErrorHasItsColumn) {
  EXPECT_EQ(column(""), 1u);
  EXPECT_EQ(column("\"a d 755 0 0"), 1u);
  EXPECT_EQ(column("a/../b d 755 0 0"), 1u);
  EXPECT_EQ(column(std::string(256, 'a') + " d 755 0 0"), 1u);
  EXPECT_EQ(column("a"), 2u);
  EXPECT_EQ(column("a q"), 3u);
  EXPECT_EQ(column("a dd 755 0 0"), 3u);
  EXPECT_EQ(column("a d"), 4u);
  EXPECT_EQ(column("a d 8 0 0"), 5u);
  EXPECT_EQ(column("a d 10000 0 0"), 5u);
  EXPECT_EQ(column("a d 755 4294967296 0"), 9u);
  EXPECT_EQ(column("a d 755 0 nobody"), 11u);
  EXPECT_EQ(column("a d 755 0 0 x"), 13u);
  EXPECT_EQ(column("a D never 755 0 0"), 5u);
  EXPECT_EQ(column("a b 755 0 0 4096 0"), 13u);
  EXPECT_EQ(column("a b 755 0 0 4095 1048576"), 18u);
  EXPECT_EQ(column("a i 755 0 0 x"), 13u);
  EXPECT_EQ(column("a s 755 0 0 " + std::string(4096, 't')), 13u);
  EXPECT_EQ(column("a x user.=1"), 5u);
  EXPECT_EQ(column("a l b c"), 7u);
  EXPECT_EQ(column("a R 1 755 0 0 1 0 2"), 19u);
}

TEST_F(PseudoParserTest, SectionsAreForFiles) {
  const auto got = parse_pseudo_definition("a R 1 644 0 0 1 0 0", system_, false);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Code::kUnsupported);
}

TEST_F(PseudoParserTest, DirectoriesOfPd) {
  const auto got = parse_pseudo_directory("D 5 700 alice 4", system_);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->time, 5u);
  EXPECT_EQ(got->uid, 1000u);
  EXPECT_FALSE(parse_pseudo_directory("m 700 1 1", system_));
  EXPECT_FALSE(parse_pseudo_directory("d 700 1 1 1", system_));
}

// Lines, from a regular file.
class PseudoFileTest : public testing::Test {
 protected:
  Status read(const std::string& content) {
    run_.write("pf", content);
    Io io{*env_, run_.system, out_, err_};
    return read_pseudo_file(run_.path("pf"), run_.path("image"), io, definitions_);
  }
  std::string error(const std::string& content) {
    const Status status = read(content);
    if (status) return {};
    const std::string& what = status.error().what;
    return what.substr(what.find("pf, ") == std::string::npos ? 0 : what.find("pf, ") + 4);
  }

  ToolRun run_;
  std::unique_ptr<Env> env_ = make_posix_env();
  StringSink out_, err_;
  std::vector<PseudoDefinition> definitions_;
};

TEST_F(PseudoFileTest, ContinuedLinesAreOneDefinition) {
  ASSERT_TRUE(read("# c\n\na d \\\n 75\\\n5 0 0\nb d 700 0 0"));
  ASSERT_EQ(definitions_.size(), 2u);
  EXPECT_EQ(definitions_[0].attributes.mode, 0755);
  EXPECT_TRUE(definitions_[0].place.ends_with("pf, line 3"));
}

TEST_F(PseudoFileTest, ErrorsNameLineAndColumn) {
  EXPECT_TRUE(error("/ d 755 0 0\n  a q").starts_with("line 2, column 5: "));
  EXPECT_TRUE(error("a d \\\n  9 0 0\n").starts_with("line 2, column 3: "));
  EXPECT_TRUE(error("a f 644 0 0 " + std::string(16384, 'x')).starts_with("line 1, column 1: "));
}

TEST_F(PseudoFileTest, SectionsLieBehindTheMark) {
  ASSERT_TRUE(read("a R 1 644 0 0 2 1 0\n#\n# START OF DATA - DO NOT MODIFY\n#\nxyz"));
  const auto& section = std::get<PseudoSection>(definitions_.at(0).kind);
  Buffer bytes(2);
  ASSERT_TRUE(section.file->read_at(section.offset, bytes));
  EXPECT_EQ(bytes, (Buffer{std::byte{'y'}, std::byte{'z'}}));
}

TEST_F(PseudoFileTest, SectionsBeyondTheDataAreErrors) {
  EXPECT_NE(error("a R 1 644 0 0 3 1 0\n# START OF DATA - DO NOT MODIFY\n#\nxyz"), "");
  EXPECT_NE(error("a R 1 644 0 0 1 18446744073709551615 0\n# START OF DATA - DO NOT MODIFY\n#\nx"),
            "");
  EXPECT_NE(error("a R 1 644 0 0 0 0 0\n"), "");
}

}  // namespace
}  // namespace sqfs
