// SPDX-License-Identifier: MIT
#include <algorithm>
#include <variant>

#include "verifier/facts.h"
#include "verifier/file_blocks.h"
#include "verifier/inode_checks.h"

namespace sqfs {
namespace {

constexpr size_t kHeaderSize = 16, kNumberOffset = 12;
constexpr size_t kUsualInodeSize = 320;      // all but long symbolic links
constexpr size_t kLargestInodeSize = 65600;  // a symbolic link of 65535 bytes
constexpr size_t kLargestIndexEntry = kDirIndexFixedSize + kMaxNameLengthKernel;

// Decodes the inodes one behind the other. After one whose size cannot be told, the export table,
// if there is one, says where the next starts; without it the rest stays unjudged.
class InodeScan {
 public:
  InodeScan(Facts& facts, Findings& findings)
      : facts_(facts), findings_(findings), cursor_(*facts.inode_table, findings) {}

  Status run() {
    while (true) {
      SQFS_TRY(const Bytes view, cursor_.peek(kUsualInodeSize));
      if (view.empty() && !cursor_.hit_bad_block()) break;
      SQFS_TRY(const bool in_step, view.empty() ? Result<bool>(false) : read_inode(view));
      if (in_step) continue;
      SQFS_TRY(const bool found, find_next());
      if (!found) return ok();
    }
    if (!facts_.inode_table->is_complete()) {
      facts_.unjudged_refs.emplace_back(cursor_.ref().packed(), ~uint64_t{0});
    }
    return ok();
  }

 private:
  // False: it is not known where the next inode starts.
  Result<bool> read_inode(Bytes view) {
    const uint64_t ref = cursor_.ref().packed();
    const uint64_t image_offset = cursor_.place().image_offset;
    ByteReader in(view);
    auto inode = decode_inode(in);
    if (!inode && problem_of(inode.error()) == Problem::kTruncated) {
      SQFS_TRY(view, cursor_.peek(kLargestInodeSize));
      in = ByteReader(view);
      inode = decode_inode(in);
    }
    const auto record = static_cast<uint32_t>(facts_.inodes.size());
    const Place place{Where::kInode, image_offset, record, {}, {}};
    if (!inode) {
      if (!cursor_.hit_bad_block()) findings_.report(inode.error(), place);
      SQFS_CHECKED(add_broken(ref, view));
      return false;
    }
    SQFS_CHECKED(add(ref, *inode));
    SQFS_TRY([[maybe_unused]] const uint64_t moved, cursor_.skip(in.offset()));
    check_inode_fields(facts_, *inode, place, findings_);
    SQFS_TRY(const bool in_step, read_rest(*inode, record, place));
    if (!in_step) facts_.inodes[record].type = 0;
    return in_step;
  }

  Status add(uint64_t ref, const Inode& inode) {
    InodeFact fact;
    fact.ref = ref;
    fact.number = inode.header.number;
    fact.nlink = inode.nlink();
    fact.type = static_cast<uint8_t>(basic_type(inode.header.type));
    fact.extended = inode.is_extended();
    return facts_.budget.append(facts_.inodes, fact);
  }

  Status add_broken(uint64_t ref, Bytes view) {
    InodeFact fact;
    fact.ref = ref;
    if (view.size() >= kHeaderSize) {
      ByteReader in(view.subspan(kNumberOffset));
      SQFS_TRY(fact.number, in.u32());
    }
    return facts_.budget.append(facts_.inodes, fact);
  }

  // What follows the fixed part of files and directories.
  Result<bool> read_rest(const Inode& inode, uint32_t record, const Place& place) {
    if (const auto* file = std::get_if<FileBody>(&inode.body)) {
      check_file_fields(facts_, *file, place, findings_);
      return check_file_blocks(facts_, cursor_, inode, record, place, findings_);
    }
    if (const auto* dir = std::get_if<DirBody>(&inode.body)) {
      return read_directory(*dir, record, place);
    }
    return true;
  }

