// SPDX-License-Identifier: MIT
#include "cli/append_report.h"

#include <array>
#include <utility>

#include "base/text.h"
#include "squashfs-format/constants.h"

namespace sqfs {
namespace {

template <size_t kSize>
std::string selected(uint32_t bits, const std::array<std::string_view, kSize>& names) {
  std::string out;
  for (size_t i = 0; i < kSize; ++i) {
    if ((bits >> i & 1) != 0) out += (out.empty() ? "" : ", ") + std::string(names[i]);
  }
  return out;
}

std::string gzip_lines(const GzipOptions& options) {
  std::string out = "\tcompression-level " + std::to_string(options.level) + "\n\twindow-size " +
                    std::to_string(options.window_log) + "\n";
  if (options.strategies == 0) return out + "\tStrategies selected: default\n";
  return out + "\tStrategies selected: " +
         selected<5>(options.strategies,
                     {"default", "filtered", "huffman_only", "run_length_encoded", "fixed"}) +
         "\n";
}

std::string xz_lines(const XzOptions& options) {
  const std::string filters = selected<8>(
      options.filters, {"x86", "powerpc", "ia64", "arm", "armthumb", "sparc", "arm64", "riscv"});
  return "\tDictionary size " + std::to_string(options.dictionary_size) + "\n" +
         (filters.empty() ? "\tNo filters specified\n" : "\tFilters selected: " + filters + "\n");
}

std::string lzo_lines(const LzoOptions& options) {
  constexpr std::array<std::string_view, 5> kNames = {"lzo1x_1", "lzo1x_1_11", "lzo1x_1_12",
                                                      "lzo1x_1_15", "lzo1x_999"};
  std::string out =
      "\talgorithm " + std::string(kNames.at(static_cast<size_t>(options.algorithm))) + "\n";
  if (options.algorithm != LzoAlgorithm::k1x999) return out;
  return out + "\tcompression level " + std::to_string(options.level) + "\n";
}

std::string compressor_lines(const BaseImage& base) {
  if (!base.has_compressor_options) return {};
  switch (base.compressor->id) {
    case CompressorId::kGzip: return gzip_lines(base.config.gzip);
    case CompressorId::kXz: return xz_lines(base.config.xz);
    case CompressorId::kLzo: return lzo_lines(base.config.lzo);
    case CompressorId::kLz4:
      return base.config.lz4.high_compression ? "\tHigh Compression option specified (-Xhc)\n" : "";
    case CompressorId::kZstd:
      return "\tcompression-level " + std::to_string(base.config.zstd.level) + "\n";
    default: return {};
  }
}

std::string storage_lines(const Superblock& super) {
  const auto stored = [&](std::string_view what, uint16_t raw) {
    return "\t" + std::string(what) + " are " +
           (super.has(raw) ? "uncompressed\n" : "compressed\n");
  };
  const auto negated = [&](uint16_t flag) { return super.has(flag) ? "not " : ""; };
  return stored("Inodes", kFlagRawInodes) + "\tData is " +
         (super.has(kFlagRawData) ? "uncompressed\n" : "compressed\n") +
         stored("Fragments", kFlagRawFragments) + stored("Xattrs", kFlagRawXattrs) +
         "\tFragments are " + negated(kFlagNoFragments) +
         "present in the filesystem\n\tAlways-use-fragments option is " +
         (super.has(kFlagAlwaysFragments) ? "" : "not ") + "specified\n\tDuplicates are " +
         (super.has(kFlagDuplicates) ? "" : "not ") + "removed\n\tXattrs are " +
         negated(kFlagNoXattrs) + "stored\n";
}

std::string size_lines(const Superblock& super) {
  const double kilobytes = static_cast<double>(super.bytes_used) / 1024;
  return "\tFilesystem size " + fixed2(kilobytes) + " Kbytes (" + fixed2(kilobytes / 1024) +
         " Mbytes)\n\tBlock size " + std::to_string(super.block_size) + "\n\tNumber of fragments " +
         std::to_string(super.fragment_count) + "\n\tNumber of inodes " +
         std::to_string(super.inode_count) + "\n\tNumber of ids " + std::to_string(super.id_count) +
         "\n";
}

}  // namespace

std::string base_report(const BaseImage& base, const BuildOptions& options,
                        std::string_view destination) {
  const Superblock& super = base.superblock;
  const unsigned threads = options.data.threads == 0 ? 1 : options.data.threads;
  const std::string where(destination);
  return "Found a valid " + std::string(super.has(kFlagExport) ? "exportable " : "") +
         "SQUASHFS superblock on " + where + ".\n\tCompression used " +
         std::string(base.compressor->name) + "\n" + compressor_lines(base) + storage_lines(super) +
         size_lines(super) + "\nParallel mksquashfs: Using " + std::to_string(threads) +
         " processor" + (threads == 1 ? "" : "s") +
         "\nScanning existing filesystem...\nRead existing filesystem, " +
         std::to_string(super.inode_count - 1) +
         " inodes scanned\nAppending to existing 4.0 filesystem on " + where + ", block size " +
         std::to_string(super.block_size) +
         "\nIts compressor, block size and other settings are kept: -b, -comp, -X*, -no-*,\n"
         "-tailends and -exports count for nothing\n\n"
         "With -noappend it would be replaced instead\n\n";
}

}  // namespace sqfs
