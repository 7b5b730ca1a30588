// SPDX-License-Identifier: MIT
#include "writer/build.h"

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/text.h"
#include "base/warn.h"
#include "writer/action_effects.h"
#include "writer/append.h"
#include "writer/filter.h"
#include "writer/plan.h"
#include "writer/pseudo_merge.h"
#include "writer/sort_order.h"
#include "writer/source_archive.h"
#include "writer/source_dir.h"
#include "writer/stream.h"
#include "writer/summary.h"
#include "writer/table_stage.h"
#include "xattr/host.h"
#include "xattr/pool.h"

namespace sqfs {
namespace {

constexpr size_t kCopyPiece = 1u << 20;
constexpr uint64_t kNodesPerCancelCheck = 1024;

// Passes on what the data stage tells, as progress and events of the whole build.
class DataRelay final : public DataObserver {
 public:
  // `shows_sources`: files on the host are shown by their paths there. `current` is the file that
  // is being written.
  DataRelay(const Tree& tree, uint64_t total_blocks, bool shows_sources, BuildObserver& observer,
            const Warn& warn, NodeId& current)
      : tree_(tree),
        total_blocks_(total_blocks),
        shows_sources_(shows_sources),
        observer_(observer),
        warn_(warn),
        current_(current) {
    observer_.progress(0, total_blocks_);
  }

  void warning(const std::string& sentence) override { warn_(sentence); }
  void file_begun(NodeId file) override { current_ = file; }

  void blocks_done(uint64_t count) override {
    done_blocks_ = std::min(done_blocks_ + count, total_blocks_);  // a file may have grown
    observer_.progress(done_blocks_, total_blocks_);
  }

  void file_done(NodeId file, uint64_t size, bool is_duplicate) override {
    if (!observer_.wants_files()) return;
    BuildObserver::FileEvent event;
    if (shows_sources_) event.image_path = tree_.host_path(file);
    if (event.image_path.empty()) event.image_path = tree_.image_path(file);
    event.size = size;
    event.is_duplicate = is_duplicate;
    observer_.file(event);
  }

 private:
  const Tree& tree_;
  uint64_t total_blocks_, done_blocks_ = 0;
  bool shows_sources_;
  BuildObserver& observer_;
  const Warn& warn_;
  NodeId& current_;
};

class Builder {
 public:
  Builder(const BuildOptions& options, const std::string& destination, Env& env,
          BuildObserver& observer, const std::function<bool()>& cancelled)
      : options_(options),
        destination_(destination),
        env_(env),
        observer_(observer),
        cancelled_([this, &cancelled] {
          if (observer_.wants_place()) observer_.place(place());
          return cancelled();
        }),
        warn_([this](const std::string& sentence) {
          ++warnings_;
          observer_.warning(sentence);
        }),
        log_action_([this](const std::string& line) { observer_.action_line(line); }),
        actions_({options.actions, options.data.block_size, env, warn_, log_action_, cancelled}) {}

  // The writer in one page. What may fail for reasons known beforehand comes before the output is
  // opened; the superblock, without which nothing is an image, is written last.
  Result<BuildSummary> run() {
    auto summary = run_steps();
    if (summary || appender_ == nullptr) return summary;
    return appender_->undo(std::move(summary).error());
  }

