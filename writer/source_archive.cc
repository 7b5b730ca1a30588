// SPDX-License-Identifier: MIT
#include "writer/source_archive.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "base/text.h"
#include "writer/archive_input.h"
#include "writer/archive_reader.h"
#include "writer/archive_tree.h"
#include "writer/data_stage.h"
#include "writer/extent_content.h"
#include "writer/whiteouts.h"

namespace sqfs {
namespace {

constexpr uint16_t kRootMode = 0777, kDirectoryMode = 0755, kSymlinkMode = 0777;
constexpr int64_t kMaxId = 0xffffffff;

// Ids of names that the host knows, each asked for once.
class NameCache {
 public:
  using Find = std::function<std::optional<uint32_t>(const std::string& name)>;
  explicit NameCache(Find find) : find_(std::move(find)) {}

  std::optional<uint32_t> id(const std::string& name) {
    if (name.empty()) return std::nullopt;
    const auto [at, is_new] = ids_.emplace(name, std::nullopt);
    if (is_new) at->second = find_(name);
    return at->second;
  }

 private:
  Find find_;
  std::map<std::string, std::optional<uint32_t>> ids_;
};

// Collects the data of all files in one temporary file, and what of each file lies where.
class DataStore {
 public:
  explicit DataStore(const ArchiveContext& context)
      : context_(context), holes_left_(context.options.archive.max_hole_blocks) {}

  // Reads the data of an entry, and makes the file of it.
  Result<RegularFile> store(const ArchiveEntry& entry, ArchiveReader& reader) {
    std::vector<Extent> extents;
    uint64_t end = 0;
    SQFS_CHECKED(reader.read_data([&](uint64_t offset, Bytes bytes) -> Status {
      end = offset + bytes.size();
      if (entry.size && end > *entry.size) {
        return unsupported_error("it has more data than the archive says it has");
      }
      return append(offset, bytes, extents);
    }));
    RegularFile file;
    file.expected_size = entry.size.value_or(end);
    SQFS_CHECKED(
        check_file_size(file.expected_size, context_.options.data.block_size, "in the archive"));
    SQFS_CHECKED(count_holes(extents, file));
    if (file.expected_size > 0) {
      file.content = extent_content(spool_, std::move(extents), file.expected_size);
    } else {
      SQFS_CHECKED(open_spool());
      file.content = extent_content(spool_, {}, 0);
    }
    return file;
  }

 private:
  Status open_spool() {
    if (spool_ != nullptr) return ok();
    SQFS_TRY(spool_, context_.env.create_spool(context_.destination));
    return ok();
  }

  Status append(uint64_t offset, Bytes bytes, std::vector<Extent>& extents) {
    SQFS_CHECKED(open_spool());
    const uint64_t stored = spool_->end();
    SQFS_CHECKED(spool_->append(bytes));
    if (!extents.empty() && extents.back().offset + extents.back().size == offset) {
      extents.back().size += bytes.size();
    } else {
      extents.push_back({offset, stored, bytes.size()});
    }
    return ok();
  }

  // Data that the archive does not have: a few bytes of it can ask for any amount of blocks here.
  Status count_holes(const std::vector<Extent>& extents, RegularFile& file) {
    uint64_t data = 0;
    for (const Extent& extent : extents) data += extent.size;
    const uint64_t holes = file.expected_size - data;
    file.is_sparse_on_host = holes > 0;
    const uint64_t block_size = context_.options.data.block_size;
    if (holes / block_size > holes_left_) {
      return unsupported_error(
          "it has " + std::to_string(file.expected_size) + " bytes, nearly all of them holes; " +
          "the holes of all files of an archive may fill " +
          std::to_string(context_.options.archive.max_hole_blocks) + " blocks");
    }
    holes_left_ -= holes / block_size;
    SQFS_CHECKED(open_spool());
    return ok();
  }

  const ArchiveContext& context_;
  std::shared_ptr<SpoolFile> spool_;
  uint64_t holes_left_;
};

class ArchiveScanner {
 public:
  ArchiveScanner(const ArchiveContext& context, Tree& tree)
      : context_(context),
        options_(context.options.archive),
        tree_(tree, made_up(kDirectoryMode, 0, 0), context.warn),
        store_(context),
        users_([this](const std::string& name) { return context_.env.find_user(name); }),
        groups_([this](const std::string& name) { return context_.env.find_group(name); }) {
    tree.node(kRootNode).attributes =
        made_up(kRootMode, context.env.user_id(), context.env.group_id());
  }

  Status run() {
    for (const std::string& path : context_.options.sources) SQFS_CHECKED(scan(path));
    return ok();
  }

 private:
  Attributes made_up(uint16_t mode, uint32_t uid, uint32_t gid) const {
    Attributes attributes;
    attributes.mode =
        options_.default_mode ? options_.default_mode->apply(kDirectoryMode, true) : mode;
    attributes.uid = options_.default_uid.value_or(uid);
    attributes.gid = options_.default_gid.value_or(gid);
    attributes.mtime = context_.env.now();
    attributes.is_fabricated = true;
    return attributes;
  }

