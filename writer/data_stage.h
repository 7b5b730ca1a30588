// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/env.h"
#include "base/result.h"
#include "compressors/compressor.h"
#include "squashfs-format/tables.h"
#include "writer/data_policy.h"
#include "writer/tree.h"

// Turns the contents of files into data blocks and fragment blocks in the image: reads and
// compresses on workers, decides in file order on the calling thread. The bytes it writes depend on
// the files and the options alone, never on threads, window or timing (docs/DESIGN.md,
// "Determinism").
namespace sqfs {

struct DataOptions {
  const CompressorInfo* compressor = nullptr;
  CompressorConfig config;
  uint32_t block_size = 131072;
  bool raw_data = false;
  bool raw_fragments = false;
  FragmentPolicy fragments = FragmentPolicy::kSmallFiles;
  bool find_duplicates = true;
  bool detect_holes = true;    // false: zero blocks are stored as data
  bool exit_on_error = false;  // a file that cannot be read is an error
  // The image goes to standard output, front to back (writer/stream.h): what is written is never
  // read back, so find_duplicates has to be off.
  bool is_stream = false;
  unsigned throttle_percent = 0;        // of its time a thread sleeps, 0 to 99
  unsigned threads = 1;                 // 0: everything in the calling thread
  size_t memory_bytes = 64u << 20;      // bounds buffers in flight and in the output queue
  Digest (*digest)(Bytes) = digest_of;  // tests put in one that collides
};

// What the stage tells while it works; called on the owning thread, in file order.
class DataObserver {
 public:
  virtual ~DataObserver() = default;
  virtual void warning(const std::string& sentence) = 0;
  virtual void file_begun(NodeId file) { (void)file; }
  virtual void blocks_done(uint64_t count) = 0;  // data blocks of files (a tail counts as one)
  // `layout` is final but for positions and block words still in the queue.
  virtual void file_done(NodeId file, uint64_t size, bool is_duplicate) = 0;
};

// Fails, naming the file and the limit, when a file of this size has more blocks than the kernel
// can count.
Status check_file_size(uint64_t size, uint32_t block_size, const std::string& printable_path);

// What an image that is added to holds before anything is written.
struct StoredData {
  std::vector<FragmentEntry> fragments;
  // Files that new ones of the same size may turn out to equal. Their nodes' layouts say where they
  // are; the digests are as the data stage takes them: FileDigest of all blocks that are no holes,
  // the tail included, and that of the tail alone.
  struct File {
    NodeId node = kNoNode;
    Digest digest, tail_digest;
  };
  std::vector<File> files;
};

struct DataResult {
  uint64_t end = 0;                      // absolute position behind the last stored block
  uint64_t stored_bytes = 0;             // of all blocks stored
  std::vector<FragmentEntry> fragments;  // those of an image that is added to first
  uint64_t input_bytes = 0;              // sum of the sizes of all files
  uint64_t duplicate_bytes = 0;          // of files that share all their data with another
  uint64_t duplicate_files = 0;          // empty files count, as the peer counts them
};

// Writes the data of `files` (regular file nodes, in the order their data is to have in the image)
// from position `start` of the image on; `image_offset` bytes precede the image in `output`. Fills
// in each node's layout. What is identical to `stored` data shares it.
//
// A file that cannot be read, or is no regular file any more, becomes an empty file with a warning,
// with exit_on_error an error. One whose size is not the expected one, that changes while being
// read, or was replaced by another file, is read again, at most 3 times and with a warning each,
// and then counts as one that cannot be read. Other errors: a lack of memory or file descriptors on
// the host, a file that has grown beyond check_file_size(), the output's, a compressor's,
// Code::kCancelled when `cancelled` returns true.
Result<DataResult> write_data(const DataOptions& options, Env& env, OutputFile& output,
                              uint64_t image_offset, uint64_t start, Tree& tree,
                              std::span<const NodeId> files, DataObserver& observer,
                              const std::function<bool()>& cancelled,
                              const StoredData& stored = {});

}  // namespace sqfs
