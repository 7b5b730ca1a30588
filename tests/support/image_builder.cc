// SPDX-License-Identifier: MIT
#include "tests/support/image_builder.h"

#include <algorithm>
#include <cassert>
#include <memory>

#include "compressors/compressor.h"
#include "squashfs-format/superblock.h"

namespace sqfs {
namespace {

struct FieldRow {
  const char* name;
  uint32_t offset, width;
};

const std::vector<FieldRow> kSuperFields = {{"magic", 0, 4},
                                            {"inode_count", 4, 4},
                                            {"mkfs_time", 8, 4},
                                            {"block_size", 12, 4},
                                            {"fragment_count", 16, 4},
                                            {"compressor", 20, 2},
                                            {"block_log", 22, 2},
                                            {"flags", 24, 2},
                                            {"id_count", 26, 2},
                                            {"version_major", 28, 2},
                                            {"version_minor", 30, 2},
                                            {"root_inode", 32, 8},
                                            {"bytes_used", 40, 8},
                                            {"id_table_start", 48, 8},
                                            {"xattr_table_start", 56, 8},
                                            {"inode_table_start", 64, 8},
                                            {"directory_table_start", 72, 8},
                                            {"fragment_table_start", 80, 8},
                                            {"export_table_start", 88, 8}};
const std::vector<FieldRow> kInodeFields = {{"type", 0, 2}, {"mode", 2, 2},  {"uid", 4, 2},
                                            {"gid", 6, 2},  {"mtime", 8, 4}, {"number", 12, 4}};

std::vector<FieldRow> body_fields(InodeType type) {
  switch (type) {
    case InodeType::kDir:
      return {{"start_block", 16, 4},
              {"nlink", 20, 4},
              {"file_size", 24, 2},
              {"offset", 26, 2},
              {"parent", 28, 4}};
    case InodeType::kLongDir:
      return {{"nlink", 16, 4},  {"file_size", 20, 4},   {"start_block", 24, 4},
              {"parent", 28, 4}, {"index_count", 32, 2}, {"offset", 34, 2},
              {"xattr", 36, 4}};
    case InodeType::kFile:
      return {{"start", 16, 4}, {"fragment", 20, 4}, {"fragment_offset", 24, 4}, {"size", 28, 4}};
    case InodeType::kLongFile:
      return {{"start", 16, 8}, {"size", 24, 8},     {"sparse", 32, 8},
              {"nlink", 40, 4}, {"fragment", 44, 4}, {"fragment_offset", 48, 4},
              {"xattr", 52, 4}};
    case InodeType::kSymlink:
    case InodeType::kLongSymlink:
      return {{"nlink", 16, 4}, {"target_size", 20, 4}, {"target", 24, 0}};
    case InodeType::kBlockDevice:
    case InodeType::kCharDevice: return {{"nlink", 16, 4}, {"rdev", 20, 4}};
    case InodeType::kLongBlockDevice:
    case InodeType::kLongCharDevice: return {{"nlink", 16, 4}, {"rdev", 20, 4}, {"xattr", 24, 4}};
    case InodeType::kFifo:
    case InodeType::kSocket: return {{"nlink", 16, 4}};
    default: return {{"nlink", 16, 4}, {"xattr", 20, 4}};
  }
}

// A table before it is cut into metadata blocks: bytes and named places in them.
struct Stream {
  Buffer bytes;
  std::map<std::string, TestField> fields = {};

  uint32_t first_block = kMetadataBlockSize;

  void mark(const std::string& name, size_t offset, uint32_t width) {
    fields[name] = {offset, width};
  }
  // Of byte `offset`: the reference, and the position relative to the table's start.
  MetadataRef ref(uint64_t offset) const {
    if (offset < first_block) return {0, static_cast<uint16_t>(offset)};
    const uint64_t behind = offset - first_block;
    return {first_block + kMetadataHeaderSize + behind / kMetadataBlockSize * kMetadataMaxStored,
            static_cast<uint16_t>(behind % kMetadataBlockSize)};
  }
  uint64_t position(uint64_t offset) const {
    const MetadataRef at = ref(offset);
    return at.block + kMetadataHeaderSize + at.offset;
  }
};

class TestImageBuilder {
 public:
  explicit TestImageBuilder(const TestSpec& spec) : spec_(spec) {}