  Status scan(const std::string& path) {
    const std::string name = path == "-" ? "standard input" : printable(path);
    SQFS_TRY(ArchiveInput input, ArchiveInput::open(path, context_.env, context_.cancelled, [this] {
               return context_.env.create_spool(context_.destination);
             }));
    SQFS_TRY(const auto reader,
             ArchiveReader::make(path, std::move(input), options_.ignore_zeros, context_.warn));
    LayerChanges layer;
    ArchiveEntry entry;
    for (;;) {
      if (context_.cancelled()) return Error{Code::kCancelled, 0, 0, 0, "interrupted"};
      SQFS_TRY(const bool is_there, reader->next(entry));
      if (!is_there) break;
      if (Status status = take(entry, *reader, layer); !status) {
        // The reader names its archive itself.
        const Code code = status.error().code;
        if (code != Code::kUnsupported && code != Code::kUsage) return status;
        return std::move(status).error().with_context(name + ": " + printable(entry.path));
      }
    }
    if (path == "-") SQFS_CHECKED(reader->drain());
    if (Status status = layer.apply(tree_); !status) {
      return std::move(status).error().with_context(name);
    }
    tree_.finish();
    return ok();
  }

  Status take(ArchiveEntry& entry, ArchiveReader& reader, LayerChanges& layer) {
    SQFS_TRY(PathNames path, split_archive_path(entry.path));
    if (is_excluded(path)) return ok();
    if (options_.are_layers && layer.take_whiteout(path)) return ok();
    ArchiveTree::Item item;
    item.path = std::move(path);
    SQFS_TRY(item.attributes, attributes_of(entry));
    if (entry.link_target) {
      SQFS_TRY(item.link_target, split_archive_path(*entry.link_target));
      item.has_data = entry.size.value_or(0) > 0;
      if (item.has_data) {
        SQFS_TRY(item.kind, store_.store(entry, reader));
      }
    } else {
      SQFS_TRY(item.kind, kind_of(entry, reader));
    }
    if (context_.options.xattrs.store) item.xattrs = std::move(entry.xattrs);
    if (!options_.are_layers) return tree_.put(std::move(item));
    layer.add(std::move(item));
    return ok();
  }

  // Excludes leave out what lies below, too.
  bool is_excluded(const PathNames& path) const {
    if (!context_.filter.has_patterns()) return false;
    for (size_t depth = 1; depth <= path.size(); ++depth) {
      if (context_.filter.excludes(std::span(path).first(depth), FileInfo())) return true;
    }
    return false;
  }

  Result<Attributes> attributes_of(const ArchiveEntry& entry) {
    Attributes attributes;
    const bool is_symlink = entry.type == FileType::kSymlink && !entry.link_target;
    attributes.mode = is_symlink ? kSymlinkMode : entry.mode;
    SQFS_TRY(attributes.uid, id_of("user", entry.uid, entry.user, users_));
    SQFS_TRY(attributes.gid, id_of("group", entry.gid, entry.group, groups_));
    attributes.mtime = entry.mtime.value_or(context_.env.now());
    attributes.is_fabricated = !entry.mtime;
    return attributes;
  }

  Result<uint32_t> id_of(const std::string& what, int64_t number, const std::string& name,
                         NameCache& names) {
    if (!options_.numeric_owner) {
      if (const auto id = names.id(name)) return *id;
    }
    if (number >= 0 && number <= kMaxId) return static_cast<uint32_t>(number);
    return unsupported_error("the " + what + " id " + std::to_string(number) +
                             " is beyond the format's 4294967295");
  }

  Result<NodeKind> kind_of(const ArchiveEntry& entry, ArchiveReader& reader) {
    switch (entry.type) {
      case FileType::kDirectory: return NodeKind(Directory{});
      case FileType::kSymlink: return symlink_of(entry);
      case FileType::kBlockDevice:
      case FileType::kCharDevice: return device_of(entry);
      case FileType::kFifo: return NodeKind(IpcNode{.is_socket = false});
      case FileType::kSocket: return NodeKind(IpcNode{.is_socket = true});
      default: break;
    }
    SQFS_TRY(RegularFile file, store_.store(entry, reader));
    return NodeKind(std::move(file));
  }

  static Result<NodeKind> symlink_of(const ArchiveEntry& entry) {
    const size_t size = entry.symlink_target.size();
    if (size > 0 && size <= kMaxSymlinkLength) return NodeKind(Symlink{entry.symlink_target});
    return unsupported_error("the target of the symbolic link has " + std::to_string(size) +
                             " bytes; a kernel can follow 1 to 4095");
  }

  static Result<NodeKind> device_of(const ArchiveEntry& entry) {
    if (entry.major > kMaxMajor || entry.minor > kMaxMinor) {
      return unsupported_error("the device numbers " + std::to_string(entry.major) + ":" +
                               std::to_string(entry.minor) +
                               " are beyond the format's 4095:1048575");
    }
    return NodeKind(DeviceNode{entry.type == FileType::kBlockDevice,
                               static_cast<uint32_t>(entry.major),
                               static_cast<uint32_t>(entry.minor)});
  }

  const ArchiveContext& context_;
  const ArchiveOptions& options_;
  ArchiveTree tree_;
  DataStore store_;
  NameCache users_, groups_;
};

}  // namespace

Status scan_archives(const ArchiveContext& context, Tree& tree) {
  return ArchiveScanner(context, tree).run();
}

}  // namespace sqfs
