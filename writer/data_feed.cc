// SPDX-License-Identifier: MIT
#include "writer/data_feed.h"

#include <algorithm>
#include <utility>

namespace sqfs {

JobBuffer JobBuffers::take() {
  if (free_.empty()) return JobBuffer::make(size_);
  JobBuffer buffer = std::move(free_.back());
  free_.pop_back();
  return buffer;
}

// --- FileCutter
// -----------------------------------------------------------------------------------

FileCutter::FileCutter(const DataOptions& options, uint64_t size, FragmentPolicy fragments,
                       FileRole role, InputFile* sparse)
    : options_(options), size_(size), fragments_(fragments), role_(role), sparse_(sparse) {}

uint64_t FileCutter::next_size() const {
  return std::min<uint64_t>(size_ - offset_, options_.block_size);
}

// Where the blocks of holes that begin at offset_ end: at offset_ when there is data in this block.
// A host that cannot tell has data everywhere.
uint64_t FileCutter::hole_end() {
  if (sparse_ == nullptr || offset_ < data_end_) return offset_;
  const auto data = sparse_->next_data(offset_);
  if (!data) return offset_;
  if (!data->has_value() || **data >= size_) return size_;
  data_end_ = sparse_->next_hole(**data).value_or(size_);
  return std::max(offset_, **data - **data % options_.block_size);
}

Piece FileCutter::next() {
  Piece piece;
  piece.offset = offset_;
  const uint64_t end_of_holes = hole_end();
  if (end_of_holes > offset_ || size_ == 0) {
    piece.use = PieceUse::kHoles;
    piece.size = end_of_holes - offset_;
  } else {
    piece.size = next_size();
    piece.is_tail = piece.size < options_.block_size && fragments_ != FragmentPolicy::kNone &&
                    (offset_ == 0 || fragments_ == FragmentPolicy::kTailEnds);
    const bool is_kept =
        piece.is_tail || (role_ == FileRole::kLater && size_ <= job_bytes(options_.block_size));
    piece.use = is_kept                     ? PieceUse::kKeep
                : role_ == FileRole::kLater ? PieceUse::kDigest
                                            : PieceUse::kStore;
    piece.wants_digest =
        role_ != FileRole::kUnique ||
        (piece.is_tail && fragments_ == FragmentPolicy::kTailEnds && options_.find_duplicates);
  }
  offset_ += piece.size;
  is_done_ = offset_ == size_;
  piece.is_last = is_done_;
  return piece;
}

bool add_pieces(BlockJob& job, const JobFile& file, FileCutter& cutter, uint64_t& room) {
  if (cutter.next_size() > room) return false;
  job.files.push_back(file);
  while (!cutter.done() && cutter.next_size() <= room) {
    Piece piece = cutter.next();
    piece.file = static_cast<uint32_t>(job.files.size() - 1);
    if (piece.use != PieceUse::kHoles) room -= piece.size;
    job.pieces.push_back(piece);
  }
  return cutter.done();
}

// --- Feeder
// ---------------------------------------------------------------------------------------

JobFile Feeder::describe(uint32_t order) const {
  const RegularFile& file = tree_.file(files_[order]);
  JobFile out;
  out.order = order;
  out.size = file.expected_size;
  out.content = file.content.get();
  out.identity = file.identity;
  out.fragments = file.policy.fragment_policy(context_.options.fragments);
  out.is_raw = file.policy.is_raw(context_.options.raw_data);
  if (out.content == nullptr) out.path = tree_.host_path(files_[order]);
  return out;
}

// A file that one job can hold is never spread over two: the job opens it.
bool Feeder::fits(const BlockJob& job, uint64_t size, uint64_t room) const {
  if (job.files.empty()) return true;
  return job.files.size() < kMaxJobFiles && size <= room;
}

void Feeder::start_file() {
  const auto order = static_cast<uint32_t>(next_file_++);
  current_ = describe(order);
  uint64_t size = current_.size;
  InputFile* sparse = nullptr;
  if (size > job_bytes(context_.options.block_size)) {
    if (auto status = current_.open(context_.env); !status) {
      current_.failure = std::move(status).error();
    }
    if (current_.opened == nullptr) {
      size = 0;  // one empty piece carries what is wrong to its place in the order
    } else if (context_.options.detect_holes && tree_.file(files_[order]).is_sparse_on_host) {
      sparse = current_.opened.get();
    }
  }
  cutter_.emplace(context_.options, size, current_.fragments, roles_[order], sparse);
}

std::unique_ptr<BlockJob> Feeder::next_job() {
  auto job = std::make_unique<BlockJob>(context_, buffers_.take());
  uint64_t room = job_bytes(context_.options.block_size);
  while (more()) {
    if (!cutter_) {
      if (!fits(*job, tree_.file(files_[next_file_]).expected_size, room)) break;
      start_file();
    }
    if (!add_pieces(*job, current_, *cutter_, room)) break;
    cutter_.reset();
    current_ = JobFile();
  }
  return job;
}

}  // namespace sqfs
