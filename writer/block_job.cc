// SPDX-License-Identifier: MIT
#include "writer/block_job.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace sqfs {
namespace {

uint32_t narrow(size_t size) { return static_cast<uint32_t>(size); }

}  // namespace

Status JobFile::open(Env& env) {
  if (opened != nullptr || was_replaced) return ok();
  if (content != nullptr) {
    SQFS_TRY(opened, content->open(env));
    return ok();
  }
  SQFS_TRY(auto file, env.open_source(path));
  SQFS_TRY(const FileInfo info, file->info());
  if (info.type != FileType::kRegular) return io_error(0, "it is no longer a regular file");
  was_replaced = identity != FileIdentity{} && identity != info.identity();
  has_changed = has_changed || was_replaced;
  if (!was_replaced) opened = std::move(file);
  return ok();
}

// Not from the end of the file for one on the host: those in /proc have none.
Result<uint64_t> JobFile::current_size() {
  if (content != nullptr) return opened->size();
  SQFS_TRY(const FileInfo info, opened->info());
  return info.size;
}

Result<std::unique_ptr<Worker>> DataWorker::make(const DataOptions& options) {
  auto worker = std::make_unique<DataWorker>();
  SQFS_TRY(worker->compressor_, options.compressor->make(options.config, options.block_size));
  return worker;
}

MutableBytes DataWorker::scratch(size_t number, size_t size) {
  JobBuffer& buffer = scratch_[number];
  if (buffer.size < size) buffer = JobBuffer::make(size);
  return buffer.span();
}

// --- BlockJob -----------------------------------------------------------------------------------

void BlockJob::run(Worker& worker) {
  const bool is_throttled = context_.options.throttle_percent > 0;
  for (Piece& piece : pieces) {
    JobFile& file = files[piece.file];
    const Clocks begin = is_throttled ? context_.env.clocks() : Clocks{};
    if (!file.failure && !file.has_changed) {
      if (auto status = run_piece(static_cast<DataWorker&>(worker), file, piece); !status) {
        return fail(std::move(status).error());
      }
    }
    if (piece.is_last) file.opened.reset();
    if (is_throttled) sleep_since(begin);
    ++pieces_done_;
  }
}

// Reads the piece, and one byte more where the file is to end; nullopt when that is not what the
// file holds.
std::optional<Bytes> BlockJob::read(JobFile& file, const Piece& piece, MutableBytes into) {
  const auto size = static_cast<size_t>(piece.size);
  auto got = file.opened->read_at(piece.offset, into.first(size + (piece.is_last ? 1 : 0)));
  if (!got) {
    file.failure = std::move(got).error();
  } else if (*got != size) {
    file.has_changed = true;
  } else {
    return Bytes(into).first(size);
  }
  return std::nullopt;
}

// So long that it is the share asked for of the time since `begin`. Not longer than a nap, so that
// a slow device does not keep a signal waiting.
void BlockJob::sleep_since(const Clocks& begin) {
  constexpr uint64_t kNap = 500'000'000;
  const uint64_t percent = context_.options.throttle_percent;
  const uint64_t busy = context_.env.clocks().wall - begin.wall;
  context_.env.sleep(std::min(busy * percent / (100 - percent), kNap));
}

Status BlockJob::run_piece(DataWorker& worker, JobFile& file, Piece& piece) {
  if (auto status = file.open(context_.env); !status) {
    file.failure = std::move(status).error();
    return ok();
  }
  if (file.has_changed) return ok();
  if (piece.use == PieceUse::kHoles) {
    piece.is_hole = true;
    if (piece.is_last) check_end(file, piece);
    return ok();
  }
  const bool is_passed_on =
      piece.use == PieceUse::kKeep || (piece.use == PieceUse::kStore && file.is_raw);
  const MutableBytes into = is_passed_on
                                ? buffer_.span().subspan(used_)
                                : worker.scratch(0, size_t{context_.options.block_size} + 1);
  const auto raw = read(file, piece, into);
  if (!raw) return ok();
  if (context_.options.detect_holes && is_all_zero(*raw)) {
    piece.is_hole = true;
    return ok();
  }
  if (piece.wants_digest) piece.digest = context_.options.digest(*raw);
  piece.position = narrow(used_);
  if (piece.use == PieceUse::kDigest) return ok();
  if (!is_passed_on) return store(worker, *raw, piece);
  piece.is_raw = true;
  piece.stored_size = narrow(raw->size());
  used_ += piece.stored_size;
  return ok();
}

