// SPDX-License-Identifier: MIT
#include "writer/metadata_writer.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <gtest/gtest.h>

namespace sqfs {
namespace {

// "Compresses" a block of equal bytes to one byte, and nothing else.
class RunCompressor final : public Compressor {
 public:
  Result<std::optional<size_t>> compress(Bytes in, MutableBytes out) override {
    const bool is_run = std::all_of(in.begin(), in.end(), [&](std::byte b) { return b == in[0]; });
    if (!is_run || out.empty()) return std::optional<size_t>();
    out[0] = in[0];
    return std::optional<size_t>(1);
  }
  Result<size_t> decompress(Bytes in, MutableBytes out) override {
    std::fill(out.begin(), out.end(), in[0]);
    return out.size();
  }
};

class FailingCompressor final : public Compressor {
 public:
  Result<std::optional<size_t>> compress(Bytes, MutableBytes) override {
    return Error{Code::kNoMemory, 0, 0, 0, "no memory"};
  }
  Result<size_t> decompress(Bytes, MutableBytes) override { return size_t{0}; }
};

class MemoryOutput final : public OutputFile {
 public:
  Status write_at(uint64_t offset, Bytes written) override {
    if (is_full) return io_error(28, "no space");
    if (bytes.size() < offset + written.size()) bytes.resize(offset + written.size());
    std::copy(written.begin(), written.end(), bytes.begin() + static_cast<ptrdiff_t>(offset));
    return ok();
  }
  Result<size_t> read_at(uint64_t, MutableBytes) override { return size_t{0}; }
  Status truncate(uint64_t) override { return ok(); }
  Status sync() override { return ok(); }
  Status commit() override { return ok(); }
  std::vector<std::pair<uint64_t, uint64_t>> identities() const override { return {}; }

  Buffer bytes;
  bool is_full = false;
};

Buffer counting(size_t size) {
  Buffer out(size);
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(i % 251);
  return out;
}

MetadataHeader header_at(Bytes bytes, size_t offset) {
  ByteReader in(bytes.subspan(offset));
  const auto header = decode_metadata_header(in);
  EXPECT_TRUE(header);
  return header.value_or({});
}

TEST(MetadataWriter, AnEmptyTableHasNoBlocks) {
  MetadataWriter table(nullptr);
  EXPECT_TRUE(table.finish());
  EXPECT_TRUE(table.stored().empty());
  EXPECT_TRUE(table.block_starts().empty());
}

TEST(MetadataWriter, CutsTheStreamIntoBlocksOf8192Bytes) {
  MetadataWriter table(nullptr);
  ASSERT_TRUE(table.append(counting(10000)));
  EXPECT_EQ(table.position(), (MetadataRef{8194, 10000 - 8192}));
  ASSERT_TRUE(table.append(counting(10000)));
  ASSERT_TRUE(table.finish());
  EXPECT_EQ(table.raw_bytes(), 20000u);
  EXPECT_EQ(table.block_starts(), (std::vector<uint64_t>{0, 8194, 16388}));
  EXPECT_EQ(table.stored().size(), 20000u + 3 * 2);
  EXPECT_EQ(header_at(table.stored(), 16388), (MetadataHeader{20000 - 16384, true}));
}

TEST(MetadataWriter, TheNextByteBehindAFullBlockIsTheFirstOfAnother) {
  MetadataWriter table(nullptr);
  ASSERT_TRUE(table.append(counting(8192)));
  EXPECT_EQ(table.position(), (MetadataRef{8194, 0}));
}

TEST(MetadataWriter, StoresABlockCompressedOnlyWhenThatIsSmaller) {
  RunCompressor compressor;
  MetadataWriter table(&compressor);
  ASSERT_TRUE(table.append(Buffer(8192)));
  ASSERT_TRUE(table.append(counting(3)));
  EXPECT_EQ(table.position(), (MetadataRef{3, 3}));
  ASSERT_TRUE(table.finish());
  EXPECT_EQ(header_at(table.stored(), 0), (MetadataHeader{1, false}));
  EXPECT_EQ(header_at(table.stored(), 3), (MetadataHeader{3, true}));
}

TEST(MetadataWriter, ASingleByteIsStoredRaw) {
  RunCompressor compressor;
  MetadataWriter table(&compressor);
  ASSERT_TRUE(table.append(counting(1)));
  ASSERT_TRUE(table.finish());
  EXPECT_EQ(header_at(table.stored(), 0), (MetadataHeader{1, true}));
}

TEST(MetadataWriter, PassesOnTheCompressorsError) {
  FailingCompressor compressor;
  MetadataWriter table(&compressor);
  const auto failed = table.append(counting(9000));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::kNoMemory);
}

TEST(AppendIndexedTable, PutsBlocksHeaderAndPositionsBehindEachOther) {
  MemoryOutput output;
  ImageTail tail(output, 1000, 96);
  const Buffer records = counting(8192 + 16), header = counting(5);
  const auto index = append_indexed_table(records, header, nullptr, tail);
  ASSERT_TRUE(index);
  EXPECT_EQ(*index, 96u + 8194 + 18);
  EXPECT_EQ(tail.position(), *index + 5 + 2 * 8);
  EXPECT_EQ(output.bytes.size(), 1000 + tail.position());

  ByteReader in(Bytes(output.bytes).subspan(1000 + *index));
  EXPECT_TRUE(in.skip(5));
  EXPECT_EQ(*in.u64(), 96u);
  EXPECT_EQ(*in.u64(), 96u + 8194);
}

TEST(AppendIndexedTable, PassesOnTheOutputsError) {
  MemoryOutput output;
  output.is_full = true;
  ImageTail tail(output, 0, 96);
  const auto failed = append_indexed_table(counting(16), {}, nullptr, tail);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().os_errno, 28);
  EXPECT_EQ(tail.position(), 96u);
}

}  // namespace
}  // namespace sqfs
