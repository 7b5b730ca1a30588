// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/fake_env.h"
#include "writer/data_stage.h"

// Runs the data stage on files in memory, and reads back what it stored.
namespace sqfs {

struct StageEvent {
  NodeId file = kNoNode;
  uint64_t size = 0;
  bool is_duplicate = false;
  bool operator==(const StageEvent&) const = default;
};

class StageRun final : public DataObserver {
 public:
  static constexpr uint64_t kStart = 96, kImageOffset = 512;

  StageRun();

  // Each returns the file's node. Files are stored in the order in which they are added.
  NodeId add(FakeContent content);
  NodeId add(Buffer content) { return add(FakeContent(std::move(content))); }
  // The scan sees the first version, the n-th opening the version behind it.
  NodeId add_changing(std::vector<FakeContent> versions);
  std::string path(NodeId file) const { return tree.host_path(file); }

  // Runs the stage on a fresh output; results below.
  Result<DataResult> run(const DataOptions& options);

  // The content of a file as the layout and the image tell it. Checks on the way that every word,
  // position and fragment is as the format wants it.
  Buffer read_back(NodeId file, const DataResult& result, const DataOptions& options);
  // Empty when stored blocks cover the image from kStart to the end exactly, else what is wrong.
  std::string find_gap(const DataResult& result) const;

  FileLayout& layout(NodeId file) { return tree.file(file).layout; }

  void warning(const std::string& sentence) override { warnings.push_back(sentence); }
  void blocks_done(uint64_t count) override { blocks += count; }
  void file_done(NodeId file, uint64_t size, bool is_duplicate) override {
    events.push_back({file, size, is_duplicate});
  }

  FakeEnv env;
  Tree tree;
  std::vector<NodeId> files;
  std::function<bool()> cancelled = [] { return false; };

  FakeOutput output;
  std::vector<std::string> warnings;
  std::vector<StageEvent> events;
  uint64_t blocks = 0;

  // Faults to put into the output of the next run: the nth write or read.
  std::optional<uint64_t> failing_write, failing_read;

 private:
  NodeId add_node(uint64_t expected_size, bool is_sparse);
  Buffer read_block(uint64_t position, uint32_t word, size_t size, const DataOptions& options);
};

// Options with 4 KiB blocks and the default compressor.
DataOptions small_block_options();

// Content that compresses to about a half / not at all; the same for the same seed.
Buffer text_bytes(size_t size, uint64_t seed);
Buffer random_bytes(size_t size, uint64_t seed);
Buffer concat(std::vector<Buffer> parts);
inline Buffer zeros(size_t size) { return Buffer(size); }

// A compressor that halves blocks of one repeated byte, and fails on blocks that begin with '!'.
// Its calls to compress are counted, over all instances.
const CompressorInfo& counting_compressor();
uint64_t compress_calls();
void reset_compress_calls();

}  // namespace sqfs
