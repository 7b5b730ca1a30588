// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/env.h"
#include "base/mode_change.h"
#include "writer/dereference.h"

// What the -action options ask for: pairs of an action and an expression that says for which files.
// Values alone, checked by whoever made them; writer/action_tests.h evaluates the expressions,
// writer/action_effects.h does what they select.
namespace sqfs {

enum class TestKind : uint8_t {
  // Operators.
  kAnd,
  kOr,
  kNot,
  // Tests of one file.
  kTrue,
  kFalse,
  kNumber,
  kType,
  kPermissions,
  kName,
  kPathname,
  kSubpathname,
  kFile,      // what file(1) says
  kExec,      // what a shell command says
  kExists,    // a symlink leads to something in the image
  kAbsolute,  // a symlink with an absolute target
  // Tests of another file that this one leads to.
  kStat,      // the same name, with the attributes that stat(2) finds
  kReadLink,  // what a symlink leads to in the image
  kEval,      // what is at a path of the image
};

// A number that a file has, or has not, depending on its type.
enum class FileNumber : uint8_t {
  kFileSize,    // regular files
  kTailSize,    // regular files: what is behind the last full block
  kDirSize,     // directories
  kSize,        // as the host tells it
  kInode,       // on the host
  kLinks,       // on the host
  kFileBlocks,  // regular files: of 512 bytes, as the host allocated them
  kDirBlocks,
  kBlocks,
  kUser,
  kGroup,
  kDepth,     // of the path: 1 below the root
  kDirCount,  // entries of a directory
};

// A node of an expression. Which members count depends on the kind.
struct ActionTest {
  TestKind kind = TestKind::kTrue;
  uint32_t left = 0, right = 0;  // of operators; `left` also of kStat, kReadLink, kEval
  std::string label;             // "name(a*)": how a log shows it

  FileNumber number = FileNumber::kSize;
  uint64_t min = 0, max = std::numeric_limits<uint64_t>::max();

  FileType type = FileType::kRegular;

  enum class Match : uint8_t { kExactly, kAllOf, kAnyOf } match = Match::kExactly;
  uint16_t mode = 0;

  std::string text;  // pattern, regular expression, command, or path of kEval
};

// Left to right, operands before their operators: the last one is the whole expression.
using ActionExpression = std::vector<ActionTest>;

enum class ActionKind : uint8_t {
  // While the sources are scanned.
  kExclude,
  kDereference,
  // On the tree.
  kFragment,
  kFragments,
  kNoFragments,
  kTailEnds,
  kNoTailEnds,
  kCompressed,
  kUncompressed,
  kUid,
  kGid,
  kGuid,
  kMode,
  kAlign,
  kNoop,
  // On the tree, each in a phase of its own.
  kMove,
  kPrune,
  kEmpty,
  // On extended attributes.
  kXattrsExclude,
  kXattrsInclude,
  kXattrsAdd,
};

// Which directories without entries `empty` removes.
enum class EmptyChoice : uint8_t { kAll, kSource, kExcluded };

struct Action {
  ActionKind kind = ActionKind::kNoop;
  std::string label;  // "uid(5)": how a log shows it
  ActionExpression expression;
  bool logs_true = false, logs_false = false;  // files for which it came out so

  std::string text;  // a group's name, a path, a regular expression, an attribute's name
  Buffer value;      // of an attribute
  std::optional<uint32_t> uid, gid;
  std::optional<ModeChange> mode;
  uint8_t align_log = 0;
  EmptyChoice empty = EmptyChoice::kAll;
  Dereference dereference = Dereference::kOrLeaveOut;
};

inline bool is_of_scan(ActionKind kind) {
  return kind == ActionKind::kExclude || kind == ActionKind::kDereference;
}
inline bool is_of_xattrs(ActionKind kind) { return kind >= ActionKind::kXattrsExclude; }

}  // namespace sqfs
