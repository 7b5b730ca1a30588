// SPDX-License-Identifier: MIT
#include "writer/append_load.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "squashfs-format/metadata.h"

namespace sqfs {
namespace {

constexpr size_t kWordsAtOnce = 4096;

Error inconsistent(uint64_t where, std::string what) {
  return Error{Code::kCorrupt, 0, where, 0, std::move(what)};
}

Result<uint64_t> read_number(Image& image, uint64_t position) {
  Buffer bytes(8);
  SQFS_CHECKED(image.bytes().read(position, bytes));
  return ByteReader(bytes).u64();
}

// The most bytes that the metadata blocks from `start` on, which end at `end`, can hold.
Result<uint64_t> raw_limit(Image& image, uint64_t start, uint64_t end) {
  uint64_t blocks = 0;
  for (uint64_t at = start; at < end; ++blocks) {
    Buffer raw(kMetadataHeaderSize);
    SQFS_CHECKED(image.bytes().read(at, raw));
    ByteReader in(raw);
    SQFS_TRY(const MetadataHeader header, decode_metadata_header(in));
    at += kMetadataHeaderSize + header.stored_size;
  }
  return blocks * kMetadataBlockSize;
}

// Where the directory table ends: nothing says so but the table that follows it.
Result<uint64_t> end_of_directories(Image& image) {
  const Superblock& super = image.superblock();
  uint64_t index = super.id_table_start;
  if (super.has_export_table()) index = super.export_table_start;
  if (super.fragment_count > 0 && super.fragment_table_start != kNoTable) {
    index = super.fragment_table_start;
  }
  SQFS_TRY(const uint64_t end, read_number(image, index));
  if (end < super.directory_table_start || end > super.bytes_used) {
    return inconsistent(index, "the directory table has no end");
  }
  return end;
}

class Loader {
 public:
  Loader(Image& image, Tree& tree) : image_(image), super_(image.superblock()), tree_(tree) {}

  Result<LoadedImage> run(NodeId root) {
    SQFS_CHECKED(measure());
    SQFS_CHECKED(load_fragments());
    out_.first_node = static_cast<NodeId>(tree_.size());
    SQFS_CHECKED(load_root(root));
    while (!todo_.empty()) {
      const OpenDirectory directory = std::move(todo_.back());
      todo_.pop_back();
      SQFS_CHECKED(load_directory(directory));
    }
    out_.end_node = static_cast<NodeId>(tree_.size());
    return std::move(out_);
  }

 private:
  struct OpenDirectory {
    NodeId node = kNoNode;
    ImageInode inode;
  };
  struct Seen {
    uint64_t ref = 0;
    NodeId node = kNoNode;
  };

  // Every byte of the tables is read once at most, whatever refers to it: this bounds all that
  // follows.
  Status measure() {
    SQFS_TRY(inode_bytes_left_,
             raw_limit(image_, super_.inode_table_start, super_.directory_table_start));
    SQFS_TRY(const uint64_t end, end_of_directories(image_));
    SQFS_TRY(listing_bytes_left_, raw_limit(image_, super_.directory_table_start, end));
    out_.data_end = kSuperblockSize;
    if (!super_.has(kFlagCompressorOptions)) return ok();
    Buffer raw(kMetadataHeaderSize);
    SQFS_CHECKED(image_.bytes().read(kSuperblockSize, raw));
    ByteReader in(raw);
    SQFS_TRY(const MetadataHeader header, decode_metadata_header(in));
    out_.data_end += kMetadataHeaderSize + header.stored_size;
    return ok();
  }

  static Status take(uint64_t& left, uint64_t bytes, const char* table) {
    if (bytes > left) {
      return inconsistent(
          0, std::string("more is said to be in the ") + table + " table than it can hold");
    }
    left -= bytes;
    return ok();
  }

  Status claim_block(uint64_t start, uint32_t size) {
    if (start < kSuperblockSize || start > super_.bytes_used || size > super_.bytes_used - start) {
      return inconsistent(start, "a block lies outside the image");
    }
    out_.data_end = std::max(out_.data_end, start + size);
    return ok();
  }