  TestImage build() {
    image_.bytes.resize(kSuperblockSize);
    if (spec_.first_block.contains("dirs")) dirs_.first_block = spec_.first_block.at("dirs");
    add_options();
    for (size_t i = 0; i < spec_.nodes.size(); ++i)
      number_of_[spec_.nodes[i].label] = static_cast<uint32_t>(i + 1);
    for (const TestNode& node : spec_.nodes) add_links(node);
    for (const TestNode& node : spec_.nodes) add_node(node);
    close_fragment();
    place_tables();
    const auto raw = encode(super_);
    std::copy(raw.begin(), raw.end(), image_.bytes.begin());
    mark_rows("super.", kSuperFields, 0, image_.fields);
    image_.fields["end"] = {image_.bytes.size(), 0};
    if (spec_.padding) image_.bytes.resize((image_.bytes.size() + 4095) / 4096 * 4096);
    return std::move(image_);
  }

 private:
  static void mark_rows(const std::string& prefix, const std::vector<FieldRow>& rows, size_t at,
                        std::map<std::string, TestField>& fields) {
    for (const FieldRow& row : rows) fields[prefix + row.name] = {at + row.offset, row.width};
  }

  void append(Bytes bytes) { image_.bytes.insert(image_.bytes.end(), bytes.begin(), bytes.end()); }

  void add_options() {
    super_.compressor = static_cast<uint16_t>(spec_.compressor);
    super_.block_size = spec_.block_size;
    super_.block_log = static_cast<uint16_t>(__builtin_ctz(spec_.block_size));
    super_.flags = kFlagRawInodes | kFlagRawXattrs | kFlagRawIds;
    if (spec_.options.empty()) return;
    super_.flags |= kFlagCompressorOptions;
    image_.fields["options.header"] = {image_.bytes.size(), 2};
    ByteWriter out(image_.bytes);
    out.u16(encode(MetadataHeader{static_cast<uint16_t>(spec_.options.size()), true}));
    image_.fields["options"] = {image_.bytes.size(), 0};
    out.text(spec_.options);
  }

  void add_links(const TestNode& node) {
    for (const auto& entry : node.entries) {
      ++links_[entry.second];
      parent_of_[entry.second] = node.label;
    }
  }

  // --- data ------------------------------------------------------------------------------------

  // Appends the bytes as a block; returns its word.
  uint32_t store(std::string_view raw) {
    if (spec_.compress_data) {
      const CompressorInfo& info = *find_compressor(spec_.compressor);
      CompressorConfig config;
      auto compressor = info.make(config, spec_.block_size);
      assert(compressor);
      Buffer out(raw.size());
      const auto size = (*compressor)->compress(as_bytes(raw), out);
      if (size && *size) {
        append(Bytes(out).first(**size));
        return static_cast<uint32_t>(**size);
      }
    }
    append(as_bytes(raw));
    return static_cast<uint32_t>(raw.size()) | kBlockRawBit;
  }

  FileBody add_data(const TestNode& node) {
    FileBody file;
    file.size = node.data.size();
    file.nlink = links_[node.label];
    for (size_t i = 0; i * spec_.block_size < node.data.size(); ++i) {
      const std::string piece = node.data.substr(i * spec_.block_size, spec_.block_size);
      if (piece.size() < spec_.block_size && node.tail_in_fragment) {
        add_tail(piece, file);
        break;
      }
      add_block(node, i, piece, file);
    }
    return file;
  }

  void add_block(const TestNode& node, size_t i, const std::string& piece, FileBody& file) {
    if (file.start == 0) file.start = image_.bytes.size();
    image_.fields["data." + node.label + "." + std::to_string(i)] = {image_.bytes.size(), 0};
    if (const auto made = node.stored.find(i); made != node.stored.end()) {
      append(as_bytes(made->second));
      file.block_words.push_back(static_cast<uint32_t>(made->second.size()));
    } else if (is_all_zero(as_bytes(piece))) {
      file.block_words.push_back(0);
      file.sparse += piece.size();
    } else {
      file.block_words.push_back(store(piece));
    }
  }

  void add_tail(const std::string& tail, FileBody& file) {
    if (tails_.size() + tail.size() > spec_.block_size) close_fragment();
    file.fragment = super_.fragment_count;
    file.fragment_offset = static_cast<uint32_t>(tails_.size());
    tails_ += tail;
  }

