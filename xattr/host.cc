// SPDX-License-Identifier: MIT
#include "xattr/host.h"

#include <algorithm>

#include "base/text.h"
#include "squashfs-format/constants.h"
#include "squashfs-format/tables.h"

namespace sqfs {
namespace {

bool is_user(std::string_view name) { return name.starts_with(prefix_text(XattrPrefix::kUser)); }

bool has_name(const XattrSet& set, std::string_view name) {
  return std::any_of(set.begin(), set.end(),
                     [&](const XattrPair& pair) { return pair.name == name; });
}

Result<XattrPair> checked_addition(const std::pair<std::string, Buffer>& addition) {
  const auto& [name, value] = addition;
  XattrPrefix prefix{};
  std::string_view rest;
  if (!split_xattr_name(name, prefix, rest)) {
    return usage_error("xattrs-add: unrecognised xattr prefix in \"" + printable(name) +
                       "\", it should be user., trusted. or security.");
  }
  if (name.size() > kMaxXattrName) {
    return usage_error("xattrs-add: the name \"" + printable(name) + "\" is longer than 255 bytes");
  }
  if (value.size() > kMaxXattrValue) {
    return usage_error("xattrs-add: the value of " + printable(name) +
                       " is longer than 65536 bytes");
  }
  return XattrPair{name, value};
}

Result<std::optional<ExtendedRegex>> compile(const std::optional<std::string>& pattern,
                                             const std::string& option) {
  if (!pattern) return std::optional<ExtendedRegex>();
  auto regex = ExtendedRegex::compile(*pattern);
  if (!regex) return std::move(regex).error().with_context(option);
  return std::optional<ExtendedRegex>(std::move(regex).value());
}

}  // namespace

Result<HostXattrReader> HostXattrReader::make(const XattrRules& rules, Env& env, Warn warn) {
  HostXattrReader reader(env, std::move(warn));
  SQFS_TRY(reader.exclude_, compile(rules.exclude_regex, "xattrs-exclude"));
  SQFS_TRY(reader.include_, compile(rules.include_regex, "xattrs-include"));
  for (const auto& addition : rules.add) {
    SQFS_TRY(XattrPair pair, checked_addition(addition));
    if (has_name(reader.add_, pair.name)) {
      return usage_error("Duplicate xattr name " + printable(pair.name) + " in xattrs-add");
    }
    reader.add_.push_back(std::move(pair));
  }
  reader.errors_are_fatal_ = rules.errors_are_fatal;
  return reader;
}

Result<XattrSet> HostXattrReader::read(const std::string& path, const std::string& label,
                                       bool allows_user, const GivenXattrs& given) {
  if (given.is_final) return given.added;
  XattrSet set;
  if (!path.empty()) SQFS_CHECKED(read_host(path, allows_user, given, set));
  take_source(label, allows_user, given, set);
  SQFS_CHECKED(add_to(label, allows_user, given.added, set));
  SQFS_CHECKED(add_to(label, allows_user, add_, set));
  limit_names(label, set);
  return set;
}

void HostXattrReader::take_source(const std::string& label, bool allows_user,
                                  const GivenXattrs& given, XattrSet& set) {
  for (const XattrPair& pair : given.source) {
    if (given.wants && !given.wants(pair.name)) continue;
    if (!is_wanted(label, pair.name, allows_user) || has_name(set, pair.name)) continue;
    if (pair.value.size() <= kMaxXattrValue) {
      set.push_back(pair);
      continue;
    }
    warn_("The extended attribute " + printable(pair.name) + " of " + printable(label) +
          " is longer than 65536 bytes, leaving it out");
  }
}

Status HostXattrReader::read_host(const std::string& path, bool allows_user,
                                  const GivenXattrs& given, XattrSet& set) {
  auto names = env_.list_xattrs(path);
  if (!names) {
    if (errors_are_fatal_) return std::move(names).error();
    warn_(names.error().what + ", leaving them out");
    return ok();
  }
  for (std::string& name : *names) {
    if (given.wants && !given.wants(name)) continue;
    if (!is_wanted(path, name, allows_user) || has_name(set, name)) continue;
    auto value = env_.get_xattr(path, name);
    if (!value) {
      if (errors_are_fatal_) return std::move(value).error();
      warn_(value.error().what + ", leaving it out");
    } else if (value->size() > kMaxXattrValue) {
      warn_("The extended attribute " + printable(name) + " of " + printable(path) +
            " is longer than 65536 bytes, leaving it out");
    } else {
      set.push_back({std::move(name), std::move(value).value()});
    }
  }
  return ok();
}

bool HostXattrReader::is_wanted(const std::string& path, const std::string& name,
                                bool allows_user) {
  if (exclude_ && exclude_->matches(name)) return false;
  if (include_ && !include_->matches(name)) return false;
  XattrPrefix prefix{};
  std::string_view rest;
  if (!split_xattr_name(name, prefix, rest)) {
    if (unknown_names_.insert(name).second) {
      warn_("Unrecognised xattr prefix " + printable(name) + ", leaving such attributes out");
    }
    return false;
  }
  if (name.size() > kMaxXattrName) {
    warn_("The name of the extended attribute " + printable(name) + " of " + printable(path) +
          " is longer than 255 bytes, leaving it out");
    return false;
  }
  if (is_user(name) && !allows_user) {
    if (!has_warned_of_user_) {
      warn_(
          "Extended attributes user.* of symbolic links, devices, fifos and sockets are left out, "
          "no kernel would show them: " +
          printable(path));
    }
    has_warned_of_user_ = true;
    return false;
  }
  return true;
}

// listxattr(2) hands out all names at once and has room for 64 KiB of them.
void HostXattrReader::limit_names(const std::string& path, XattrSet& set) {
  std::sort(set.begin(), set.end(),
            [](const XattrPair& a, const XattrPair& b) { return a.name < b.name; });
  size_t total = 0, kept = 0;
  while (kept < set.size() && total + set[kept].name.size() + 1 <= kMaxXattrList) {
    total += set[kept++].name.size() + 1;
  }
  if (kept == set.size()) return;
  warn_("The names of the extended attributes of " + printable(path) +
        " fill more than 65536 bytes, leaving out the last " + std::to_string(set.size() - kept));
  set.resize(kept);
}

Status HostXattrReader::add_to(const std::string& label, bool allows_user, const XattrSet& added,
                               XattrSet& set) {
  for (const XattrPair& pair : added) {
    if (is_user(pair.name) && !allows_user) continue;
    if (has_name(set, pair.name)) {
      return usage_error("Duplicate xattr name " + printable(pair.name) + " in file " +
                         printable(label) + ", which has it already");
    }
    set.push_back(pair);
  }
  return ok();
}

}  // namespace sqfs