 private:
  Result<BuildSummary> run_steps() {
    begin(Stage::kScan);
    SQFS_CHECKED(options_.data.is_stream ? open_stream() : look_at_destination());
    SQFS_CHECKED(open_base());
    SQFS_CHECKED(scan());
    SQFS_TRY(plan_, make_plan(options_, env_.now(), warn_, tree_));
    begin(Stage::kXattrs);
    SQFS_CHECKED(read_xattrs());
    begin(Stage::kData);
    const DataOptions& data = options_.data;
    SQFS_TRY(const auto compressor, data.compressor->make(data.config, data.block_size));

    SQFS_TRY(const StoredData stored, stored_data());
    SQFS_TRY(const uint64_t data_start, appender_ ? begin_appending() : begin_image());

    DataRelay relay(tree_, block_count(tree_, plan_.files, data.block_size),
                    !options_.sort_entries.empty(), observer_, warn_, current_file_);
    SQFS_TRY(const DataResult content,
             write_data(data, env_, *output_, options_.image_offset, data_start, tree_, plan_.files,
                        relay, cancelled_, stored));
    show_positions(content);
    begin(Stage::kTables);

    ImageTail tail(*output_, options_.image_offset, content.end);
    const TableInputs inputs{options_, plan_, xattrs_, content.fragments};
    SQFS_TRY(TableResult tables, write_tables(
                                     inputs, tree_, *compressor, tail,
                                     [this](NodeId name) { show(name); }, cancelled_));
    if (has_compressor_options_) tables.superblock.flags |= kFlagCompressorOptions;

    SQFS_CHECKED(end_file(tail));
    SQFS_CHECKED(write_superblock(tables.superblock, tail));
    SQFS_CHECKED(output_->commit());
    BuildSummary summary = summarize(tree_, plan_, content, tables);
    if (appender_ != nullptr) summary.file_bytes += appender_->file_bytes();
    summary.warnings = warnings_;
    begin(Stage::kTables);
    summary.stages = stages_;
    return summary;
  }

  // --- an image that is added to

  Status open_base() {
    if (!options_.append || !old_file_) return ok();
    SQFS_TRY(appender_, Appender::open(destination_, *old_file_, env_, options_));
    observer_.appending(appender_->describe());
    return ok();
  }

  Status take_base_xattrs() {
    for (const NodeId id : plan_.inodes) {
      if (appender_->owns(id)) SQFS_CHECKED(appender_->take_xattrs(tree_.node(id), xattrs_));
    }
    return ok();
  }

  Result<StoredData> stored_data() {
    if (appender_ == nullptr) return StoredData{};
    return appender_->stored_data(options_.data, tree_, plan_.files, cancelled_);
  }

  // Opened before the scan, which leaves out the file behind it.
  Status open_stream() {
    SQFS_TRY(new_file_, env_.standard_output());
    output_ = new_file_.get();
    return ok();
  }

  // Both return where the data is to start.
  Result<uint64_t> begin_appending() {
    SQFS_TRY(AppendOutput* const output, appender_->begin(options_, tree_, plan_, xattrs_));
    output_ = output;
    has_compressor_options_ = appender_->has_compressor_options();
    return output->start();
  }

  Result<uint64_t> begin_image() {
    if (output_ == nullptr) {
      SQFS_TRY(new_file_, env_.create_output(destination_));
      output_ = new_file_.get();
    }
    SQFS_CHECKED(keep_bytes_before_image());
    return write_head();
  }

  Status check_cancelled() const {
    if (cancelled_()) return Error{Code::kCancelled, 0, 0, 0, "interrupted"};
    return ok();
  }

  // Nothing is opened yet, so that a failing scan leaves the old file alone.
  Status look_at_destination() {
    auto info = env_.stat(destination_);
    if (!info && info.error().os_errno == ENOENT) return ok();
    if (!info) return std::move(info).error().with_context("Could not create destination file");
    if (info->type != FileType::kRegular && info->type != FileType::kBlockDevice) {
      return usage_error("Destination not block device or regular file: " +
                         printable(destination_));
    }
    old_file_ = *info;
    if (options_.sources.size() != 1) return ok();
    const auto source = env_.stat(options_.sources[0]);
    if (source && source->device == info->device && source->inode == info->inode) {
      return usage_error("Source and destination are the same file: " + printable(destination_));
    }
    return ok();
  }

