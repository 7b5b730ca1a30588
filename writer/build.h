// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/mode_change.h"
#include "base/result.h"
#include "compressors/compressor.h"
#include "squashfs-format/superblock.h"
#include "writer/actions.h"
#include "writer/data_stage.h"
#include "writer/dereference.h"
#include "writer/pseudo.h"
#include "writer/sort_order.h"

// The writer's front door: sources in, image out.
namespace sqfs {

// A time given on the command line.
struct TimeChoice {
  enum class Kind : uint8_t { kDefault, kFixed, kNewestInode } kind = Kind::kDefault;
  uint32_t seconds = 0;  // kFixed
};

struct TimeOptions {
  TimeChoice image;               // -mkfs-time
  TimeChoice inodes;              // -inode-time: all of them, the root included
  TimeChoice root;                // -root-time
  std::optional<uint32_t> clamp;  // SOURCE_DATE_EPOCH: the image's time; later mtimes become it
};

struct OwnerOptions {
  std::optional<uint32_t> force_uid, force_gid;  // -all-root sets both to 0
  std::optional<ModeChange> force_file_mode, force_dir_mode;
  std::optional<ModeChange> root_mode;
  std::optional<uint32_t> root_uid, root_gid;
  uint32_t id_offset = 0;  // added to every id, modulo 2^32
};

enum class ExcludeSyntax : uint8_t { kExact, kWildcards, kRegex };

struct FilterOptions {
  ExcludeSyntax syntax = ExcludeSyntax::kExact;
  std::vector<std::string> excludes;  // in the order given, those of files included
  std::optional<uint32_t> max_depth;
  enum class FileSystems : uint8_t {
    kAll,
    kOneEmptyDirs,
    kOneNoDirs
  } file_systems = FileSystems::kAll;
  Dereference dereference = Dereference::kNo;  // what becomes of all symbolic links
  std::vector<std::string> dereference_paths;  // globs of paths in the image; as kOrLeaveOut
};

struct XattrOptions {
  bool store = true;
  std::optional<std::string> exclude_regex, include_regex;  // POSIX extended, on full names
  std::vector<std::pair<std::string, Buffer>> add;          // full name, value; to every file
};

struct ArchiveOptions {
  bool are_layers = false;                 // of a container: whiteouts hide what lies below
  bool ignore_zeros = false;               // go on behind the end of an archive
  bool numeric_owner = false;              // names of users and groups do not count
  std::optional<ModeChange> default_mode;  // of directories that no entry describes, ...
  std::optional<uint32_t> default_uid, default_gid;  // ... the root among them
  // What all holes together may take, in blocks. They cost an archive nothing, and memory here.
  uint64_t max_hole_blocks = uint64_t{1} << 24;
};

// What `sources` are, and so where the tree comes from.
enum class SourceKind : uint8_t {
  kFiles,        // files and directories of the host, stored under their last names
  kFilePaths,    // the same, stored under their whole paths
  kListedPaths,  // the same, but standard input lists them; what lies in a directory is not stored
                 // unless it is listed
  kArchives,     // archive files; "-" is standard input
  kNothing,      // there are none: definitions make the tree
};

struct BuildOptions {
  SourceKind source_kind = SourceKind::kFiles;
  std::vector<std::string> sources;
  char path_end = '\n';  // kListedPaths: ends the paths on standard input
  bool keep_as_directory = false;
  bool find_hard_links = true;

  DataOptions
      data;  // compressor, block size, fragments, duplicates, threads, memory, exit_on_error
  bool raw_inodes = false;  // directory, fragment and export tables too
  bool raw_ids = false;     // implied by raw_inodes
  bool raw_xattrs = false;
  bool export_table = true;

  TimeOptions times;
  OwnerOptions owners;
  FilterOptions filter;
  XattrOptions xattrs;
  ArchiveOptions archive;
  std::vector<Action> actions;          // in the order given; SourceKind::kArchives has none
  std::vector<SortEntry> sort_entries;  // the same

