// SPDX-License-Identifier: MIT
#include "writer/action_effects.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/action_parser.h"
#include "tests/support/fake_env.h"
#include "tests/support/tool_run.h"
#include "writer/plan.h"
#include "writer/source_dir.h"

namespace sqfs {
namespace {

using Lines = std::vector<std::string>;

// /s/a (3 bytes, also called /s/hard), /s/dir/b (5000 bytes), /s/dir/empty, /s/link -> dir/b,
// /s/dir/up -> ../link, /s/abs -> /s/a, /s/lost -> nowhere.
class Actions : public testing::Test {
 protected:
  Actions() {
    env_.add_file("/s/a", FakeContent(Buffer(3, std::byte{'x'})));
    env_.add_file("/s/hard", FakeContent(Buffer(3, std::byte{'x'})));
    env_.attributes("/s/a").nlink = 2;
    env_.attributes("/s/hard") = env_.attributes("/s/a");
    env_.add_file("/s/dir/b", FakeContent(Buffer(5000, std::byte{'x'})));
    env_.attributes("/s/dir/b").mode = 0640;
    env_.attributes("/s/dir/b").uid = 7;
    env_.add_directory("/s/dir/empty");
    env_.add_symlink("/s/link", "dir/b");
    env_.add_symlink("/s/dir/up", "../link");
    env_.add_symlink("/s/abs", "/s/a");
    env_.add_symlink("/s/lost", "nowhere");
  }

  void add(std::string_view text, bool logs_true = false, bool logs_false = false) {
    auto action = parse_action(text, system_);
    ASSERT_TRUE(action) << (action ? "" : action.error().what);
    actions_.push_back(*std::move(action));
    actions_.back().logs_true = logs_true;
    actions_.back().logs_false = logs_false;
  }

  Status run() {
    runner_.emplace(ActionRunner::Setting{actions_, 4096, env_, warn_, log_, cancelled_});
    SQFS_CHECKED(runner_->prepare());
    options_.sources = {"/s"};
    SQFS_TRY(Filter filter, Filter::make(options_.filter, options_.sources, false, env_, warn_));
    SQFS_CHECKED(scan_sources(options_, filter, env_, warn_, cancelled_, tree_, {}, &*runner_));
    SQFS_CHECKED(runner_->apply(tree_));
    tree_.settle_links();
    tree_.sort();
    return ok();
  }

  // The paths that "noop@EXPRESSION" selects.
  Lines selected(const std::string& expression) {
    actions_.clear();
    lines_.clear();
    tree_ = Tree();
    add("noop@" + expression, true);
    const Status status = run();
    EXPECT_TRUE(status) << (status ? "" : status.error().what);
    Lines paths;
    for (const std::string& line : lines_) paths.push_back(line.substr(0, line.find('=')));
    return paths;
  }

  Lines paths(NodeId directory = kRootNode) {
    Lines out;
    for (const NodeId child : tree_.directory(directory).children) {
      out.push_back(tree_.image_path(child));
      if (!tree_.node(child).is_directory()) continue;
      for (std::string& path : paths(child)) out.push_back(std::move(path));
    }
    return out;
  }
  const Node& node(std::string_view path) {
    const NodeId id = follow_path(tree_, kRootNode, path, true);
    EXPECT_NE(id, kNoNode) << path;
    return tree_.node(resolve_link(tree_, id));
  }
  const DataPolicy& policy(std::string_view path) {
    return std::get<RegularFile>(node(path).kind).policy;
  }

