// SPDX-License-Identifier: MIT
#include "writer/data_stage.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "writer/block_job.h"
#include "writer/data_commit.h"
#include "writer/data_feed.h"
#include "writer/dedup.h"

namespace sqfs {
namespace {

constexpr size_t kMinWriteBytes = 4096, kMaxWriteBytes = 1u << 20;
constexpr size_t kMaxCacheBytes = 8u << 20;
constexpr size_t kPieceOverheadBytes = 256;

// How the memory is shared out. More than what keeps all threads busy is not taken, however much is
// allowed.
struct Budget {
  size_t window_bytes;  // ordered jobs
  size_t cache_bytes;   // fragment blocks kept for comparison
  OutputQueue::Limits queue;
};

Budget share_out(const DataOptions& options) {
  const size_t threads = options.threads, job = job_bytes(options.block_size);
  const size_t half = options.memory_bytes / 2, quarter = half / 2, eighth = quarter / 2;
  return {std::min(half, (4 * threads + 4) * job),
          std::min(eighth, kMaxCacheBytes),
          {std::min(quarter, (4 * threads + 4) * job),
           std::clamp(eighth, kMinWriteBytes, kMaxWriteBytes), options.is_stream}};
}

size_t cost_of(const BlockJob& job) {
  size_t cost = job.pieces.size() * kPieceOverheadBytes;
  for (const Piece& piece : job.pieces) {
    if (piece.use != PieceUse::kHoles) cost += piece.size;
  }
  return cost;
}

std::vector<FileRole> roles_of(const DataOptions& options, const Tree& tree,
                               std::span<const NodeId> files, const StoredData& stored) {
  std::vector<FileRole> roles = assign_roles(tree, files, options.find_duplicates);
  std::unordered_set<uint64_t> sizes;
  for (const StoredData::File& file : stored.files) sizes.insert(tree.file(file.node).layout.size);
  for (size_t i = 0; i < files.size(); ++i) {
    if (sizes.contains(tree.file(files[i]).expected_size)) roles[i] = FileRole::kLater;
  }
  return roles;
}

constexpr uint64_t kMaxFileBlocks = (uint64_t{1} << 31) - 1;  // the kernel counts them in an int

}  // namespace

Status check_file_size(uint64_t size, uint32_t block_size, const std::string& printable_path) {
  if (size <= kMaxFileBlocks * block_size) return ok();
  return unsupported_error("The file " + printable_path + " has " + std::to_string(size) +
                           " bytes; with blocks of " + std::to_string(block_size) +
                           " bytes a file can have " + std::to_string(kMaxFileBlocks * block_size) +
                           " at most");
}

Result<DataResult> write_data(const DataOptions& options, Env& env, OutputFile& output,
                              uint64_t image_offset, uint64_t start, Tree& tree,
                              std::span<const NodeId> files, DataObserver& observer,
                              const std::function<bool()>& cancelled, const StoredData& stored) {
  const JobContext context{env, options};
  const Budget budget = share_out(options);
  OrderedPool pool(options.threads, budget.window_bytes,
                   [&options] { return DataWorker::make(options); });
  JobBuffers buffers(options.block_size);
  Feeder feeder(context, buffers, tree, files, roles_of(options, tree, files, stored));
  DataCommitter committer({context, pool, buffers, feeder, output, image_offset, tree, files,
                           observer, cancelled, stored},
                          start, budget.queue, budget.cache_bytes);
  while (feeder.more() || pool.in_flight() > 0) {
    if (cancelled()) return Error{Code::kCancelled, 0, 0, 0, "interrupted"};
    while (feeder.more() && pool.has_room(job_bytes(options.block_size))) {
      auto job = feeder.next_job();
      const size_t cost = cost_of(*job);
      pool.submit(std::move(job), cost);
    }
    const std::unique_ptr<Job> done = pool.pop();
    auto& job = static_cast<BlockJob&>(*done);
    SQFS_CHECKED(committer.commit(job));
    buffers.give_back(job.take_buffer());
  }
  SQFS_TRY(DataResult result, committer.finish());
  result.stored_bytes = result.end - start;
  return result;
}

}  // namespace sqfs
