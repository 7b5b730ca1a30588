// SPDX-License-Identifier: MIT
#include <cerrno>

#include "tests/support/append_fixture.h"

namespace sqfs {
namespace {

TEST_F(AppendTest, TheImageHoldsBothTrees) {
  make_old();
  const auto summary = append();
  ASSERT_TRUE(summary) << summary.error().what;
  const std::string tree = tree_of(image());
  EXPECT_EQ(faults_of(image()), "");
  EXPECT_TRUE(tree.starts_with("/ mode " + std::to_string(0711))) << tree;
  for (const std::string line :
       {"/a ", "/d/b ", "/d/sparse ", "/l ", "/n ", "/e/copy ", "/e/other "}) {
    EXPECT_NE(tree.find("\n" + line), std::string::npos) << line;
  }
  EXPECT_NE(tree.find("user.x=value"), std::string::npos);
  EXPECT_NE(tree.find("user.y=other value"), std::string::npos);
  EXPECT_EQ(summary->inodes, 11u);
  EXPECT_EQ(summary->files, 7u);
  EXPECT_EQ(summary->duplicate_files, 2u);
  EXPECT_EQ(summary->file_bytes, 10000u + 9 + 50000 + 8 + 10000 + 9 + 20000);
}

TEST_F(AppendTest, OnlyNewFilesAreTold) {
  make_old();
  ASSERT_TRUE(append());
  EXPECT_EQ(recorder_.paths,
            (std::set<std::string>{"/", "/e", "/e/copy", "/e/copy of a", "/e/other", "/n"}));
  ASSERT_TRUE(recorder_.base);
  EXPECT_EQ(recorder_.base->superblock.inode_count, 6u);
}

TEST_F(AppendTest, WhatIsThereIsNotStoredAgain) {
  make_old();
  const uint64_t before = old_.size;
  env_.replace_by_file("/new/e/other", FakeContent(text("short")));
  ASSERT_TRUE(append());
  EXPECT_EQ(image().size, before);
}

TEST_F(AppendTest, SettingsAreThoseOfTheImage) {
  options_.export_table = false;
  options_.data.config.gzip.level = 1;
  make_old();
  options_.export_table = true;
  options_.data.block_size = 65536;
  options_.data.config = {};
  options_.data.fragments = FragmentPolicy::kTailEnds;
  ASSERT_TRUE(append());
  const Superblock before = *decode_superblock(old_.bytes());
  const Superblock after = *decode_superblock(image().bytes());
  EXPECT_EQ(after.flags, before.flags);
  EXPECT_EQ(after.block_size, 4096u);
}

TEST_F(AppendTest, TakenNamesGetNumbers) {
  make_old();
  env_.add_file("/new/a", FakeContent(text("mine")));
  env_.add_file("/new/a_1", FakeContent(text("mine too")));
  ASSERT_TRUE(append());
  const std::string tree = tree_of(image());
  EXPECT_EQ(recorder_.warnings,
            std::vector<std::string>{"Source directory entry a already used! - trying a_2"});
  EXPECT_NE(tree.find("/a_1 "), std::string::npos);
  EXPECT_NE(tree.find("/a_2 "), std::string::npos);
}

TEST_F(AppendTest, ARootThatIsMadeUpKeepsItsAttributes) {
  make_old();
  env_.set_xattr("/old", "user.root", text("r"));
  ASSERT_TRUE(append("/new/n"));
  EXPECT_TRUE(tree_of(image()).starts_with("/ mode " + std::to_string(0700)));
  options_.owners.root_mode = *ModeChange::parse("0755");
  start_again();
  ASSERT_TRUE(append("/new/n"));
  EXPECT_TRUE(tree_of(image()).starts_with("/ mode " + std::to_string(0755)));
}

TEST_F(AppendTest, OptionsDoNotChangeOldFiles) {
  env_.attributes("/old/a").uid = 7;
  env_.attributes("/old/a").mtime_seconds = 77;
  make_old();
  options_.owners.force_uid = 5;
  options_.times.inodes = {TimeChoice::Kind::kFixed, 55};
  ASSERT_TRUE(append());
  const std::string tree = tree_of(image());
  EXPECT_NE(tree.find("/a mode 420 owner 7 time 77 "), std::string::npos) << tree;
  EXPECT_NE(tree.find("/n mode 420 owner 5 time 55 "), std::string::npos) << tree;
}

TEST_F(AppendTest, TheOldRootCanBecomeADirectory) {
  make_old();
  env_.add_file("/new/was", FakeContent(text("mine")));
  options_.root_becomes = "was";
  ASSERT_TRUE(append());
  const std::string tree = tree_of(image());
  EXPECT_EQ(faults_of(image()), "");
  EXPECT_TRUE(tree.starts_with("/ mode " + std::to_string(0711)));
  EXPECT_NE(tree.find("/was mode " + std::to_string(0700)), std::string::npos);
  EXPECT_NE(tree.find("/was/d/b "), std::string::npos);
  EXPECT_NE(tree.find("/was_1 "), std::string::npos);
}

TEST_F(AppendTest, PathsAreNotMergedIntoTheImage) {
  make_old();
  env_.add_file("/d/x", FakeContent(text("mine")));
  options_.source_kind = SourceKind::kFilePaths;
  const auto summary = append("/d");
  ASSERT_FALSE(summary);
  EXPECT_NE(summary.error().what.find("conflicts with name in filesystem"), std::string::npos);
  EXPECT_EQ(image().bytes(), old_.bytes());
}

TEST_F(AppendTest, ManySmallStepsTakeLittleMoreThanOne) {
  make_old();
  for (int i = 0; i < 50; ++i) {
    env_.replace_by_file("/new/n", FakeContent(noise(5000, 100 + static_cast<uint32_t>(i))));
    ASSERT_TRUE(append("/new/n"));
  }
  EXPECT_EQ(faults_of(image()), "");
  EXPECT_LT(image().size, old_.size + 50 * 5000 + 20000);
}

TEST_F(AppendTest, BytesBehindTheImageComeBackAfterAnError) {
  make_old();
  old_.write_at(old_.size, text("a signature"));
  old_.truncate(old_.size + 10000);
  for (uint64_t nth = 1;; ++nth) {
    start_again();
    env_.update_faults.fail_call(nth, EIO);
    if (append()) break;
    ASSERT_EQ(image().bytes(), old_.bytes()) << nth;
  }
}

// --- what is no image
// -----------------------------------------------------------------------------

class NoImage : public AppendTest, public testing::WithParamInterface<Buffer> {};

TEST_P(NoImage, IsNeverOverwritten) {
  env_.replace_by_file("/image", FakeContent(GetParam()));
  const auto summary = append();
  ASSERT_FALSE(summary);
  EXPECT_NE(summary.error().what.find("-noappend"), std::string::npos) << summary.error().what;
  EXPECT_EQ(image().bytes(), GetParam());
  EXPECT_TRUE(env_.changes.empty());
}

Buffer bad_superblock(size_t at, uint8_t value) {
  Superblock super;
  super.inode_count = super.id_count = 1;
  super.bytes_used = 4096;
  const auto encoded = encode(super);
  Buffer out(encoded.begin(), encoded.end());
  out.resize(4096);
  out[at] = static_cast<std::byte>(value);
  return out;
}

INSTANTIATE_TEST_SUITE_P(, NoImage,
                         testing::Values(Buffer(), text("garbage"), Buffer(8192), noise(5000, 9),
                                         bad_superblock(0, 's'), bad_superblock(28, 3),
                                         bad_superblock(20, 77), bad_superblock(41, 0xff),
                                         bad_superblock(8, 1)));

TEST_F(AppendTest, ATruncatedImageIsRefused) {
  make_old();
  for (uint64_t size = 0; size < decode_superblock(old_.bytes())->bytes_used; size += 7) {
    start_again();
    FakeContent cut = old_;
    cut.truncate(size);
    env_.replace_by_file("/image", cut);
    const auto summary = append();
    ASSERT_FALSE(summary) << size;
    ASSERT_NE(summary.error().what.find("-noappend"), std::string::npos) << summary.error().what;
    ASSERT_EQ(image().bytes(), cut.bytes()) << size;
  }
}

// One byte after the other: either it is refused or what can be read of it is still there.
TEST_F(AppendTest, DamagedImagesDoNoHarm) {
  options_.raw_inodes = true;
  make_old();
  const Superblock super = *decode_superblock(old_.bytes());
  uint32_t seed = 1;
  for (uint64_t at = 4; at < super.bytes_used; ++at) {
    if (at == kSuperblockSize) at = super.inode_table_start;
    FakeContent damaged = old_;
    seed = seed * 1664525 + 1013904223;
    damaged.write_at(at, Buffer(1, static_cast<std::byte>(seed >> 24)));
    env_.replace_by_file("/image", damaged);
    const std::string before = tree_of(damaged);
    if (append("/new/n")) continue;
    ASSERT_EQ(image().bytes(), damaged.bytes()) << at;
  }
}

// --- power cuts and write errors
// ------------------------------------------------------------------

struct Variant {
  std::string name;
  uint64_t offset = 0;
  bool pad = true;
};

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

class AppendFaults : public AppendTest, public testing::WithParamInterface<Variant> {
 protected:
  void SetUp() override {
    options_.image_offset = GetParam().offset;
    options_.pad = GetParam().pad;
    make_old();
    ASSERT_TRUE(append()) << "without a fault";
    new_tree_ = tree_of(image(), options_.image_offset);
    ASSERT_NE(new_tree_, old_tree_);
  }

