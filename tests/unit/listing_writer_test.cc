// SPDX-License-Identifier: MIT
#include "writer/listing_writer.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sqfs {
namespace {

struct ReadRun {
  DirRunHeader header;
  size_t listing_offset = 0;
  std::vector<std::string> names;
  std::vector<uint32_t> numbers;
};

// A raw directory table, read back.
class ListingTest : public testing::Test {
 protected:
  void add(const std::string& name, uint64_t inode_block, uint16_t offset, uint32_t number) {
    names_.push_back(name);
    entries_.push_back({{}, {inode_block, offset}, number, InodeType::kFile});
  }

  Listing write() {
    for (size_t i = 0; i < entries_.size(); ++i) entries_[i].name = names_[i];
    auto listing = append_listing(entries_, table_);
    EXPECT_TRUE(listing);
    EXPECT_TRUE(table_.finish());
    return listing ? std::move(listing).value() : Listing{};
  }

  // The raw bytes of the table, without block headers.
  Buffer raw_table() const {
    Buffer raw;
    for (const uint64_t start : table_.block_starts()) {
      ByteReader in(table_.stored().subspan(start));
      const auto header = decode_metadata_header(in);
      const auto payload = in.bytes(header->stored_size);
      raw.insert(raw.end(), payload->begin(), payload->end());
    }
    return raw;
  }

  std::vector<ReadRun> read(const Listing& listing) const {
    const Buffer raw = raw_table();
    const size_t start = listing.start_block / kMetadataMaxStored * kMetadataBlockSize;
    ByteReader in(Bytes(raw).subspan(start + listing.offset, listing.file_size - kDirSizeBias));
    std::vector<ReadRun> runs;
    while (in.remaining() > 0) {
      ReadRun run;
      run.listing_offset = in.offset();
      run.header = *decode_dir_run_header(in);
      for (uint32_t i = 0; i < run.header.count; ++i) {
        const auto entry = decode_dir_entry(in);
        if (!entry) return {};
        run.names.emplace_back(entry->name);
        run.numbers.push_back(run.header.number_base + static_cast<uint32_t>(entry->number_delta));
      }
      runs.push_back(std::move(run));
    }
    return runs;
  }

  MetadataWriter table_{nullptr};
  std::vector<std::string> names_;
  std::vector<ListingEntry> entries_;
};

TEST_F(ListingTest, AnEmptyDirectoryHasThreeBytesAndNoPlace) {
  ASSERT_TRUE(table_.append(Buffer(100)));
  const Listing listing = write();
  EXPECT_EQ(listing.file_size, 3u);
  EXPECT_EQ(listing.start_block, 0u);
  EXPECT_EQ(listing.offset, 0u);
  EXPECT_EQ(table_.raw_bytes(), 100u);
}

TEST_F(ListingTest, EntriesOfOneInodeBlockShareARun) {
  add("a", 0, 0, 7);
  add("b", 0, 32, 8);
  add("c", 0, 64, 2);
  const auto runs = read(write());
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(runs[0].numbers, (std::vector<uint32_t>{7, 8, 2}));
}

TEST_F(ListingTest, AnotherInodeBlockBeginsARun) {
  add("a", 0, 8000, 1);
  add("b", 5000, 10, 2);
  const auto runs = read(write());
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[1].header.inode_block, 5000u);
}

TEST_F(ListingTest, ARunHolds256Entries) {
  for (uint32_t i = 0; i < 300; ++i) add("n" + std::to_string(1000 + i), 0, 0, i + 1);
  const auto runs = read(write());
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].header.count, 256u);
  EXPECT_EQ(runs[1].header.count, 44u);
}

TEST_F(ListingTest, ANumberTooFarFromTheFirstBeginsARun) {
  add("a", 0, 0, 100000);
  add("b", 0, 0, 100000 - 32767);
  add("c", 0, 0, 100000 + 32768);
  const auto runs = read(write());
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].numbers, (std::vector<uint32_t>{100000, 100000 - 32767}));
}

TEST_F(ListingTest, AListingUpTo8192BytesHasNoIndex) {
  // 12 + 12 bytes of headers and 34 * 240 of entries are 8184.
  for (uint32_t i = 0; i < 34; ++i) {
    add(std::to_string(100 + i) + std::string(229, 'x'), i < 17 ? 0 : 900, 0, i + 1);
  }
  const Listing listing = write();
  EXPECT_EQ(listing.file_size, 8184u + 3);
  EXPECT_TRUE(listing.index.empty());
}

TEST_F(ListingTest, AnIndexPointsAtRunHeadersLessThan8192BytesApart) {
  ASSERT_TRUE(table_.append(Buffer(5000)));  // so that block borders and points differ
  for (uint32_t i = 0; i < 2000; ++i) {
    add(std::to_string(10000 + i) + std::string(i % 100, 'x'), i / 200 * 3000, 0, i + 1);
  }
  const Listing listing = write();
  const auto runs = read(listing);
  ASSERT_GT(listing.index.size(), 10u);
  size_t last = 0;
  for (const DirIndexEntry& point : listing.index) {
    EXPECT_GT(point.listing_offset, last);
    EXPECT_LE(point.listing_offset - last, kMetadataBlockSize);
    last = point.listing_offset;
    const size_t position = 5000 + point.listing_offset;
    EXPECT_EQ(point.block, position / kMetadataBlockSize * kMetadataMaxStored);
    const auto run = std::find_if(runs.begin(), runs.end(), [&](const ReadRun& r) {
      return r.listing_offset == point.listing_offset;
    });
    ASSERT_NE(run, runs.end()) << point.listing_offset;
    EXPECT_EQ(run->names[0], point.name);
  }
  EXPECT_LE(listing.file_size - kDirSizeBias - last, kMetadataBlockSize);
}

}  // namespace
}  // namespace sqfs
