// SPDX-License-Identifier: MIT
#include "cli/option_parser.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/help.h"
#include "cli/option_checks.h"
#include "cli/pager.h"
#include "cli/suggest.h"
#include "tests/support/fake_env.h"
#include "tests/support/tool_run.h"

namespace sqfs {
namespace {

using Words = std::vector<std::string_view>;

class ParserTest : public testing::Test {
 protected:
  Status parse(const Words& words) {
    settings_ = std::make_unique<Settings>(io_);
    return parse_mksquashfs(words, *settings_);
  }
  // Behind "src dest"; with what follows from the options together.
  Status finish(Words options) {
    options.insert(options.begin(), {"src", "dest"});
    SQFS_CHECKED(parse(options));
    return finish_settings(*settings_);
  }
  Status parse_tar(const Words& words) {
    settings_ = std::make_unique<Settings>(io_, Tool::kSqfstar);
    return parse_sqfstar(words, *settings_);
  }
  Status parse_check(const Words& words) {
    settings_ = std::make_unique<Settings>(io_);
    return parse_fsck(words, *settings_, image_);
  }
  MakeSettings& make() { return settings_->make; }
  BuildOptions& build() { return settings_->make.build; }
  CheckSettings& check() { return settings_->check; }

  FakeEnv env_;
  FakeSystem system_;
  StringSink out_, err_;
  Io io_{env_, system_, out_, err_};
  std::unique_ptr<Settings> settings_;
  std::string image_;
};

void expect_error(const Status& status, Code code, std::string_view part) {
  ASSERT_FALSE(status) << part;
  EXPECT_EQ(status.error().code, code) << status.error().what;
  EXPECT_NE(status.error().what.find(part), std::string::npos) << status.error().what;
}

// --- structure --------------------------------------------------------------------------------

TEST_F(ParserTest, TheLastWordBeforeTheOptionsIsTheImage) {
  ASSERT_TRUE(parse({"a", "b", "c", "-quiet"}));
  EXPECT_EQ(build().sources, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(make().destination, "c");
  EXPECT_TRUE(make().quiet);
}

TEST_F(ParserTest, ASingleDashIsAFileAsImageAndStandsForNoSources) {
  ASSERT_TRUE(parse({"a", "-"}));
  EXPECT_EQ(make().destination, "-");
  ASSERT_TRUE(parse({"-", "b"}));
  EXPECT_EQ(build().source_kind, SourceKind::kNothing);
  EXPECT_TRUE(build().sources.empty());
  expect_error(parse({"-", "a", "b"}), Code::kUsage, "nothing may follow");
  expect_error(parse({"a", "-", "b"}), Code::kUsage, "has to be the only source");
}

TEST_F(ParserTest, MissingNamesAreUsageErrors) {
  expect_error(parse({}), Code::kUsage, "neither");
  expect_error(parse({"a"}), Code::kUsage, "no image");
  expect_error(parse({"-quiet", "a", "b"}), Code::kUsage, "before the options");
}

TEST_F(ParserTest, AWordBehindTheOptionsIsNoSource) {
  expect_error(parse({"a", "b", "-quiet", "c"}), Code::kUsage, "c is no option");
  expect_error(parse({"a", "b", "--", "-quiet"}), Code::kUsage, "-- is no option");
}

TEST_F(ParserTest, AValueIsTheNextWordWhateverItLooksLike) {
  ASSERT_TRUE(parse({"a", "b", "-info-file", "-quiet"}));
  EXPECT_EQ(make().info_file, "-quiet");
  EXPECT_FALSE(make().quiet);
}

TEST_F(ParserTest, AMissingValueIsAUsageError) {
  expect_error(parse({"a", "b", "-b"}), Code::kUsage, "-b needs a value: -b <size>");
  expect_error(parse({"a", "b", "-comp"}), Code::kUsage, "-comp needs a value");
}

TEST_F(ParserTest, TheLastOfRepeatedOptionsCounts) {
  ASSERT_TRUE(parse({"a", "b", "-b", "4K", "-b", "64Kb", "-no-exports", "-exports"}));
  EXPECT_EQ(build().data.block_size, 65536u);
  EXPECT_TRUE(build().export_table);
}

TEST_F(ParserTest, UnknownOptionsAreAnsweredWithASuggestion) {
  expect_error(parse({"a", "b", "-noapend"}), Code::kUsage, "Did you mean -noappend?");
  expect_error(parse({"a", "b", "-xyzzy-plugh"}), Code::kUsage, "is no option");
}

// --- -e ---------------------------------------------------------------------------------------

TEST_F(ParserTest, EverythingBehindDashEIsAnExclude) {
  ASSERT_TRUE(parse({"a", "b", "-e", "x", "-e", "y"}));
  EXPECT_EQ(build().filter.excludes, (std::vector<std::string>{"x", "-e", "y"}));
  EXPECT_TRUE(settings_->warnings.empty());
}

TEST_F(ParserTest, OptionsSwallowedByDashEAreNamed) {
  ASSERT_TRUE(parse({"a", "b", "-e", "x", "-comp", "zstd", "-Xhc"}));
  ASSERT_EQ(settings_->warnings.size(), 1u);
  EXPECT_NE(settings_->warnings[0].find("-comp -Xhc"), std::string::npos);
  EXPECT_EQ(build().data.compressor, &default_compressor());
}

TEST_F(ParserTest, DashENeedsAnExclude) {
  expect_error(parse({"a", "b", "-e"}), Code::kUsage, "-e needs a value");
}

TEST_F(ParserTest, ExcludeFilesAndWordsAddUp) {
  system_.texts["list"] = "one\ntwo\n";
  ASSERT_TRUE(parse({"a", "b", "-ef", "list", "-ef", "list", "-e", "three"}));
  EXPECT_EQ(build().filter.excludes,
            (std::vector<std::string>{"one", "two", "one", "two", "three"}));
  expect_error(parse({"a", "b", "-ef", "nofile"}), Code::kIo, "Failed to open");
}

// --- options that print -----------------------------------------------------------------------

TEST_F(ParserTest, OptionsThatPrintWinWhereverTheyStand) {
  ASSERT_TRUE(parse({"a", "-bogus", "--version"}));
  EXPECT_EQ(settings_->print, Print::kVersion);
  ASSERT_TRUE(parse({"-h"}));
  EXPECT_EQ(settings_->print, Print::kSummary);
  ASSERT_TRUE(parse({"a", "b", "-help-section", "list", "-version"}));
  EXPECT_EQ(settings_->print, Print::kSection);
  EXPECT_EQ(settings_->print_what, "list");
}

TEST_F(ParserTest, OptionsThatPrintAreNotLookedForInValuesAndExcludes) {
  ASSERT_TRUE(parse({"a", "b", "-info-file", "-help", "-e", "-version"}));
  EXPECT_EQ(settings_->print, Print::kNothing);
}

TEST_F(ParserTest, XhelpKnowsTheCompressor) {
  ASSERT_TRUE(parse({"-Xhelp", "-comp", "zstd"}));
  EXPECT_EQ(settings_->print, Print::kXhelp);
  EXPECT_EQ(build().data.compressor->name, "zstd");
}

// --- compressors ------------------------------------------------------------------------------

TEST_F(ParserTest, CompressorOptionsMayStandBeforeTheCompressor) {
  ASSERT_TRUE(parse({"a", "b", "-Xcompression-level", "3", "-comp", "zstd"}));
  EXPECT_EQ(build().data.config.zstd.level, 3);
}

TEST_F(ParserTest, TheSameCompressorTwiceIsFineAnotherOneIsNot) {
  EXPECT_TRUE(parse({"a", "b", "-comp", "xz", "-comp", "xz"}));
  expect_error(parse({"a", "b", "-comp", "xz", "-comp", "gzip"}), Code::kUnsupported, "twice");
}

TEST_F(ParserTest, AnUnknownCompressorIsAnsweredWithTheList) {
  const Status status = parse({"a", "b", "-comp", "foo"});
  expect_error(status, Code::kUnsupported, "there is no compressor \"foo\"");
  EXPECT_NE(status.error().what.find("gzip (default)"), std::string::npos);
}

TEST_F(ParserTest, AnOptionOfAnotherCompressorAsksForComp) {
  const Status status = parse({"a", "b", "-Xbcj", "x86"});
  expect_error(status, Code::kUnsupported, "gzip has no option -Xbcj. Is -comp missing?");
  EXPECT_NE(status.error().what.find("-Xwindow-size"), std::string::npos);
}

TEST_F(ParserTest, CompressorOptionsAreCheckedTogetherAtTheEnd) {
  expect_error(finish({"-comp", "xz", "-Xdict-size", "1M"}), Code::kUnsupported, "block size");
  EXPECT_TRUE(finish({"-comp", "xz", "-Xdict-size", "1M", "-b", "1M"}));
}

TEST_F(ParserTest, LzmaIsTakenWithAWarning) {
  ASSERT_TRUE(finish({"-comp", "lzma"}));
  ASSERT_EQ(settings_->warnings.size(), 1u);
  EXPECT_NE(settings_->warnings[0].find("no Linux kernel mounts"), std::string::npos);
}

// --- values -----------------------------------------------------------------------------------

class ParserValueTest : public ParserTest, public testing::WithParamInterface<Words> {};

TEST_P(ParserValueTest, IsRefusedWithUsage) {
  Words words = GetParam();
  words.insert(words.begin(), {"a", "b"});
  const Status status = parse(words);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kUsage) << status.error().what;
  EXPECT_TRUE(status.error().what.starts_with(GetParam()[0])) << status.error().what;
}

INSTANTIATE_TEST_SUITE_P(
    Wrong, ParserValueTest,
    testing::Values(Words{"-b", "5000"}, Words{"-b", "2M"}, Words{"-b", "4KiB"}, Words{"-b", "2K"},
                    Words{"-processors", "0"}, Words{"-mem", "1K"}, Words{"-mem-percent", "90%"},
                    Words{"-force-uid", "4294967296"}, Words{"-force-gid", "nobody-knows"},
                    Words{"-root-mode", "8888"}, Words{"-root-mode", ""},
                    Words{"-mkfs-time", "garbage"}, Words{"-max-depth", "-1"},
                    Words{"-small-readers", "0"}, Words{"-block-readers", "1025"},
                    Words{"-overcommit", "101"}, Words{"-write-queue", "1"}, Words{"-cols", "3"},
                    Words{"-offset", "0x10"}, Words{"-uid-gid-offset", "x"}));

TEST_F(ParserTest, OwnersAreNumbersAndNames) {
  ASSERT_TRUE(parse(
      {"a", "b", "-all-root", "-force-uid", "7", "-force-gid", "staff", "-root-uid", "alice"}));
  EXPECT_EQ(build().owners.force_uid, 7u);
  EXPECT_EQ(build().owners.force_gid, 50u);
  EXPECT_EQ(build().owners.root_uid, 1000u);
}

TEST_F(ParserTest, NoXattrsBehindAFilterContradictsIt) {
  expect_error(parse({"a", "b", "-xattrs-add", "user.k=v", "-no-xattrs"}), Code::kUsage,
               "contradicts");
  ASSERT_TRUE(parse({"a", "b", "-no-xattrs", "-xattrs-include", "^user"}));
  EXPECT_TRUE(build().xattrs.store);
}

TEST_F(ParserTest, AnXattrIsAddedOnce) {
  expect_error(parse({"a", "b", "-xattrs-add", "user.k=v", "-xattrs-add", "user.k=w"}),
               Code::kUnsupported, "twice");
}

// --- times ------------------------------------------------------------------------------------

using Kind = TimeChoice::Kind;

TEST_F(ParserTest, ReproTimeSetsAllTimes) {
  ASSERT_TRUE(finish({"-repro-time", "42"}));
  EXPECT_EQ(build().times.image.kind, Kind::kFixed);
  EXPECT_EQ(build().times.image.seconds, 42u);
  EXPECT_EQ(build().times.inodes.seconds, 42u);
}

TEST_F(ParserTest, TimesThatContradictEachOtherAreRefused) {
  for (const Words& words :
       {Words{"-repro", "-repro-time", "4"}, Words{"-mkfs-time", "3", "-repro"},
        Words{"-mkfs-time", "3", "-mkfs-time", "inode"},
        Words{"-repro-time", "4", "-inode-time", "5"}, Words{"-repro-time", "4", "-mkfs-time", "5"},
        Words{"-repro-time", "4", "-root-time", "inode"}}) {
    expect_error(finish(words), Code::kUnsupported, "contradict");
  }
  EXPECT_TRUE(finish({"-repro-time", "4", "-mkfs-time", "4"}));
}

TEST_F(ParserTest, TheEpochFillsInAndClamps) {
  env_.set_variable("SOURCE_DATE_EPOCH", "500");
  ASSERT_TRUE(finish({}));
  EXPECT_EQ(build().times.image.seconds, 500u);
  EXPECT_EQ(build().times.clamp, 500u);
}

TEST_F(ParserTest, TheCommandLineWinsOverTheEpoch) {
  env_.set_variable("SOURCE_DATE_EPOCH", "500");
  ASSERT_TRUE(finish({"-mkfs-time", "700", "-all-time", "900"}));
  EXPECT_EQ(build().times.image.seconds, 700u);
  EXPECT_EQ(build().times.inodes.seconds, 900u);
  EXPECT_FALSE(build().times.clamp.has_value());
}

TEST_F(ParserTest, AWrongEpochIsAnError) {
  env_.set_variable("SOURCE_DATE_EPOCH", "abc");
  expect_error(finish({}), Code::kUnsupported, "SOURCE_DATE_EPOCH");
}

// --- resources and progress
// -----------------------------------------------------------------------

TEST_F(ParserTest, LittleMemoryMeansFewerThreads) {
  ASSERT_TRUE(finish({"-processors", "8", "-mem", "16M", "-b", "1M"}));
  EXPECT_EQ(build().data.threads, 4u);
  EXPECT_EQ(build().data.memory_bytes, 16u << 20);
  ASSERT_TRUE(finish({"-processors", "8", "-mem", "1M", "-b", "1M"}));
  EXPECT_EQ(build().data.threads, 1u);
}

TEST_F(ParserTest, ManyThreadsGetTheMemoryTheyNeed) {
  ASSERT_TRUE(finish({"-processors", "64", "-b", "1M"}));
  EXPECT_EQ(build().data.threads, 64u);
  system_.memory = uint64_t{512} << 20;
  ASSERT_TRUE(finish({"-processors", "64", "-b", "1M"}));
  EXPECT_EQ(build().data.memory_bytes, 128u << 20);
}

TEST_F(ParserTest, NoProgressContradictsTheOtherModes) {
  expect_error(finish({"-no-progress", "-percentage"}), Code::kUnsupported, "-percentage");
  expect_error(finish({"-progress", "-no-progress"}), Code::kUnsupported, "-progress");
}

// --- fsck
// -----------------------------------------------------------------------------------------

TEST_F(ParserTest, CheckTakesOptionsAsUnixProgramsDo) {
  ASSERT_TRUE(parse_check({"-nq", "image", "--offset=4K", "-j", "3", "--compare", "dir"}));
  EXPECT_EQ(image_, "image");
  EXPECT_TRUE(check().quiet);
  EXPECT_EQ(check().verify.offset, 4096u);
  EXPECT_EQ(check().processors, 3u);
  EXPECT_EQ(check().compare_directory, "dir");
  ASSERT_TRUE(parse_check({"-o512", "--", "-v"}));
  EXPECT_EQ(check().verify.offset, 512u);
  EXPECT_EQ(image_, "-v");
  EXPECT_FALSE(check().verbose);
}

TEST_F(ParserTest, CheckTakesWhatFsckCallersPass) {
  EXPECT_TRUE(parse_check({"-p", "-a", "-y", "-n", "image"}));
}

TEST_F(ParserTest, CheckRefusesWhatItDoesNotKnow) {
  expect_error(parse_check({}), Code::kUsage, "no image");
  expect_error(parse_check({"a", "b"}), Code::kUsage, "one image");
  expect_error(parse_check({"-x", "a"}), Code::kUsage, "-x is no option");
  expect_error(parse_check({"--quik", "a"}), Code::kUsage, "Did you mean --quick?");
  expect_error(parse_check({"a", "-o"}), Code::kUsage, "needs a value");
  expect_error(parse_check({"--json=yes", "a"}), Code::kUsage, "takes no value");
  expect_error(parse_check({"--max-memory", "1K", "a"}), Code::kUsage, "1M or more");
}

TEST_F(ParserTest, AStreamHasStandardOutputForItself) {
  ASSERT_TRUE(finish({"-stream"}));
  EXPECT_TRUE(build().data.is_stream);
  EXPECT_FALSE(build().data.find_duplicates);
  EXPECT_TRUE(make().quiet && make().no_progress);
  ASSERT_TRUE(finish({"-stream", "-info", "-info-file", "x"}));
  expect_error(finish({"-stream", "-info"}), Code::kUnsupported, "-info-file");
  expect_error(finish({"-stream", "-progress"}), Code::kUnsupported, "-progress");
  expect_error(finish({"-stream", "-percentage"}), Code::kUnsupported, "-percentage");
  expect_error(finish({"-stream", "-o", "1"}), Code::kUnsupported, "-offset");
  ASSERT_TRUE(parse_tar({"-stream"}));
}

TEST_F(ParserTest, ThrottleAndLimitAreTheSame) {
  ASSERT_TRUE(finish({"-throttle", "30%"}));
  EXPECT_EQ(build().data.throttle_percent, 30u);
  ASSERT_TRUE(finish({"-limit", "30"}));
  EXPECT_EQ(build().data.throttle_percent, 70u);
  expect_error(finish({"-throttle", "100"}), Code::kUsage, "-throttle");
  expect_error(finish({"-limit", "0"}), Code::kUsage, "-limit");
}

TEST(Pager, WordsAreSplitAsByAShellThatDoesNothingElse) {
  using List = std::vector<std::string>;
  EXPECT_EQ(split_pager("less -R").value(), (List{"less", "-R"}));
  EXPECT_EQ(split_pager("  'a b'c \"d\\\"|\" e\\ f '' ").value(),
            (List{"a bc", "d\"|", "e f", ""}));
  EXPECT_TRUE(split_pager("").value().empty());
  for (const char* bad : {"a|b", "a;b", "<a", ">a", "a &", "'a"})
    EXPECT_FALSE(split_pager(bad)) << bad;
}

// --- sqfstar
// -----------------------------------------------------------------------------------------

TEST_F(ParserTest, SqfstarReadsAnArchiveAndHasItsOwnDefaults) {
  ASSERT_TRUE(parse_tar({"-comp", "zstd", "-Xcompression-level", "3", "o", "a*", "-b"}));
  EXPECT_EQ(make().destination, "o");
  EXPECT_EQ(build().source_kind, SourceKind::kArchives);
  EXPECT_EQ(build().sources, std::vector<std::string>{"-"});
  EXPECT_FALSE(build().export_table);
  EXPECT_EQ(build().data.fragments, FragmentPolicy::kTailEnds);
  EXPECT_EQ(build().filter.syntax, ExcludeSyntax::kWildcards);
  EXPECT_EQ(build().filter.excludes, (std::vector<std::string>{"a*", "-b"}));
  EXPECT_EQ(settings_->warnings.size(), 1u);
  ASSERT_TRUE(parse_tar({"-exports", "-no-tailends", "-regex", "-force", "o"}));
  EXPECT_TRUE(build().export_table);
  EXPECT_EQ(build().data.fragments, FragmentPolicy::kSmallFiles);
  EXPECT_EQ(build().filter.syntax, ExcludeSyntax::kRegex);
  EXPECT_TRUE(make().replace_existing);
}

TEST_F(ParserTest, SqfstarRefusesWhatIsNotIts) {
  expect_error(parse_tar({"-quiet"}), Code::kUsage, "no image is named");
  expect_error(parse_tar({"-e", "a", "o"}), Code::kUsage, "-e is no option");
  expect_error(parse_tar({"-noappend", "o"}), Code::kUsage, "-noappend is no option");
  expect_error(parse_tar({"-wildcards", "o"}), Code::kUsage, "-wildcards is no option");
  expect_error(parse_tar({"-Xcompression-level", "3", "-comp", "zstd", "o"}), Code::kUnsupported,
               "-comp has to stand before");
  ASSERT_TRUE(parse_tar({"o", "-version"}));
  EXPECT_EQ(settings_->print, Print::kNothing);
  ASSERT_TRUE(parse_tar({"-version", "o"}));
  EXPECT_EQ(settings_->print, Print::kVersion);
}

// --- the tables
// -------------------------------------------------------------------------------------

class RowsTest : public testing::TestWithParam<Tool> {};

TEST_P(RowsTest, NamesAreUniqueAndTextsComplete) {
  std::set<std::string_view> seen;
  for (const OptionRow& row : option_rows(GetParam())) {
    EXPECT_TRUE(seen.insert(row.text.name).second) << row.text.name;
    const bool is_new = row.text.alias.empty() || seen.insert(row.text.alias).second;
    EXPECT_TRUE(is_new) << row.text.alias;
    EXPECT_FALSE(row.text.help.empty()) << row.text.name;
    EXPECT_FALSE(row.text.help.ends_with('.')) << row.text.name;
    EXPECT_NE(row.apply, nullptr) << row.text.name;
  }
}

TEST_P(RowsTest, HelpNamesEveryOptionThatIsNotHidden) {
  const std::string help = help_all(GetParam(), 100);
  for (const OptionRow& row : option_rows(GetParam())) {
    // As a whole word: -fa is not named by -false-action.
    const std::string line = "  " + std::string(row.text.name);
    const bool is_named = std::ranges::any_of(std::string_view(" ,\n"), [&](char end) {
      return help.find(line + end) != std::string::npos;
    });
    EXPECT_EQ(is_named, row.kind != OptionKind::kHidden) << row.text.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Tools, RowsTest,
                         testing::Values(Tool::kMksquashfs, Tool::kSqfstar, Tool::kFsck),
                         [](const auto& tool) {
                           return std::string(name_of(tool.param)).substr(0, 4);
                         });

TEST(Help, SectionsAndOptionsAreFoundByNameAndExpression) {
  EXPECT_NE(help_section(Tool::kMksquashfs, "time", 80).value_or("").find("-mkfs-time"),
            std::string::npos);
  EXPECT_NE(help_section(Tool::kMksquashfs, "list", 80).value_or("").find("compression"),
            std::string::npos);
  EXPECT_NE(help_section(Tool::kMksquashfs, "^xat", 80).value_or("").find("-xattrs-add"),
            std::string::npos);
  EXPECT_FALSE(help_section(Tool::kMksquashfs, "nothing", 80));
  EXPECT_NE(help_option(Tool::kMksquashfs, "X.*level", 80).value_or("").find("zstd:"),
            std::string::npos);
  EXPECT_FALSE(help_option(Tool::kMksquashfs, "(", 80));
  EXPECT_FALSE(help_compressor("bogus", 80));
}

TEST(Help, LinesFitTheTerminal) {
  for (const std::string_view line : split(help_all(Tool::kMksquashfs, 80), '\n')) {
    EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST(NearestWord, ForgivesOneSlipInThree) {
  const std::vector<std::string_view> words{"-noappend", "-comp", "-b"};
  EXPECT_EQ(nearest_word("-noapend", words), "-noappend");
  EXPECT_EQ(nearest_word("-cmop", words), "-comp");
  EXPECT_EQ(nearest_word("-quite", words), "");
}

}  // namespace
}  // namespace sqfs
