// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "writer/block_job.h"
#include "writer/data_stage.h"
#include "writer/dedup.h"
#include "writer/tree.h"

// Cuts files into pieces and pieces into jobs. What ends up in which job depends on the files and
// the block size alone.
namespace sqfs {

// Job buffers that are not in use. One thread.
class JobBuffers {
 public:
  explicit JobBuffers(uint32_t block_size) : size_(job_bytes(block_size) + 1) {}

  JobBuffer take();
  void give_back(JobBuffer buffer) { free_.push_back(std::move(buffer)); }

 private:
  size_t size_;
  std::vector<JobBuffer> free_;
};

// The pieces of one file, front to back.
class FileCutter {
 public:
  // `sparse`: the open file when holes are to be asked for, else null; borrowed.
  FileCutter(const DataOptions& options, uint64_t size, FragmentPolicy fragments, FileRole role,
             InputFile* sparse);

  bool done() const { return is_done_; }
  Piece next();

  // The most room in a job's buffer that the next piece can need.
  uint64_t next_size() const;

 private:
  uint64_t hole_end();

  const DataOptions& options_;
  uint64_t size_;
  FragmentPolicy fragments_;
  FileRole role_;
  InputFile* sparse_;
  uint64_t offset_ = 0;
  uint64_t data_end_ = 0;  // up to here there is data without a hole
  bool is_done_ = false;
};

// Adds the next pieces of `file` to the job, as many as fit into `room` bytes of its buffer, and
// takes them off `room`. True when the file is done.
bool add_pieces(BlockJob& job, const JobFile& file, FileCutter& cutter, uint64_t& room);

// Turns the files of a data stage into jobs.
class Feeder {
 public:
  Feeder(const JobContext& context, JobBuffers& buffers, const Tree& tree,
         std::span<const NodeId> files, std::vector<FileRole> roles)
      : context_(context),
        buffers_(buffers),
        tree_(tree),
        files_(files),
        roles_(std::move(roles)) {}

  bool more() const { return cutter_.has_value() || next_file_ < files_.size(); }
  std::unique_ptr<BlockJob> next_job();

  FileRole role(uint32_t order) const { return roles_[order]; }
  // How to open a file, and the size to expect.
  JobFile describe(uint32_t order) const;

 private:
  bool fits(const BlockJob& job, uint64_t size, uint64_t room) const;
  void start_file();

  const JobContext& context_;
  JobBuffers& buffers_;
  const Tree& tree_;
  std::span<const NodeId> files_;
  std::vector<FileRole> roles_;

  size_t next_file_ = 0;
  std::optional<FileCutter> cutter_;  // of the file before next_file_, when it is not done
  JobFile current_;                   // and how to read it
};

}  // namespace sqfs
