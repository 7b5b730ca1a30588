// SPDX-License-Identifier: MIT
#include "base/ordered_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <thread>

namespace sqfs {
namespace {

struct NoState : Worker {};

WorkerFactory no_state() {
  return []() -> Result<std::unique_ptr<Worker>> { return std::make_unique<NoState>(); };
}

// Sleeps the longer the smaller its number, so that completion order is the reverse of ticket
// order.
struct NumberJob : Job {
  NumberJob(int number_in, int count_in) : number(number_in), count(count_in) {}
  void run(Worker&) override {
    std::this_thread::sleep_for(std::chrono::microseconds(10 * (count - number)));
    squared = number * number;
  }
  int number, count, squared = -1;
};

struct ThrowingJob : Job {
  void run(Worker&) override { throw std::bad_alloc(); }
};

struct BlockingJob : Job {
  explicit BlockingJob(std::atomic<bool>& gate_in) : gate(gate_in) {}
  void run(Worker&) override {
    while (!gate) std::this_thread::yield();
  }
  std::atomic<bool>& gate;
};

class OrderedPoolThreads : public testing::TestWithParam<unsigned> {};

TEST_P(OrderedPoolThreads, PopReturnsJobsInTicketOrder) {
  OrderedPool pool(GetParam(), 1 << 20, no_state());
  for (int i = 0; i < 50; ++i) pool.submit(std::make_unique<NumberJob>(i, 50), 1);
  for (int i = 0; i < 50; ++i) {
    const auto job = pool.pop();
    ASSERT_TRUE(job->status().has_value());
    EXPECT_EQ(static_cast<NumberJob&>(*job).squared, i * i);
  }
  EXPECT_EQ(pool.in_flight(), 0u);
}

TEST_P(OrderedPoolThreads, UrgentJobsAreTakenByTicketInAnyOrder) {
  OrderedPool pool(GetParam(), 1 << 20, no_state());
  const auto a = pool.submit_urgent(std::make_unique<NumberJob>(3, 4));
  const auto b = pool.submit_urgent(std::make_unique<NumberJob>(5, 6));
  EXPECT_EQ(static_cast<NumberJob&>(*pool.take(b)).squared, 25);
  EXPECT_EQ(static_cast<NumberJob&>(*pool.take(a)).squared, 9);
}

TEST_P(OrderedPoolThreads, BadAllocBecomesAnError) {
  OrderedPool pool(GetParam(), 1 << 20, no_state());
  pool.submit(std::make_unique<ThrowingJob>(), 1);
  const auto job = pool.pop();
  ASSERT_FALSE(job->status().has_value());
  EXPECT_EQ(job->status().error().code, Code::kNoMemory);
}

TEST_P(OrderedPoolThreads, WorkerFactoryFailureReachesEachJob) {
  OrderedPool pool(GetParam(), 1 << 20, []() -> Result<std::unique_ptr<Worker>> {
    return unsupported_error("no such compressor");
  });
  pool.submit(std::make_unique<NumberJob>(1, 1), 1);
  const auto job = pool.pop();
  ASSERT_FALSE(job->status().has_value());
  EXPECT_EQ(job->status().error().code, Code::kUnsupported);
}

TEST_P(OrderedPoolThreads, CancelledJobsFailAndPopDrains) {
  OrderedPool pool(GetParam(), 1 << 20, no_state());
  pool.cancel();
  pool.submit(std::make_unique<NumberJob>(1, 1), 1);
  const auto job = pool.pop();
  ASSERT_FALSE(job->status().has_value());
  EXPECT_EQ(job->status().error().code, Code::kCancelled);
}

INSTANTIATE_TEST_SUITE_P(Counts, OrderedPoolThreads, testing::Values(0u, 1u, 2u, 7u));

TEST(OrderedPool, WindowIsRespectedButTheOldestJobAlwaysFits) {
  OrderedPool pool(1, 10, no_state());
  EXPECT_TRUE(pool.has_room(1000));
  pool.submit(std::make_unique<NumberJob>(1, 1), 1000);
  EXPECT_FALSE(pool.has_room(1));
  pool.pop();
  EXPECT_TRUE(pool.has_room(1000));
}

TEST(OrderedPool, UrgentJobsOvertakeWaitingOnes) {
  std::atomic<bool> gate = false;
  OrderedPool pool(1, 1 << 20, no_state());
  pool.submit(std::make_unique<BlockingJob>(gate), 1);
  std::atomic<bool> second_gate = false;
  pool.submit(std::make_unique<BlockingJob>(second_gate), 1);
  const auto urgent = pool.submit_urgent(std::make_unique<NumberJob>(2, 2));
  gate = true;
  EXPECT_EQ(static_cast<NumberJob&>(*pool.take(urgent)).squared, 4);
  second_gate = true;
  pool.pop();
  pool.pop();
}

TEST(OrderedPool, DestructionWithWorkInFlightEnds) {
  OrderedPool pool(2, 1 << 20, no_state());
  for (int i = 0; i < 100; ++i) pool.submit(std::make_unique<NumberJob>(i, 100), 1);
}

}  // namespace
}  // namespace sqfs