  std::vector<PseudoDefinition> pseudo;            // in the order given
  std::optional<PseudoAttributes> pseudo_parents;  // of directories that definitions need
  bool pseudo_override = false;                    // they win over `owners`
  // Whether an image at the destination is added to. Most of these options are then what that image
  // was made with, whatever they say. What was in its root stays, under `root_becomes` if given.
  bool append = false;
  std::string root_becomes;
  std::vector<std::string> taken_names;  // in the root, sorted; filled in by build_image()

  bool pad = true;  // to a multiple of 4096, the offset included
  uint64_t image_offset = 0;
};

// An image that is added to.
struct BaseImage {
  Superblock superblock;
  const CompressorInfo* compressor = nullptr;
  CompressorConfig config;
  bool has_compressor_options = false;
};

// What a build tells while it works; all calls come from the thread that called build_image.
class BuildObserver {
 public:
  virtual ~BuildObserver() = default;
  virtual void warning(const std::string& sentence) = 0;
  // There is an image that will be added to.
  virtual void appending(const BaseImage& base) { (void)base; }
  // Progress in data blocks; total is fixed before the first call with done > 0.
  virtual void progress(uint64_t done, uint64_t total) = 0;
  // One object of the image, as `-info` shows it.
  struct FileEvent {
    enum class Kind : uint8_t {
      kFile,
      kSymlink,
      kDirectory,
      kCharDevice,
      kBlockDevice,
      kFifo,
      kSocket
    } kind = Kind::kFile;
    std::string image_path;     // with a sort file, of files on the host: the path there
    uint64_t size = 0;          // files
    uint64_t inode_ref = 0;     // others: the packed reference
    bool is_duplicate = false;  // files
    bool is_link = false;
  };
  virtual bool wants_files() const = 0;  // false: file() is never called
  virtual void file(const FileEvent& event) = 0;
  // A line that an action wants to be logged, without a newline.
  virtual void action_line(const std::string& line) { (void)line; }

  // Asked once per block or so; true: place() is called next, with the path in the image of the
  // file that is being written, or what else is being done.
  virtual bool wants_place() { return false; }
  virtual void place(const std::string& what) { (void)what; }

  // Where data begins, from the start of the image: of each regular file that has blocks of its own
  // (0: it has none), then of each fragment block.
  virtual bool wants_positions() const { return false; }
  virtual void file_position(const std::string& path, uint64_t start) { (void)path, (void)start; }
  virtual void fragment_position(uint64_t number, uint64_t start) { (void)number, (void)start; }
};

// Parts of the work, in their order.
enum class Stage : uint8_t { kScan, kXattrs, kData, kTables };
inline constexpr size_t kStages = 4;

struct TableSize {
  uint64_t stored_bytes = 0, raw_bytes = 0;
};

struct BuildSummary {
  uint16_t flags = 0;
  uint32_t block_size = 0;
  uint64_t bytes_used = 0;
  uint64_t file_bytes = 0;  // all regular files as read
  TableSize inode_table, directory_table, xattr_table;
  uint64_t duplicate_files = 0, inodes = 0, files = 0, fragments = 0, symlinks = 0, devices = 0,
           fifos = 0, sockets = 0, directories = 0, hard_links = 0;
  uint32_t ids = 0;
  std::vector<uint32_t> uids, gids;  // in the order of the id table
  uint64_t warnings = 0;

  uint64_t data_bytes = 0;             // stored: blocks of files and fragment blocks
  uint64_t fragment_bytes = 0;         // of these, the fragment blocks
  uint64_t fragment_tails = 0;         // files with a tail in a fragment block
  uint64_t duplicate_bytes = 0;        // of files whose data is that of another
  std::array<Clocks, kStages> stages;  // time spent
};

// Builds an image at `destination`. All that can be known to fail before writing (sources, options,
// excludes) fails before the destination is opened, and until the last byte is on disk whatever was
// at the destination stays as it was (Env::create_output says where that is possible).
// An image that is added to is changed in place, but at every moment, whatever fails, it mounts as
// it did before or as the finished new one, and after an error it is byte for byte what it was.
// Errors name the file or option; Code::kCancelled when `cancelled` returned true.
Result<BuildSummary> build_image(const BuildOptions& options, const std::string& destination,
                                 Env& env, BuildObserver& observer,
                                 const std::function<bool()>& cancelled);

}  // namespace sqfs