  // The image is what it was, or it is the new one; and no verifier finds fault with it.
  void expect_intact(const FakeContent& content, const std::string& when) {
    const std::string tree = tree_of(content, options_.image_offset);
    ASSERT_TRUE(tree == old_tree_ || tree == new_tree_) << when << ":\n" << tree;
    ASSERT_EQ(faults_of(content, options_.image_offset), "") << when;
  }

  // The power fails after any of the changes: all since the last sync may be lost, each for itself.
  void expect_intact_after_power_cuts(const std::string& when) {
    FakeContent synced = old_;
    std::vector<const FakeChange*> pending;
    for (const FakeChange& change : env_.changes) {
      if (change.kind == FakeChange::Kind::kSync) {
        for (const FakeChange* one : pending) one->apply_to(synced);
        pending.clear();
        continue;
      }
      pending.push_back(&change);
      for (uint32_t round = 0; round < 4; ++round) {
        FakeContent cut = synced;
        for (size_t i = 0; i < pending.size(); ++i) {
          const bool is_lost = round == 1   ? i + 1 < pending.size()
                               : round == 2 ? i == 0
                               : round == 3 ? (i * 2654435761u >> 7 & 1) != 0
                                            : false;
          if (!is_lost) pending[i]->apply_to(cut);
        }
        expect_intact(cut, when + ", round " + std::to_string(round));
        if (HasFatalFailure()) return;
      }
    }
  }

