// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "base/bytes.h"
#include "base/env.h"
#include "base/ordered_pool.h"
#include "base/result.h"
#include "squashfs-format/metadata.h"
#include "writer/block_job.h"
#include "writer/tree.h"

namespace sqfs {

// Whose block a slot holds.
struct SlotOwner {
  NodeId file = kNoNode;  // kNoNode: a fragment block
  uint64_t number = 0;    // of the block in the file, or of the fragment block
};

// The blocks of an image in the order in which they are to lie there. A slot's place in the order
// is taken when it is pushed; its position follows when all before it are compressed. So positions
// do not depend on which compression ends first. Slots are numbered from 0.
//
// One thread. Small writes are put together; what is written can be read back at once.
class OutputQueue {
 public:
  using Placed = std::function<void(SlotOwner owner, uint64_t position, BlockWord word)>;

  struct Limits {
    size_t waiting_bytes = 1u << 20;  // memory in slots that have no position yet
    size_t write_bytes = 1u << 20;    // of one write
    bool is_stream = false;           // what has a position is never taken back or read again
  };

  // The first block lies at `start` of the image, which `image_offset` bytes precede in `output`.
  // `placed` is called once per slot, in order, when its position is known.
  OutputQueue(OutputFile& output, uint64_t image_offset, uint64_t start, OrderedPool& pool,
              Limits limits, Placed placed);

  // Appends a slot with these bytes, which are copied.
  Status push(SlotOwner owner, Bytes stored, BlockWord word);
  // Appends a slot whose bytes a worker is to compress; the job starts at once.
  Status push(SlotOwner owner, std::unique_ptr<CompressJob> job);

  // Appends a slot that fills up with zeros to the next multiple of `alignment`, a power of two;
  // nobody is told where it is.
  Status align(uint64_t alignment);

  uint64_t slot_count() const { return first_waiting_ + waiting_.size(); }

  // Gives a position to all slots up to and including this one; waits for their jobs.
  Status settle(uint64_t slot);
  Status settle_all() { return waiting_.empty() ? ok() : settle(slot_count() - 1); }

  // Marks the end of the queue. drop_run() takes back the slots pushed since, placed ones too;
  // their jobs must be none. In a stream the bytes of placed ones stay where they are, and nothing
  // points to them.
  void begin_run();
  Status drop_run();

  // Writes what is settled. The output then holds all bytes before position().
  Status flush();
  // The position behind the last settled slot.
  uint64_t position() const { return buffer_position_ + buffer_.size(); }
  // Reads stored bytes of settled slots back. Fails when they are not all there.
  Status read_at(uint64_t position, MutableBytes out);

 private:
  struct Slot {
    SlotOwner owner;
    BlockWord word;
    Buffer stored;  // when there is no job
    std::optional<OrderedPool::Ticket> job;
    size_t memory = 0;
    uint64_t alignment = 0;  // of a slot that holds zeros only
  };

  Status settle_first();
  Status settle_what_is_ready();
  Status place(SlotOwner owner, Bytes stored, BlockWord word);
  Status place_zeros(uint64_t alignment);
  void begin_slot();
  Status write(Bytes stored);

  OutputFile& output_;
  uint64_t image_offset_;
  OrderedPool& pool_;
  Limits limits_;
  Placed placed_;

  std::deque<Slot> waiting_;
  uint64_t first_waiting_ = 0;  // number of the first slot in waiting_
  size_t waiting_bytes_ = 0;

  Buffer buffer_;  // settled, not yet written
  uint64_t buffer_position_;

  uint64_t run_slot_ = 0;      // number of the first slot of the run
  uint64_t run_position_ = 0;  // and its position, once it has one
};

}  // namespace sqfs