  Status scan() {
    // Excludes are looked up below the sources; listed ones are below the working directory.
    const bool is_listed = options_.source_kind == SourceKind::kListedPaths;
    SQFS_TRY(
        Filter filter,
        Filter::make(options_.filter, is_listed ? std::vector<std::string>{"."} : options_.sources,
                     options_.data.exit_on_error, env_, warn_));
    if (old_file_) filter.exclude({old_file_->device, old_file_->inode});
    if (output_ != nullptr) {
      for (const FileIdentity& identity : output_->identities()) filter.exclude(identity);
    }
    SQFS_CHECKED(actions_.prepare());
    if (options_.source_kind == SourceKind::kArchives) {
      const ArchiveContext context{options_, filter, destination_, env_, warn_, cancelled_};
      SQFS_CHECKED(scan_archives(context, tree_));
    } else if (options_.source_kind != SourceKind::kNothing) {
      SQFS_CHECKED(scan_sources(options_, filter, env_, warn_, cancelled_, tree_, {}, &actions_));
    }
    if (appender_ != nullptr) SQFS_CHECKED(appender_->merge(options_, warn_, tree_));
    SQFS_CHECKED(merge_pseudo(options_, destination_, env_, warn_, cancelled_, tree_));
    SQFS_CHECKED(set_priorities(options_.sort_entries, options_.sources, env_, warn_, tree_));
    SQFS_CHECKED(actions_.apply(tree_));
    tree_.settle_links();
    tree_.sort();
    return ok();
  }

  Status read_xattrs() {
    if (appender_ != nullptr) SQFS_CHECKED(take_base_xattrs());
    if (!options_.xattrs.store) return ok();
    const XattrRules rules{options_.xattrs.exclude_regex, options_.xattrs.include_regex,
                           options_.xattrs.add, options_.data.exit_on_error};
    SQFS_TRY(HostXattrReader reader, HostXattrReader::make(rules, env_, warn_));
    for (const NodeId id : plan_.inodes) {
      if (id % kNodesPerCancelCheck == 0) SQFS_CHECKED(check_cancelled());
      Node& node = tree_.node(id);
      if (appender_ != nullptr && appender_->owns(id)) continue;
      const bool allows_user = node.is_file() || node.is_directory();
      SQFS_TRY(const GivenXattrs given, given_xattrs(id));
      const std::string path = tree_.host_path(id);
      const std::string& label = path.empty() ? tree_.image_path(id) : path;
      SQFS_TRY(XattrSet set, reader.read(path, label, allows_user, given));
      node.xattr_set = xattrs_.intern(std::move(set));
    }
    return ok();
  }

  // Of an inode: what its source gave it, and what actions ask for.
  Result<GivenXattrs> given_xattrs(NodeId id) {
    GivenXattrs given;
    if (const GivenXattrs* known = tree_.find_given_xattrs(id)) given = *known;
    if (!actions_.has_xattr_actions()) return given;
    SQFS_TRY(ActionRunner::XattrEdits edits, actions_.xattrs_of(tree_, id));
    given.added.insert(given.added.end(), edits.added.begin(), edits.added.end());
    given.wants = [edits = std::move(edits)](const std::string& name) { return edits.wants(name); };
    return given;
  }

  // The output may be a new file that will replace the old one.
  Status keep_bytes_before_image() {
    if (options_.image_offset == 0 || !old_file_ || old_file_->type != FileType::kRegular) {
      return ok();
    }
    const uint64_t size = std::min(options_.image_offset, old_file_->size);
    SQFS_TRY(const auto old_file, env_.open_input(destination_));
    Buffer piece(std::min<uint64_t>(kCopyPiece, size));
    for (uint64_t done = 0; done < size;) {
      const uint64_t wanted = std::min<uint64_t>(piece.size(), size - done);
      const MutableBytes into = MutableBytes(piece).first(wanted);
      SQFS_TRY(const size_t got, old_file->read_at(done, into));
      if (got == 0) break;
      SQFS_CHECKED(output_->write_at(done, into.first(got)));
      done += got;
    }
    return ok();
  }