  uint32_t store_tails() {
    if (spec_.stored_tails.empty()) return store(tails_);
    append(as_bytes(spec_.stored_tails));
    return static_cast<uint32_t>(spec_.stored_tails.size());
  }

  void close_fragment() {
    if (tails_.empty()) return;
    const std::string number = std::to_string(super_.fragment_count++);
    image_.fields["tails." + number] = {image_.bytes.size(), 0};
    const uint64_t start = image_.bytes.size();
    const size_t at = fragments_.bytes.size();
    ByteWriter out(fragments_.bytes);
    encode(FragmentEntry{start, store_tails(), 0}, out);
    mark_rows("fragment." + number + ".", {{"start", 0, 8}, {"word", 8, 4}, {"unused", 12, 4}}, at,
              fragments_.fields);
    tails_.clear();
  }

  // --- inodes and directories -----------------------------------------------------------------

  void add_node(const TestNode& node) {
    Inode inode;
    inode.header = {node.type, 0755, 0, 1, 1700000000, number_of_[node.label]};
    const uint32_t xattr = node.xattr_set < 0 ? kNoXattr : static_cast<uint32_t>(node.xattr_set);
    switch (basic_type(node.type)) {
      case InodeType::kDir: inode.body = add_listing(node); break;
      case InodeType::kFile: inode.body = add_data(node); break;
      case InodeType::kSymlink: inode.body = SymlinkBody{links_[node.label], node.data}; break;
      case InodeType::kBlockDevice:
      case InodeType::kCharDevice: inode.body = DeviceBody{links_[node.label], 0x0103}; break;
      default: inode.body = IpcBody{links_[node.label]}; break;
    }
    std::visit([&](auto& body) { body.xattr = xattr; }, inode.body);
    const size_t at = inodes_.bytes.size();
    inode_at_[node.label] = at;
    ByteWriter out(inodes_.bytes);
    encode(inode, out);
    mark_inode(node, inode, at);
  }

  void mark_inode(const TestNode& node, const Inode& inode, size_t at) {
    const std::string prefix = "inode." + node.label + ".";
    inodes_.mark("inode." + node.label, at, 0);
    mark_rows(prefix, kInodeFields, at, inodes_.fields);
    mark_rows(prefix, body_fields(node.type), at, inodes_.fields);
    if (const auto* file = std::get_if<FileBody>(&inode.body)) {
      const size_t words = at + (inode.is_extended() ? 56 : 32);
      for (size_t i = 0; i < file->block_words.size(); ++i) {
        inodes_.mark(prefix + "word." + std::to_string(i), words + 4 * i, 4);
      }
    }
    if (const auto* dir = std::get_if<DirBody>(&inode.body)) {
      size_t entry_at = at + 40;
      for (size_t i = 0; i < dir->index.size(); ++i) {
        mark_rows(prefix + "index." + std::to_string(i) + ".",
                  {{"position", 0, 4}, {"block", 4, 4}, {"length", 8, 4}, {"name", 12, 0}},
                  entry_at, inodes_.fields);
        entry_at += encoded_size(dir->index[i]);
      }
    }
  }

  DirBody add_listing(const TestNode& node) {
    DirBody dir;
    const size_t start = dirs_.bytes.size();
    dir.start_block = static_cast<uint32_t>(dirs_.ref(start).block);
    dir.offset = dirs_.ref(start).offset;
    dir.parent = parent_of_.contains(node.label) ? number_of_[parent_of_[node.label]]
                                                 : static_cast<uint32_t>(spec_.nodes.size() + 1);
    size_t run = 0;
    for (size_t first = 0, count = 0; first < node.entries.size(); first += count, ++run) {
      count = run_length(node, first, start, dir);
      add_run(node, first, count, run);
    }
    for (const auto& entry : node.entries) {
      const InodeType type = node_of(entry.second).type;
      if (basic_type(type) == InodeType::kDir) ++dir.nlink;
    }
    dir.file_size = static_cast<uint32_t>(dirs_.bytes.size() - start) + kDirSizeBias;
    return dir;
  }

  const TestNode& node_of(const std::string& label) const {
    return spec_.nodes[number_of_.at(label) - 1];
  }

