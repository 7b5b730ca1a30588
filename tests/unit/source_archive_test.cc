// SPDX-License-Identifier: MIT
#include "writer/source_archive.h"

#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/fake_env.h"
#include "tests/support/tar_builder.h"

namespace sqfs {
namespace {

class Silence final : public BuildObserver {
 public:
  void warning(const std::string&) override {}
  void progress(uint64_t, uint64_t) override {}
  bool wants_files() const override { return false; }
  void file(const FileEvent&) override {}
};

class SourceArchiveTest : public testing::Test {
 protected:
  SourceArchiveTest() {
    options_.source_kind = SourceKind::kArchives;
    options_.sources = {"-"};
    options_.data.compressor = &default_compressor();
    options_.data.block_size = 4096;
    options_.data.threads = 0;
  }

  Status scan(const TarBuilder& archive) {
    env_.set_standard_input(archive.bytes());
    return scan();
  }
  Status scan() {
    auto filter = Filter::make(options_.filter, {}, false, env_, warn_);
    if (!filter) return filter.error();
    const ArchiveContext context{options_, *filter, "/image", env_, warn_, cancelled_};
    SQFS_CHECKED(scan_archives(context, tree_));
    tree_.settle_links();
    tree_.sort();
    return ok();
  }
  Status scan_layers(const std::vector<TarBuilder>& layers) {
    options_.archive.are_layers = true;
    options_.sources.clear();
    for (const TarBuilder& layer : layers) {
      options_.sources.push_back("/layer" + std::to_string(options_.sources.size()));
      env_.add_file(options_.sources.back(), FakeContent(layer.bytes()));
    }
    return scan();
  }
  std::string failure(const TarBuilder& archive) {
    const Status status = scan(archive);
    return status ? "none" : status.error().what;
  }

  NodeId find(std::string_view path) const {
    NodeId at = kRootNode;
    while (!path.empty() && at != kNoNode) {
      const size_t slash = path.find('/');
      at = tree_.find_child(at, path.substr(0, slash));
      path = slash == std::string_view::npos ? "" : path.substr(slash + 1);
    }
    return at;
  }
  NodeId resolved(std::string_view path) const {
    const NodeId id = find(path);
    if (id == kNoNode) return id;
    const auto* link = std::get_if<HardLink>(&tree_.node(id).kind);
    return link == nullptr ? id : link->target;
  }
  std::string content(std::string_view path) {
    const NodeId id = resolved(path);
    if (id == kNoNode) return "missing";
    const RegularFile& file = tree_.file(id);
    const auto opened = file.content->open(env_);
    Buffer bytes(file.expected_size);
    EXPECT_EQ((*opened)->read_at(0, bytes).value_or(0), bytes.size());
    return std::string(as_text(bytes));
  }
  // All paths, in order.
  std::string paths() const {
    std::string out;
    std::vector<NodeId> todo = {kRootNode};
    while (!todo.empty()) {
      const NodeId id = todo.back();
      todo.pop_back();
      if (id != kRootNode) out += (out.empty() ? "" : " ") + tree_.image_path(id).substr(1);
      if (!tree_.node(id).is_directory()) continue;
      const auto& children = std::get<Directory>(tree_.node(id).kind).children;
      todo.insert(todo.end(), children.rbegin(), children.rend());
    }
    return out;
  }

