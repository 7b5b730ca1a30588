// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "base/env.h"
#include "writer/tree.h"
#include "xattr/pool.h"

// Definitions of objects that are to be in an image though no source holds them, and of changes to
// those that a source holds. Data alone: the command line makes them, pseudo_merge.h puts them into
// a tree.
namespace sqfs {

struct PseudoAttributes {
  uint16_t mode = 0;  // 07777
  uint32_t uid = 0, gid = 0;
  std::optional<uint32_t> time;  // nullopt: made up, as that of anything without a host file
};

// A regular file that holds what `/bin/sh -c COMMAND` prints.
struct PseudoCommand {
  std::string command;
};
// A regular file that is a section of another one.
struct PseudoSection {
  std::shared_ptr<InputFile> file;  // shared by all sections of it
  uint64_t offset = 0, size = 0;
  bool is_sparse = true;
};
// A file of the host, under another name.
struct PseudoHostFile {
  std::string path;
  bool follows_symlinks = false;
};
// A further name of what an earlier definition made.
struct PseudoLink {
  std::string target;  // as PseudoDefinition::path
};
// New attributes for what a source holds.
struct PseudoModify {};
struct PseudoXattr {
  XattrPair pair;
};

using PseudoKind =
    std::variant<Directory, Symlink, DeviceNode, IpcNode, PseudoCommand, PseudoSection,
                 PseudoHostFile, PseudoLink, PseudoModify, PseudoXattr>;

struct PseudoDefinition {
  std::string path;             // "a/b"; empty for the root
  std::string place;            // where it was given, for messages
  PseudoAttributes attributes;  // not of host files, links and extended attributes
  PseudoKind kind;
};

}  // namespace sqfs