  // How many entries from `first` go into one run. In an extended directory a run also ends where
  // the next index point is due, and that point is added.
  size_t run_length(const TestNode& node, size_t first, size_t listing_start, DirBody& dir) {
    const size_t at = dirs_.bytes.size();
    const size_t last_point =
        dir.index.empty() ? listing_start : listing_start + dir.index.back().listing_offset;
    const bool has_index = node.type == InodeType::kLongDir;
    size_t end = at + kDirRunHeaderSize, count = 0;
    while (first + count < node.entries.size() && count < kMaxDirRunEntries) {
      end += kDirEntryFixedSize + node.entries[first + count].first.size();
      if (has_index && count > 0 && end - last_point > kMetadataBlockSize) break;
      if (inode_block(node, first + count) != inode_block(node, first)) break;
      ++count;
    }
    if (has_index && at > listing_start) {
      dir.index.push_back({static_cast<uint32_t>(at - listing_start),
                           static_cast<uint32_t>(dirs_.ref(at).block), node.entries[first].first});
    }
    return count;
  }

  uint64_t inode_block(const TestNode& node, size_t entry) {
    return inodes_.ref(inode_at_[node.entries[entry].second]).block;
  }

  void add_run(const TestNode& node, size_t first, size_t count, size_t run) {
    const std::string prefix = "dir." + node.label + ".";
    const std::string& label = node.entries[first].second;
    const auto base = static_cast<uint32_t>(number_of_[label]);
    mark_rows(prefix + "run." + std::to_string(run) + ".",
              {{"count", 0, 4}, {"block", 4, 4}, {"base", 8, 4}}, dirs_.bytes.size(), dirs_.fields);
    ByteWriter out(dirs_.bytes);
    encode(DirRunHeader{static_cast<uint32_t>(count),
                        static_cast<uint32_t>(inodes_.ref(inode_at_[label]).block), base},
           out);
    for (size_t i = first; i < first + count; ++i) {
      const auto& [name, child] = node.entries[i];
      mark_rows(
          prefix + "entry." + std::to_string(i) + ".",
          {{"offset", 0, 2}, {"number", 2, 2}, {"type", 4, 2}, {"length", 6, 2}, {"name", 8, 0}},
          dirs_.bytes.size(), dirs_.fields);
      encode(DirEntry{inodes_.ref(inode_at_[child]).offset,
                      static_cast<int16_t>(number_of_[child] - base),
                      static_cast<uint16_t>(basic_type(node_of(child).type)), name},
             out);
    }
  }

  // --- tables -----------------------------------------------------------------------------------

  // Appends the stream as raw metadata blocks; returns their positions.
  std::vector<uint64_t> place(const std::string& table, const Stream& stream) {
    std::vector<uint64_t> positions;
    const uint64_t start = image_.bytes.size();
    for (size_t at = 0, size = 0; at < stream.bytes.size(); at += size) {
      size = std::min<size_t>(at == 0 ? stream.first_block : kMetadataBlockSize,
                              stream.bytes.size() - at);
      image_.fields[table + ".block." + std::to_string(positions.size())] = {image_.bytes.size(),
                                                                             2};
      positions.push_back(image_.bytes.size());
      ByteWriter(image_.bytes).u16(encode(MetadataHeader{static_cast<uint16_t>(size), true}));
      append(Bytes(stream.bytes).subspan(at, size));
    }
    for (const auto& [name, field] : stream.fields) {
      image_.fields[name] = {start + stream.position(field.offset), field.width};
    }
    return positions;
  }

  uint64_t place_index(const std::string& table, const std::vector<uint64_t>& positions) {
    const uint64_t start = image_.bytes.size();
    for (size_t i = 0; i < positions.size(); ++i) {
      image_.fields[table + ".index." + std::to_string(i)] = {image_.bytes.size(), 8};
      ByteWriter(image_.bytes).u64(positions[i]);
    }
    return start;
  }