  // Zeros for a superblock, which also end an image that is being overwritten, and the compressor's
  // options. Returns where the data is to start.
  Result<uint64_t> write_head() {
    Buffer head = options_.data.is_stream ? stream_head() : Buffer(kSuperblockSize);
    const DataOptions& data = options_.data;
    const Buffer payload = data.compressor->encode_options(data.config, data.block_size);
    has_compressor_options_ = !payload.empty();
    if (has_compressor_options_) {
      ByteWriter out(head);
      out.u16(encode(MetadataHeader{static_cast<uint16_t>(payload.size()), true}));
      out.bytes(payload);
    }
    SQFS_CHECKED(output_->write_at(options_.image_offset, head));
    return head.size();
  }

  Status end_file(ImageTail& tail) {
    const uint64_t end = options_.image_offset + tail.position();
    const uint64_t excess = end % kImageAlignment;
    if (options_.pad && excess != 0) {
      SQFS_CHECKED(tail.append(Buffer(kImageAlignment - excess)));
    }
    return output_->truncate(options_.image_offset + tail.position());
  }

  // A stream has it at its end.
  Status write_superblock(const Superblock& superblock, ImageTail& tail) {
    SQFS_CHECKED(output_->sync());
    SQFS_CHECKED(check_cancelled());
    if (options_.data.is_stream) return tail.append(encode(superblock));
    SQFS_CHECKED(output_->write_at(options_.image_offset, encode(superblock)));
    return output_->sync();
  }

  void show(NodeId name) {
    if (!observer_.wants_files() || (appender_ != nullptr && appender_->owns(name))) return;
    if (const auto event = table_event(tree_, name)) observer_.file(*event);
  }

  void show_positions(const DataResult& content) {
    if (!observer_.wants_positions()) return;
    for (const NodeId id : plan_.files) {
      observer_.file_position(tree_.image_path(id), tree_.file(id).layout.start);
    }
    for (size_t i = 0; i < content.fragments.size(); ++i) {
      observer_.fragment_position(i, content.fragments[i].start);
    }
  }

  // Ends the stage at hand; the last one may be begun again to that end.
  void begin(Stage stage) {
    const Clocks now = env_.clocks();
    Clocks& spent = stages_[static_cast<size_t>(stage_)];
    spent.wall += now.wall - stage_begin_.wall;
    spent.processor += now.processor - stage_begin_.processor;
    stage_ = stage;
    stage_begin_ = now;
  }

  std::string place() const {
    switch (stage_) {
      case Stage::kScan: return "scanning the sources";
      case Stage::kXattrs: return "reading extended attributes";
      case Stage::kData: return current_file_ == kNoNode ? "/" : tree_.image_path(current_file_);
      case Stage::kTables: return "writing the tables";
    }
    return {};
  }

  BuildOptions options_;  // an image that is added to decides some of them
  const std::string& destination_;
  Env& env_;
  BuildObserver& observer_;
  const std::function<bool()> cancelled_;
  Warn warn_;
  uint64_t warnings_ = 0;
  std::function<void(const std::string& line)> log_action_;
  ActionRunner actions_;

  std::optional<FileInfo> old_file_;  // what is at the destination
  Tree tree_;
  Plan plan_;
  XattrPool xattrs_;
  std::unique_ptr<Appender> appender_;  // null: a new image is made
  std::unique_ptr<OutputFile> new_file_;
  OutputFile* output_ = nullptr;  // owned by one of the two
  bool has_compressor_options_ = false;

  Stage stage_ = Stage::kScan;
  Clocks stage_begin_ = env_.clocks();
  std::array<Clocks, kStages> stages_;
  NodeId current_file_ = kNoNode;
};

}  // namespace

Result<BuildSummary> build_image(const BuildOptions& options, const std::string& destination,
                                 Env& env, BuildObserver& observer,
                                 const std::function<bool()>& cancelled) {
  return Builder(options, destination, env, observer, cancelled).run();
}

}  // namespace sqfs