Status BlockJob::store(DataWorker& worker, Bytes raw, Piece& piece) {
  const MutableBytes out = buffer_.span().subspan(used_, raw.size());
  std::optional<size_t> shrunk;
  if (raw.size() > 1) {
    SQFS_TRY(shrunk, worker.compressor().compress(raw, out.first(raw.size() - 1)));
  }
  if (!shrunk) std::memcpy(out.data(), raw.data(), raw.size());
  piece.is_raw = !shrunk;
  piece.stored_size = narrow(shrunk.value_or(raw.size()));
  used_ += piece.stored_size;
  return ok();
}

// A file that ends in a hole is not read to its end: look at its last byte and at the one behind.
// An empty file has the latter alone.
void BlockJob::check_end(JobFile& file, const Piece& piece) {
  std::byte around_end[2];
  const uint64_t end = piece.offset + piece.size;
  const size_t last_size = end > 0 ? 1 : 0;
  auto got = file.opened->read_at(end - last_size, MutableBytes(around_end).first(last_size + 1));
  if (!got) {
    file.failure = std::move(got).error();
  } else {
    file.has_changed = *got != last_size;
  }
}

// --- CompressJob
// ----------------------------------------------------------------------------------

void CompressJob::run(Worker& worker) {
  auto& compressor = static_cast<DataWorker&>(worker).compressor();
  const MutableBytes out = static_cast<DataWorker&>(worker).scratch(0, raw_->size());
  if (raw_->size() > 1) {
    auto stored_size = compressor.compress(*raw_, out.first(raw_->size() - 1));
    if (!stored_size) return fail(std::move(stored_size).error());
    if (stored_size->has_value()) {
      word_ = {narrow(**stored_size), false};
      stored_.assign(out.begin(), out.begin() + word_.stored_size);
      return;
    }
  }
  word_ = {narrow(raw_->size()), true};
}

// --- CompareJob
// -----------------------------------------------------------------------------------

void CompareJob::run(Worker& worker) {
  if (auto status = file_.open(context_.env); !status) {
    if (is_host_shortage(status.error())) fail(std::move(status).error());
    return;
  }
  if (file_.has_changed) return;
  for (const StoredBlock& block : blocks) {
    auto same = is_same_block(static_cast<DataWorker&>(worker), block);
    if (!same) return fail(std::move(same).error());
    if (!*same) return;
  }
  is_same = true;
}

Result<bool> CompareJob::is_same_block(DataWorker& worker, const StoredBlock& block) {
  const size_t block_size = context_.options.block_size;
  const MutableBytes read = worker.scratch(0, block_size + 1).first(block.size);
  const auto got = file_.opened->read_at(block.offset, read);
  if (!got || *got != block.size) return false;
  const BlockWord word{block.word & kBlockSizeMask, (block.word & kBlockRawBit) != 0};
  const MutableBytes raw = worker.scratch(1, block_size);
  SQFS_TRY(const size_t size, read_stored_block(image_, block.position, word, worker.compressor(),
                                                worker.scratch(2, block_size), raw));
  return same_bytes(raw.first(size), read);
}

Result<size_t> read_stored_block(OutputFile& image, uint64_t position, BlockWord word,
                                 Compressor& compressor, MutableBytes packed, MutableBytes raw) {
  const MutableBytes into = (word.is_raw ? raw : packed).first(word.stored_size);
  SQFS_TRY(const size_t got, image.read_at(position, into));
  if (got != into.size()) {
    return io_error(0, "the image ends early when it is read back; was it changed meanwhile?");
  }
  if (word.is_raw) return got;
  return compressor.decompress(into, raw);
}

}  // namespace sqfs
