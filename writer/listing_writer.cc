// SPDX-License-Identifier: MIT
#include "writer/listing_writer.h"

#include <string>

namespace sqfs {
namespace {

constexpr uint64_t kMaxIndexEntries = 65535;
// A point may come earlier than a full step by one entry and one header.
constexpr uint64_t kLongestEntry = kDirRunHeaderSize + kDirEntryFixedSize + kMaxNameLength;

size_t encoded_size(const ListingEntry& entry) { return kDirEntryFixedSize + entry.name.size(); }

// The distance of index points: 8192, or a multiple where the inode's counter is too small for it.
uint64_t index_step(std::span<const ListingEntry> entries) {
  uint64_t most_bytes = 0;
  for (const ListingEntry& entry : entries) most_bytes += encoded_size(entry) + kDirRunHeaderSize;
  return kMetadataBlockSize *
         (1 + most_bytes / (kMaxIndexEntries * (kMetadataBlockSize - kLongestEntry)));
}

class ListingWriter {
 public:
  ListingWriter(std::span<const ListingEntry> entries, MetadataWriter& table)
      : entries_(entries), table_(table), step_(index_step(entries)) {}

  Result<Listing> write() {
    if (entries_.empty()) return listing_;
    const MetadataRef start = table_.position();
    listing_.start_block = static_cast<uint32_t>(start.block);
    listing_.offset = start.offset;
    for (size_t i = 0; i < entries_.size(); ++i) SQFS_CHECKED(take(i));
    SQFS_CHECKED(end_run(entries_.size()));
    if (!table_.position().fits_kernel()) return unsupported_error("Directory table over 4 GiB");
    listing_.file_size = static_cast<uint32_t>(size_) + kDirSizeBias;
    return std::move(listing_);
  }

 private:
  Status take(size_t i) {
    const ListingEntry& entry = entries_[i];
    const auto block = static_cast<uint32_t>(entry.inode.block);
    const bool fits_run = run_.count > 0 && run_accepts(run_, block, entry.inode_number);
    const uint64_t end =
        size_ + encoded_size(entry) + (fits_run ? 0 : kDirRunHeaderSize) - last_point_;
    const bool is_index_point = end > step_;
    if (!fits_run || is_index_point) {
      SQFS_CHECKED(end_run(i));
      run_ = {0, block, entry.inode_number};
      if (is_index_point) add_index_point(entry);
      first_of_run_ = i;
      size_ += kDirRunHeaderSize;
    }
    ++run_.count;
    size_ += encoded_size(entry);
    if (size_ > kMaxDirListing) return unsupported_error("A directory's listing is over 2 GiB");
    return ok();
  }

  // The run that follows will be written to the table's end: its header is there.
  void add_index_point(const ListingEntry& first) {
    listing_.index.push_back({static_cast<uint32_t>(size_),
                              static_cast<uint32_t>(table_.position().block),
                              std::string(first.name)});
    last_point_ = size_;
  }

  // Writes the run that ends before entry `end`.
  Status end_run(size_t end) {
    if (run_.count == 0) return ok();
    Buffer bytes;
    ByteWriter out(bytes);
    encode(run_, out);
    for (const ListingEntry& entry : entries_.subspan(first_of_run_, end - first_of_run_)) {
      const int64_t delta = int64_t{entry.inode_number} - int64_t{run_.number_base};
      encode(DirEntry{entry.inode.offset, static_cast<int16_t>(delta),
                      static_cast<uint16_t>(entry.type), entry.name},
             out);
    }
    return table_.append(bytes);
  }

  std::span<const ListingEntry> entries_;
  MetadataWriter& table_;
  uint64_t step_;
  Listing listing_;
  DirRunHeader run_;         // the open run; count 0 before the first
  size_t first_of_run_ = 0;  // index of its first entry
  uint64_t size_ = 0;        // of the listing, the open run included
  uint64_t last_point_ = 0;  // offset of the last index point, or the listing's start
};

}  // namespace

Result<Listing> append_listing(std::span<const ListingEntry> entries, MetadataWriter& table) {
  return ListingWriter(entries, table).write();
}

}  // namespace sqfs
