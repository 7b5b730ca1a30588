// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.h"

// Worker threads that run pure jobs and hand them back in the order in which they were submitted.
// The only file with a mutex; the thread that owns the pool is the only one that calls it.
//
// With threads == 0 each job runs inside submit(): this serial mode defines what every other thread
// count must produce.
namespace sqfs {

// What a worker thread keeps between jobs (compressor contexts, buffers). Made lazily, one per
// thread, by the factory given to the pool.
class Worker {
 public:
  virtual ~Worker() = default;
};

// A unit of work. It owns all it touches; run() may use nothing else but the worker's state and
// const objects that outlive the pool. A failure is kept in the job itself.
class Job {
 public:
  virtual ~Job() = default;
  // An exception out of run() (std::bad_alloc) becomes failure(), as does a cancelled or never
  // started job (Code::kCancelled).
  virtual void run(Worker& worker) = 0;

  Status status() const;  // any failure so far
  void fail(Error error) { status_ = std::move(error); }

 private:
  friend class OrderedPool;
  // Failures that must be noted without allocating memory.
  enum class Ending : uint8_t { kRan, kOutOfMemory, kCancelled };

  Status status_ = ok();
  Ending ending_ = Ending::kRan;
};

using WorkerFactory = std::function<Result<std::unique_ptr<Worker>>()>;

class OrderedPool {
 public:
  using Ticket = uint64_t;

  // `window_bytes` bounds the summed cost of ordered jobs that were submitted and not yet popped.
  OrderedPool(unsigned threads, size_t window_bytes, WorkerFactory make_worker);
  ~OrderedPool();  // cancels, then joins
  OrderedPool(const OrderedPool&) = delete;
  OrderedPool& operator=(const OrderedPool&) = delete;

  // Whether an ordered job of this cost fits the window. Always true when nothing is in flight, so
  // the oldest job can always proceed.
  bool has_room(size_t cost) const;
  size_t in_flight() const;  // ordered jobs submitted and not yet popped

  // Takes the next ticket. The caller asked has_room() first.
  void submit(std::unique_ptr<Job> job, size_t cost);
  // The oldest ordered job, after it has run; blocks. in_flight() must not be 0. The job's status()
  // tells whether it ran.
  std::unique_ptr<Job> pop();
  // Whether pop() would return without waiting.
  bool front_is_done() const;

  // Runs before everything that waits, outside the window and the order; collected with take().
  Ticket submit_urgent(std::unique_ptr<Job> job);
  bool is_done(Ticket ticket) const;
  std::unique_ptr<Job> take(Ticket ticket);  // blocks; each ticket once

  // Jobs that have not started fail with Code::kCancelled; pop() and take() go on working.
  void cancel() noexcept;

  unsigned threads() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sqfs
