// SPDX-License-Identifier: MIT
#include "writer/table_stage.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "squashfs-format/inode.h"
#include "tests/support/fake_env.h"

namespace sqfs {
namespace {

constexpr uint64_t kStart = 5000;  // where the data ended

RegularFile file_at(uint64_t start, uint64_t size, uint64_t sparse, std::vector<uint32_t> words) {
  RegularFile file;
  file.layout.start = start;
  file.layout.size = size;
  file.layout.sparse = sparse;
  file.layout.block_words = std::move(words);
  return file;
}

// Writes the tables of a tree made by hand, all raw, and reads them back.
class TableStageTest : public testing::Test {
 protected:
  TableStageTest() {
    options_.data.compressor = &default_compressor();
    options_.raw_inodes = options_.raw_xattrs = true;
    tree_.node(kRootNode).attributes = {.mode = 0755, .uid = 3, .gid = 4, .mtime = 7};
  }

  NodeId add(NodeId parent, std::string name, NodeKind kind) {
    Node node;
    node.name = std::move(name);
    node.kind = std::move(kind);
    node.attributes = {.mode = 0640, .uid = 5, .gid = 3, .mtime = 100};
    return tree_.add(parent, std::move(node));
  }

  void write() {
    tree_.sort();
    auto plan = make_plan(
        options_, 1234, [](const std::string&) {}, tree_);
    ASSERT_TRUE(plan);
    plan_ = std::move(plan).value();
    const auto compressor =
        options_.data.compressor->make(options_.data.config, options_.data.block_size);
    ASSERT_TRUE(compressor);
    ImageTail tail(output_, 0, kStart);
    const TableInputs inputs{options_, plan_, xattrs_, fragments_};
    auto tables = write_tables(
        inputs, tree_, **compressor, tail, [this](NodeId name) { visited_.push_back(name); },
        [] { return false; });
    ASSERT_TRUE(tables);
    super_ = tables->superblock;
    EXPECT_EQ(output_.bytes.size(), super_.bytes_used);
  }

  // The raw bytes of the metadata blocks in [start, end) of the image.
  Buffer table(uint64_t start, uint64_t end) const {
    Buffer raw;
    ByteReader in(Bytes(output_.bytes).subspan(start, end - start));
    while (in.remaining() > 0) {
      const auto header = decode_metadata_header(in);
      if (!header) return {};
      const auto payload = in.bytes(header->stored_size);
      raw.insert(raw.end(), payload->begin(), payload->end());
    }
    return raw;
  }

  // Entry i of the index array that starts at `start`.
  uint64_t index(uint64_t start, size_t i = 0) const {
    ByteReader in(Bytes(output_.bytes).subspan(start + 8 * i, 8));
    return *in.u64();
  }

  // All inodes, in the order of their table, with the words and indices behind them skipped.
  std::vector<Inode> inodes() const {
    const Buffer raw = table(super_.inode_table_start, super_.directory_table_start);
    ByteReader in(raw);
    std::vector<Inode> out;
    while (in.remaining() > 0) {
      auto inode = decode_inode(in);
      if (!inode) return {};
      if (const auto* file = std::get_if<FileBody>(&inode->body)) {
        EXPECT_TRUE(in.skip(4 * block_word_count(*file, super_.block_size)));
      }
      if (const auto* dir = std::get_if<DirBody>(&inode->body)) {
        for (int i = 0; i < dir->index_count; ++i) EXPECT_TRUE(decode_dir_index_entry(in));
      }
      out.push_back(std::move(inode).value());
    }
    return out;
  }

  template <class Body>
  const Body& body_of(const std::vector<Inode>& all, NodeId id) {
    return std::get<Body>(all.at(tree_.node(id).inode_number - 1).body);
  }