  Result<bool> read_directory(const DirBody& dir, uint32_t record, const Place& place) {
    SQFS_TRY([[maybe_unused]] const Bytes settled, cursor_.peek(1));
    DirFact fact;
    fact.record = record;
    fact.index_at = cursor_.position().packed();
    fact.index_count = dir.index_count;
    fact.start_block = dir.start_block;
    fact.offset = dir.offset;
    fact.file_size = dir.file_size;
    fact.parent_number = dir.parent;
    SQFS_CHECKED(facts_.budget.append(facts_.directories, fact));
    for (uint32_t i = 0; i < dir.index_count; ++i) {
      SQFS_TRY(const Bytes view, cursor_.peek(kLargestIndexEntry));
      ByteReader in(view);
      if (const auto entry = decode_dir_index_entry(in); !entry) {
        if (!cursor_.hit_bad_block()) findings_.report(entry.error(), place);
        facts_.directories.back().index_count = 0;  // not to be read again
        return false;
      }
      SQFS_TRY([[maybe_unused]] const uint64_t moved, cursor_.skip(in.offset()));
    }
    return true;
  }

  // Moves to the next inode that the export table names.
  Result<bool> find_next() {
    const uint64_t lost_at = facts_.inodes.empty() ? 0 : facts_.inodes.back().ref + 1;
    SQFS_CHECKED(sort_export_refs());
    auto next = std::lower_bound(sorted_refs_.begin(), sorted_refs_.end(), lost_at);
    for (; next != sorted_refs_.end(); ++next) {
      SQFS_TRY(const bool found, cursor_.seek_ref(MetadataRef::unpack(*next)));
      if (!found) continue;
      SQFS_TRY(const Bytes view, cursor_.peek(1));
      if (!view.empty() && cursor_.ref().packed() == *next) break;
    }
    const bool found = next != sorted_refs_.end();
    facts_.unjudged_refs.emplace_back(lost_at, found ? *next : ~uint64_t{0});
    return found;
  }

  Status sort_export_refs() {
    if (!sorted_refs_.empty() || !facts_.export_refs) return ok();
    SQFS_CHECKED(facts_.budget.take(facts_.export_refs->size() * sizeof(uint64_t)));
    sorted_refs_ = *facts_.export_refs;
    std::sort(sorted_refs_.begin(), sorted_refs_.end());
    return ok();
  }

  Facts& facts_;
  Findings& findings_;
  MetadataCursor cursor_;
  std::vector<uint64_t> sorted_refs_;
};

// Says what nobody refers to, once all inodes are known.
void report_unused(const Facts& facts, Findings& findings) {
  if (!facts.all_inodes_read()) return;
  const Superblock& super = facts.super;
  for (size_t i = 0; i < facts.used_ids.size(); ++i) {
    if (facts.used_ids[i]) continue;
    const Place place{Where::kTable, super.id_table_start, kNoRecord, "id table", {}};
    findings.report(Problem::kIdUnused, place, i);
  }
  for (size_t i = 0; facts.fragments && i < facts.fragments->size(); ++i) {
    if ((*facts.fragments)[i].is_used) continue;
    const Place place{Where::kFragment,
                      (*facts.fragments)[i].start,
                      kNoRecord,
                      "fragment " + std::to_string(i),
                      {}};
    findings.report(Problem::kFragmentUnused, place);
  }
  for (size_t i = 0; facts.xattr_sets && i < facts.xattr_sets->size(); ++i) {
    if ((*facts.xattr_sets)[i].is_used) continue;
    const Place place{
        Where::kXattrSet, super.xattr_table_start, kNoRecord, "xattr set " + std::to_string(i), {}};
    findings.report(Problem::kXattrSetUnused, place);
  }
}

}  // namespace

Status pass_inodes(const Context& context, Facts& facts, Findings& findings) {
  const Superblock& super = facts.super;
  SQFS_TRY(
      facts.inode_table,
      MetadataChain::walk(facts.chain_tools(context), Region::kInodeTable, super.inode_table_start,
                          super.directory_table_start, ~uint64_t{0}, &findings));
  facts.regions.claim(Region::kInodeTable, super.inode_table_start, super.directory_table_start);
  SQFS_CHECKED(InodeScan(facts, findings).run());
  report_unused(facts, findings);
  return ok();
}

}  // namespace sqfs
