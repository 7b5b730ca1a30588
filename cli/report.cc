// SPDX-License-Identifier: MIT
#include "cli/report.h"

#include <array>
#include <cstdio>
#include <functional>

#include "base/text.h"
#include "squashfs-format/constants.h"

namespace sqfs {
namespace {

using Kind = BuildObserver::FileEvent::Kind;

double kilo(uint64_t bytes) { return static_cast<double>(bytes) / 1024; }

double percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 100 : static_cast<double>(part) * 100 / static_cast<double>(whole);
}

std::string table_lines(const std::string& name, const std::string& lower, const TableSize& size) {
  std::string out = name + " table size " + std::to_string(size.stored_bytes) + " bytes (" +
                    fixed2(kilo(size.stored_bytes)) + " Kbytes)\n\t";
  // The one number without decimals: so it is printed, and so it is read.
  out += size.raw_bytes == 0 ? "100" : fixed2(percent(size.stored_bytes, size.raw_bytes));
  return out + "% of uncompressed " + lower + " table size (" + std::to_string(size.raw_bytes) +
         " bytes)\n";
}

std::string count_line(std::string_view what, uint64_t count) {
  return "Number of " + std::string(what) + " " + std::to_string(count) + "\n";
}

std::string storage_lines(const BuildSummary& summary, std::string_view compressor) {
  const auto has = [&](uint16_t flag) { return (summary.flags & flag) != 0; };
  const auto stored = [&](uint16_t raw) { return has(raw) ? "uncompressed" : "compressed"; };
  const std::string fragments = has(kFlagNoFragments) ? "no" : stored(kFlagRawFragments);
  const std::string xattrs = has(kFlagNoXattrs) ? "no" : stored(kFlagRawXattrs);
  return std::string(has(kFlagExport) ? "Exportable " : "") + "Squashfs 4.0 filesystem, " +
         std::string(compressor) + " compressed, data block size " +
         std::to_string(summary.block_size) + "\n\t" + stored(kFlagRawData) + " data, " +
         stored(kFlagRawInodes) + " metadata, " + fragments + " fragments,\n\t" + xattrs +
         " xattrs, " + stored(kFlagRawInodes | kFlagRawIds) + " ids\n\tduplicates are " +
         (has(kFlagDuplicates) ? "" : "not ") + "removed\n";
}

std::string size_lines(const BuildSummary& summary) {
  const uint64_t raw = summary.file_bytes + summary.inode_table.raw_bytes +
                       summary.directory_table.raw_bytes + kSuperblockSize +
                       summary.xattr_table.raw_bytes;
  std::string out = "Filesystem size " + fixed2(kilo(summary.bytes_used)) + " Kbytes (" +
                    fixed2(kilo(summary.bytes_used) / 1024) + " Mbytes)\n\t" +
                    fixed2(percent(summary.bytes_used, raw)) +
                    "% of uncompressed filesystem size (" + fixed2(kilo(raw)) + " Kbytes)\n";
  out += table_lines("Inode", "inode", summary.inode_table);
  out += table_lines("Directory", "directory", summary.directory_table);
  if (summary.xattr_table.raw_bytes != 0) out += table_lines("Xattr", "xattr", summary.xattr_table);
  return out;
}

std::string count_lines(const BuildSummary& summary) {
  const bool removes = (summary.flags & kFlagDuplicates) != 0;
  std::string out = removes ? count_line("duplicate files found", summary.duplicate_files)
                            : "No duplicate files removed\n";
  out += count_line("inodes", summary.inodes) + count_line("files", summary.files);
  if ((summary.flags & kFlagNoFragments) == 0) out += count_line("fragments", summary.fragments);
  return out + count_line("symbolic links", summary.symlinks) +
         count_line("device nodes", summary.devices) + count_line("fifo nodes", summary.fifos) +
         count_line("socket nodes", summary.sockets) +
         count_line("directories", summary.directories) +
         count_line("hard-links", summary.hard_links) +
         count_line("ids (unique uids + gids)", summary.ids);
}

std::string id_lines(std::string_view what, const std::vector<uint32_t>& ids,
                     const std::function<std::optional<std::string>(uint32_t)>& name_of_id) {
  std::string out = count_line(what, ids.size());
  for (const uint32_t id : ids) {
    out += "\t" + name_of_id(id).value_or("unknown") + " (" + std::to_string(id) + ")\n";
  }
  return out;
}

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::kFile: return "file";
    case Kind::kSymlink: return "symbolic link";
    case Kind::kDirectory: return "directory";
    case Kind::kCharDevice: return "character device";
    case Kind::kBlockDevice: return "block device";
    case Kind::kFifo: return "fifo";
    case Kind::kSocket: return "unix domain socket";
  }
  return "file";
}

}  // namespace

std::string build_banner(const BuildOptions& options, std::string_view destination) {
  const unsigned threads = options.data.threads == 0 ? 1 : options.data.threads;
  return "Parallel mksquashfs: Using " + std::to_string(threads) + " processor" +
         (threads == 1 ? "" : "s") + "\nCreating 4.0 filesystem on " + std::string(destination) +
         ", block size " + std::to_string(options.data.block_size) + ".\n";
}

std::string info_line(const BuildObserver::FileEvent& event) {
  std::string line = std::string(kind_name(event.kind)) + " " + event.image_path;
  if (event.kind == Kind::kFile) {
    // The blank at the end of a line without a mark belongs to the format.
    line += ", uncompressed size " + std::to_string(event.size) + " bytes ";
    if (event.is_link) return line + "LINK\n";
    return line + (event.is_duplicate ? "DUPLICATE\n" : "\n");
  }
  std::array<char, 32> reference{};
  std::snprintf(reference.data(), reference.size(), "0x%llx",
                static_cast<unsigned long long>(event.inode_ref));
  return line + " inode " + reference.data() + (event.is_link ? " LINK\n" : "\n");
}

std::string build_summary(const BuildSummary& summary, std::string_view compressor,
                          System& system) {
  return storage_lines(summary, compressor) + size_lines(summary) + count_lines(summary) +
         id_lines("uids", summary.uids, [&](uint32_t id) { return system.user_name(id); }) +
         id_lines("gids", summary.gids, [&](uint32_t id) { return system.group_name(id); });
}

}  // namespace sqfs