  Status load_fragments() {
    if (super_.fragment_count > super_.inode_count) {
      return inconsistent(0, "there are more fragments than files");
    }
    for (uint32_t i = 0; i < super_.fragment_count; ++i) {
      SQFS_TRY(FragmentEntry entry, image_.fragment(i));
      SQFS_TRY(const BlockWord word, decode_block_word(entry.word, super_.block_size));
      if (word.is_hole()) return inconsistent(entry.start, "a fragment block is empty");
      SQFS_CHECKED(claim_block(entry.start, word.stored_size));
      entry.unused = 0;
      out_.fragments.push_back(entry);
    }
    return ok();
  }

  Status load_root(NodeId root) {
    SQFS_TRY(ImageInode inode, image_.inode(super_.root_inode));
    if (!std::holds_alternative<DirBody>(inode.inode.body)) {
      return inconsistent(0, "the root is no directory");
    }
    out_.root = attributes_of(inode);
    out_.root_xattrs = inode.inode.xattr();
    seen_.emplace(inode.inode.header.number, Seen{super_.root_inode, root});
    todo_.push_back({root, std::move(inode)});
    return ok();
  }

  static Attributes attributes_of(const ImageInode& inode) {
    return {.mode = static_cast<uint16_t>(inode.inode.header.mode & 07777),
            .uid = inode.uid,
            .gid = inode.gid,
            .mtime = inode.inode.header.mtime,
            .is_owner_final = true,
            .is_time_final = true};
  }

  Status load_directory(const OpenDirectory& directory) {
    SQFS_TRY(DirectoryCursor cursor, image_.list(directory.inode));
    for (;;) {
      SQFS_TRY(std::optional<ImageEntry> entry, cursor.next());
      if (!entry) return ok();
      SQFS_CHECKED(take(listing_bytes_left_, kDirEntryFixedSize + entry->name.size(), "directory"));
      SQFS_CHECKED(load_entry(directory.node, *std::move(entry)));
    }
  }

  Status load_entry(NodeId parent, ImageEntry entry) {
    if (entry.inode_number == 0 || entry.inode_number > super_.inode_count) {
      return inconsistent(entry.inode_ref, "an inode number is out of range");
    }
    if (tree_.size() >= std::numeric_limits<NodeId>::max() - 1) {
      return unsupported_error("it has more than 4294967293 names");
    }
    Node node;
    node.name = std::move(entry.name);
    if (const auto found = seen_.find(entry.inode_number); found != seen_.end()) {
      const Seen& first = found->second;
      if (first.ref != entry.inode_ref || entry.type == InodeType::kDir) {
        return inconsistent(entry.inode_ref, "an inode is reached in two ways");
      }
      node.kind = HardLink{first.node};
      tree_.add(parent, std::move(node));
      return ok();
    }
    return load_inode(parent, std::move(node), entry);
  }

  Status load_inode(NodeId parent, Node node, const ImageEntry& entry) {
    SQFS_TRY(ImageInode inode, image_.inode(entry.inode_ref));
    const InodeHeader& header = inode.inode.header;
    if (header.number != entry.inode_number || basic_type(header.type) != entry.type) {
      return inconsistent(entry.inode_ref, "an entry and its inode disagree");
    }
    SQFS_CHECKED(take(inode_bytes_left_, encoded_size(inode.inode), "inode"));
    node.attributes = attributes_of(inode);
    node.xattr_set = inode.inode.xattr();
    SQFS_TRY(node.kind, kind_of(inode));
    const NodeId id = tree_.add(parent, std::move(node));
    seen_.emplace(header.number, Seen{entry.inode_ref, id});
    if (entry.type == InodeType::kDir) todo_.push_back({id, std::move(inode)});
    return ok();
  }

