// SPDX-License-Identifier: MIT
#include "cli/option_rows.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "cli/action_parser.h"
#include "cli/option_values.h"
#include "cli/pseudo_parser.h"
#include "cli/sort_file.h"
#include "cli/version.h"
#include "squashfs-format/directory.h"

namespace sqfs {
namespace {

constexpr uint64_t kMaxU32 = 0xffffffff, kMaxInt = 0x7fffffff;
constexpr uint64_t kMinMemory = 1u << 20;
constexpr uint64_t kMaxReaders = 1024;

using Value = std::string_view;

// --- apply functions of more than one line
// --------------------------------------------------------

Status apply_compressor(Settings& s, Value value) {
  const CompressorInfo* info = find_compressor(value);
  if (info == nullptr || !info->available()) {
    std::string text = "there is no compressor \"" + printable(value) + "\". There are:";
    for (const CompressorInfo& row : compressors()) {
      if (row.available()) text += "\n\t" + std::string(row.name);
      if (row.id == default_compressor().id) text += " (default)";
    }
    return unsupported_error(std::move(text));
  }
  if (s.make.compressor_given && s.make.build.data.compressor != info) {
    return unsupported_error("-comp is given twice with different compressors");
  }
  s.make.build.data.compressor = info;
  s.make.compressor_given = true;
  return ok();
}

Status apply_block_size(Settings& s, Value value) {
  SQFS_TRY(const uint64_t size, parse_size_value("-b", value));
  if (size < kMinBlockSize || size > kMaxBlockSize || (size & (size - 1)) != 0) {
    return usage_error("-b takes a power of two from 4K to 1M, not \"" + printable(value) + "\"");
  }
  s.make.build.data.block_size = static_cast<uint32_t>(size);
  return ok();
}

Status apply_no_compression(Settings& s, Value) {
  s.make.build.raw_inodes = s.make.build.raw_xattrs = true;
  s.make.build.data.raw_data = s.make.build.data.raw_fragments = true;
  return ok();
}

Status apply_root_becomes(Settings& s, Value value) {
  if (!is_legal_name(value)) {
    return usage_error("-root-becomes takes one name of 1 to 255 bytes, not \"" + printable(value) +
                       "\"");
  }
  s.make.build.root_becomes = value;
  return ok();
}

Status apply_recover(Settings& s, Value value) {
  if (value.empty()) return usage_error("-recover takes the name of a recovery file");
  s.make.recovery_file = value;
  return ok();
}

Status apply_image_time(Settings& s, Value value) {
  if (value == "inode") {
    s.make.image_time_is_newest = true;
    return ok();
  }
  SQFS_TRY(s.make.image_time, parse_time(s.io.system, "-mkfs-time", value));
  return ok();
}

Result<TimeChoice> time_choice(Settings& s, std::string_view option, Value value) {
  if (value == "inode") return TimeChoice{TimeChoice::Kind::kNewestInode, 0};
  SQFS_TRY(const uint32_t seconds, parse_time(s.io.system, option, value));
  return TimeChoice{TimeChoice::Kind::kFixed, seconds};
}

Status apply_mode(std::optional<ModeChange>& mode, std::string_view option, Value value) {
  auto change = ModeChange::parse(value);
  if (!change) return std::move(change).error().with_context(std::string(option));
  mode = *std::move(change);
  return ok();
}

Status apply_pseudo_parents(Settings& s, Value value) {
  auto attributes = parse_pseudo_directory(value, s.io.system);
  if (!attributes) {
    const uint64_t column = attributes.error().offset + 1;
    return std::move(attributes)
        .error()
        .with_context("-pd \"" + printable(value) + "\", column " + std::to_string(column));
  }
  s.make.build.pseudo_parents = *attributes;
  return ok();
}

Status apply_exclude_file(Settings& s, Value value) {
  SQFS_TRY(const std::string text, s.io.system.read_text(std::string(value)));
  SQFS_TRY(std::vector<std::string> patterns, parse_exclude_file(value, text));
  for (std::string& pattern : patterns) {
    s.make.build.filter.excludes.push_back(std::move(pattern));
  }
  return ok();
}

void add_action(Settings& s, Action action, bool logs_true, bool logs_false) {
  action.logs_true = logs_true;
  action.logs_false = logs_false;
  s.make.build.actions.push_back(std::move(action));
}

Status apply_action(Settings& s, std::string_view option, Value value, bool logs_true,
                    bool logs_false) {
  auto action = parse_action(value, s.io.system);
  if (!action) return std::move(action).error().with_context(std::string(option));
  add_action(s, *std::move(action), logs_true, logs_false);
  return ok();
}

Status apply_action_file(Settings& s, std::string_view option, Value value, bool logs_true,
                         bool logs_false) {
  const std::string path(value);
  auto text = s.io.system.read_text(path);
  if (!text) return std::move(text).error().with_context(std::string(option));
  auto actions = parse_action_file(path, *text, s.io.system);
  if (!actions) return std::move(actions).error().with_context(std::string(option));
  for (Action& action : *actions) add_action(s, std::move(action), logs_true, logs_false);
  return ok();
}

Status apply_sort_file(Settings& s, Value value) {
  auto text = s.io.system.read_text(std::string(value));
  if (!text) return std::move(text).error().with_context("-sort");
  SQFS_TRY(std::vector<SortEntry> entries, parse_sort_file(value, *text));
  auto& all = s.make.build.sort_entries;
  all.insert(all.end(), entries.begin(), entries.end());
  return ok();
}

Status apply_xattr_regex(Settings& s, std::optional<std::string>& regex, std::string_view option,
                         Value value) {
  SQFS_CHECKED(check_regex(option, value));
  regex = std::string(value);
  s.make.xattrs_selected = s.make.build.xattrs.store = true;
  return ok();
}

Status apply_xattr_add(Settings& s, Value value) {
  SQFS_TRY(XattrArgument added, parse_xattr_argument("-xattrs-add", value));
  auto& list = s.make.build.xattrs.add;
  const auto same_name = [&](const auto& other) { return other.first == added.name; };
  if (std::ranges::any_of(list, same_name)) {
    return unsupported_error("-xattrs-add names " + printable(added.name) + " twice");
  }
  list.emplace_back(std::move(added.name), std::move(added.value));
  s.make.xattrs_selected = s.make.build.xattrs.store = true;
  return ok();
}

Status apply_no_xattrs(Settings& s, Value) {
  if (s.make.xattrs_selected) {
    return usage_error("-no-xattrs contradicts the -xattrs-… options before it");
  }
  s.make.build.xattrs.store = false;
  return ok();
}

Status apply_memory(Settings& s, Value value) {
  SQFS_TRY(const uint64_t bytes, parse_size_value("-mem", value));
  if (bytes < kMinMemory)
    return usage_error("-mem takes 1M or more, not \"" + printable(value) + "\"");
  s.make.memory = bytes;
  return ok();
}

Status apply_memory_percent(Settings& s, Value value) {
  SQFS_TRY(const uint64_t percent, parse_percent_in("-mem-percent", value, 1, 75));
  s.make.memory = std::max(s.io.system.physical_memory() / 100 * percent, kMinMemory);
  return ok();
}

// The paths of the sources are read from standard input, which only one option can do.
Status apply_listed_paths(Settings& s, std::string_view option, char end) {
  BuildOptions& build = s.make.build;
  if (build.source_kind == SourceKind::kListedPaths && build.path_end != end) {
    return unsupported_error(std::string(option) + ": standard input can be read once only");
  }
  build.source_kind = SourceKind::kListedPaths;
  build.path_end = end;
  return ok();
}

Status apply_dereference(Settings& s, Value value) {
  if (value != "keep" && value != "delete") {
    return usage_error("-deref takes keep or delete, not \"" + printable(value) + "\"");
  }
  s.make.build.filter.dereference =
      value == "keep" ? Dereference::kOrKeep : Dereference::kOrLeaveOut;
  return ok();
}

// For options that only steer the inside of the other implementation: the value has to be right.
Status accept_number(std::string_view option, Value value, uint64_t min, uint64_t max) {
  SQFS_TRY([[maybe_unused]] const uint64_t number, parse_number_in(option, value, min, max));
  return ok();
}

Status ask(Settings& s, Print print, Value what = {}) {
  s.print = print;
  s.print_what = std::string(what);
  return ok();
}

Status apply_processors(std::optional<unsigned>& processors, std::string_view option, Value value) {
  SQFS_TRY(const uint64_t count, parse_number_in(option, value, 1, kMaxInt));
  processors = static_cast<unsigned>(count);
  return ok();
}

constexpr auto kPlain = OptionKind::kPlain, kPrint = OptionKind::kPrint, kRest = OptionKind::kRest,
               kHidden = OptionKind::kHidden;
constexpr auto kMksquashfsOnly = ToolSet::kMksquashfsOnly, kSqfstarOnly = ToolSet::kSqfstarOnly;

// --- mksquashfs and sqfstar
// -------------------------------------------------------------------------------------

constexpr OptionRow kMksquashfsRows[] = {
    // Compression
    {{"-comp", "", "<compressor>", "compress with gzip, lzo, lz4, xz, zstd or lzma",
      "The default is gzip unless the build says otherwise. lzma is a legacy format that no kernel "
      "mounts; a warning says so. The compressors and their options are described under "
      "COMPRESSORS."},
     Section::kCompression,
     kPlain,
     apply_compressor},
    {{"-b", "", "<size>", "data block size, 4K to 1M, a power of two (default 128K)",
      "Larger blocks compress better; a reader has to decompress a whole block to get at any part "
      "of it. The size may end in K or M."},
     Section::kCompression,
     kPlain,
     apply_block_size},
    {{"-noI", "-noInodeCompression", "", "do not compress inodes, directories and tables",
      "This includes the table of user and group ids (-noId)."},
     Section::kCompression,
     kPlain,
     [](Settings& s, Value) { return s.make.build.raw_inodes = true, ok(); }},
    {{"-noId", "-noIdTableCompression", "", "do not compress the table of user and group ids", ""},
     Section::kCompression,
     kPlain,
     [](Settings& s, Value) { return s.make.build.raw_ids = true, ok(); }},
    {{"-noD", "-noDataCompression", "", "do not compress data blocks", ""},
     Section::kCompression,
     kPlain,
     [](Settings& s, Value) { return s.make.build.data.raw_data = true, ok(); }},
    {{"-noF", "-noFragmentCompression", "", "do not compress fragment blocks", ""},
     Section::kCompression,
     kPlain,
     [](Settings& s, Value) { return s.make.build.data.raw_fragments = true, ok(); }},
    {{"-noX", "-noXattrCompression", "", "do not compress extended attributes", ""},
     Section::kCompression,
     kPlain,
     [](Settings& s, Value) { return s.make.build.raw_xattrs = true, ok(); }},
    {{"-no-compression", "", "", "compress nothing: -noI -noD -noF -noX in one", ""},
     Section::kCompression,
     kPlain,
     apply_no_compression},
    {{"-Xhelp", "", "", "print the options of the compressor that -comp selects", ""},
     Section::kCompression,
     kPrint,
     [](Settings& s, Value) { return ask(s, Print::kXhelp); }},

    // Build
    {{"-noappend", "", "", "replace an existing image instead of adding to it",
      "The new image is made beside the old one and takes its name when it is complete, so that "
      "after a failure the old one is still there. A block device is written in place."},
     Section::kBuild,
     kPlain,
     [](Settings& s, Value) { return s.make.replace_existing = true, ok(); },
     kMksquashfsOnly},
    {{"-force", "", "", "replace an existing image instead of refusing to touch it",
      "The new image is made beside the old one and takes its name when it is complete, so that "
      "after a failure the old one is still there. A block device is written in place."},
     Section::kBuild,
     kPlain,
     [](Settings& s, Value) { return s.make.replace_existing = true, ok(); },
     kSqfstarOnly},
    {{"-keep-as-directory", "", "", "with one source directory, store it and not just its contents",
      ""},
     Section::kBuild,
     kPlain,
     [](Settings& s, Value) { return s.make.build.keep_as_directory = true, ok(); },
     kMksquashfsOnly},
    {{"-no-strip", "-tarstyle", "", "store sources under their whole paths, not their last names",
      "A leading /, ./ or ../ is dropped; what it leads to becomes the root. Directories on the "
      "way "
      "to a source are stored with their own attributes, without their other files. Where one is a "
      "symbolic link, the directory behind it is stored. Sources may lie within each other, and be "
      "given twice."},
     Section::kBuild,
     kPlain,
     [](Settings& s, Value) {
       SourceKind& kind = s.make.build.source_kind;
       if (kind == SourceKind::kFiles) kind = SourceKind::kFilePaths;
       return ok();
     },
     kMksquashfsOnly},
    {{"-cpiostyle", "", "", "read the paths of the sources from standard input, one a line",
      "As find(1) prints them. \"-\" stands for the sources on the command line. They are stored "
      "as "
      "with -no-strip, but of a directory only what is listed itself. No paths at all make an "
      "empty "
      "image."},
     Section::kBuild,
     kPlain,
     [](Settings& s, Value) { return apply_listed_paths(s, "-cpiostyle", '\n'); },
     kMksquashfsOnly},
    {{"-cpiostyle0", "", "", "the same, with a zero byte behind each path, as find -print0 does",
      ""},
     Section::kBuild,
     kPlain,
     [](Settings& s, Value) { return apply_listed_paths(s, "-cpiostyle0", '\0'); },
     kMksquashfsOnly},
    {{"-exports", "", "", "write the table that NFS export needs (default)", ""},
     Section::kBuild,
     kPlain,
     [](Settings& s, Value) { return s.make.build.export_table = true, ok(); },
     kMksquashfsOnly},
    {{"-no-exports", "", "", "do not write the table that NFS export needs", ""},
     Section::kBuild,
     kPlain,
     [](Settings& s, Value) { return s.make.build.export_table = false, ok(); },
     kMksquashfsOnly},
    {{"-exports", "", "", "write the table that NFS export needs", ""},
     Section::kBuild,
     kPlain,
     [](Settings& s, Value) { return s.make.build.export_table = true, ok(); },
     kSqfstarOnly},
    {{"-no-sparse", "", "", "store blocks of zeros as data, not as holes", ""},
     Section::kBuild,
     kPlain,
     [](Settings& s, Value) { return s.make.build.data.detect_holes = false, ok(); }},
    {{"-tailends", "-always-use-fragments", "",
      "pack the last partial block of large files into fragments, too",
      "Without it, only files smaller than a block are packed. The image becomes smaller; reading "
      "the end of such a file costs another block."},
     Section::kBuild,
     kPlain,
     [](Settings& s, Value) {
       return s.make.build.data.fragments = FragmentPolicy::kTailEnds, ok();
     },
     kMksquashfsOnly},
    {{"-no-tailends", "", "", "pack only files smaller than a block into fragments (default)", ""},
     Section::kBuild,
     kPlain,
     [](Settings& s, Value) {
       return s.make.build.data.fragments = FragmentPolicy::kSmallFiles, ok();
     },
     kMksquashfsOnly},
    {{"-no-tailends", "", "", "pack only files smaller than a block into fragments",
      "By default the last partial block of a larger file is packed, too."},
     Section::kBuild,
     kPlain,
     [](Settings& s, Value) {
       return s.make.build.data.fragments = FragmentPolicy::kSmallFiles, ok();
     },
     kSqfstarOnly},
    {{"-no-fragments", "", "", "pack nothing into fragments: every file has blocks of its own", ""},
     Section::kBuild,
     kPlain,
     [](Settings& s, Value) { return s.make.build.data.fragments = FragmentPolicy::kNone, ok(); }},
    {{"-sort", "", "<file>",
      "store the data of files in the order of their priorities in this file",
      "See SORT FILES. May be given several times."},
     Section::kBuild,
     kPlain,
     apply_sort_file,
     kMksquashfsOnly},
    {{"-no-duplicates", "", "", "store files with the same content once each", ""},
     Section::kBuild,
     kPlain,
     [](Settings& s, Value) { return s.make.build.data.find_duplicates = false, ok(); }},
    {{"-no-hardlinks", "", "", "store hard links as files of their own",
      "Their data is still stored once unless -no-duplicates is given as well."},
     Section::kBuild,
     kPlain,
     [](Settings& s, Value) { return s.make.build.find_hard_links = false, ok(); }},

    // Time
    {{"-mkfs-time", "-fstime", "<time>", "time of the image; \"inode\": that of the newest file",
      ""},
     Section::kTime,
     kPlain,
     apply_image_time},
    {{"-inode-time", "-all-time", "<time>",
      "time of every file and directory; \"inode\": that of the newest one",
      "Includes the root directory, whatever -root-time says."},
     Section::kTime,
     kPlain,
     [](Settings& s, Value v) -> Status {
       SQFS_TRY(s.make.build.times.inodes, time_choice(s, "-inode-time", v));
       return ok();
     }},
    {{"-root-time", "", "<time>", "time of the root directory; \"inode\": that of the newest file",
      "A time later than SOURCE_DATE_EPOCH becomes SOURCE_DATE_EPOCH."},
     Section::kTime,
     kPlain,
     [](Settings& s, Value v) -> Status {
       SQFS_TRY(s.make.build.times.root, time_choice(s, "-root-time", v));
       return ok();
     }},
    {{"-repro", "", "", "the same image from the same files: -mkfs-time inode", ""},
     Section::kTime,
     kPlain,
     [](Settings& s, Value) { return s.make.repro = true, ok(); }},
    {{"-repro-time", "", "<time>", "one time for everything: -mkfs-time and -inode-time in one",
      ""},
     Section::kTime,
     kPlain,
     [](Settings& s, Value v) -> Status {
       SQFS_TRY(s.make.repro_time, parse_time(s.io.system, "-repro-time", v));
       return ok();
     }},
    {{"-reproducible", "", "", "no effect: images are always reproducible", ""},
     Section::kTime,
     kPlain,
     [](Settings&, Value) { return ok(); }},
    {{"-not-reproducible", "", "", "no effect", ""},
     Section::kTime,
     kPlain,
     [](Settings&, Value) { return ok(); }},

    // Permissions and ownership
    {{"-all-root", "-root-owned", "", "everything belongs to user 0 and group 0", ""},
     Section::kPermissions,
     kPlain,
     [](Settings& s, Value) {
       s.make.build.owners.force_uid = s.make.build.owners.force_gid = 0;
       return ok();
     }},
    {{"-force-uid", "", "<user>", "everything belongs to this user, a number or a name", ""},
     Section::kPermissions,
     kPlain,
     [](Settings& s, Value v) -> Status {
       SQFS_TRY(s.make.build.owners.force_uid, parse_user(s.io.system, "-force-uid", v));
       return ok();
     }},
    {{"-force-gid", "", "<group>", "everything belongs to this group, a number or a name", ""},
     Section::kPermissions,
     kPlain,
     [](Settings& s, Value v) -> Status {
       SQFS_TRY(s.make.build.owners.force_gid, parse_group(s.io.system, "-force-gid", v));
       return ok();
     }},
    {{"-force-file-mode", "", "<mode>", "permissions of everything but directories",
      "As -root-mode takes them. A symbolic change applies to each file's own permissions."},
     Section::kPermissions,
     kPlain,
     [](Settings& s, Value v) {
       return apply_mode(s.make.build.owners.force_file_mode, "-force-file-mode", v);
     }},
    {{"-force-dir-mode", "", "<mode>", "permissions of all directories, the root included", ""},
     Section::kPermissions,
     kPlain,
     [](Settings& s, Value v) {
       return apply_mode(s.make.build.owners.force_dir_mode, "-force-dir-mode", v);
     }},
    {{"-root-mode", "", "<mode>", "permissions of the root directory, octal or as u=rwx,go=rx",
      "-force-dir-mode goes before it."},
     Section::kPermissions,
     kPlain,
     [](Settings& s, Value v) {
       return apply_mode(s.make.build.owners.root_mode, "-root-mode", v);
     }},
    {{"-root-uid", "", "<user>", "owner of the root directory",
      "-all-root and -force-uid go before it."},
     Section::kPermissions,
     kPlain,
     [](Settings& s, Value v) -> Status {
       SQFS_TRY(s.make.build.owners.root_uid, parse_user(s.io.system, "-root-uid", v));
       return ok();
     }},
    {{"-root-gid", "", "<group>", "group of the root directory",
      "-all-root and -force-gid go before it."},
     Section::kPermissions,
     kPlain,
     [](Settings& s, Value v) -> Status {
       SQFS_TRY(s.make.build.owners.root_gid, parse_group(s.io.system, "-root-gid", v));
       return ok();
     }},
    {{"-uid-gid-offset", "", "<number>", "add a number to every user and group id",
      "The sum is taken modulo 2^32."},
     Section::kPermissions,
     kPlain,
     [](Settings& s, Value v) -> Status {
       SQFS_TRY(const uint64_t offset, parse_number("-uid-gid-offset", v, kMaxU32));
       s.make.build.owners.id_offset = static_cast<uint32_t>(offset);
       return ok();
     }},

    // Pseudo definitions
    {{"-p", "", "<definition>", "add what no source holds, or change what one holds",
      "For example \"dev/null c 666 root root 1 3\". See DEFINITIONS. May be given several times."},
     Section::kPseudo,
     kPlain,
     [](Settings& s, Value v) {
       return s.make.pseudo.push_back({.is_file = false, .value = std::string(v)}), ok();
     }},
    {{"-pf", "", "<file>", "as -p, for all definitions in a file; - is standard input",
      "The output of unsquashfs -pf, with the contents of files, is such a file. May be given "
      "several times."},
     Section::kPseudo,
     kPlain,
     [](Settings& s, Value v) {
       return s.make.pseudo.push_back({.is_file = true, .value = std::string(v)}), ok();
     }},
    {{"-pd", "-pseudo-dir", "<directory>",
      "make directories that definitions need, with these attributes",
      "The attributes are \"d MODE UID GID\" or \"D TIME MODE UID GID\". Without it, a definition "
      "below a directory that does not exist is an error. With - as the source the root is made "
      "from it unless there is a definition of /."},
     Section::kPseudo,
     kPlain,
     apply_pseudo_parents},
    {{"-pseudo-override", "", "", "definitions win over -all-root and the -force- options", ""},
     Section::kPseudo,
     kPlain,
     [](Settings& s, Value) { return s.make.build.pseudo_override = true, ok(); }},

    // Filter
    {{"-ef", "", "<file>", "exclude what the file lists, one a line",
      "Empty lines and lines that begin with # are skipped; a \\ at the start of a line protects a "
      "# or a blank. May be given several times."},
     Section::kFilter,
     kPlain,
     apply_exclude_file},
    {{"-wildcards", "", "", "excludes are shell patterns, matched from the root of the image", ""},
     Section::kFilter,
     kPlain,
     [](Settings& s, Value) {
       return s.make.build.filter.syntax = ExcludeSyntax::kWildcards, ok();
     },
     kMksquashfsOnly},
    {{"-regex", "", "", "excludes are extended regular expressions, one for each path component",
      ""},
     Section::kFilter,
     kPlain,
     [](Settings& s, Value) { return s.make.build.filter.syntax = ExcludeSyntax::kRegex, ok(); },
     kMksquashfsOnly},
    {{"-regex", "", "",
      "excludes are extended regular expressions, one for each path component, not shell patterns",
      ""},
     Section::kFilter,
     kPlain,
     [](Settings& s, Value) { return s.make.build.filter.syntax = ExcludeSyntax::kRegex, ok(); },
     kSqfstarOnly},
    {{"-max-depth", "", "<levels>", "descend at most this many levels; 0 leaves an empty root", ""},
     Section::kFilter,
     kPlain,
     [](Settings& s, Value v) -> Status {
       SQFS_TRY(const uint64_t levels, parse_number("-max-depth", v, kMaxInt));
       s.make.build.filter.max_depth = static_cast<uint32_t>(levels);
       return ok();
     },
     kMksquashfsOnly},
    {{"-one-file-system", "", "", "store mount points of other file systems as empty directories",
      ""},
     Section::kFilter,
     kPlain,
     [](Settings& s, Value) {
       return s.make.build.filter.file_systems = FilterOptions::FileSystems::kOneEmptyDirs, ok();
     },
     kMksquashfsOnly},
    {{"-one-file-system-x", "", "", "leave out mount points of other file systems", ""},
     Section::kFilter,
     kPlain,
     [](Settings& s, Value) {
       return s.make.build.filter.file_systems = FilterOptions::FileSystems::kOneNoDirs, ok();
     },
     kMksquashfsOnly},
    {{"-dereference", "", "", "store what symbolic links lead to, not the links",
      "Also where a source is one. A link that leads nowhere, or back into a directory that it is "
      "in, is left out with a warning; a source that leads nowhere is an error."},
     Section::kFilter,
     kPlain,
     [](Settings& s, Value) { return apply_dereference(s, "delete"); },
     kMksquashfsOnly},
    {{"-deref", "", "<keep|delete>", "the same; what becomes of links that lead nowhere",
      "With keep they are stored as links, with delete they are left out."},
     Section::kFilter,
     kPlain,
     apply_dereference,
     kMksquashfsOnly},
    {{"-deref-path", "", "<path>",
      "store what the symbolic links at this path of the image lead to",
      "The path is a shell pattern. Can be given several times."},
     Section::kFilter,
     kPlain,
     [](Settings& s, Value v) {
       return s.make.build.filter.dereference_paths.emplace_back(v), ok();
     },
     kMksquashfsOnly},
    {{"-e", "", "<exclude>...", "exclude these files and directories; has to be the last option",
      "Every word behind it is an exclude, even if it looks like an option; a warning names such "
      "words. See EXCLUDES."},
     Section::kFilter,
     kRest,
     [](Settings& s, Value v) { return s.make.build.filter.excludes.emplace_back(v), ok(); },
     kMksquashfsOnly},

    // Actions
    {{"-action", "", "<action@expression>",
      "do something with the files that an expression selects",
      "See ACTIONS. May be given several times."},
     Section::kActions,
     kPlain,
     [](Settings& s, Value v) { return apply_action(s, "-action", v, false, false); },
     kMksquashfsOnly},
    {{"-log-action", "", "<action@expression>",
      "as -action, and print each file looked at, and what the expression came to", ""},
     Section::kActions,
     kPlain,
     [](Settings& s, Value v) { return apply_action(s, "-log-action", v, true, true); },
     kMksquashfsOnly},
    {{"-true-action", "", "<action@expression>", "as -action, and print each file that is selected",
      ""},
     Section::kActions,
     kPlain,
     [](Settings& s, Value v) { return apply_action(s, "-true-action", v, true, false); },
     kMksquashfsOnly},
    {{"-false-action", "", "<action@expression>",
      "as -action, and print each file that is not selected", ""},
     Section::kActions,
     kPlain,
     [](Settings& s, Value v) { return apply_action(s, "-false-action", v, false, true); },
     kMksquashfsOnly},
    {{"-action-file", "", "<file>", "-action for each line of a file",
      "A \\ at the end of a line continues it on the next one. A line that begins with # is a "
      "comment."},
     Section::kActions,
     kPlain,
     [](Settings& s, Value v) { return apply_action_file(s, "-action-file", v, false, false); },
     kMksquashfsOnly},
    {{"-log-action-file", "", "<file>", "-log-action for each line of a file", ""},
     Section::kActions,
     kPlain,
     [](Settings& s, Value v) { return apply_action_file(s, "-log-action-file", v, true, true); },
     kMksquashfsOnly},
    {{"-true-action-file", "", "<file>", "-true-action for each line of a file", ""},
     Section::kActions,
     kPlain,
     [](Settings& s, Value v) { return apply_action_file(s, "-true-action-file", v, true, false); },
     kMksquashfsOnly},
    {{"-false-action-file", "", "<file>", "-false-action for each line of a file", ""},
     Section::kActions,
     kPlain,
     [](Settings& s, Value v) {
       return apply_action_file(s, "-false-action-file", v, false, true);
     },
     kMksquashfsOnly},
    {{"-a", "", "<action@expression>", "as -action", ""},
     Section::kActions,
     kHidden,
     [](Settings& s, Value v) { return apply_action(s, "-a", v, false, false); },
     kMksquashfsOnly},
    {{"-af", "", "<file>", "as -action-file", ""},
     Section::kActions,
     kHidden,
     [](Settings& s, Value v) { return apply_action_file(s, "-af", v, false, false); },
     kMksquashfsOnly},
    {{"-va", "", "<action@expression>", "as -log-action", ""},
     Section::kActions,
     kHidden,
     [](Settings& s, Value v) { return apply_action(s, "-va", v, true, true); },
     kMksquashfsOnly},
    {{"-vaf", "", "<file>", "as -log-action-file", ""},
     Section::kActions,
     kHidden,
     [](Settings& s, Value v) { return apply_action_file(s, "-vaf", v, true, true); },
     kMksquashfsOnly},
    {{"-ta", "", "<action@expression>", "as -true-action", ""},
     Section::kActions,
     kHidden,
     [](Settings& s, Value v) { return apply_action(s, "-ta", v, true, false); },
     kMksquashfsOnly},
    {{"-taf", "", "<file>", "as -true-action-file", ""},
     Section::kActions,
     kHidden,
     [](Settings& s, Value v) { return apply_action_file(s, "-taf", v, true, false); },
     kMksquashfsOnly},
    {{"-fa", "", "<action@expression>", "as -false-action", ""},
     Section::kActions,
     kHidden,
     [](Settings& s, Value v) { return apply_action(s, "-fa", v, false, true); },
     kMksquashfsOnly},
    {{"-faf", "", "<file>", "as -false-action-file", ""},
     Section::kActions,
     kHidden,
     [](Settings& s, Value v) { return apply_action_file(s, "-faf", v, false, true); },
     kMksquashfsOnly},

    // Extended attributes
    {{"-xattrs", "", "", "store extended attributes (default)", ""},
     Section::kXattrs,
     kPlain,
     [](Settings& s, Value) { return s.make.build.xattrs.store = true, ok(); }},
    {{"-no-xattrs", "", "", "do not store extended attributes", ""},
     Section::kXattrs,
     kPlain,
     apply_no_xattrs},
    {{"-xattrs-exclude", "", "<regex>", "leave out attributes whose name matches",
      "An extended regular expression that is looked for anywhere in the full name, user.x."},
     Section::kXattrs,
     kPlain,
     [](Settings& s, Value v) {
       return apply_xattr_regex(s, s.make.build.xattrs.exclude_regex, "-xattrs-exclude", v);
     }},
    {{"-xattrs-include", "", "<regex>", "store only attributes whose name matches",
      "-xattrs-exclude is looked at first."},
     Section::kXattrs,
     kPlain,
     [](Settings& s, Value v) {
       return apply_xattr_regex(s, s.make.build.xattrs.include_regex, "-xattrs-include", v);
     }},
    {{"-xattrs-add", "", "<name=value>", "add an attribute to every file",
      "user. attributes go to regular files and directories only. The value is taken as it is, or "
      "as base64 behind 0s, hexadecimal behind 0x, text with octal escapes (\\\\101) behind 0t. "
      "May "
      "be given several times."},
     Section::kXattrs,
     kPlain,
     apply_xattr_add},

    // Runtime
    {{"-exit-on-error", "", "", "fail where otherwise a warning is given and work goes on",
      "A file or directory that cannot be read, for example."},
     Section::kRuntime,
     kPlain,
     [](Settings& s, Value) { return s.make.build.data.exit_on_error = true, ok(); }},
    {{"-quiet", "", "", "print neither the first lines nor the summary", ""},
     Section::kRuntime,
     kPlain,
     [](Settings& s, Value) { return s.make.quiet = true, ok(); }},
    {{"-info", "", "", "print a line for each file stored; turns off the progress bar", ""},
     Section::kRuntime,
     kPlain,
     [](Settings& s, Value) { return s.make.info = true, ok(); }},
    {{"-info-file", "", "<file>", "as -info, into a new file", ""},
     Section::kRuntime,
     kPlain,
     [](Settings& s, Value v) { return s.make.info_file = std::string(v), ok(); }},
    {{"-no-progress", "", "", "show no progress bar",
      "There is none in any case when standard output is not a terminal."},
     Section::kRuntime,
     kPlain,
     [](Settings& s, Value) { return s.make.no_progress = true, ok(); }},
    {{"-progress", "", "", "show progress also with -info or without a terminal",
      "Without a terminal it is a line for every ten percent."},
     Section::kRuntime,
     kPlain,
     [](Settings& s, Value) { return s.make.progress = true, ok(); }},
    {{"-percentage", "", "", "show progress as bare numbers from 0 to 100, one a line", ""},
     Section::kRuntime,
     kPlain,
     [](Settings& s, Value) { return s.make.percentage = true, ok(); }},
    {{"-processors", "", "<number>", "processors to use (default: all there are)",
      "The image does not depend on it."},
     Section::kRuntime,
     kPlain,
     [](Settings& s, Value v) { return apply_processors(s.make.processors, "-processors", v); }},
    {{"-throttle", "", "<percent>", "sleep for this share of the time, 0 to 99",
      "Every thread that reads and compresses sleeps after each block, so that reading is slowed "
      "down and processors are left to others. The image does not depend on it."},
     Section::kRuntime,
     kPlain,
     [](Settings& s, Value v) -> Status {
       SQFS_TRY(const uint64_t percent, parse_percent_in("-throttle", v, 0, 99));
       s.make.build.data.throttle_percent = static_cast<unsigned>(percent);
       return ok();
     }},
    {{"-limit", "", "<percent>",
      "the same the other way round: the share of the time to work, 1 to 100", ""},
     Section::kRuntime,
     kPlain,
     [](Settings& s, Value v) -> Status {
       SQFS_TRY(const uint64_t percent, parse_percent_in("-limit", v, 1, 100));
       s.make.build.data.throttle_percent = static_cast<unsigned>(100 - percent);
       return ok();
     }},
    {{"-mem", "", "<size>", "memory for blocks being worked on",
      "Compressors need some more on top. A small value means that fewer processors are used. The "
      "image does not depend on it."},
     Section::kRuntime,
     kPlain,
     apply_memory},
    {{"-mem-percent", "", "<percent>", "the same, in percent of the memory there is, 1 to 75", ""},
     Section::kRuntime,
     kPlain,
     apply_memory_percent},
    {{"-mem-default", "", "", "print how much memory is used by default, in Mbytes", ""},
     Section::kRuntime,
     kPrint,
     [](Settings& s, Value) { return ask(s, Print::kDefaultMemory); }},
    {{"-single-reader", "", "", "no effect: every processor reads what it compresses", ""},
     Section::kRuntime,
     kPlain,
     [](Settings&, Value) { return ok(); },
     kMksquashfsOnly},
    {{"-small-readers", "", "<number>", "no effect", ""},
     Section::kRuntime,
     kPlain,
     [](Settings&, Value v) { return accept_number("-small-readers", v, 1, kMaxReaders); },
     kMksquashfsOnly},
    {{"-block-readers", "", "<number>", "no effect", ""},
     Section::kRuntime,
     kPlain,
     [](Settings&, Value v) { return accept_number("-block-readers", v, 1, kMaxReaders); },
     kMksquashfsOnly},
    {{"-overcommit", "", "<percent>", "no effect", ""},
     Section::kRuntime,
     kPlain,
     [](Settings&, Value v) -> Status {
       SQFS_TRY([[maybe_unused]] const uint64_t percent,
                parse_percent_in("-overcommit", v, 0, 100));
       return ok();
     }},
    {{"-read-queue", "", "<Mbytes>", "no effect", ""},
     Section::kRuntime,
     kHidden,
     [](Settings&, Value v) { return accept_number("-read-queue", v, 1, kMaxInt); },
     kMksquashfsOnly},
    {{"-write-queue", "", "<Mbytes>", "no effect", ""},
     Section::kRuntime,
     kHidden,
     [](Settings&, Value v) { return accept_number("-write-queue", v, 2, kMaxInt); },
     kMksquashfsOnly},
    {{"-fragment-queue", "", "<Mbytes>", "no effect", ""},
     Section::kRuntime,
     kHidden,
     [](Settings&, Value v) { return accept_number("-fragment-queue", v, 1, kMaxInt); },
     kMksquashfsOnly},

    {{"-log", "", "<file>", "write where the data of each file and fragment begins", ""},
     Section::kRuntime,
     kHidden,
     [](Settings& s, Value v) { return s.make.log_file = std::string(v), ok(); },
     kMksquashfsOnly},
    {{"--stats", "-stats", "<file>", "write sizes, counts and times of the run as JSON to a file",
      "See STATISTICS. An existing file is replaced."},
     Section::kRuntime,
     kPlain,
     [](Settings& s, Value v) { return s.make.stats_file = std::string(v), ok(); }},

    // Append
    {{"-root-becomes", "", "<name>",
      "move what the image held into a directory of this name below the new root",
      "Without it the new files join those in the root of the image; where a name is taken, the "
      "new file becomes NAME_1. Nothing is ever put into a directory that the image has."},
     Section::kAppend,
     kPlain,
     apply_root_becomes,
     kMksquashfsOnly},
    {{"-no-recovery", "", "", "no effect: there is no recovery file",
      "An image that is added to mounts as before until the new one is complete, whatever "
      "interrupts the program; after an error it is byte for byte what it was. So no recovery file "
      "is needed or written."},
     Section::kAppend,
     kPlain,
     [](Settings&, Value) { return ok(); },
     kMksquashfsOnly},
    {{"-recovery-path", "", "<directory>", "no effect, as -no-recovery", ""},
     Section::kAppend,
     kPlain,
     [](Settings&, Value) { return ok(); },
     kMksquashfsOnly},
    {{"-recover", "", "<file>", "repair an image with a recovery file of squashfs-tools",
      "To be used as \"mksquashfs - IMAGE -recover FILE\". The image becomes what it was before "
      "squashfs-tools was interrupted while it added to it. A file that does not fit the image is "
      "refused."},
     Section::kAppend,
     kPlain,
     apply_recover,
     kMksquashfsOnly},

    // Archives as sources
    {{"-tar", "", "", "make the image of the tar archive on standard input",
      "The source is \"-\". The archive may be tar of any kind or cpio, and compressed by gzip, "
      "xz, "
      "zstd, bzip2 or lz4. Nothing is written before it was read to its end. Of two entries of one "
      "path the last one wins, and -tailends is the default."},
     Section::kTar,
     kPlain,
     [](Settings& s, Value) { return s.make.reads_tar = true, ok(); },
     kMksquashfsOnly},
    {{"-zip", "", "", "the sources are zip archives",
      "They are put into one tree, one after the other. \"-\" is standard input."},
     Section::kTar,
     kPlain,
     [](Settings& s, Value) { return s.make.reads_zip = true, ok(); },
     kMksquashfsOnly},
    {{"-layer", "--layer", "<archive>", "put a layer of a container image on those before it",
      "To be given once for each layer, the lowest first; there are no other sources then. A file "
      ".wh.NAME in a layer hides NAME in those below it, .wh..wh..opq hides all that they have in "
      "its directory; neither is stored. \"-\" is standard input."},
     Section::kTar,
     kPlain,
     [](Settings& s, Value v) { return s.make.layers.emplace_back(v), ok(); }},
    {{"-default-mode", "", "<mode>",
      "permissions of directories that no entry of the archive describes",
      "The default is 755, and 777 for the root."},
     Section::kTar,
     kPlain,
     [](Settings& s, Value v) {
       return apply_mode(s.make.build.archive.default_mode, "-default-mode", v);
     }},
    {{"-default-uid", "", "<user>", "owner of directories that no entry of the archive describes",
      "The default is user 0, and for the root the caller."},
     Section::kTar,
     kPlain,
     [](Settings& s, Value v) -> Status {
       SQFS_TRY(s.make.build.archive.default_uid, parse_user(s.io.system, "-default-uid", v));
       return ok();
     }},
    {{"-default-gid", "", "<group>", "group of directories that no entry of the archive describes",
      "The default is group 0, and for the root that of the caller."},
     Section::kTar,
     kPlain,
     [](Settings& s, Value v) -> Status {
       SQFS_TRY(s.make.build.archive.default_gid, parse_group(s.io.system, "-default-gid", v));
       return ok();
     }},
    {{"-ignore-zeros", "", "", "read on behind the end of an archive, as with tar --ignore-zeros",
      "For archives that were put together with cat(1)."},
     Section::kTar,
     kPlain,
     [](Settings& s, Value) { return s.make.build.archive.ignore_zeros = true, ok(); }},
    {{"-numeric-owner", "", "", "take the ids of an archive, not its names of users and groups",
      "Otherwise a name that this host knows goes before the number beside it."},
     Section::kTar,
     kPlain,
     [](Settings& s, Value) { return s.make.build.archive.numeric_owner = true, ok(); }},

    // Expert
    {{"-nopad", "", "", "do not pad the file to a multiple of 4 Kbytes",
      "A loop device cannot read the end of such an image where its block size is larger."},
     Section::kExpert,
     kPlain,
     [](Settings& s, Value) { return s.make.build.pad = false, ok(); }},
    {{"-offset", "-o", "<bytes>", "begin the image at this position of the file (default 0)",
      "What stands before it in an existing file is kept; in a new file it is zeros. The size may "
      "end "
      "in K, M or G."},
     Section::kExpert,
     kPlain,
     [](Settings& s, Value v) -> Status {
       SQFS_TRY(s.make.build.image_offset, parse_size_value("-offset", v));
       return ok();
     }},

    {{"-stream", "", "", "write the image to standard output, which may be a pipe",
      "The name of the image is not used. No kernel mounts what comes out: the superblock stands "
      "at "
      "its end, and -fix has to put it to the front. Data is not searched for duplicates, and "
      "neither progress nor a summary is printed."},
     Section::kExpert,
     kPlain,
     [](Settings& s, Value) { return s.make.build.data.is_stream = true, ok(); }},
    {{"-fix", "", "<file>", "turn a file that -stream has written into an image, and end", ""},
     Section::kExpert,
     kPrint,
     [](Settings& s, Value v) { return ask(s, Print::kFix, v); }},

    // Help
    {{"-help", "-h", "", "print the sections of options and how to see them", ""},
     Section::kHelp,
     kPrint,
     [](Settings& s, Value) { return ask(s, Print::kSummary); }},
    {{"-help-all", "-ha", "", "print all options", ""},
     Section::kHelp,
     kPrint,
     [](Settings& s, Value) { return ask(s, Print::kAll); }},
    {{"-help-section", "-hs", "<section>",
      "print the options of a section; \"list\" names the sections", ""},
     Section::kHelp,
     kPrint,
     [](Settings& s, Value v) { return ask(s, Print::kSection, v); }},
    {{"-help-option", "-ho", "<regex>", "print the options whose name matches", ""},
     Section::kHelp,
     kPrint,
     [](Settings& s, Value v) { return ask(s, Print::kOption, v); }},
    {{"-help-comp", "", "<compressor>",
      "print the options of a compressor; \"all\" of all, \"list\" names them", ""},
     Section::kHelp,
     kPrint,
     [](Settings& s, Value v) { return ask(s, Print::kCompressor, v); }},
    {{"-cols", "", "<number>", "width of help texts, at least 40 (default: that of the terminal)",
      ""},
     Section::kHelp,
     kPlain,
     [](Settings& s, Value v) -> Status {
       SQFS_TRY(const uint64_t columns, parse_number_in("-cols", v, 40, kMaxInt));
       s.columns = static_cast<unsigned>(columns);
       return ok();
     }},
    {{"-no-pager", "", "", "print help without a pager",
      "On a terminal long texts go through the program that PAGER names, or less(1) or more(1)."},
     Section::kHelp,
     kPlain,
     [](Settings& s, Value) { return s.may_page = false, ok(); }},
    {{"-version", "--version", "", "print version and licence", ""},
     Section::kHelp,
     kPrint,
     [](Settings& s, Value) { return ask(s, Print::kVersion); }},
};

// --- fsck.squashfs
// ----------------------------------------------------------------------------------

constexpr OptionRow kFsckRows[] = {
    {{"-n", "--no", "", "never write to the image; the only way this program works", ""},
     Section::kCheck,
     kPlain,
     [](Settings&, Value) { return ok(); }},
    {{"-q", "--quiet", "", "print nothing about the image; the exit status tells", ""},
     Section::kCheck,
     kPlain,
     [](Settings& s, Value) { return s.check.quiet = true, ok(); }},
    {{"-v", "--verbose", "", "print notes, and what was checked", ""},
     Section::kCheck,
     kPlain,
     [](Settings& s, Value) { return s.check.verbose = true, ok(); }},
    {{"--json", "", "", "print one JSON object on standard output", "See JSON OUTPUT."},
     Section::kCheck,
     kPlain,
     [](Settings& s, Value) { return s.check.json = true, ok(); }},
    {{"--quick", "", "", "check everything but the contents of data and fragment blocks", ""},
     Section::kCheck,
     kPlain,
     [](Settings& s, Value) { return s.check.verify.check_data = false, ok(); }},
    {{"-o", "--offset", "<bytes>", "the image begins at this position of the file (default 0)",
      "The size may end in K, M or G."},
     Section::kCheck,
     kPlain,
     [](Settings& s, Value v) -> Status {
       SQFS_TRY(s.check.verify.offset, parse_size_value("--offset", v));
       return ok();
     }},
    {{"--compare", "", "<directory>", "compare the image with the tree it was made from",
      "Type, permissions, owner, group, time, size, content, link target, device number, extended "
      "attributes and hard links of every file have to be equal. Extended attributes that SquashFS "
      "cannot hold (system.) are left out."},
     Section::kCheck,
     kPlain,
     [](Settings& s, Value v) { return s.check.compare_directory = std::string(v), ok(); }},
    {{"-j", "--processors", "<number>", "processors to use (default: all there are)", ""},
     Section::kCheck,
     kPlain,
     [](Settings& s, Value v) { return apply_processors(s.check.processors, "--processors", v); }},
    {{"--max-memory", "", "<size>", "memory to use at most (default 256M)",
      "An image that needs more cannot be judged, and the exit status is 8."},
     Section::kCheck,
     kPlain,
     [](Settings& s, Value v) -> Status {
       SQFS_TRY(s.check.verify.max_memory, parse_size_value("--max-memory", v));
       if (s.check.verify.max_memory < kMinMemory) {
         return usage_error("--max-memory takes 1M or more, not \"" + printable(v) + "\"");
       }
       return ok();
     }},
    {{"-p", "", "", "accepted as fsck(8) passes it; nothing is ever repaired", ""},
     Section::kCheck,
     kPlain,
     [](Settings&, Value) { return ok(); }},
    {{"-a", "", "", "the same", ""},
     Section::kCheck,
     kPlain,
     [](Settings&, Value) { return ok(); }},
    {{"-y", "", "", "the same", ""},
     Section::kCheck,
     kPlain,
     [](Settings&, Value) { return ok(); }},
    {{"-f", "", "", "accepted as fsck(8) passes it; the check is always complete", ""},
     Section::kCheck,
     kPlain,
     [](Settings&, Value) { return ok(); }},
    {{"-h", "--help", "", "print this help", ""},
     Section::kCheck,
     kPrint,
     [](Settings& s, Value) { return ask(s, Print::kAll); }},
    {{"-V", "--version", "", "print version and licence", ""},
     Section::kCheck,
     kPrint,
     [](Settings& s, Value) { return ask(s, Print::kVersion); }},
};

constexpr SectionText kMksquashfsSections[] = {
    {Section::kCompression, "compression", "Compression"},
    {Section::kBuild, "build", "What is built, and how"},
    {Section::kTime, "time", "Times"},
    {Section::kPermissions, "permissions", "Permissions and owners"},
    {Section::kPseudo, "pseudo", "What no source holds"},
    {Section::kFilter, "filter", "What is left out"},
    {Section::kActions, "actions", "Actions"},
    {Section::kXattrs, "xattrs", "Extended attributes"},
    {Section::kRuntime, "runtime", "Running"},
    {Section::kAppend, "append", "Existing images"},
    {Section::kTar, "tar", "Archives as sources"},
    {Section::kExpert, "expert", "For experts"},
    {Section::kHelp, "help", "Help"},
};
constexpr SectionText kFsckSections[] = {{Section::kCheck, "options", "Options"}};

}  // namespace

std::string_view name_of(Tool tool) {
  switch (tool) {
    case Tool::kMksquashfs: return "mksquashfs";
    case Tool::kSqfstar: return "sqfstar";
    case Tool::kFsck: return "fsck.squashfs";
  }
  return "squashkit";
}

std::span<const OptionRow> option_table(Tool tool) {
  if (tool == Tool::kFsck) return kFsckRows;
  return kMksquashfsRows;
}

bool is_taken_by(Tool tool, const OptionRow& row) {
  switch (tool) {
    case Tool::kMksquashfs: return row.tools != ToolSet::kSqfstarOnly;
    case Tool::kSqfstar: return row.tools != ToolSet::kMksquashfsOnly;
    case Tool::kFsck: return true;
  }
  return false;
}

std::span<const SectionText> section_table(Tool tool) {
  if (tool == Tool::kFsck) return kFsckSections;
  return kMksquashfsSections;
}

bool has_section(Tool tool, const SectionText& section) {
  return std::ranges::any_of(option_table(tool), [&](const OptionRow& row) {
    return row.section == section.section && is_taken_by(tool, row);
  });
}

const OptionRow* find_option(Tool tool, std::string_view word) {
  if (word.empty()) return nullptr;
  for (const OptionRow& row : option_rows(tool)) {
    if (row.text.name == word || row.text.alias == word) return &row;
  }
  return nullptr;
}

}  // namespace sqfs
