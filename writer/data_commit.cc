// SPDX-License-Identifier: MIT
#include "writer/data_commit.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "base/text.h"

namespace sqfs {
namespace {

constexpr int kMaxReadAgain = 3;
constexpr uint64_t kHolesAtOnce = 1u << 20;  // between two looks at whether to go on

// A block word that is not known yet; no hole.
constexpr uint32_t kWordPending = ~uint32_t{0};

uint64_t blocks_in(uint64_t bytes, uint32_t block_size) {
  return bytes / block_size + (bytes % block_size != 0 ? 1 : 0);
}

// What the inode's sparse field is to hold: 0 unless the host keeps the file sparse, and never all
// of the size.
uint64_t sparse_bytes(const RegularFile& file) {
  if (!file.is_sparse_on_host || file.layout.size == 0) return 0;
  return std::min(file.layout.sparse, file.layout.size - 1);
}

Error cancelled_error() { return Error{Code::kCancelled, 0, 0, 0, "interrupted"}; }

// Whether two files can be equal, from their sizes and holes.
bool has_same_shape(const FileLayout& a, const FileLayout& b) {
  return a.size == b.size &&
         std::ranges::equal(a.block_words, b.block_words,
                            [](uint32_t x, uint32_t y) { return (x == 0) == (y == 0); });
}

}  // namespace

DataCommitter::DataCommitter(const Setting& setting, uint64_t start,
                             const OutputQueue::Limits& limits, size_t cache_bytes)
    : context_(setting.context),
      pool_(setting.pool),
      buffers_(setting.buffers),
      feeder_(setting.feeder),
      output_(setting.output),
      image_offset_(setting.image_offset),
      tree_(setting.tree),
      files_(setting.files),
      observer_(setting.observer),
      cancelled_(setting.cancelled),
      queue_(setting.output, setting.image_offset, start, setting.pool, limits,
             [this](SlotOwner owner, uint64_t position, BlockWord word) {
               if (owner.file == kNoNode) {
                 return fragments_.set_placed(owner.number, position, word);
               }
               FileLayout& placed = tree_.file(owner.file).layout;
               placed.block_words[owner.number] = word.packed();
               if (placed.start == 0) placed.start = position;
             }),
      fragments_(setting.context.options, queue_, cache_bytes, setting.stored.fragments) {
  know_stored_files(setting.stored.files);
}

void DataCommitter::know_stored_files(std::span<const StoredData::File> files) {
  const bool shares_tails = context_.options.fragments == FragmentPolicy::kTailEnds;
  for (const StoredData::File& file : files) {
    const FileLayout& known = tree_.file(file.node).layout;
    const bool is_whole_file = known.block_words.empty();
    if (!is_whole_file) index_.insert(file.digest, {file.node, 0});
    if (known.tail == FragmentRef{} || (!is_whole_file && !shares_tails)) continue;
    const auto size = static_cast<uint32_t>(known.size % context_.options.block_size);
    fragments_.know(size, file.tail_digest, known.tail, is_whole_file);
  }
}

Status DataCommitter::commit(BlockJob& job) {
  for (size_t i = 0; i < job.pieces.size(); ++i) {
    if (i == job.pieces_done()) return after_earlier_failures(job.status().error());
    const Piece& piece = job.pieces[i];
    JobFile& file = job.files[piece.file];
    if (!in_file_) begin_file(file, feeder_.role(file.order));
    in_file_ = true;
    SQFS_CHECKED(take_piece(job, piece));
    report_blocks(piece);
    if (!piece.is_last) continue;
    in_file_ = false;
    SQFS_CHECKED(finish_file());
  }
  return ok();
}

void DataCommitter::begin_file(const JobFile& file, FileRole role) {
  run_ = Run();
  run_.order = file.order;
  run_.node = files_[file.order];
  run_.role = role;
  run_.digest = FileDigest(file.size);
  layout() = FileLayout{};
  layout().size = file.size;
  observer_.file_begun(run_.node);
  queue_.begin_run();
}

Status DataCommitter::take_piece(BlockJob& job, const Piece& piece) {
  JobFile& file = job.files[piece.file];
  if (file.failure && !run_.failure) run_.failure = std::move(file.failure);
  if (file.has_changed) run_.has_changed = true;
  if (file.was_replaced) run_.was_replaced = true;
  if (run_.is_void()) return ok();
  auto& words = layout().block_words;
  const uint32_t block_size = context_.options.block_size;
  if (words.empty() && !piece.is_tail) words.reserve(blocks_in(layout().size, block_size));
  if (piece.use == PieceUse::kHoles || piece.is_hole) {
    layout().sparse += piece.size;
    return take_holes(blocks_in(piece.size, block_size));
  }
  if (piece.wants_digest) run_.digest.add(words.size(), piece.digest);
  if (piece.is_tail) {
    run_.tail = job.bytes(piece);
    run_.tail_digest = piece.digest;
    run_.tail_wants_digest = piece.wants_digest;
    return ok();
  }
  const uint64_t number = words.size();
  words.push_back(kWordPending);
  if (piece.use == PieceUse::kStore) {
    SQFS_CHECKED(align_first_block());
    return queue_.push({run_.node, number}, job.bytes(piece), {piece.stored_size, piece.is_raw});
  }
  if (piece.use == PieceUse::kDigest) run_.is_only_digested = true;
  if (piece.use == PieceUse::kKeep) run_.kept.push_back({number, job.bytes(piece)});
  return ok();
}

Status DataCommitter::take_holes(uint64_t count) {
  auto& words = layout().block_words;
  while (count > 0) {
    const uint64_t some = std::min(count, kHolesAtOnce);
    words.resize(words.size() + some, 0);
    count -= some;
    if (count > 0 && cancelled_()) return cancelled_error();
  }
  return ok();
}

// Counts what was expected, so that the sum is right also where a file turns out to be different.
void DataCommitter::report_blocks(const Piece& piece) {
  const uint32_t block_size = context_.options.block_size;
  uint64_t count = blocks_in(piece.size, block_size);
  if (piece.is_last) {
    const uint64_t expected = tree_.file(run_.node).expected_size;
    count = blocks_in(expected, block_size) - run_.blocks_reported;
  }
  run_.blocks_reported += count;
  if (count > 0) observer_.blocks_done(count);
}

// --- the end of a file
// ----------------------------------------------------------------------------

Status DataCommitter::finish_file() {
  if (run_.has_changed) return read_again();
  if (run_.failure) return give_up(*std::move(run_.failure));
  if (run_.role == FileRole::kLater && !layout().block_words.empty()) {
    SQFS_TRY(const bool is_shared, share_original());
    if (is_shared) return close_file(true);
  }
  if (run_.is_only_digested) {
    SQFS_CHECKED(store_now(feeder_.describe(run_.order), FileRole::kFirst));
    if (run_.has_changed) return read_again();
    if (run_.failure) return give_up(*std::move(run_.failure));
  }
  SQFS_CHECKED(store_kept_blocks());
  return complete_file();
}

// All blocks of the file are in the queue.
Status DataCommitter::complete_file() {
  if (run_.role != FileRole::kUnique && !layout().block_words.empty()) {
    index_.insert(run_.digest.value(), {run_.node, queue_.slot_count()});
  }
  bool is_duplicate = false;
  if (!run_.tail.empty()) SQFS_CHECKED(pack_tail(is_duplicate));
  return close_file(is_duplicate);
}

Status DataCommitter::close_file(bool is_duplicate) {
  RegularFile& file = tree_.file(run_.node);
  const uint64_t size = file.layout.size;
  file.layout.sparse = sparse_bytes(file);
  result_.input_bytes += size;
  if (is_duplicate) result_.duplicate_bytes += size;
  if (is_duplicate || size == 0) ++result_.duplicate_files;
  observer_.file_done(run_.node, size, is_duplicate);
  hold(nullptr);
  return ok();
}

Status DataCommitter::pack_tail(bool& is_duplicate) {
  FileLayout& file = layout();
  const DataPolicy& policy = tree_.file(run_.node).policy;
  if (!run_.tail_wants_digest) return fragments_.append(run_.tail, policy, file.tail);
  const bool is_whole_file = file.block_words.empty();
  SQFS_TRY(const auto stored, fragments_.add(run_.tail, policy, run_.tail_digest, is_whole_file));
  file.tail = stored.ref;
  is_duplicate = stored.is_duplicate_file;
  return ok();
}

Status DataCommitter::store_kept_blocks() {
  const bool is_raw = tree_.file(run_.node).policy.is_raw(context_.options.raw_data);
  for (const auto& [number, bytes] : run_.kept) {
    SQFS_CHECKED(align_first_block());
    const SlotOwner owner{run_.node, number};
    if (is_raw) {
      const BlockWord word{static_cast<uint32_t>(bytes.size()), true};
      SQFS_CHECKED(queue_.push(owner, bytes, word));
    } else {
      auto raw = std::make_shared<const Buffer>(bytes.begin(), bytes.end());
      SQFS_CHECKED(queue_.push(owner, std::make_unique<CompressJob>(std::move(raw))));
    }
  }
  return ok();
}

// Before any block of the run is pushed.
Status DataCommitter::align_first_block() {
  const DataPolicy& policy = tree_.file(run_.node).policy;
  if (!policy.is_aligned() || std::exchange(run_.is_aligned, true)) return ok();
  return queue_.align(uint64_t{1} << policy.align_log);
}

Result<bool> DataCommitter::share_original() {
  const auto [first, last] = index_.find(run_.digest.value());
  for (auto it = first; it != last; ++it) {
    const FileIndex::Original& original = it->second;
    SQFS_TRY(const bool is_same, is_same_file(original));
    if (!is_same) continue;
    const FileLayout& shared = tree_.file(original.file).layout;
    layout().start = shared.start;
    layout().block_words = shared.block_words;
    layout().tail = shared.tail;
    return true;
  }
  return false;
}

Result<bool> DataCommitter::is_same_file(const FileIndex::Original& original) {
  const FileLayout& known = tree_.file(original.file).layout;
  if (!has_same_shape(known, layout())) return false;
  if (original.end_slot > 0) SQFS_CHECKED(queue_.settle(original.end_slot - 1));
  const uint64_t alignment = uint64_t{1} << tree_.file(run_.node).policy.align_log;
  if (known.start % alignment != 0) return false;
  if (known.start != 0) {
    SQFS_CHECKED(queue_.flush());
    auto is_same = has_same_blocks(context_, pool_, output_, image_offset_,
                                   feeder_.describe(run_.order), known, cancelled_);
    if (!is_same) return after_earlier_failures(std::move(is_same).error());
    if (!*is_same) return false;
  }
  if (run_.tail.empty()) return known.tail == FragmentRef{};
  return fragments_.holds(known.tail, run_.tail);
}

// --- reading a file out of turn
// -------------------------------------------------------------------

// Reads and stores the file of the run from its beginning, before anything later is committed. What
// goes wrong with the file is left in the run.
Status DataCommitter::store_now(JobFile file, FileRole role) {
  begin_file(file, role);
  const RegularFile& node = tree_.file(run_.node);
  if (auto status = file.open(context_.env); !status) {
    run_.failure = std::move(status).error();
    return ok();
  }
  run_.has_changed = file.has_changed;
  run_.was_replaced = file.was_replaced;
  if (file.has_changed) return ok();
  const bool asks_for_holes = context_.options.detect_holes && node.is_sparse_on_host;
  FileCutter cutter(context_.options, file.size, file.fragments, role,
                    asks_for_holes ? file.opened.get() : nullptr);
  std::deque<OrderedPool::Ticket> running;
  Status status = ok();
  bool is_done = false;
  while (!is_done || !running.empty()) {
    is_done = is_done || !status || run_.is_void();
    if (!is_done && running.size() <= pool_.threads()) {
      auto job = std::make_unique<BlockJob>(context_, buffers_.take());
      uint64_t room = job_bytes(context_.options.block_size);
      is_done = add_pieces(*job, file, cutter, room);
      running.push_back(pool_.submit_urgent(std::move(job)));
      continue;
    }
    if (running.empty()) break;
    std::unique_ptr<Job> done = pool_.take(running.front());
    running.pop_front();
    if (status) status = take_urgent(std::move(done));
  }
  return status;
}

Status DataCommitter::take_urgent(std::unique_ptr<Job> done) {
  if (cancelled_()) return cancelled_error();
  if (!done->status()) return after_earlier_failures(done->status().error());
  hold(std::unique_ptr<BlockJob>(static_cast<BlockJob*>(done.release())));
  for (const Piece& piece : held_job_->pieces) SQFS_CHECKED(take_piece(*held_job_, piece));
  return ok();
}

void DataCommitter::hold(std::unique_ptr<BlockJob> job) {
  if (held_job_ != nullptr) buffers_.give_back(held_job_->take_buffer());
  held_job_ = std::move(job);
}

Status DataCommitter::read_again() {
  for (int i = 0; i < kMaxReadAgain && run_.has_changed; ++i) {
    observer_.warning("File " + display_path() +
                      (run_.was_replaced ? " was replaced" : " changed size") +
                      " while reading filesystem, attempting to re-read");
    SQFS_CHECKED(queue_.drop_run());
    if (run_.was_replaced) {
      if (auto status = find_replacement(); !status) return give_up(std::move(status).error());
    }
    JobFile file = feeder_.describe(run_.order);
    if (auto status = file.open(context_.env); !status) {
      return give_up(std::move(status).error());
    }
    if (!file.has_changed) {
      auto size = file.current_size();
      if (!size) return give_up(std::move(size).error());
      file.size = *size;
      auto fits = check_file_size(*size, context_.options.block_size, display_path());
      if (!fits) return after_earlier_failures(std::move(fits).error());
    }
    SQFS_CHECKED(store_now(std::move(file), FileRole::kUnique));
  }
  if (run_.was_replaced) return give_up(io_error(0, "it is replaced all the time"));
  if (run_.has_changed && layout().size == 0) {
    return give_up(io_error(0, "the host says that it is empty, but it is not"));
  }
  if (run_.has_changed) return give_up(io_error(0, "its size changes all the time"));
  if (run_.failure) return give_up(*std::move(run_.failure));
  return complete_file();
}

// Takes the file that is now at the path of the one that was scanned, if it is one and still in the
// tree that was scanned: no directory on the way may have become a symlink to elsewhere.
Status DataCommitter::find_replacement() {
  RegularFile& file = tree_.file(run_.node);
  SQFS_TRY(const FileInfo info, context_.env.lstat(tree_.host_path(run_.node)));
  if (info.type != FileType::kRegular) return io_error(0, "it is no longer a regular file");
  const auto is_source = [&](NodeId id) { return tree_.node(id).host_root != ~uint32_t{0}; };
  for (NodeId id = run_.node; !is_source(id);) {
    id = tree_.node(id).parent;
    SQFS_TRY(const FileInfo directory, context_.env.lstat(tree_.host_path(id)));
    if (directory.type != FileType::kDirectory) {
      return io_error(0, "its directory was replaced by something else");
    }
  }
  file.identity = info.identity();
  return ok();
}

// The file becomes an empty one, unless the reason is not the file's.
Status DataCommitter::give_up(Error why) {
  const std::string reason = why.os_errno != 0 ? errno_text(why.os_errno) : why.what;
  const std::string failed = "Failed to read file " + display_path();
  if (context_.options.exit_on_error || is_host_shortage(why)) {
    why.what = failed + ": " + reason;
    return after_earlier_failures(std::move(why));
  }
  observer_.warning(failed + ", creating empty file (" + reason + ")");
  SQFS_CHECKED(queue_.drop_run());
  layout() = FileLayout{};
  return close_file(false);
}

// --- the rest
// -------------------------------------------------------------------------------------

Result<DataResult> DataCommitter::finish() {
  SQFS_CHECKED(fragments_.close());
  SQFS_CHECKED(queue_.settle_all());
  SQFS_CHECKED(queue_.flush());
  result_.end = queue_.position();
  result_.fragments = fragments_.take_entries();
  return std::move(result_);
}

std::string DataCommitter::display_path() const {
  const bool is_on_host = tree_.file(run_.node).content == nullptr;
  return printable(is_on_host ? tree_.host_path(run_.node) : tree_.image_path(run_.node));
}

// Of several failures the first in the order of the files is reported, whatever the threads were
// doing: blocks still in the queue come before `error`.
Error DataCommitter::after_earlier_failures(Error error) {
  if (error.code == Code::kCancelled) return error;
  auto earlier = queue_.settle_all();
  return earlier ? error : std::move(earlier).error();
}

}  // namespace sqfs
