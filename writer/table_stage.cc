// SPDX-License-Identifier: MIT
#include "writer/table_stage.h"

#include <bit>
#include <limits>

#include "writer/tree_writer.h"
#include "xattr/table.h"

namespace sqfs {
namespace {

// Hands the pairs of the xattr table to a table of metadata blocks.
class PairStream final : public XattrStream {
 public:
  explicit PairStream(MetadataWriter& table) : table_(table) {}
  MetadataRef position() const override { return table_.position(); }
  Status append(Bytes bytes) override { return table_.append(bytes); }

 private:
  MetadataWriter& table_;
};

uint16_t flags_of(const BuildOptions& options) {
  const DataOptions& data = options.data;
  const auto flag = [](bool is_set, uint16_t bit) { return is_set ? unsigned{bit} : 0u; };
  return static_cast<uint16_t>(
      flag(options.raw_inodes, kFlagRawInodes) | flag(data.raw_data, kFlagRawData) |
      flag(data.raw_fragments, kFlagRawFragments) |
      flag(data.fragments == FragmentPolicy::kNone, kFlagNoFragments) |
      flag(data.fragments == FragmentPolicy::kTailEnds, kFlagAlwaysFragments) |
      flag(data.find_duplicates, kFlagDuplicates) | flag(options.export_table, kFlagExport) |
      flag(options.raw_xattrs, kFlagRawXattrs) | flag(!options.xattrs.store, kFlagNoXattrs) |
      flag(options.raw_ids && !options.raw_inodes, kFlagRawIds));
}

class TableStage {
 public:
  TableStage(const TableInputs& inputs, Tree& tree, Compressor& compressor, ImageTail& tail)
      : inputs_(inputs), tree_(tree), compressor_(compressor), tail_(tail) {}

  Result<TableResult> run(const std::function<void(NodeId)>& visit,
                          const std::function<bool()>& cancelled) {
    SQFS_CHECKED(write_tree(visit, cancelled));
    SQFS_CHECKED(write_fragments());
    SQFS_CHECKED(write_exports());
    SQFS_CHECKED(write_ids());
    SQFS_CHECKED(write_xattrs());
    describe_image();
    return result_;
  }

 private:
  Compressor* compressor_unless(bool raw) { return raw ? nullptr : &compressor_; }

  Status write_tree(const std::function<void(NodeId)>& visit,
                    const std::function<bool()>& cancelled) {
    Compressor* const compressor = compressor_unless(inputs_.options.raw_inodes);
    MetadataWriter inodes(compressor), directories(compressor);
    SQFS_CHECKED(
        write_inodes_and_listings(inputs_.plan, tree_, inodes, directories, visit, cancelled));
    Superblock& super = result_.superblock;
    SQFS_TRY(super.inode_table_start, append_table(inodes, tail_));
    SQFS_TRY(super.directory_table_start, append_table(directories, tail_));
    super.root_inode = tree_.node(kRootNode).inode_ref.packed();
    result_.inode_table = {inodes.stored().size(), inodes.raw_bytes()};
    result_.directory_table = {directories.stored().size(), directories.raw_bytes()};
    return ok();
  }

  Status write_fragments() {
    if (inputs_.fragments.size() >= std::numeric_limits<uint32_t>::max()) {
      return unsupported_error("Fragment table over 4294967294 entries");
    }
    result_.superblock.fragment_count = static_cast<uint32_t>(inputs_.fragments.size());
    if (inputs_.fragments.empty()) return ok();
    Buffer records;
    ByteWriter out(records);
    for (const FragmentEntry& entry : inputs_.fragments) encode(entry, out);
    SQFS_TRY(
        result_.superblock.fragment_table_start,
        append_indexed_table(records, {}, compressor_unless(inputs_.options.raw_inodes), tail_));
    return ok();
  }

  Status write_exports() {
    if (!inputs_.options.export_table) return ok();
    Buffer records;
    ByteWriter out(records);
    for (const NodeId id : inputs_.plan.inodes) out.u64(tree_.node(id).inode_ref.packed());
    SQFS_TRY(
        result_.superblock.export_table_start,
        append_indexed_table(records, {}, compressor_unless(inputs_.options.raw_inodes), tail_));
    return ok();
  }

  Status write_ids() {
    Buffer records;
    ByteWriter out(records);
    for (const uint32_t id : inputs_.plan.ids.ids()) out.u32(id);
    const bool raw = inputs_.options.raw_ids || inputs_.options.raw_inodes;
    SQFS_TRY(result_.superblock.id_table_start,
             append_indexed_table(records, {}, compressor_unless(raw), tail_));
    return ok();
  }

  Status write_xattrs() {
    if (inputs_.xattrs.sets().empty()) return ok();
    Compressor* const compressor = compressor_unless(inputs_.options.raw_xattrs);
    MetadataWriter pairs(compressor);
    PairStream stream(pairs);
    SQFS_TRY(const auto entries, write_xattr_pairs(inputs_.xattrs, stream));
    SQFS_TRY(const uint64_t pairs_start, append_table(pairs, tail_));

    Buffer records, header;
    ByteWriter records_out(records), header_out(header);
    for (const XattrIdEntry& entry : entries) encode(entry, records_out);
    encode(XattrTableHeader{pairs_start, static_cast<uint32_t>(entries.size()), 0}, header_out);
    SQFS_TRY(result_.superblock.xattr_table_start,
             append_indexed_table(records, header, compressor, tail_));
    result_.xattr_table = {pairs.stored().size(), pairs.raw_bytes()};
    return ok();
  }

  void describe_image() {
    const BuildOptions& options = inputs_.options;
    Superblock& super = result_.superblock;
    super.inode_count = static_cast<uint32_t>(inputs_.plan.inodes.size());
    super.mkfs_time = inputs_.plan.image_time;
    super.block_size = options.data.block_size;
    super.block_log = static_cast<uint16_t>(std::countr_zero(options.data.block_size));
    super.compressor = static_cast<uint16_t>(options.data.compressor->id);
    super.flags = flags_of(options);
    // Single files may ask for what the options turn off.
    if (!inputs_.fragments.empty()) super.flags &= static_cast<uint16_t>(~kFlagNoFragments);
    super.id_count = static_cast<uint16_t>(inputs_.plan.ids.ids().size());
    super.bytes_used = tail_.position();
  }

  const TableInputs& inputs_;
  Tree& tree_;
  Compressor& compressor_;
  ImageTail& tail_;
  TableResult result_;
};

}  // namespace

Result<TableResult> write_tables(const TableInputs& inputs, Tree& tree, Compressor& compressor,
                                 ImageTail& tail, const std::function<void(NodeId name)>& visit,
                                 const std::function<bool()>& cancelled) {
  return TableStage(inputs, tree, compressor, tail).run(visit, cancelled);
}

}  // namespace sqfs