  void place_tables() {
    super_.inode_count = static_cast<uint32_t>(spec_.nodes.size());
    super_.id_count = static_cast<uint16_t>(spec_.ids.size());
    super_.root_inode = inodes_.ref(inode_at_[spec_.nodes.back().label]).packed();
    image_.fields["gap"] = {image_.bytes.size(), 0};
    image_.bytes.resize(image_.bytes.size() + spec_.gap_before_tables);
    super_.inode_table_start = image_.bytes.size();
    place("inodes", inodes_);
    super_.directory_table_start = image_.bytes.size();
    place("dirs", dirs_);
    if (super_.fragment_count > 0) {
      super_.fragment_table_start = place_index("fragments", place("fragments", fragments_));
      image_.bytes.resize(image_.bytes.size() + spec_.gap_behind_fragments);
    }
    if (spec_.export_table) place_export();
    Stream ids;
    for (size_t i = 0; i < spec_.ids.size(); ++i) {
      ids.mark("id." + std::to_string(i), ids.bytes.size(), 4);
      ByteWriter(ids.bytes).u32(spec_.ids[i]);
    }
    super_.id_table_start = place_index("ids", place("ids", ids));
    place_xattrs();
    super_.bytes_used = image_.bytes.size();
  }

  void place_export() {
    super_.flags |= kFlagExport;
    Stream exports;
    if (spec_.first_block.contains("exports")) {
      exports.first_block = spec_.first_block.at("exports");
    }
    for (const TestNode& node : spec_.nodes) {
      exports.mark("export." + node.label, exports.bytes.size(), 8);
      ByteWriter(exports.bytes).u64(inodes_.ref(inode_at_[node.label]).packed());
    }
    super_.export_table_start = place_index("exports", place("exports", exports));
  }

  void place_xattrs() {
    if (spec_.xattr_sets.empty()) {
      super_.flags |= kFlagNoXattrs;
      return;
    }
    Stream pairs, sets;
    for (size_t i = 0; i < spec_.xattr_sets.size(); ++i) {
      const size_t start = pairs.bytes.size();
      for (const TestXattr& xattr : spec_.xattr_sets[i]) add_pair(xattr, pairs);
      mark_rows("set." + std::to_string(i) + ".",
                {{"ref", 0, 8}, {"pairs", 8, 4}, {"bytes", 12, 4}}, sets.bytes.size(), sets.fields);
      ByteWriter out(sets.bytes);
      encode(
          XattrIdEntry{pairs.ref(start).packed(), static_cast<uint32_t>(spec_.xattr_sets[i].size()),
                       static_cast<uint32_t>(pairs.bytes.size() - start)},
          out);
    }
    for (const XattrIdEntry& entry : spec_.more_sets) {
      ByteWriter out(sets.bytes);
      encode(entry, out);
    }
    const uint64_t pairs_start = image_.bytes.size();
    place("pairs", pairs);
    const auto positions = place("sets", sets);
    super_.xattr_table_start = image_.bytes.size();
    mark_rows("xattrs.", {{"start", 0, 8}, {"count", 8, 4}, {"unused", 12, 4}}, image_.bytes.size(),
              image_.fields);
    ByteWriter out(image_.bytes);
    const size_t count = spec_.xattr_sets.size() + spec_.more_sets.size();
    encode(XattrTableHeader{pairs_start, static_cast<uint32_t>(count), 0}, out);
    place_index("sets", positions);
  }

  void add_pair(const TestXattr& xattr, Stream& pairs) {
    const std::string prefix = "pair." + std::to_string(value_at_.size()) + ".";
    const size_t at = pairs.bytes.size(), value_at = at + 4 + xattr.name.size();
    mark_rows(prefix, {{"type", 0, 2}, {"length", 2, 2}, {"name", 4, 0}}, at, pairs.fields);
    mark_rows(prefix, {{"size", 0, 4}, {"value", 4, 0}}, value_at, pairs.fields);
    ByteWriter out(pairs.bytes);
    out.u16(xattr.type);
    out.u16(static_cast<uint16_t>(xattr.name.size()));
    out.text(xattr.name);
    value_at_.push_back(value_at);
    if (xattr.value_of >= 0) {
      out.u32(8);
      out.u64(pairs.ref(value_at_[static_cast<size_t>(xattr.value_of)]).packed());
    } else {
      encode_xattr_value(as_bytes(xattr.value), out);
    }
  }

  const TestSpec& spec_;
  TestImage image_;
  Superblock super_;
  Stream inodes_, dirs_, fragments_;
  std::string tails_;
  std::map<std::string, uint32_t> number_of_, links_;
  std::map<std::string, std::string> parent_of_;
  std::map<std::string, size_t> inode_at_;
  std::vector<size_t> value_at_;
};

}  // namespace

TestImage build_test_image(const TestSpec& spec) { return TestImageBuilder(spec).build(); }

}  // namespace sqfs
