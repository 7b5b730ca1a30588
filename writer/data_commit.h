// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "writer/block_job.h"
#include "writer/data_feed.h"
#include "writer/data_fragments.h"
#include "writer/data_stage.h"
#include "writer/dedup.h"
#include "writer/output_queue.h"
#include "writer/tree.h"

namespace sqfs {

// The deciding half of the data stage: takes the finished jobs in the order in which the feeder
// made them, and says where everything goes. One thread.
class DataCommitter {
 public:
  // What it works with; all of it outlives the committer.
  struct Setting {
    const JobContext& context;
    OrderedPool& pool;
    JobBuffers& buffers;
    Feeder& feeder;
    OutputFile& output;
    uint64_t image_offset;
    Tree& tree;
    std::span<const NodeId> files;
    DataObserver& observer;
    const std::function<bool()>& cancelled;
    const StoredData& stored;
  };

  DataCommitter(const Setting& setting, uint64_t start, const OutputQueue::Limits& limits,
                size_t cache_bytes);

  Status commit(BlockJob& job);
  // After the last job.
  Result<DataResult> finish();

 private:
  // The file whose pieces are being committed.
  struct Run {
    uint32_t order = 0;
    NodeId node = kNoNode;
    FileRole role = FileRole::kUnique;
    std::optional<Error> failure;
    bool has_changed = false;
    bool was_replaced = false;
    bool is_only_digested = false;
    bool is_aligned = false;  // the queue was told to
    FileDigest digest{0};
    uint64_t blocks_reported = 0;
    // Views of the job at hand.
    struct KeptBlock {
      uint64_t number = 0;
      Bytes bytes;
    };
    std::vector<KeptBlock> kept;
    Bytes tail;
    Digest tail_digest;
    bool tail_wants_digest = false;

    bool is_void() const { return failure.has_value() || has_changed; }
  };

  void know_stored_files(std::span<const StoredData::File> files);
  FileLayout& layout() { return tree_.file(run_.node).layout; }

  void begin_file(const JobFile& file, FileRole role);
  Status take_piece(BlockJob& job, const Piece& piece);
  Status take_holes(uint64_t count);
  void report_blocks(const Piece& piece);

  Status finish_file();
  Status complete_file();
  Status close_file(bool is_duplicate);
  Status pack_tail(bool& is_duplicate);
  Status store_kept_blocks();
  Status align_first_block();
  Result<bool> share_original();
  Result<bool> is_same_file(const FileIndex::Original& original);

  Status store_now(JobFile file, FileRole role);
  Status take_urgent(std::unique_ptr<Job> done);
  void hold(std::unique_ptr<BlockJob> job);
  Status read_again();
  Status find_replacement();
  Status give_up(Error why);

  std::string display_path() const;
  Error after_earlier_failures(Error error);

  const JobContext& context_;
  OrderedPool& pool_;
  JobBuffers& buffers_;
  Feeder& feeder_;
  OutputFile& output_;
  uint64_t image_offset_;
  Tree& tree_;
  std::span<const NodeId> files_;
  DataObserver& observer_;
  const std::function<bool()>& cancelled_;

  OutputQueue queue_;
  FragmentStore fragments_;
  FileIndex index_;
  DataResult result_;
  bool in_file_ = false;
  Run run_;
  std::unique_ptr<BlockJob>
      held_job_;  // what store_now() read last; the views in run_ may be of it
};

}  // namespace sqfs
