// SPDX-License-Identifier: MIT
#include "reader/image.h"

#include <utility>

#include "squashfs-format/metadata.h"
#include "squashfs-format/problem.h"

namespace sqfs {
namespace {

// All but a symlink's target fits the guess.
constexpr size_t kInodeGuess = 64, kInodeMax = 32 + 65536;
constexpr size_t kEntryGuess = 64, kEntryMax = kDirEntryFixedSize + kMaxNameLengthKernel;
constexpr size_t kXattrKeyGuess = 64, kXattrKeyMax = 4 + 65536;
constexpr size_t kXattrValueGuess = 256, kXattrValueMax = 4 + kMaxXattrValue;
// Values may be shared, so a small image can claim any amount.
constexpr uint64_t kMaxXattrBytes = 64u << 20;

// Wrong, but nothing that a decoder sees: the verifier's catalogue has the exact problem.
Error inconsistent(uint64_t offset, std::string what) {
  return Error{Code::kCorrupt, 0, offset, 0, std::move(what)};
}

Result<CompressorConfig> read_config(ImageBytes& image, const Superblock& superblock,
                                     const CompressorInfo& info) {
  CompressorConfig config;
  if (superblock.has(kFlagCompressorOptions)) {
    Buffer header(kMetadataHeaderSize);
    SQFS_CHECKED(image.read(kSuperblockSize, header));
    ByteReader in(header);
    SQFS_TRY(const MetadataHeader decoded, decode_metadata_header(in));
    Buffer payload(decoded.stored_size);
    SQFS_CHECKED(image.read(kSuperblockSize + kMetadataHeaderSize, payload));
    SQFS_CHECKED(info.decode_options(payload, config, superblock.block_size));
  }
  SQFS_CHECKED(info.finish(config, superblock.block_size));
  return config;
}

}  // namespace

Result<std::unique_ptr<Image>> Image::open(InputFile& file, uint64_t offset) {
  Buffer head(kSuperblockSize);
  SQFS_TRY(const size_t got, file.read_at(offset, head));
  head.resize(got);
  SQFS_TRY(const Superblock superblock, decode_superblock(head));
  SQFS_CHECKED(check_identity(superblock));
  const auto* info = find_compressor(static_cast<CompressorId>(superblock.compressor));
  if (info == nullptr || !info->available()) {
    return unsupported_error("the image's compressor is not built in");
  }
  ImageBytes bytes(file, offset, superblock.bytes_used);
  SQFS_TRY(const CompressorConfig config, read_config(bytes, superblock, *info));
  SQFS_TRY(auto compressor, info->make(config, superblock.block_size));
  return std::unique_ptr<Image>(
      new Image(file, offset, superblock, *info, config, std::move(compressor)));
}

Image::Image(InputFile& file, uint64_t offset, const Superblock& superblock,
             const CompressorInfo& info, const CompressorConfig& config,
             std::unique_ptr<Compressor> compressor)
    : superblock_(superblock),
      bytes_(file, offset, superblock.bytes_used),
      info_(&info),
      config_(config),
      compressor_(std::move(compressor)),
      cache_(bytes_, *compressor_) {}

Result<ImageInode> Image::inode(uint64_t packed_ref) {
  const MetadataRef ref = MetadataRef::unpack(packed_ref);
  if (!ref.fits_kernel()) return inconsistent(packed_ref, "an inode reference is out of range");
  TableCursor cursor(cache_, superblock_.inode_table_start + ref.block, ref.offset,
                     superblock_.directory_table_start);
  ImageInode out;
  SQFS_TRY(out.inode,
           cursor.record(kInodeGuess, kInodeMax, [](ByteReader& in) { return decode_inode(in); }));
  out.behind = cursor;
  SQFS_TRY(out.uid, id(out.inode.header.uid_index));
  SQFS_TRY(out.gid, id(out.inode.header.gid_index));
  return out;
}

Result<Buffer> Image::table_record(uint64_t index_start, uint64_t index, uint32_t record_size) {
  const uint64_t per_block = kMetadataBlockSize / record_size;
  Buffer pointer(8);
  SQFS_CHECKED(bytes_.read(index_start + index / per_block * 8, pointer));
  ByteReader in(pointer);
  SQFS_TRY(const uint64_t position, in.u64());
  const auto offset = static_cast<uint32_t>(index % per_block * record_size);
  TableCursor cursor(cache_, position, offset, superblock_.bytes_used);
  Buffer record(record_size);
  SQFS_CHECKED(cursor.read(record));
  return record;
}

Result<uint32_t> Image::id(uint16_t index) {
  if (index >= superblock_.id_count) return inconsistent(0, "an id index is out of range");
  SQFS_TRY(const Buffer record, table_record(superblock_.id_table_start, index, kIdEntrySize));
  return ByteReader(record).u32();
}

Result<FragmentEntry> Image::fragment(uint32_t index) {
  if (index >= superblock_.fragment_count || superblock_.fragment_table_start == kNoTable) {
    return inconsistent(0, "a fragment index is out of range");
  }
  SQFS_TRY(const Buffer record,
           table_record(superblock_.fragment_table_start, index, kFragmentEntrySize));
  ByteReader in(record);
  return decode_fragment_entry(in);
}

Result<DirectoryCursor> Image::list(const ImageInode& directory) {
  const auto* body = std::get_if<DirBody>(&directory.inode.body);
  if (body == nullptr) return inconsistent(0, "not a directory");
  const uint64_t size = body->file_size < kDirSizeBias ? 0 : body->file_size - kDirSizeBias;
  const TableCursor listing(cache_, superblock_.directory_table_start + body->start_block,
                            body->offset, superblock_.bytes_used);
  return DirectoryCursor(listing, size);
}

Status DirectoryCursor::consume(uint64_t size) {
  if (size > left_) return inconsistent(0, "a directory's size cuts an entry");
  left_ -= size;
  return ok();
}

Status DirectoryCursor::read_run_header() {
  SQFS_CHECKED(consume(kDirRunHeaderSize));
  SQFS_TRY(run_, listing_.record(kDirRunHeaderSize, kDirRunHeaderSize,
                                 [](ByteReader& in) { return decode_dir_run_header(in); }));
  left_in_run_ = run_.count;
  return ok();
}

Result<std::optional<ImageEntry>> DirectoryCursor::next() {
  if (left_in_run_ == 0) {
    if (left_ == 0) return std::optional<ImageEntry>();
    SQFS_CHECKED(read_run_header());
  }
  ImageEntry out;
  const auto decode = [&](ByteReader& in) -> Result<DirEntry> {
    SQFS_TRY(DirEntry entry, decode_dir_entry(in));
    out.name = std::string(std::exchange(entry.name, {}));
    return entry;
  };
  SQFS_TRY(const DirEntry entry, listing_.record(kEntryGuess, kEntryMax, decode));
  SQFS_CHECKED(consume(kDirEntryFixedSize + out.name.size()));
  --left_in_run_;
  if (!is_legal_name(out.name)) return inconsistent(0, "a name in a directory is not legal");
  if (out.name <= last_name_) return inconsistent(0, "a directory is not sorted");
  if (entry.type < 1 || entry.type > 7) return inconsistent(0, "an entry's type does not exist");
  last_name_ = out.name;
  out.type = static_cast<InodeType>(entry.type);
  out.inode_ref = MetadataRef{run_.inode_block, entry.inode_offset}.packed();
  out.inode_number = run_.number_base + static_cast<uint32_t>(int32_t{entry.number_delta});
  return std::optional(std::move(out));
}

Result<std::vector<ImageXattr>> Image::xattrs(const Inode& inode) {
  std::vector<ImageXattr> out;
  if (inode.xattr() == kNoXattr || !superblock_.has_xattr_table()) return out;
  const uint64_t table = superblock_.xattr_table_start;
  Buffer raw(kXattrTableHeaderSize);
  SQFS_CHECKED(bytes_.read(table, raw));
  ByteReader in(raw);
  SQFS_TRY(const XattrTableHeader header, decode_xattr_table_header(in));
  if (inode.xattr() >= header.id_count)
    return inconsistent(table, "an xattr index is out of range");
  SQFS_TRY(const Buffer record,
           table_record(table + kXattrTableHeaderSize, inode.xattr(), kXattrIdEntrySize));
  ByteReader record_in(record);
  SQFS_TRY(const XattrIdEntry set, decode_xattr_id_entry(record_in));
  SQFS_CHECKED(append_xattrs(set, header.pairs_start, table, out));
  return out;
}

Status Image::append_xattrs(const XattrIdEntry& set, uint64_t pairs_start, uint64_t pairs_end,
                            std::vector<ImageXattr>& out) {
  const auto at = [&](uint64_t packed) {
    const MetadataRef ref = MetadataRef::unpack(packed);
    return TableCursor(cache_, pairs_start + ref.block, ref.offset, pairs_end);
  };
  const auto read_value = [](TableCursor& cursor) {
    return cursor.record(kXattrValueGuess, kXattrValueMax, [](ByteReader& in) -> Result<Buffer> {
      SQFS_TRY(const Bytes value, decode_xattr_value(in));
      return Buffer(value.begin(), value.end());
    });
  };
  TableCursor pairs = at(set.ref);
  uint64_t total = 0;
  for (uint32_t i = 0; i < set.pair_count; ++i) {
    bool is_out_of_line = false, is_known = false;
    SQFS_TRY(std::string name,
             pairs.record(kXattrKeyGuess, kXattrKeyMax, [&](ByteReader& in) -> Result<std::string> {
               SQFS_TRY(const XattrKey key, decode_xattr_key(in));
               is_out_of_line = key.is_out_of_line();
               is_known = key.has_known_prefix();
               return is_known ? key.full_name() : std::string();
             }));
    SQFS_TRY(Buffer value, read_value(pairs));
    if (is_out_of_line) {
      ByteReader in(value);
      SQFS_TRY(const uint64_t ref, in.u64());
      TableCursor elsewhere = at(ref);
      SQFS_TRY(value, read_value(elsewhere));
    }
    total += name.size() + value.size() + 1;
    if (total > kMaxXattrBytes)
      return inconsistent(pairs_start, "the xattrs of a file have no end");
    if (is_known) out.push_back({std::move(name), std::move(value)});
  }
  return ok();
}

}  // namespace sqfs
