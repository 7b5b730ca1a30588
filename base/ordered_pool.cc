// SPDX-License-Identifier: MIT
#include "base/ordered_pool.h"

#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <vector>

namespace sqfs {
namespace {

struct Task {
  std::unique_ptr<Job> job;
  size_t cost = 0;
  bool is_done = false;
};

}  // namespace

// Ordered tasks live in `ordered` from submit() to pop(); `next_ordered` counts those that a worker
// has taken. Urgent tasks live in `urgent` from submit_urgent() to take(); `urgent_waiting` lists
// those that no worker has taken yet.
struct OrderedPool::State {
  WorkerFactory make_worker;
  size_t window_bytes = 0;
  unsigned threads = 0;

  mutable std::mutex mutex;
  std::condition_variable work_available;
  mutable std::condition_variable job_done;
  std::deque<Task> ordered;
  size_t next_ordered = 0;  // index into `ordered`
  size_t cost_in_flight = 0;
  std::unordered_map<Ticket, Task> urgent;
  std::deque<Ticket> urgent_waiting;
  Ticket next_urgent = 0;
  bool is_cancelled = false;
  bool is_closing = false;

  std::unique_ptr<Worker> serial_worker;
  std::vector<std::thread> workers;

  bool has_work() const { return !urgent_waiting.empty() || next_ordered < ordered.size(); }

  // The worker trampoline: the one place where exceptions of the standard library become values. It
  // must not allocate where it notes that there is no memory.
  void run_job(Job& job, std::unique_ptr<Worker>& worker) const {
    try {
      if (worker == nullptr) {
        auto made = make_worker();
        if (!made) return job.fail(std::move(made).error());
        worker = std::move(*made);
      }
      job.run(*worker);
    } catch (const std::bad_alloc&) {
      job.ending_ = Job::Ending::kOutOfMemory;
    } catch (const std::length_error&) {
      job.ending_ = Job::Ending::kOutOfMemory;
    }
  }

  // The next task to run. References into both containers stay valid: a deque keeps them while its
  // ends change, an unordered_map always, and no task is removed before it is done.
  Task& take_work() {
    if (!urgent_waiting.empty()) {
      const Ticket ticket = urgent_waiting.front();
      urgent_waiting.pop_front();
      return urgent.at(ticket);
    }
    return ordered[next_ordered++];
  }

  void work() {
    std::unique_ptr<Worker> worker;
    std::unique_lock lock(mutex);
    for (;;) {
      work_available.wait(lock, [this] { return is_closing || has_work(); });
      if (!has_work()) return;
      Task& task = take_work();
      const bool skip = is_cancelled;
      lock.unlock();
      if (skip) {
        task.job->ending_ = Job::Ending::kCancelled;
      } else {
        run_job(*task.job, worker);
      }
      lock.lock();
      task.is_done = true;
      job_done.notify_one();  // only the owner waits
    }
  }

  void run_inline(Job& job) {
    if (is_cancelled) {
      job.ending_ = Job::Ending::kCancelled;
    } else {
      run_job(job, serial_worker);
    }
  }
};

Status Job::status() const {
  switch (ending_) {
    case Ending::kOutOfMemory: return Error{Code::kNoMemory, 0, 0, 0, "out of memory"};
    case Ending::kCancelled: return Error{Code::kCancelled, 0, 0, 0, "interrupted"};
    case Ending::kRan: break;
  }
  return status_;
}

OrderedPool::OrderedPool(unsigned threads, size_t window_bytes, WorkerFactory make_worker)
    : state_(std::make_unique<State>()) {
  state_->make_worker = std::move(make_worker);
  state_->window_bytes = window_bytes;
  state_->threads = threads;
  state_->workers.reserve(threads);
  try {
    for (unsigned i = 0; i < threads; ++i) {
      state_->workers.emplace_back([state = state_.get()] { state->work(); });
    }
  } catch (const std::system_error&) {
    // Fewer threads than asked for do the same work; none at all: in the caller's.
    state_->threads = static_cast<unsigned>(state_->workers.size());
  }
}

OrderedPool::~OrderedPool() {
  cancel();
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_closing = true;
  }
  state_->work_available.notify_all();
  for (std::thread& worker : state_->workers) worker.join();
}

bool OrderedPool::has_room(size_t cost) const {
  const std::lock_guard lock(state_->mutex);
  return state_->ordered.empty() || state_->cost_in_flight + cost <= state_->window_bytes;
}

size_t OrderedPool::in_flight() const {
  const std::lock_guard lock(state_->mutex);
  return state_->ordered.size();
}

void OrderedPool::submit(std::unique_ptr<Job> job, size_t cost) {
  State& s = *state_;
  if (s.threads == 0) {
    s.run_inline(*job);
    s.ordered.push_back(Task{std::move(job), cost, true});
    s.next_ordered = s.ordered.size();
    s.cost_in_flight += cost;
    return;
  }
  {
    const std::lock_guard lock(s.mutex);
    s.ordered.push_back(Task{std::move(job), cost, false});
    s.cost_in_flight += cost;
  }
  s.work_available.notify_one();
}

std::unique_ptr<Job> OrderedPool::pop() {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  assert(!s.ordered.empty());
  s.job_done.wait(lock, [&s] { return s.ordered.front().is_done; });
  Task task = std::move(s.ordered.front());
  s.ordered.pop_front();
  --s.next_ordered;
  s.cost_in_flight -= task.cost;
  return std::move(task.job);
}

bool OrderedPool::front_is_done() const {
  const std::lock_guard lock(state_->mutex);
  return !state_->ordered.empty() && state_->ordered.front().is_done;
}

OrderedPool::Ticket OrderedPool::submit_urgent(std::unique_ptr<Job> job) {
  State& s = *state_;
  if (s.threads == 0) {
    s.run_inline(*job);
    s.urgent.emplace(s.next_urgent, Task{std::move(job), 0, true});
    return s.next_urgent++;
  }
  Ticket ticket = 0;
  {
    const std::lock_guard lock(s.mutex);
    ticket = s.next_urgent++;
    s.urgent.emplace(ticket, Task{std::move(job), 0, false});
    s.urgent_waiting.push_back(ticket);
  }
  s.work_available.notify_one();
  return ticket;
}

bool OrderedPool::is_done(Ticket ticket) const {
  const std::lock_guard lock(state_->mutex);
  return state_->urgent.at(ticket).is_done;
}

std::unique_ptr<Job> OrderedPool::take(Ticket ticket) {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  const auto it = s.urgent.find(ticket);
  assert(it != s.urgent.end());
  s.job_done.wait(lock, [&] { return it->second.is_done; });
  std::unique_ptr<Job> job = std::move(it->second.job);
  s.urgent.erase(it);
  return job;
}

void OrderedPool::cancel() noexcept {
  const std::lock_guard lock(state_->mutex);
  state_->is_cancelled = true;
}

unsigned OrderedPool::threads() const { return state_->threads; }

}  // namespace sqfs
