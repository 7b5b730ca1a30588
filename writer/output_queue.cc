// SPDX-License-Identifier: MIT
#include "writer/output_queue.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace sqfs {
namespace {

constexpr size_t kZerosAtOnce = 64u << 10;

}  // namespace

OutputQueue::OutputQueue(OutputFile& output, uint64_t image_offset, uint64_t start,
                         OrderedPool& pool, Limits limits, Placed placed)
    : output_(output),
      image_offset_(image_offset),
      pool_(pool),
      limits_(limits),
      placed_(std::move(placed)),
      buffer_position_(start) {
  buffer_.reserve(limits_.write_bytes);
}

Status OutputQueue::push(SlotOwner owner, Bytes stored, BlockWord word) {
  SQFS_CHECKED(settle_what_is_ready());
  if (waiting_.empty()) {
    return place(owner, stored, word);
  }
  waiting_.push_back({owner, word, Buffer(stored.begin(), stored.end()), {}, stored.size(), 0});
  waiting_bytes_ += stored.size();
  while (waiting_bytes_ > limits_.waiting_bytes) SQFS_CHECKED(settle_first());
  return ok();
}

Status OutputQueue::push(SlotOwner owner, std::unique_ptr<CompressJob> job) {
  SQFS_CHECKED(settle_what_is_ready());
  const size_t memory = job->memory();
  waiting_.push_back({owner, {}, {}, pool_.submit_urgent(std::move(job)), memory, 0});
  waiting_bytes_ += memory;
  while (waiting_bytes_ > limits_.waiting_bytes) SQFS_CHECKED(settle_first());
  return ok();
}

Status OutputQueue::align(uint64_t alignment) {
  SQFS_CHECKED(settle_what_is_ready());
  if (waiting_.empty()) return place_zeros(alignment);
  waiting_.push_back({{}, {}, {}, {}, 0, alignment});
  return ok();
}

Status OutputQueue::settle(uint64_t slot) {
  while (first_waiting_ <= slot && !waiting_.empty()) SQFS_CHECKED(settle_first());
  return ok();
}

Status OutputQueue::settle_what_is_ready() {
  while (!waiting_.empty() && (!waiting_.front().job || pool_.is_done(*waiting_.front().job))) {
    SQFS_CHECKED(settle_first());
  }
  return ok();
}

Status OutputQueue::settle_first() {
  const Slot slot = std::move(waiting_.front());
  waiting_.pop_front();
  waiting_bytes_ -= slot.memory;
  if (slot.alignment != 0) return place_zeros(slot.alignment);
  if (!slot.job) return place(slot.owner, slot.stored, slot.word);
  const std::unique_ptr<Job> done = pool_.take(*slot.job);
  if (!done->status()) return done->status().error();
  const auto& job = static_cast<const CompressJob&>(*done);
  return place(slot.owner, job.stored(), job.word());
}

Status OutputQueue::place(SlotOwner owner, Bytes stored, BlockWord word) {
  const uint64_t where = position();
  begin_slot();
  SQFS_CHECKED(write(stored));
  placed_(owner, where, word);
  return ok();
}

Status OutputQueue::place_zeros(uint64_t alignment) {
  begin_slot();
  const Buffer zeros(kZerosAtOnce);
  for (uint64_t rest = (alignment - position() % alignment) % alignment; rest > 0;) {
    const uint64_t some = std::min<uint64_t>(rest, zeros.size());
    SQFS_CHECKED(write(Bytes(zeros).first(some)));
    rest -= some;
  }
  return ok();
}

void OutputQueue::begin_slot() {
  if (first_waiting_ == run_slot_) run_position_ = position();
  ++first_waiting_;
}

Status OutputQueue::write(Bytes stored) {
  while (buffer_.size() + stored.size() >= limits_.write_bytes) {
    const size_t part = limits_.write_bytes - buffer_.size();
    buffer_.insert(buffer_.end(), stored.begin(), stored.begin() + static_cast<ptrdiff_t>(part));
    stored = stored.subspan(part);
    SQFS_CHECKED(flush());
  }
  buffer_.insert(buffer_.end(), stored.begin(), stored.end());
  return ok();
}

void OutputQueue::begin_run() {
  run_slot_ = slot_count();
  run_position_ = position();
}

Status OutputQueue::drop_run() {
  while (slot_count() > run_slot_ && !waiting_.empty()) {
    assert(!waiting_.back().job);
    waiting_bytes_ -= waiting_.back().memory;
    waiting_.pop_back();
  }
  if (first_waiting_ <= run_slot_) return ok();  // none had a position yet
  if (limits_.is_stream) return ok();
  first_waiting_ = run_slot_;
  if (run_position_ >= buffer_position_) {
    buffer_.resize(run_position_ - buffer_position_);
    return ok();
  }
  buffer_.clear();
  buffer_position_ = run_position_;
  return output_.truncate(image_offset_ + run_position_);
}

Status OutputQueue::flush() {
  if (buffer_.empty()) return ok();
  SQFS_CHECKED(output_.write_at(image_offset_ + buffer_position_, buffer_));
  buffer_position_ += buffer_.size();
  buffer_.clear();
  return ok();
}

Status OutputQueue::read_at(uint64_t position, MutableBytes out) {
  if (position + out.size() > buffer_position_) SQFS_CHECKED(flush());
  SQFS_TRY(const size_t got, output_.read_at(image_offset_ + position, out));
  if (got != out.size()) {
    return io_error(0, "the image ends early when it is read back; was it changed meanwhile?");
  }
  return ok();
}

}  // namespace sqfs