  FakeEnv env_;
  BuildOptions options_;
  Tree tree_;
  std::vector<std::string> warnings_;
  Warn warn_ = [this](const std::string& sentence) { warnings_.push_back(sentence); };
  std::function<bool()> cancelled_ = [] { return false; };
};

TEST_F(SourceArchiveTest, AnEmptyInputIsAnEmptyRoot) {
  env_.standard_input = {};
  ASSERT_TRUE(scan());
  EXPECT_EQ(paths(), "");
  EXPECT_EQ(tree_.node(kRootNode).attributes.mode, 0777);
}

TEST_F(SourceArchiveTest, TheLastOfTwoEntriesOfAPathWins) {
  ASSERT_TRUE(scan(TarBuilder()
                       .file("f", "old")
                       .directory("d", 0700)
                       .file("d/x")
                       .file("f", "new")
                       .directory("d", 0750)));
  EXPECT_EQ(content("f"), "new");
  EXPECT_EQ(tree_.node(find("d")).attributes.mode, 0750);
  EXPECT_EQ(paths(), "d d/x f");
}

TEST_F(SourceArchiveTest, TheRootEntryDescribesTheRoot) {
  ASSERT_TRUE(scan(TarBuilder().add({.path = "./", .type = '5', .mode = 0751, .uid = 12})));
  EXPECT_EQ(tree_.node(kRootNode).attributes.mode, 0751);
  EXPECT_EQ(tree_.node(kRootNode).attributes.uid, 12u);
  EXPECT_FALSE(tree_.node(kRootNode).attributes.is_fabricated);
}

TEST_F(SourceArchiveTest, MissingDirectoriesGetTheDefaults) {
  options_.archive.default_uid = 3;
  options_.archive.default_mode = *ModeChange::parse("711");
  ASSERT_TRUE(scan(TarBuilder().file("a/b/f")));
  EXPECT_EQ(tree_.node(find("a/b")).attributes.mode, 0711);
  EXPECT_EQ(tree_.node(find("a")).attributes.uid, 3u);
  EXPECT_EQ(tree_.node(kRootNode).attributes.mode, 0711);
}

TEST_F(SourceArchiveTest, WhatLeadsOutOfTheImageIsDroppedInFront) {
  ASSERT_TRUE(scan(TarBuilder().file("/etc/a").file("../../b").file("./c//d/./e")));
  EXPECT_EQ(paths(), "b c c/d c/d/e etc etc/a");
}

TEST_F(SourceArchiveTest, DotsBehindANameAreAnErrorThatNamesTheEntry) {
  EXPECT_EQ(failure(TarBuilder().file("a/../../etc/passwd")),
            "standard input: a/../../etc/passwd: the path a/../../etc/passwd contains \"..\" "
            "behind a name");
}

TEST_F(SourceArchiveTest, AHardLinkMayComeBeforeItsTarget) {
  ASSERT_TRUE(scan(TarBuilder().hard_link("a", "b").hard_link("b", "c").file("c", "text")));
  EXPECT_EQ(content("a"), "text");
  EXPECT_EQ(resolved("a"), find("c"));
  EXPECT_EQ(resolved("b"), find("c"));
}

TEST_F(SourceArchiveTest, AHardLinkWithoutTargetIsLeftOut) {
  ASSERT_TRUE(scan(TarBuilder()
                       .file("f")
                       .hard_link("gone", "nowhere")
                       .hard_link("x", "y")
                       .hard_link("y", "x")
                       .hard_link("self", "self")));
  EXPECT_EQ(paths(), "f");
  EXPECT_EQ(warnings_.size(), 4u);
}

TEST_F(SourceArchiveTest, AHardLinkKeepsWhatItsTargetWas) {
  ASSERT_TRUE(scan(TarBuilder().file("f", "old").hard_link("l", "f").file("f", "new")));
  EXPECT_EQ(content("l"), "old");
  EXPECT_EQ(content("f"), "new");
}

TEST_F(SourceArchiveTest, AHardLinkToItselfChangesNothing) {
  ASSERT_TRUE(scan(TarBuilder().file("f", "text").hard_link("f", "./f")));
  EXPECT_EQ(content("f"), "text");
}

TEST_F(SourceArchiveTest, APathGoesOnWhereASymlinkLeadsInsideTheImage) {
  ASSERT_TRUE(scan(TarBuilder()
                       .directory("usr/lib")
                       .symlink("lib", "usr/lib")
                       .symlink("out", "/../../usr")
                       .file("lib/a")
                       .file("out/b")));
  EXPECT_EQ(paths(), "lib out usr usr/b usr/lib usr/lib/a");
}

TEST_F(SourceArchiveTest, APathThroughAFileOrACircleIsAnError) {
  EXPECT_NE(failure(TarBuilder().file("f").file("f/x")).find("f/x: the path f/x leads through f"),
            std::string::npos);
  tree_ = Tree();
  EXPECT_NE(failure(TarBuilder().symlink("a", "b").symlink("b", "a").file("a/x"))
                .find("too many symlinks"),
            std::string::npos);
}

TEST_F(SourceArchiveTest, AFileDoesNotReplaceADirectoryWithContent) {
  ASSERT_TRUE(scan(TarBuilder().file("d/x").file("d", "file").directory("e").file("e", "file")));
  EXPECT_EQ(paths(), "d d/x e");
  EXPECT_EQ(content("e"), "file");
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(SourceArchiveTest, NamesOfUsersGoBeforeNumbersUnlessNumbersAreAskedFor) {
  env_.users = {{"known", 7}};
  const auto archive = TarBuilder()
                           .add({.path = "a", .uid = 1, .user = "known"})
                           .add({.path = "b", .uid = 2, .user = "stranger"});
  ASSERT_TRUE(scan(archive));
  EXPECT_EQ(tree_.node(find("a")).attributes.uid, 7u);
  EXPECT_EQ(tree_.node(find("b")).attributes.uid, 2u);
}

TEST_F(SourceArchiveTest, NumericOwnersIgnoreNames) {
  env_.users = {{"known", 7}};
  options_.archive.numeric_owner = true;
  ASSERT_TRUE(scan(TarBuilder().add({.path = "a", .uid = 1, .user = "known"})));
  EXPECT_EQ(tree_.node(find("a")).attributes.uid, 1u);
}

TEST_F(SourceArchiveTest, ExcludesLeaveOutWhatLiesBelow) {
  options_.filter.syntax = ExcludeSyntax::kWildcards;
  options_.filter.excludes = {"d/s*", "f"};
  ASSERT_TRUE(scan(TarBuilder().file("d/sub/x").file("d/y").file("f").file("g")));
  EXPECT_EQ(paths(), "d d/y g");
}

TEST_F(SourceArchiveTest, PaxNamesTimesAndXattrsComeByteForByte) {
  const std::string name =
      "n\xff\xc3\xa9"
      "e\xcc\x81";
  const std::string value("\0=\n", 3);
  ASSERT_TRUE(scan(TarBuilder()
                       .pax("path", name)
                       .file("short")
                       .pax("mtime", "77.5")
                       .file("t")
                       .pax("SCHILY.xattr.user.a", value)
                       .file("x")
                       .pax("unheard.of", "1")
                       .file("y")));
  const NodeId named = find(name);
  ASSERT_NE(named, kNoNode);
  EXPECT_EQ(tree_.node(find("t")).attributes.mtime, 77);
  const GivenXattrs* given = tree_.find_given_xattrs(find("x"));
  ASSERT_NE(given, nullptr);
  ASSERT_EQ(given->source.size(), 1u);
  EXPECT_EQ(given->source[0].name, "user.a");
  EXPECT_EQ(as_text(given->source[0].value), value);
  EXPECT_NE(find("y"), kNoNode);
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(SourceArchiveTest, WhatTheFormatCannotHoldIsAnErrorThatNamesTheEntry) {
  EXPECT_EQ(failure(TarBuilder().add({.path = "dev", .type = '3', .major = 4096, .minor = 1})),
            "standard input: dev: the device numbers 4096:1 are beyond the format's 4095:1048575");
  EXPECT_NE(failure(TarBuilder().pax("uid", "4294967296").file("f")).find("f: the user id"),
            std::string::npos);
  EXPECT_NE(failure(TarBuilder().pax("path", std::string(256, 'n')).file("f")).find("255 bytes"),
            std::string::npos);
}

// GNU's way: sizes in base 256 where octal digits are too few.
std::string sparse_header(uint64_t size, uint64_t data_size) {
  std::string header(512, '\0');
  TarBuilder::put(header, 0, "big");
  TarBuilder::put(header, 100, "0000644");
  TarBuilder::put(header, 124, TarBuilder::octal(data_size, 11));
  TarBuilder::put(header, 136, TarBuilder::octal(0, 11));
  header[156] = 'S';
  TarBuilder::put(header, 257, std::string("ustar  \0", 8));
  const auto base_256 = [&header](size_t at, uint64_t value) {
    header[at] = '\x80';
    for (size_t i = 11; i > 3; --i, value >>= 8) header[at + i] = static_cast<char>(value);
  };
  base_256(386, size - data_size);
  TarBuilder::put(header, 398, TarBuilder::octal(data_size, 11));
  base_256(483, size);
  return header;
}

TEST_F(SourceArchiveTest, HolesOfTenTerabytesAreRefusedAtOnce) {
  options_.data.block_size = 131072;
  const uint64_t size = uint64_t{10} << 40;
  const std::string what = failure(TarBuilder().add_raw(sparse_header(size, 5), "hello"));
  EXPECT_NE(what.find("big: it has 10995116277760 bytes, nearly all of them holes"),
            std::string::npos)
      << what;
  EXPECT_EQ(env_.spooled_bytes, 5u);
}

TEST_F(SourceArchiveTest, HolesAreNotKeptInTheTemporaryFile) {
  const uint64_t size = uint64_t{1} << 30;
  ASSERT_TRUE(scan(TarBuilder().add_raw(sparse_header(size, 5), "hello").file("next", "n")));
  EXPECT_EQ(env_.spooled_bytes, 6u);
  const RegularFile& file = tree_.file(find("big"));
  EXPECT_EQ(file.expected_size, size);
  EXPECT_TRUE(file.is_sparse_on_host);
  const auto opened = file.content->open(env_);
  EXPECT_EQ(*(*opened)->next_data(0), std::optional(size - 5));
  EXPECT_EQ(*(*opened)->next_hole(size - 5), size);
  Buffer end(10);
  EXPECT_EQ(*(*opened)->read_at(size - 8, end), 8u);
  EXPECT_EQ(as_text(end).substr(0, 8), std::string("\0\0\0hello", 8));
  EXPECT_EQ(content("next"), "n");
}

TEST_F(SourceArchiveTest, EveryTruncationIsAnErrorExceptBetweenEntries) {
  const TarBuilder archive = TarBuilder().file("a", std::string(700, 'a')).file("b");
  const Buffer whole = archive.bytes();
  for (size_t length = 1; length < archive.size_without_end(); ++length) {
    tree_ = Tree();
    FakeEnv env;
    env.standard_input.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    Silence silence;
    const auto built = build_image(options_, "/image", env, silence, cancelled_);
    const bool is_whole = length == 1536;  // the first entry and its padding
    EXPECT_EQ(built.has_value(), is_whole) << length;
    EXPECT_EQ(env.open_input("/image").has_value(), is_whole) << length;
  }
}

TEST_F(SourceArchiveTest, AWrongChecksumIsAnError) {
  env_.standard_input = TarBuilder().file("a").file("b").bytes();
  env_.standard_input[1024] ^= std::byte{1};
  const Status status = scan();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kCorrupt);
}

TEST_F(SourceArchiveTest, GarbageIsAnError) {
  env_.standard_input.assign(5000, std::byte{'g'});
  const Status status = scan();
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().what.find("standard input"), std::string::npos);
}

TEST_F(SourceArchiveTest, AnInterruptedReadGoesOnUnlessItIsCancelled) {
  env_.faults.fail_call(1, EINTR);
  ASSERT_TRUE(scan(TarBuilder().file("a")));
  EXPECT_EQ(paths(), "a");
  cancelled_ = [] { return true; };
  tree_ = Tree();
  const Status status = scan();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kCancelled);
}

TEST_F(SourceArchiveTest, EveryFailingCallIsAnErrorAndLeavesNoImage) {
  const Buffer archive = TarBuilder().file("a", "text").directory("d").hard_link("l", "a").bytes();
  for (uint64_t nth = 1;; ++nth) {
    FakeEnv env;
    env.standard_input = archive;
    env.standard_input_piece = 100;
    env.faults.fail_call(nth, EIO);
    Silence silence;
    options_.data.exit_on_error = true;
    const auto built = build_image(options_, "/image", env, silence, cancelled_);
    if (!env.faults.was_hit()) break;
    env.faults.fail_call(0, 0);
    // Whether something is at the destination is asked first, and may fail in any way.
    EXPECT_EQ(env.open_input("/image").has_value(), built.has_value()) << nth;
    EXPECT_TRUE(nth == 1 || !built) << nth;
    ASSERT_LT(nth, 1000u);
  }
}

// --- layers
// ---------------------------------------------------------------------------------------

TEST_F(SourceArchiveTest, AWhiteoutHidesANameOfLowerLayers) {
  ASSERT_TRUE(scan_layers({TarBuilder().file("d/a").file("d/b").file("e/x"),
                           TarBuilder().file("d/.wh.a").file(".wh.e").file(".wh.nothing")}));
  EXPECT_EQ(paths(), "d d/b");
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(SourceArchiveTest, AnOpaqueDirectoryKeepsItsOwnLayerInAnyOrder) {
  ASSERT_TRUE(scan_layers({TarBuilder().directory("d", 0700).file("d/old").file("d/sub/old"),
                           TarBuilder().file("d/first").file("d/.wh..wh..opq").file("d/sub/new")}));
  EXPECT_EQ(paths(), "d d/first d/sub d/sub/new");
  EXPECT_EQ(tree_.node(find("d")).attributes.mode, 0700);
}

TEST_F(SourceArchiveTest, AWhiteoutDoesNotHideItsOwnLayer) {
  ASSERT_TRUE(
      scan_layers({TarBuilder().file("a", "old").file("d/old"),
                   TarBuilder().file("a", "new").file(".wh.a").file("d/new").file(".wh.d")}));
  EXPECT_EQ(content("a"), "new");
  EXPECT_EQ(paths(), "a d d/new");
}

TEST_F(SourceArchiveTest, AnOpaqueRootHidesEverythingBelow) {
  ASSERT_TRUE(scan_layers(
      {TarBuilder().file("a").file("b/c"), TarBuilder().file(".wh..wh..opq").file("d")}));
  EXPECT_EQ(paths(), "d");
}

TEST_F(SourceArchiveTest, HidingOneNameOfAFileLeavesTheOthers) {
  ASSERT_TRUE(scan_layers({TarBuilder().file("a", "text").hard_link("b", "a").hard_link("c", "a"),
                           TarBuilder().file(".wh.a").hard_link("d", "b")}));
  EXPECT_EQ(paths(), "b c d");
  EXPECT_EQ(content("b"), "text");
  EXPECT_EQ(resolved("c"), resolved("b"));
  EXPECT_EQ(resolved("d"), resolved("b"));
}

TEST_F(SourceArchiveTest, ALayerMayReplaceADirectoryByAFileAndBack) {
  const Status status =
      scan_layers({TarBuilder().file("d/x").file("f"), TarBuilder().file("d", "file"),
                   TarBuilder().file("f/y").directory("f")});
  ASSERT_TRUE(status) << status.error().what;
  EXPECT_EQ(paths(), "d f f/y");
}

TEST_F(SourceArchiveTest, NotesOfUnionFileSystemsAreNotStored) {
  ASSERT_TRUE(scan_layers({TarBuilder()
                               .file("a")
                               .file(".wh..wh.plnk/1.2")
                               .file(".wh..wh.aufs")
                               .file(".wh...")
                               .file(".wh..")}));
  EXPECT_EQ(paths(), "a");
}

TEST_F(SourceArchiveTest, WithoutLayersWhiteoutsAreFiles) {
  ASSERT_TRUE(scan(TarBuilder().file("a").file(".wh.a")));
  EXPECT_EQ(paths(), ".wh.a a");
}

}  // namespace
}  // namespace sqfs
