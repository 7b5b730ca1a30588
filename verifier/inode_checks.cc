// SPDX-License-Identifier: MIT
#include "verifier/inode_checks.h"

#include <string_view>
#include <variant>

namespace sqfs {
namespace {

constexpr uint16_t kPermissionBits = 07777;
constexpr uint64_t kMaxFileSize = ~uint64_t{0} >> 1;
constexpr uint64_t kMaxBlocks = uint64_t{1} << 31;  // the kernel counts them in an int
// From here on some kernels take the offset for a negative number and read wild memory.
constexpr uint32_t kCrashingOffset = uint32_t{1} << 31;

void check_id(Facts& facts, uint16_t index, std::string_view which, const Place& place,
              Findings& findings) {
  if (index >= facts.super.id_count) {
    findings.report(Problem::kInodeIdIndex, place, index, facts.super.id_count, which);
    return;
  }
  facts.used_ids[index] = true;
}

void check_xattr(Facts& facts, const Inode& inode, const Place& place, Findings& findings) {
  const uint32_t index = inode.xattr();
  if (index == kNoXattr) return;
  if (!facts.super.has_xattr_table()) {
    findings.report(Problem::kInodeXattrNoTable, place, index);
    return;
  }
  if (!facts.xattr_sets) return;  // nobody knows how many there are
  if (index >= facts.xattr_sets->size()) {
    findings.report(Problem::kInodeXattrIndex, place, index, facts.xattr_sets->size());
    return;
  }
  XattrSetFact& set = (*facts.xattr_sets)[index];
  set.is_used = true;
  const InodeType type = basic_type(inode.header.type);
  if (set.has_user_keys && type != InodeType::kFile && type != InodeType::kDir) {
    findings.report(Problem::kInodeUserXattr, place);
  }
}

void check_target(const SymlinkBody& link, const Place& place, Findings& findings) {
  if (link.target.empty()) findings.report(Problem::kSymlinkEmpty, place);
  if (link.target.size() > kMaxSymlinkLength) {
    findings.report(Problem::kSymlinkLong, place, link.target.size(), kMaxSymlinkLength);
  }
  const size_t nul = link.target.find('\0');
  if (nul != std::string::npos) {
    findings.report(Problem::kSymlinkNul, place, nul, link.target.size());
  }
}

bool is_needlessly_extended(const Inode& inode) {
  if (!inode.is_extended() || needs_extended(inode)) return false;
  const auto* dir = std::get_if<DirBody>(&inode.body);
  return dir == nullptr || dir->index_count == 0;
}

void check_fragment_range(const FragmentFact& fragment, const FileBody& file, uint32_t tail_size,
                          const Place& place, Findings& findings) {
  if (file.fragment_offset >= kCrashingOffset) {
    findings.report(Problem::kInodeFragmentOffsetHuge, place, file.fragment_offset);
    return;
  }
  const uint64_t tail_end = uint64_t{file.fragment_offset} + tail_size;
  if (tail_end > fragment.raw_size) {
    findings.report(Problem::kInodeFragmentRange, place, tail_end, fragment.raw_size);
  }
}

void check_fragment(Facts& facts, const FileBody& file, const Place& place, Findings& findings) {
  if (!file.has_fragment()) {
    if (file.fragment_offset != 0) {
      findings.report(Problem::kInodeFragmentOffsetSet, place, file.fragment_offset);
    }
    return;
  }
  const uint32_t tail_size = fragment_tail_size(file, facts.super.block_size);
  if (tail_size == 0) {
    findings.report(Problem::kInodeFragmentNoTail, place, file.size, facts.super.block_size);
  }
  if (file.fragment >= facts.super.fragment_count) {
    findings.report(Problem::kInodeFragmentIndex, place, file.fragment, facts.super.fragment_count);
    return;
  }
  if (!facts.fragments) {  // the table is unreadable: only the worst can be judged
    check_fragment_range({0, 0, facts.super.block_size, true}, file, tail_size, place, findings);
    return;
  }
  FragmentFact& fragment = (*facts.fragments)[file.fragment];
  fragment.is_used = true;
  check_fragment_range(fragment, file, tail_size, place, findings);
}

}  // namespace

void check_inode_fields(Facts& facts, const Inode& inode, const Place& place, Findings& findings) {
  const InodeHeader& header = inode.header;
  if ((header.mode & ~kPermissionBits) != 0) {
    findings.report(Problem::kInodeModeBits, place, header.mode);
  }
  check_id(facts, header.uid_index, "uid", place, findings);
  check_id(facts, header.gid_index, "gid", place, findings);
  if (header.number == 0) {
    findings.report(Problem::kInodeNumberZero, place);
  } else if (header.number > facts.super.inode_count) {
    findings.report(Problem::kInodeNumberRange, place, header.number, facts.super.inode_count);
  }
  check_xattr(facts, inode, place, findings);
  if (const auto* link = std::get_if<SymlinkBody>(&inode.body))
    check_target(*link, place, findings);
  if (is_needlessly_extended(inode)) findings.report(Problem::kInodeNeedlessExtended, place);
}

void check_file_fields(Facts& facts, const FileBody& file, const Place& place, Findings& findings) {
  if (file.size > kMaxFileSize) {
    findings.report(Problem::kInodeSizeNegative, place, file.size);
  } else if (file.size / facts.super.block_size >= kMaxBlocks) {
    findings.report(Problem::kInodeSizeLarge, place, file.size,
                    kMaxBlocks * facts.super.block_size);
  }
  check_fragment(facts, file, place, findings);
}

}  // namespace sqfs