  FakeEnv env_;
  FakeSystem system_;
  BuildOptions options_;
  std::vector<Action> actions_;
  Lines warnings_, lines_;
  Warn warn_ = [this](const std::string& sentence) { warnings_.push_back(sentence); };
  std::function<void(const std::string&)> log_ = [this](const std::string& line) {
    lines_.push_back(line);
  };
  std::function<bool()> cancelled_ = [] { return false; };
  Tree tree_;
  std::optional<ActionRunner> runner_;
};

// --- which files

TEST_F(Actions, NamesAndPathsAreMatchedAsGlobs) {
  EXPECT_EQ(selected("name(l*)"), (Lines{"/link", "/lost"}));
  EXPECT_EQ(selected("name(\"@(a|b)\")"), (Lines{"/a", "/dir/b"}));
  EXPECT_EQ(selected("pathname(dir/*)"), (Lines{"/dir/b", "/dir/empty", "/dir/up"}));
  EXPECT_EQ(selected("pathname(/a)"), (Lines{"/a"}));
  EXPECT_EQ(selected("subpathname(d*)"), (Lines{"/dir", "/dir/b", "/dir/empty", "/dir/up"}));
  EXPECT_EQ(selected("subpathname(dir/b)"), (Lines{"/dir/b"}));
}

TEST_F(Actions, NumbersAreThoseOfTheirTypesOfFiles) {
  EXPECT_EQ(selected("filesize(3)"), (Lines{"/a", "/hard"}));
  EXPECT_EQ(selected("filesize(>=3)"), (Lines{"/a", "/dir/b", "/hard"}));
  EXPECT_EQ(selected("tailsize(904)"), (Lines{"/dir/b"}));
  EXPECT_EQ(selected("dirsize(>=0)"), (Lines{"/dir", "/dir/empty", "/"}));
  EXPECT_EQ(selected("dircount(0)"), (Lines{"/dir/empty"}));
  EXPECT_EQ(selected("dircount_range(1,3)"), (Lines{"/dir"}));
  EXPECT_EQ(selected("nlink(2)&&type(f)"), (Lines{"/a", "/hard"}));
  EXPECT_EQ(selected("depth(0)"), (Lines{"/"}));
  EXPECT_EQ(selected("depth(>1)&&type(f)"), (Lines{"/dir/b"}));
  EXPECT_EQ(selected("uid(7)"), (Lines{"/dir/b"}));
  const auto inode = env_.attributes("/s/dir/b").inode;
  EXPECT_EQ(selected("inode(" + std::to_string(inode) + ")"), (Lines{"/dir/b"}));
}

TEST_F(Actions, TypesAndPermissions) {
  EXPECT_EQ(selected("type(l)"), (Lines{"/abs", "/dir/up", "/link", "/lost"}));
  EXPECT_EQ(selected("perm(640)"), (Lines{"/dir/b"}));
  EXPECT_EQ(selected("type(f)&&perm(-040)&&perm(/022)"), (Lines{}));
}

TEST_F(Actions, SymlinksLeadToFilesOfTheImage) {
  EXPECT_EQ(selected("type(l)&&exists"), (Lines{"/dir/up", "/link"}));
  EXPECT_EQ(selected("absolute"), (Lines{"/abs"}));
  EXPECT_EQ(selected("readlink(pathname(/dir/b))"), (Lines{"/dir/up", "/link"}));
  EXPECT_EQ(selected("eval(b,true)"), (Lines{"/dir"}));
  EXPECT_EQ(selected("eval(../a,true)"), (Lines{"/a", "/abs", "/dir", "/hard", "/link", "/lost"}));
  EXPECT_EQ(selected("eval(/dir/up,name(b))&&depth(0)"), (Lines{"/"}));
}

TEST_F(Actions, OperatorsHaveNoPrecedence) {
  EXPECT_EQ(selected("true||true&&false"), (Lines{}));
  EXPECT_EQ(selected("name(a)||(true&&false)"), (Lines{"/a"}));
  EXPECT_EQ(selected("!type(l)&&!type(d)"), (Lines{"/a", "/dir/b", "/hard"}));
}

TEST_F(Actions, ProgramsAreAsked) {
  env_.program = [](const Command& command, std::string& printed) {
    if (command.words[0] == "file") {
      printed = command.words.back() == "/s/a" ? "ASCII text\n" : "data\n";
      return 0;
    }
    EXPECT_EQ(command.words, (std::vector<std::string>{"/bin/sh", "-c", "look"}));
    const auto& variables = command.variables;
    return variables[0].second == "b" && variables[1].second == "/dir/b" &&
                   variables[2].second == "/s/dir/b"
               ? 0
               : 1;
  };
  EXPECT_EQ(selected("file(^ASCII)"), (Lines{"/a"}));
  EXPECT_EQ(selected("exec(look)"), (Lines{"/dir/b"}));
}

TEST_F(Actions, AProgramThatCannotBeRunIsAnError) {
  add("noop@file(x)");
  EXPECT_FALSE(run());
  actions_.clear();
  env_.program = [](const Command&, std::string&) { return 127; };
  add("noop@file(x)");
  tree_ = Tree();
  EXPECT_FALSE(run());
}

TEST_F(Actions, TheLogShowsWhatWasLookedAt) {
  add("uid(5)@name(a)&&type(f)||false", true, true);
  ASSERT_TRUE(run());
  EXPECT_EQ(lines_[0], "/a=uid(5)@((name(a)=True&&type(f)=True))");
  EXPECT_EQ(lines_[1], "/abs=uid(5)@((name(a)=False)||false=False)");
  EXPECT_EQ(lines_.back(), "/=uid(5)@((name(a)=False)||false=False)");
}

TEST_F(Actions, TheLogShowsOtherFiles) {
  add("prune@readlink(!name(b))||eval(/a,false)", false, true);
  ASSERT_TRUE(run());
  EXPECT_EQ(lines_.front(), "/a=prune@(readlink(=False)=False||eval(/a,false=False)=False)");
  const std::string link =
      "/link=prune@(readlink(!name(b)=True)=False||eval(/a,false=False)=False)";
  EXPECT_EQ(std::count(lines_.begin(), lines_.end(), link), 1);
}

TEST_F(Actions, SomeFilesAreLoggedOnly) {
  add("noop@name(a)", false, true);
  ASSERT_TRUE(run());
  EXPECT_EQ(lines_.size(), 9u);
  EXPECT_EQ(lines_[0], "/abs=noop@name(a)=False");
}

// --- effects

TEST_F(Actions, ExcludedFilesAreNotScanned) {
  add("exclude@name(dir)||filesize(3)");
  ASSERT_TRUE(run());
  EXPECT_EQ(paths(), (Lines{"/abs", "/link", "/lost"}));
  EXPECT_TRUE(tree_.directory(kRootNode).has_exclusions);
}

TEST_F(Actions, ExcludeFollowsSymlinksOnTheHost) {
  add("exclude@type(l)&&depth(1)&&stat(type(f))");
  ASSERT_TRUE(run());
  EXPECT_EQ(paths(), (Lines{"/a", "/dir", "/dir/b", "/dir/empty", "/dir/up", "/hard", "/lost"}));
}

TEST_F(Actions, OwnersAndModesOfOneFileAreThoseOfItsOtherNames) {
  add("guid(3,4)@name(hard)");
  add("mode(u+x)@name(a)&&uid(0)");
  add("chmod(4711)@name(b)");
  ASSERT_TRUE(run());
  EXPECT_EQ(node("/a").attributes.uid, 3u);
  EXPECT_EQ(node("/a").attributes.gid, 4u);
  EXPECT_EQ(node("/hard").attributes.mode & 0100, 0100);
  EXPECT_EQ(node("/dir/b").attributes.mode, 04711);
  EXPECT_EQ(node("/dir/b").attributes.uid, 7u);
}

TEST_F(Actions, LaterActionsSeeWhatEarlierOnesDid) {
  add("uid(9)@name(b)");
  add("gid(8)@uid(9)");
  ASSERT_TRUE(run());
  EXPECT_EQ(node("/dir/b").attributes.gid, 8u);
}

TEST_F(Actions, ModesAreNotForSymlinks) {
  const uint16_t before = env_.attributes("/s/link").mode;
  add("mode(1)@true");
  ASSERT_TRUE(run());
  EXPECT_EQ(node("/link").attributes.mode, before);
  EXPECT_EQ(tree_.node(kRootNode).attributes.mode, 1);
}

TEST_F(Actions, PoliciesOfFiles) {
  add("fragment(x)@name(a)");
  add("fragment(y)@name(b)");
  add("fragment(x)@name(b)");
  add("no-fragments@name(b)");
  add("tailend@name(b)");
  add("uncompressed@name(b)");
  add("align(4k)@name(b)");
  ASSERT_TRUE(run());
  EXPECT_EQ(policy("/a").fragment_group, policy("/dir/b").fragment_group);
  EXPECT_NE(policy("/a").fragment_group, 0);
  EXPECT_EQ(policy("/dir/b").fragments, DataPolicy::Choice::kNo);
  EXPECT_EQ(policy("/dir/b").tail_ends, DataPolicy::Choice::kYes);
  EXPECT_EQ(policy("/dir/b").compressed, DataPolicy::Choice::kNo);
  EXPECT_EQ(policy("/dir/b").align_log, 12);
  EXPECT_EQ(policy("/a").fragments, DataPolicy::Choice::kAsOptions);
}

TEST_F(Actions, MovesAreThoseOfMv) {
  add("move(dir)@name(a)");
  add("move(newname)@name(b)");
  add("move(/dir/empty/x)@name(link)");
  add("move(..)@name(up)");
  ASSERT_TRUE(run());
  EXPECT_EQ(paths(), (Lines{"/abs", "/dir", "/dir/a", "/dir/empty", "/dir/empty/x", "/dir/newname",
                            "/hard", "/lost", "/up"}));
  EXPECT_TRUE(warnings_.empty());
  EXPECT_EQ(tree_.host_path(follow_path(tree_, kRootNode, "/dir/newname", true)), "/s/dir/b");
}

TEST_F(Actions, MovesThatAreNotPossibleAreLeftOut) {
  add("move(none/x)@name(a)");
  add("move(lost)@name(a)");
  add("move(dir/empty)@name(dir)");
  add("move(q)@name(abs)||name(link)");
  ASSERT_TRUE(run());
  EXPECT_EQ(paths(), (Lines{"/a", "/dir", "/dir/b", "/dir/empty", "/dir/up", "/hard", "/link",
                            "/lost", "/q"}));
  EXPECT_EQ(warnings_.size(), 4u);
}

TEST_F(Actions, PrunedFilesAreGoneWithWhatIsBelow) {
  add("prune@name(dir)||name(a)");
  ASSERT_TRUE(run());
  EXPECT_EQ(paths(), (Lines{"/abs", "/hard", "/link", "/lost"}));
  EXPECT_TRUE(node("/hard").is_file());
}

TEST_F(Actions, EmptyDirectoriesAreRemovedBottomUp) {
  add("prune@name(b)||name(up)");
  add("empty@true");
  ASSERT_TRUE(run());
  EXPECT_EQ(paths(), (Lines{"/a", "/abs", "/hard", "/link", "/lost"}));
}

TEST_F(Actions, EmptyInTheSourceIsNotEmptiedByExclusions) {
  env_.add_file("/s/full/x", FakeContent(Buffer(1)));
  add("exclude@name(x)");
  add("empty(source)@true");
  ASSERT_TRUE(run());
  EXPECT_EQ(paths(),
            (Lines{"/a", "/abs", "/dir", "/dir/b", "/dir/up", "/full", "/hard", "/link", "/lost"}));
  actions_.pop_back();
  add("empty(excluded)@true");
  tree_ = Tree();
  ASSERT_TRUE(run());
  EXPECT_EQ(paths(), (Lines{"/a", "/abs", "/dir", "/dir/b", "/dir/empty", "/dir/up", "/hard",
                            "/link", "/lost"}));
}

TEST_F(Actions, AttributesAreFilteredAndAdded) {
  add("xattrs-exclude(^user.secret)@name(a)");
  add("xattrs-include(^user)@name(a)");
  add("xattrs-add(user.x=y)@type(f)");
  ASSERT_TRUE(run());
  const auto a = runner_->xattrs_of(tree_, follow_path(tree_, kRootNode, "/a", true));
  ASSERT_TRUE(a);
  EXPECT_FALSE(a->wants("user.secret"));
  EXPECT_TRUE(a->wants("user.other"));
  EXPECT_FALSE(a->wants("trusted.other"));
  EXPECT_EQ(a->added.size(), 1u);
  const auto link = runner_->xattrs_of(tree_, follow_path(tree_, kRootNode, "/link", true));
  ASSERT_TRUE(link);
  EXPECT_TRUE(link->wants("trusted.other"));
  EXPECT_TRUE(link->added.empty());
}

TEST_F(Actions, DereferencingIsAPredicateOfSymlinks) {
  add("dereference@name(link)");
  add("dereference(keep)@type(l)&&pathname(/dir/*)");
  ASSERT_TRUE(run());
  ActionSubject subject{"/dir/up", "/s/dir/up", env_.attributes("/s/dir/up")};
  EXPECT_EQ(*runner_->dereferences(subject), Dereference::kOrKeep);
  subject.path = "/link";
  EXPECT_EQ(*runner_->dereferences(subject), Dereference::kOrLeaveOut);
  subject.path = "/abs";
  EXPECT_EQ(*runner_->dereferences(subject), Dereference::kNo);
  subject.info.type = FileType::kRegular;
  subject.path = "/link";
  EXPECT_EQ(*runner_->dereferences(subject), Dereference::kNo);
}

TEST_F(Actions, ASignalEndsTheWork) {
  add("noop@true");
  ASSERT_TRUE(run());
  cancelled_ = [] { return true; };
  const Status status = runner_->apply(tree_);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kCancelled);
}

}  // namespace
}  // namespace sqfs