  BuildOptions options_;
  Tree tree_;
  Plan plan_;
  XattrPool xattrs_;
  std::vector<FragmentEntry> fragments_;
  FakeOutput output_;
  std::vector<NodeId> visited_;
  Superblock super_;
};

TEST_F(TableStageTest, AnEmptyRootHasAnInodeAndNoListing) {
  write();
  const auto all = inodes();
  ASSERT_EQ(all.size(), 1u);
  const DirBody& root = std::get<DirBody>(all[0].body);
  EXPECT_EQ(all[0].header.type, InodeType::kDir);
  EXPECT_EQ(all[0].header.number, 1u);
  EXPECT_EQ(root.parent, 2u);
  EXPECT_EQ(root.nlink, 2u);
  EXPECT_EQ(root.file_size, 3u);
  EXPECT_EQ(super_.inode_table_start, kStart);
  EXPECT_EQ(super_.root_inode, 0u);
  EXPECT_EQ(super_.fragment_table_start, kNoTable);
  EXPECT_EQ(super_.xattr_table_start, kNoTable);
}

TEST_F(TableStageTest, TheTailIsGaplessInTheOrderTheKernelDemands) {
  NodeId file = add(kRootNode, "f", RegularFile{});
  XattrSet set = {{"user.a", Buffer(3)}};
  tree_.node(file).xattr_set = xattrs_.intern(set);
  fragments_ = {{96, 100, 0}};
  write();
  const auto raw_size = [](uint64_t records) { return records + kMetadataHeaderSize; };
  EXPECT_EQ(index(super_.fragment_table_start) + raw_size(16), super_.fragment_table_start);
  EXPECT_EQ(super_.fragment_table_start + 8, index(super_.export_table_start));
  EXPECT_EQ(index(super_.export_table_start) + raw_size(2 * 8), super_.export_table_start);
  EXPECT_EQ(super_.export_table_start + 8, index(super_.id_table_start));
  EXPECT_EQ(index(super_.id_table_start) + raw_size(3 * 4), super_.id_table_start);
  ByteReader in(Bytes(output_.bytes).subspan(super_.xattr_table_start));
  const auto header = decode_xattr_table_header(in);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->id_count, 1u);
  EXPECT_EQ(super_.id_table_start + 8, header->pairs_start);
  EXPECT_EQ(*in.u64() + raw_size(16), super_.xattr_table_start);
  EXPECT_EQ(super_.bytes_used, super_.xattr_table_start + 16 + 8);
}

TEST_F(TableStageTest, EveryKindGetsItsBasicForm) {
  const NodeId f = add(kRootNode, "f", file_at(96, 200000, 0, {70000, 500}));
  const NodeId l = add(kRootNode, "l", Symlink{"target"});
  const NodeId c = add(kRootNode, "c", DeviceNode{false, 4095, 1048575});
  const NodeId s = add(kRootNode, "s", IpcNode{true});
  const NodeId d = add(kRootNode, "d", Directory{});
  write();
  const auto all = inodes();
  ASSERT_EQ(all.size(), 6u);
  for (const Inode& inode : all) EXPECT_FALSE(inode.is_extended());
  EXPECT_EQ(body_of<FileBody>(all, f).size, 200000u);
  EXPECT_EQ(body_of<FileBody>(all, f).start, 96u);
  EXPECT_EQ(body_of<SymlinkBody>(all, l).target, "target");
  EXPECT_EQ(decode_device(body_of<DeviceBody>(all, c).rdev), (Device{4095, 1048575}));
  EXPECT_EQ(body_of<IpcBody>(all, s).nlink, 1u);
  EXPECT_EQ(body_of<DirBody>(all, d).parent, 6u);
  EXPECT_EQ(std::get<DirBody>(all[5].body).nlink, 3u);
}

TEST_F(TableStageTest, HeadersHoldModeOwnersTimeAndNumber) {
  add(kRootNode, "f", RegularFile{});
  write();
  const InodeHeader header = inodes().at(0).header;
  EXPECT_EQ(header.mode, 0640);
  EXPECT_EQ(header.mtime, 100u);
  EXPECT_EQ(plan_.ids.ids(), (std::vector<uint32_t>{5, 3, 4}));
  EXPECT_EQ(header.uid_index, 0);
  EXPECT_EQ(header.gid_index, 1);
  EXPECT_EQ(header.number, 1u);
}

TEST_F(TableStageTest, WhatTheBasicFormCannotHoldGetsTheExtendedOne) {
  constexpr uint64_t kFar = uint64_t{1} << 32;
  add(kRootNode, "far", file_at(kFar, 10, 0, {10}));
  add(kRootNode, "sparse", file_at(0, 10, 9, {0}));
  add(kRootNode, "long", file_at(0, kFar, 0, std::vector<uint32_t>(kFar / 131072)));
  const NodeId linked = add(kRootNode, "linked", RegularFile{});
  add(kRootNode, "other", HardLink{linked});
  const NodeId link = add(kRootNode, "l", Symlink{"t"});
  tree_.node(link).xattr_set = xattrs_.intern({{"trusted.a", Buffer(1)}});
  write();
  const auto all = inodes();
  ASSERT_EQ(all.size(), 6u);
  for (size_t i = 0; i < 5; ++i) EXPECT_TRUE(all[i].is_extended()) << i;
  EXPECT_EQ(body_of<FileBody>(all, linked).nlink, 2u);
  EXPECT_EQ(body_of<SymlinkBody>(all, link).xattr, 0u);
  EXPECT_FALSE(all[5].is_extended());
}

TEST_F(TableStageTest, ExportEntriesLeadToTheInodesOfTheirNumbers) {
  for (int i = 0; i < 500; ++i) add(kRootNode, "n" + std::to_string(1000 + i), Symlink{"target"});
  write();
  const uint64_t first = index(super_.export_table_start);
  const Buffer refs = table(first, super_.export_table_start);
  const Buffer raw = table(super_.inode_table_start, super_.directory_table_start);
  ByteReader in(refs);
  for (uint32_t number = 1; number <= 501; ++number) {
    const MetadataRef ref = MetadataRef::unpack(*in.u64());
    const size_t offset = ref.block / kMetadataMaxStored * kMetadataBlockSize + ref.offset;
    ByteReader inode_in(Bytes(raw).subspan(offset));
    const auto inode = decode_inode(inode_in);
    ASSERT_TRUE(inode);
    EXPECT_EQ(inode->header.number, number);
  }
}

TEST_F(TableStageTest, NamesAreVisitedOnceEachTheRootLast) {
  const NodeId a = add(kRootNode, "a", RegularFile{});
  const NodeId d = add(kRootNode, "d", Directory{});
  const NodeId link = add(d, "link", HardLink{a});
  write();
  EXPECT_EQ(visited_, (std::vector<NodeId>{link, a, d, kRootNode}));
}

TEST_F(TableStageTest, ALongDirectoryGetsAnIndex) {
  const NodeId d = add(kRootNode, "d", Directory{});
  for (int i = 0; i < 1000; ++i) {
    add(d, std::to_string(1000 + i) + std::string(60, 'n'), RegularFile{});
  }
  write();
  const auto all = inodes();
  const DirBody& body = body_of<DirBody>(all, d);
  EXPECT_EQ(all[1000].header.type, InodeType::kLongDir);
  EXPECT_EQ(body.index_count, (body.file_size - 3) / kMetadataBlockSize);
}

TEST_F(TableStageTest, WithoutAnExportTableThereIsNone) {
  options_.export_table = false;
  write();
  EXPECT_EQ(super_.export_table_start, kNoTable);
  EXPECT_EQ(super_.flags & kFlagExport, 0);
}

struct FlagCase {
  void (*set)(BuildOptions&);
  uint16_t flags;
};

class TableStageFlags : public TableStageTest, public testing::WithParamInterface<FlagCase> {};

TEST_P(TableStageFlags, AreThoseOfThePeer) {
  options_.raw_inodes = options_.raw_xattrs = false;
  GetParam().set(options_);
  write();
  EXPECT_EQ(super_.flags, GetParam().flags);
}

INSTANTIATE_TEST_SUITE_P(
    Options, TableStageFlags,
    testing::Values(
        FlagCase{[](BuildOptions&) {}, 0x0c0},
        FlagCase{[](BuildOptions& o) { o.export_table = false; }, 0x040},
        FlagCase{[](BuildOptions& o) { o.data.fragments = FragmentPolicy::kNone; }, 0x0d0},
        FlagCase{[](BuildOptions& o) { o.data.fragments = FragmentPolicy::kTailEnds; }, 0x0e0},
        FlagCase{[](BuildOptions& o) { o.data.find_duplicates = false; }, 0x080},
        FlagCase{[](BuildOptions& o) { o.xattrs.store = false; }, 0x2c0},
        FlagCase{[](BuildOptions& o) { o.raw_inodes = true; }, 0x0c1},
        FlagCase{[](BuildOptions& o) { o.raw_ids = true; }, 0x8c0},
        FlagCase{[](BuildOptions& o) { o.raw_ids = o.raw_inodes = true; }, 0x0c1},
        FlagCase{[](BuildOptions& o) { o.data.raw_data = true; }, 0x0c2},
        FlagCase{[](BuildOptions& o) { o.data.raw_fragments = true; }, 0x0c8},
        FlagCase{[](BuildOptions& o) { o.raw_xattrs = true; }, 0x1c0}));

}  // namespace
}  // namespace sqfs
