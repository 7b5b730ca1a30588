// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/extended_regex.h"
#include "base/warn.h"
#include "xattr/pool.h"

// Reads the extended attributes that a file of the host is to have in the image: filtered by the
// user's rules and by what the format and the kernel can show again.
namespace sqfs {

// Which attributes are wanted, in the terms of the command line.
struct XattrRules {
  std::optional<std::string> exclude_regex, include_regex;  // POSIX extended, on full names
  std::vector<std::pair<std::string, Buffer>> add;          // full name, value; for every file
  bool errors_are_fatal = false;                            // an attribute that cannot be read
};

class HostXattrReader {
 public:
  // Code::kUsage for a bad regex, and for an addition with a bad name or value or a name given
  // twice.
  static Result<HostXattrReader> make(const XattrRules& rules, Env& env, Warn warn);

  // The set of the file at `path` (empty: no file stands behind it), with what is given and with
  // the additions of the rules. `label` names it in messages. `allows_user`: a regular file or
  // directory; the kernel shows user.* of no other kind.
  //
  // Attributes that cannot be read or represented are left out with a warning. Errors: an
  // unreadable one with errors_are_fatal; Code::kUsage when an addition, of the rules or given, has
  // the name of another attribute.
  Result<XattrSet> read(const std::string& path, const std::string& label, bool allows_user,
                        const GivenXattrs& given);

 private:
  HostXattrReader(Env& env, Warn warn) : env_(env), warn_(std::move(warn)) {}

  Status read_host(const std::string& path, bool allows_user, const GivenXattrs& given,
                   XattrSet& set);
  void take_source(const std::string& label, bool allows_user, const GivenXattrs& given,
                   XattrSet& set);
  bool is_wanted(const std::string& path, const std::string& name, bool allows_user);
  void limit_names(const std::string& path, XattrSet& set);
  static Status add_to(const std::string& label, bool allows_user, const XattrSet& added,
                       XattrSet& set);

  Env& env_;
  Warn warn_;
  std::optional<ExtendedRegex> exclude_, include_;
  std::vector<XattrPair> add_;
  bool errors_are_fatal_ = false;
  std::set<std::string, std::less<>> unknown_names_;  // those that were warned of
  bool has_warned_of_user_ = false;
};

}  // namespace sqfs