  void run_all(int os_errno, bool stays) {
    for (uint64_t nth = 1;; ++nth) {
      start_again();
      if (stays) {
        env_.update_faults.fail_from_call(nth, os_errno);
      } else {
        env_.update_faults.fail_call(nth, os_errno);
      }
      const auto summary = append();
      const std::string when = "change " + std::to_string(nth);
      const bool was_hit = env_.update_faults.was_hit();
      expect_intact(image(), when);
      if (!summary && !stays) {
        ASSERT_EQ(image().bytes(), old_.bytes()) << when;
      }
      if (summary) {
        ASSERT_EQ(tree_of(image(), options_.image_offset), new_tree_) << when;
      }
      expect_intact_after_power_cuts(when);
      if (HasFatalFailure() || !was_hit) return;
      ASSERT_LT(nth, 1000u);
    }
  }

  std::string new_tree_;
};

TEST_P(AppendFaults, AnyChangeMayBeTheOneThatFails) { run_all(EIO, false); }
TEST_P(AppendFaults, TheDiskMayBeFullOnce) { run_all(ENOSPC, false); }
TEST_P(AppendFaults, AndAllThatFollowFailToo) { run_all(EIO, true); }
TEST_P(AppendFaults, OrTheDiskStaysFull) { run_all(ENOSPC, true); }

INSTANTIATE_TEST_SUITE_P(, AppendFaults,
                         testing::Values(Variant{"plain"}, Variant{"offset", 1000},
                                         Variant{"unpadded", 0, false}));

TEST_F(AppendTest, AfterAPowerCutTheNextOneTakesTheRoomBack) {
  make_old();
  ASSERT_TRUE(append());
  const FakeContent finished = image();
  // Before each change in turn the power fails.
  const std::vector<FakeChange> changes = env_.changes;
  for (size_t end = 0; end <= changes.size(); ++end) {
    FakeContent cut = old_;
    for (size_t i = 0; i < end; ++i) changes[i].apply_to(cut);
    if (tree_of(cut) != old_tree_) break;
    env_.replace_by_file("/image", cut);
    const auto summary = append();
    ASSERT_TRUE(summary) << end << summary.error().what;
    ASSERT_EQ(image().bytes(), finished.bytes()) << end;
  }
}

TEST_F(AppendTest, AnInterruptionPutsEverythingBack) {
  make_old();
  for (int calls = 0;; ++calls) {
    start_again();
    int left = calls;
    cancelled_ = [&left] { return left-- <= 0; };
    if (append()) break;
    ASSERT_EQ(image().bytes(), old_.bytes()) << calls;
  }
}

TEST_F(AppendTest, WithoutRoomForTheTablesTheyStayWhereTheyAre) {
  make_old();
  env_.update_faults.fail_call(1, ENOSPC);
  ASSERT_TRUE(append());
  EXPECT_EQ(faults_of(image()), "");
  EXPECT_GT(image().size, old_.size);
}

// A new image is none before it is complete.
TEST_F(AppendTest, NoPartOfANewImageMounts) {
  make_old();
  const FakeContent finished = old_;
  FakeContent synced;
  std::vector<const FakeChange*> pending;
  for (const FakeChange& change : env_.changes) {
    if (change.kind == FakeChange::Kind::kSync) {
      for (const FakeChange* one : pending) one->apply_to(synced);
      pending.clear();
      continue;
    }
    pending.push_back(&change);
    for (size_t lost = 0; lost <= pending.size(); ++lost) {
      FakeContent cut = synced;
      for (size_t i = 0; i < pending.size(); ++i) {
        if (i != lost) pending[i]->apply_to(cut);
      }
      if (tree_of(cut).starts_with("unreadable")) continue;
      ASSERT_EQ(cut.bytes(), finished.bytes());
    }
  }
}

}  // namespace
}  // namespace sqfs
