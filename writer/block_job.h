// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/digest.h"
#include "base/env.h"
#include "base/ordered_pool.h"
#include "base/result.h"
#include "compressors/compressor.h"
#include "squashfs-format/metadata.h"
#include "writer/data_stage.h"

// The pure work of the data stage: what runs on worker threads. Nothing here decides where bytes
// go.
namespace sqfs {

// How many bytes a job reads: a block, or several small ones, so that the cost of a job as such
// stays small beside that of its bytes.
inline constexpr size_t kMinJobBytes = 128u << 10;
inline constexpr size_t kMaxJobFiles = 64;
constexpr size_t job_bytes(uint32_t block_size) {
  return std::max<size_t>(block_size, kMinJobBytes);
}

// What the jobs of one write_data() share. Constant, and outlives the pool.
struct JobContext {
  Env& env;
  const DataOptions& options;
};

// A file that jobs read. It is opened by whoever needs it first: by the job for a file that lies in
// one job, by the feeder for one that several jobs share.
struct JobFile {
  uint32_t order = 0;  // index into the files of the data stage
  uint64_t size = 0;   // what the reader expects to find
  std::string path;    // on the host; empty: `content` opens the file
  const Content* content = nullptr;
  FileIdentity identity;  // what is expected at `path`; all 0: any regular file
  FragmentPolicy fragments = FragmentPolicy::kNone;
  bool is_raw = false;                // its blocks are stored as they are
  std::shared_ptr<InputFile> opened;  // owned by the jobs of the file together

  // Results of the job. Any makes all its pieces of the file void.
  std::optional<Error> failure;
  bool has_changed = false;   // it has another size, or was replaced
  bool was_replaced = false;  // there is another regular file at `path`

  // Opens the file unless it is open. Fails when that is not possible or it is no regular file any
  // more. Afterwards it is open, or has_changed.
  Status open(Env& env);
  // Of the open file, as the host tells it now.
  Result<uint64_t> current_size();
};

enum class PieceUse : uint8_t {
  kStore,   // compress, and hand on as it is to be stored
  kKeep,    // hand on the bytes themselves: a tail, or a block that may be a duplicate
  kDigest,  // hand on the digest alone
  kHoles,   // a run of blocks that the host says are holes; not read
};

// A block, a tail or a run of holes of a file.
struct Piece {
  uint32_t file = 0;  // index into the job's files
  PieceUse use = PieceUse::kStore;
  bool wants_digest = false;
  bool is_tail = false;
  bool is_last = false;  // of its file; the file must end with it
  uint64_t offset = 0;
  uint64_t size = 0;  // kHoles: any; otherwise at most a block

  // Results.
  bool is_hole = false;  // all zeros, and to be stored as a hole
  bool is_raw = false;
  uint32_t position = 0;  // of the bytes handed on, in the job's buffer
  uint32_t stored_size = 0;
  Digest digest;
};

// Memory that travels with jobs and is used again; not cleared, since it is always written first.
struct JobBuffer {
  std::unique_ptr<std::byte[]> bytes;
  size_t size = 0;

  static JobBuffer make(size_t size) {
    return {std::make_unique_for_overwrite<std::byte[]>(size), size};
  }
  MutableBytes span() { return {bytes.get(), size}; }
};

// What a worker thread keeps: a compressor, and scratch memory.
class DataWorker final : public Worker {
 public:
  static Result<std::unique_ptr<Worker>> make(const DataOptions& options);

  Compressor& compressor() { return *compressor_; }
  // The `number`-th scratch buffer (0..2), at least `size` bytes.
  MutableBytes scratch(size_t number, size_t size);

 private:
  std::unique_ptr<Compressor> compressor_;
  JobBuffer scratch_[3];
};

// Reads pieces of files, in order. The pieces that are kept or stored lie behind each other in the
// buffer. A compressor's failure is the job's, a file's is its JobFile's.
class BlockJob final : public Job {
 public:
  // The sizes of the pieces that use the buffer add up to less than buffer.size.
  BlockJob(const JobContext& context, JobBuffer buffer)
      : context_(context), buffer_(std::move(buffer)) {}

  void run(Worker& worker) override;

  std::vector<JobFile> files;
  std::vector<Piece> pieces;

  // Those in front that were dealt with: all of them, unless status() is a failure.
  size_t pieces_done() const { return pieces_done_; }
  Bytes bytes(const Piece& piece) {
    return Bytes(buffer_.span()).subspan(piece.position, piece.stored_size);
  }
  JobBuffer take_buffer() { return std::move(buffer_); }

 private:
  Status run_piece(DataWorker& worker, JobFile& file, Piece& piece);
  void check_end(JobFile& file, const Piece& piece);
  Status store(DataWorker& worker, Bytes raw, Piece& piece);
  std::optional<Bytes> read(JobFile& file, const Piece& piece, MutableBytes into);
  void sleep_since(const Clocks& begin);

  const JobContext& context_;
  JobBuffer buffer_;
  size_t used_ = 0;
  size_t pieces_done_ = 0;
};

// Compresses bytes that are in memory: a fragment block, or a block that was kept.
class CompressJob final : public Job {
 public:
  explicit CompressJob(std::shared_ptr<const Buffer> raw) : raw_(std::move(raw)) {}

  void run(Worker& worker) override;

  // Results.
  BlockWord word() const { return word_; }
  Bytes stored() const { return word_.is_raw ? Bytes(*raw_) : Bytes(stored_); }
  size_t memory() const { return 2 * raw_->size(); }

 private:
  std::shared_ptr<const Buffer> raw_;  // owned by this job and the cache of fragment blocks
  Buffer stored_;
  BlockWord word_;
};

// Compares blocks of a file with blocks in the image.
class CompareJob final : public Job {
 public:
  struct StoredBlock {
    uint64_t offset = 0;    // in the file
    uint32_t size = 0;      // of the file's block
    uint32_t word = 0;      // as in the inode; no hole
    uint64_t position = 0;  // absolute in `image`
  };

  CompareJob(const JobContext& context, OutputFile& image, JobFile file)
      : context_(context), image_(image), file_(std::move(file)) {}

  void run(Worker& worker) override;

  std::vector<StoredBlock> blocks;
  // Result: false also where the file cannot be read as expected. What goes wrong with the image is
  // the job's failure.
  bool is_same = false;

 private:
  Result<bool> is_same_block(DataWorker& worker, const StoredBlock& block);

  const JobContext& context_;
  OutputFile& image_;
  JobFile file_;
};

// Reads the `stored` bytes of a block back from `image` and decompresses them into `raw`; `packed`
// is scratch memory for stored_size bytes. Returns the size of the content.
Result<size_t> read_stored_block(OutputFile& image, uint64_t position, BlockWord word,
                                 Compressor& compressor, MutableBytes packed, MutableBytes raw);

}  // namespace sqfs
