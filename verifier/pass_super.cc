// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <string>

#include "squashfs-format/metadata.h"
#include "verifier/facts.h"

namespace sqfs {
namespace {

constexpr uint64_t kMaxPosition = ~uint64_t{0} >> 1;
constexpr uint16_t kKnownFlags = 0x0ffb;  // all but the obsolete kFlagCheck

Place at_super() { return {Where::kSuperblock, 0, kNoRecord, {}, {}}; }
Place at_options() { return {Where::kTable, kSuperblockSize, kNoRecord, "compressor options"}; }

// Whether the superblock can be decoded and is one that a kernel goes on with.
Result<bool> read_superblock(const Context& context, Facts& facts, Findings& findings) {
  std::array<std::byte, kSuperblockSize> raw{};
  const auto readable = static_cast<size_t>(std::min(kSuperblockSize, context.image.size()));
  SQFS_CHECKED(context.image.read(0, MutableBytes(raw).first(readable)));
  const auto super = decode_superblock(Bytes(raw).first(readable));
  if (!super) {
    findings.report(super.error(), at_super());
    return false;
  }
  facts.super = *super;
  if (const Status identity = check_identity(*super); !identity) {
    findings.report(identity.error(), at_super());
    return false;
  }
  return true;
}

void check_size(const Context& context, const Superblock& super, Findings& findings) {
  if (super.bytes_used < kSuperblockSize || super.bytes_used > kMaxPosition) {
    findings.report(Problem::kSuperBytesUsed, at_super(), super.bytes_used);
  } else if (super.bytes_used > context.image.size()) {
    findings.report(Problem::kImageTruncated, at_super(), context.image.size(), super.bytes_used);
  }
}

void check_counts(const Superblock& super, Findings& findings) {
  if (super.inode_count == 0) findings.report(Problem::kSuperNoInodes, at_super());
  if (super.id_count == 0) findings.report(Problem::kSuperNoIds, at_super());
  if (super.fragment_count > super.inode_count) {
    findings.report(Problem::kSuperFragmentCount, at_super(), super.fragment_count,
                    super.inode_count);
  }
  if (super.id_count > 2 * uint64_t{super.inode_count}) {
    findings.report(Problem::kSuperIdCount, at_super(), super.id_count,
                    2 * uint64_t{super.inode_count});
  }
  const MetadataRef root = MetadataRef::unpack(super.root_inode);
  if (root.block > 0xffffffff) {
    findings.report(Problem::kRefHighBits, at_super(), super.root_inode, 0, "root inode");
  }
}

void check_table_starts(const Facts& facts, Findings& findings) {
  const Superblock& super = facts.super;
  const auto check = [&](uint64_t start, std::string_view name) {
    if (start < facts.data_start || start > super.bytes_used) {
      findings.report(Problem::kSuperTableRange, at_super(), start, super.bytes_used, name);
    }
  };
  check(super.inode_table_start, "inode table");
  check(super.directory_table_start, "directory table");
  check(super.id_table_start, "id table");
  if (super.fragment_count > 0) check(super.fragment_table_start, "fragment table");
  if (super.has_export_table()) check(super.export_table_start, "export table");
  if (super.has_xattr_table()) check(super.xattr_table_start, "xattr table");
  if (super.inode_table_start >= super.directory_table_start) {
    findings.report(Problem::kSuperTableOrder, at_super(), super.inode_table_start,
                    super.directory_table_start, "inode table");
  }
}

// The kernel looks at none of these; they describe what a writer chose, and tools print them.
void check_flags(const Superblock& super, Findings& findings) {
  if ((super.flags & ~kKnownFlags) != 0) {
    findings.report(Problem::kSuperFlagsUnknown, at_super(), super.flags & ~kKnownFlags);
  }
  const auto contradict = [&](bool wrong, std::string_view detail) {
    if (wrong) findings.report(Problem::kSuperFlagsContradict, at_super(), super.flags, 0, detail);
  };
  contradict(super.has(kFlagNoFragments) && super.fragment_count > 0,
             "there are no fragments, but the image has some");
  contradict(super.has(kFlagNoXattrs) && super.has_xattr_table(),
             "there are no xattrs, but the image has an xattr table");
  contradict(super.has(kFlagExport) != super.has_export_table(),
             super.has(kFlagExport) ? "there is an export table, but the image has none"
                                    : "there is no export table, but the image has one");
}

Status decode_options(Facts& facts, Bytes payload, Findings& findings) {
  const Status decoded =
      facts.compressor->decode_options(payload, facts.config, facts.super.block_size);
  if (!decoded && decoded.error().code != Code::kCorrupt) return decoded.error();
  if (!decoded) findings.report(decoded.error(), at_options());
  return ok();
}

// The block of compressor options is a metadata block that must be stored raw.
Status read_options(const Context& context, Facts& facts, Findings& findings) {
  const Superblock& super = facts.super;
  if (!super.has(kFlagCompressorOptions)) {
    if (facts.compressor->id == CompressorId::kLz4) {
      findings.report(Problem::kCompressorOptionsMissing, at_super());
    }
    return ok();
  }
  Buffer block(std::min<uint64_t>(kMetadataHeaderSize + kMaxCompressorOptions,
                                  super.bytes_used - kSuperblockSize));
  SQFS_CHECKED(context.image.read(kSuperblockSize, block));
  ByteReader in(block);
  const auto header = decode_metadata_header(in);
  const auto payload = in.bytes(header && header->is_raw ? header->stored_size : block.size());
  if (!payload) {
    findings.report(Problem::kCompressorOptionsBlock, at_options(), 0, kMaxCompressorOptions);
    facts.all_claimed = false;
    return ok();
  }
  facts.data_start = kSuperblockSize + in.offset();
  facts.regions.claim(Region::kOptions, kSuperblockSize, facts.data_start);
  return decode_options(facts, *payload, findings);
}

Status find_decompressor(Facts& facts, Findings& findings) {
  const auto id = static_cast<CompressorId>(facts.super.compressor);
  facts.compressor = find_compressor(id);
  if (facts.compressor == nullptr || !facts.compressor->available()) {
    const std::string name(facts.compressor == nullptr ? "unknown" : facts.compressor->name);
    return unsupported_error("the image is compressed with " + name +
                             ", which this program was built without");
  }
  if (!facts.compressor->kernel_mounts) {
    findings.report(Problem::kSuperNoKernel, at_super(), facts.super.compressor, 0,
                    facts.compressor->name);
  }
  facts.compressor_id = id;
  return ok();
}

}  // namespace

Status pass_super(const Context& context, Facts& facts, Findings& findings) {
  SQFS_TRY(const bool is_squashfs, read_superblock(context, facts, findings));
  if (!is_squashfs) return ok();
  check_size(context, facts.super, findings);
  if (findings.has_fatal()) return ok();
  facts.regions.claim(Region::kSuperblock, 0, kSuperblockSize);
  SQFS_CHECKED(find_decompressor(facts, findings));
  SQFS_CHECKED(read_options(context, facts, findings));
  check_counts(facts.super, findings);
  check_table_starts(facts, findings);
  check_flags(facts.super, findings);
  if (findings.has_fatal()) return ok();
  SQFS_TRY(facts.decompressor, facts.compressor->make(facts.config, facts.super.block_size));
  return ok();
}

}  // namespace sqfs
