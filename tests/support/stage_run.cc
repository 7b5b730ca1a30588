// SPDX-License-Identifier: MIT
#include "tests/support/stage_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <set>

namespace sqfs {

StageRun::StageRun() { tree.set_host_root(kRootNode, "/src"); }

NodeId StageRun::add_node(uint64_t expected_size, bool is_sparse) {
  Node node;
  node.name = "f" + std::to_string(files.size());
  RegularFile file;
  file.expected_size = expected_size;
  file.is_sparse_on_host = is_sparse;
  node.kind = std::move(file);
  files.push_back(tree.add(kRootNode, std::move(node)));
  return files.back();
}

NodeId StageRun::add(FakeContent content) {
  uint64_t data = 0;
  for (const auto& [start, bytes] : content.extents) data += bytes.size();
  const NodeId node = add_node(content.size, data < content.size);
  env.add_file(path(node), std::move(content));
  return node;
}

NodeId StageRun::add_changing(std::vector<FakeContent> versions) {
  const NodeId node = add_node(versions.front().size, false);
  versions.erase(versions.begin());
  env.add_changing_file(path(node), std::move(versions));
  return node;
}

Result<DataResult> StageRun::run(const DataOptions& options) {
  output.bytes.clear();
  output.truncations = 0;
  output.write_faults.fail_call(failing_write.value_or(0), ENOSPC);
  output.read_faults.fail_call(failing_read.value_or(0), EIO);
  warnings.clear();
  events.clear();
  blocks = 0;
  return write_data(options, env, output, kImageOffset, kStart, tree, files, *this, cancelled);
}

Buffer StageRun::read_block(uint64_t position, uint32_t word, size_t size,
                            const DataOptions& options) {
  const auto checked = decode_block_word(word, static_cast<uint32_t>(size));
  EXPECT_TRUE(checked.has_value()) << "word " << word << " for " << size << " bytes";
  if (!checked || checked->is_hole()) return zeros(size);
  Buffer stored(checked->stored_size), raw(size);
  const auto got = output.read_at(kImageOffset + position, stored);
  EXPECT_TRUE(got && *got == stored.size());
  if (checked->is_raw) {
    EXPECT_EQ(stored.size(), size);
    return stored;
  }
  auto compressor = options.compressor->make(options.config, options.block_size);
  const auto decoded = (*compressor)->decompress(stored, raw);
  EXPECT_TRUE(decoded && *decoded == size);
  return raw;
}

Buffer StageRun::read_back(NodeId node, const DataResult& result, const DataOptions& options) {
  const FileLayout& file = layout(node);
  const bool has_tail = file.tail.index != kNoFragment;
  const uint64_t block_size = options.block_size, full = file.size / block_size;
  EXPECT_EQ(file.block_words.size(), full + (!has_tail && file.size % block_size != 0 ? 1 : 0));
  Buffer all;
  uint64_t position = file.start;
  for (const uint32_t word : file.block_words) {
    const auto size = static_cast<size_t>(std::min(block_size, file.size - all.size()));
    const Buffer block = read_block(position, word, size, options);
    all.insert(all.end(), block.begin(), block.end());
    position += word & kBlockSizeMask;
  }
  if (!has_tail) return all;
  EXPECT_NE(file.size % block_size, 0u);
  EXPECT_LT(file.tail.index, result.fragments.size());
  const FragmentEntry& entry = result.fragments[file.tail.index];
  Buffer packed(block_size);
  if ((entry.word & kBlockRawBit) != 0) {
    packed = read_block(entry.start, entry.word, entry.word & kBlockSizeMask, options);
  } else {
    Buffer stored(entry.word & kBlockSizeMask);
    EXPECT_TRUE(output.read_at(kImageOffset + entry.start, stored).has_value());
    auto compressor = options.compressor->make(options.config, options.block_size);
    packed.resize((*compressor)->decompress(stored, packed).value_or(0));
    EXPECT_LT(stored.size(), packed.size());
  }
  const uint64_t tail_size = file.size % block_size;
  EXPECT_LE(file.tail.offset + tail_size, packed.size());
  if (file.tail.offset + tail_size > packed.size()) return all;
  const auto from = packed.begin() + file.tail.offset;
  all.insert(all.end(), from, from + static_cast<ptrdiff_t>(tail_size));
  return all;
}

std::string StageRun::find_gap(const DataResult& result) const {
  std::set<std::pair<uint64_t, uint64_t>> stored;
  for (const FragmentEntry& entry : result.fragments) {
    stored.emplace(entry.start, entry.word & kBlockSizeMask);
  }
  for (const NodeId node : files) {
    uint64_t position = tree.file(node).layout.start;
    for (const uint32_t word : tree.file(node).layout.block_words) {
      if (word != 0) stored.emplace(position, word & kBlockSizeMask);
      position += word & kBlockSizeMask;
    }
  }
  uint64_t at = kStart;
  for (const auto& [position, size] : stored) {
    if (position != at) return "expected a block at " + std::to_string(at);
    at += size;
  }
  return at == result.end ? "" : "blocks end at " + std::to_string(at);
}

DataOptions small_block_options() {
  DataOptions options;
  options.compressor = &default_compressor();
  options.block_size = 4096;
  options.threads = 0;
  return options;
}

Buffer random_bytes(size_t size, uint64_t seed) {
  Buffer out(size);
  for (size_t i = 0; i < size; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    out[i] = static_cast<std::byte>(seed >> 56);
  }
  return out;
}

Buffer text_bytes(size_t size, uint64_t seed) {
  Buffer out = random_bytes(size, seed);
  for (std::byte& byte : out) byte = (byte & std::byte{0x0f}) | std::byte{0x40};
  return out;
}

Buffer concat(std::vector<Buffer> parts) {
  Buffer all;
  for (const Buffer& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// --- counting_compressor
// --------------------------------------------------------------------------

namespace {

std::atomic<uint64_t>& call_count() {
  static std::atomic<uint64_t> count = 0;
  return count;
}

// A block of n equal bytes becomes n / 2 of them.
class CountingCompressor final : public Compressor {
 public:
  Result<std::optional<size_t>> compress(Bytes in, MutableBytes out) override {
    ++call_count();
    if (in[0] == std::byte{'!'})
      return io_error(0, "cannot compress !" + std::to_string(in.size()));
    const size_t size = in.size() / 2;
    if (size == 0 || !same_bytes(in.first(in.size() - 1), in.subspan(1))) {
      return std::optional<size_t>();
    }
    std::memset(out.data(), static_cast<int>(in[0]), size);
    return std::optional(size);
  }
  Result<size_t> decompress(Bytes in, MutableBytes out) override {
    const size_t size = std::min(out.size(), in.size() * 2);
    std::memset(out.data(), static_cast<int>(in[0]), size);
    return size;
  }
};

}  // namespace

const CompressorInfo& counting_compressor() {
  static const CompressorInfo info{
      .id = CompressorId::kGzip,
      .name = "counting",
      .kernel_mounts = false,
      .options = {},
      .finish = nullptr,
      .encode_options = nullptr,
      .decode_options = nullptr,
      .make = [](const CompressorConfig&, uint32_t) -> Result<std::unique_ptr<Compressor>> {
        return std::make_unique<CountingCompressor>();
      },
  };
  return info;
}

uint64_t compress_calls() { return call_count(); }
void reset_compress_calls() { call_count() = 0; }

}  // namespace sqfs