  Result<NodeKind> kind_of(const ImageInode& inode) {
    const auto& body = inode.inode.body;
    if (const auto* file = std::get_if<FileBody>(&body)) return file_of(*file, inode.behind);
    if (const auto* link = std::get_if<SymlinkBody>(&body)) {
      if (link->target.empty()) return inconsistent(0, "a symbolic link has no target");
      return NodeKind(Symlink{link->target});
    }
    const InodeType type = basic_type(inode.inode.header.type);
    if (const auto* device = std::get_if<DeviceBody>(&body)) {
      const Device numbers = decode_device(device->rdev);
      return NodeKind(DeviceNode{type == InodeType::kBlockDevice, numbers.major, numbers.minor});
    }
    if (std::holds_alternative<IpcBody>(body)) {
      return NodeKind(IpcNode{type == InodeType::kSocket});
    }
    return NodeKind(Directory{});
  }

  Result<NodeKind> file_of(const FileBody& body, TableCursor words) {
    RegularFile file;
    file.is_stored = true;
    file.expected_size = body.size;
    file.layout.start = body.start;
    file.layout.size = body.size;
    file.layout.sparse = body.sparse;
    SQFS_TRY(file.layout.block_words, read_words(body, std::move(words)));
    SQFS_CHECKED(check_blocks(file.layout));
    SQFS_TRY(file.layout.tail, tail_of(body));
    if (body.size > std::numeric_limits<uint64_t>::max() - out_.file_bytes) {
      return inconsistent(0, "the files are too large");
    }
    out_.file_bytes += body.size;
    ++out_.files;
    return NodeKind(std::move(file));
  }

  Result<std::vector<uint32_t>> read_words(const FileBody& body, TableCursor cursor) {
    uint64_t left = block_word_count(body, super_.block_size);
    if (left > std::numeric_limits<int32_t>::max()) return inconsistent(0, "a file is too large");
    SQFS_CHECKED(take(inode_bytes_left_, 4 * left, "inode"));
    std::vector<uint32_t> words;
    Buffer bytes;
    for (; left > 0; left -= bytes.size() / 4) {
      bytes.resize(4 * std::min<uint64_t>(left, kWordsAtOnce));
      SQFS_CHECKED(cursor.read(bytes));
      ByteReader in(bytes);
      for (size_t i = 0; i < bytes.size() / 4; ++i) {
        SQFS_TRY(const uint32_t word, in.u32());
        words.push_back(word);
      }
    }
    return words;
  }

  Status check_blocks(FileLayout& layout) {
    uint64_t position = layout.start;
    for (const uint32_t packed : layout.block_words) {
      SQFS_TRY(const BlockWord word, decode_block_word(packed, super_.block_size));
      if (word.is_hole()) continue;
      SQFS_CHECKED(claim_block(position, word.stored_size));
      position += word.stored_size;
    }
    if (position == layout.start) layout.start = 0;  // no block is stored
    return ok();
  }

  Result<FragmentRef> tail_of(const FileBody& body) {
    const uint32_t size = fragment_tail_size(body, super_.block_size);
    if (!body.has_fragment() || size == 0) return FragmentRef{};
    if (body.fragment >= out_.fragments.size() || body.fragment_offset > super_.block_size ||
        size > super_.block_size - body.fragment_offset) {
      return inconsistent(0, "the tail of a file lies in no fragment");
    }
    return FragmentRef{body.fragment, body.fragment_offset};
  }

  Image& image_;
  const Superblock& super_;
  Tree& tree_;
  LoadedImage out_;
  uint64_t inode_bytes_left_ = 0, listing_bytes_left_ = 0;
  std::vector<OpenDirectory> todo_;
  std::unordered_map<uint32_t, Seen> seen_;  // by inode number
};

}  // namespace

Result<std::vector<std::string>> names_in_root(Image& image) {
  SQFS_TRY(const ImageInode root, image.inode(image.superblock().root_inode));
  SQFS_TRY(DirectoryCursor cursor, image.list(root));
  std::vector<std::string> names;
  for (;;) {
    SQFS_TRY(std::optional<ImageEntry> entry, cursor.next());
    if (!entry) return names;
    names.push_back(std::move(entry->name));
  }
}

Result<LoadedImage> load_tree(Image& image, NodeId root, Tree& tree) {
  return Loader(image, tree).run(root);
}

}  // namespace sqfs
