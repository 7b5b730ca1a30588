// SPDX-License-Identifier: MIT
#include "cli/stats.h"

#include <array>
#include <cstdio>
#include <string_view>

#include "cli/check_report.h"
#include "cli/version.h"
#include "squashfs-format/constants.h"

namespace sqfs {
namespace {

// The names of the stages, in their order.
constexpr std::array<std::string_view, kStages> kStageNames = {"scan", "xattrs", "data", "tables"};

std::string decimals(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6f", value);
  return text.data();
}

std::string seconds(uint64_t nanoseconds) {
  return decimals(static_cast<double>(nanoseconds) / 1e9);
}

// A JSON object, member by member.
class Object {
 public:
  Object& raw(std::string_view name, std::string_view value) {
    text_ += (text_.size() > 1 ? ", " : "") + json_string(name) + ": " + std::string(value);
    return *this;
  }
  Object& text(std::string_view name, std::string_view value) {
    return raw(name, json_string(value));
  }
  Object& number(std::string_view name, uint64_t value) { return raw(name, std::to_string(value)); }
  Object& flag(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }
  std::string end() const { return text_ + "}"; }

 private:
  std::string text_ = "{";
};

std::string settings_object(const MakeSettings& make, const BuildSummary& summary) {
  const DataOptions& data = make.build.data;
  const auto has = [&](uint16_t flag) { return (summary.flags & flag) != 0; };
  std::string options = "[";
  for (const std::string& option : make.compressor_options) {
    options += (options.size() > 1 ? ", " : "") + json_string(option);
  }
  Object out;
  out.text("compressor", data.compressor->name).raw("compressor_options", options + "]");
  out.number("block_size", summary.block_size).number("processors", data.threads);
  out.number("memory_bytes", data.memory_bytes);
  out.flag("duplicates_removed", has(kFlagDuplicates)).flag("fragments", !has(kFlagNoFragments));
  out.flag("tail_ends", has(kFlagAlwaysFragments)).flag("export_table", has(kFlagExport));
  return out.end();
}

std::string table_object(const TableSize& size) {
  Object out;
  out.number("stored", size.stored_bytes).number("raw", size.raw_bytes);
  return out.end();
}

// The raw size is what the image holds when it is unpacked, and its tables unpacked.
std::string sizes_object(const BuildSummary& summary) {
  const uint64_t raw = summary.file_bytes + summary.inode_table.raw_bytes +
                       summary.directory_table.raw_bytes + kSuperblockSize +
                       summary.xattr_table.raw_bytes;
  Object out;
  out.number("image", summary.bytes_used).number("files", summary.file_bytes);
  out.number("raw", raw);
  out.raw("ratio", decimals(static_cast<double>(summary.bytes_used) / static_cast<double>(raw)));
  out.number("data", summary.data_bytes);
  out.raw("inode_table", table_object(summary.inode_table));
  out.raw("directory_table", table_object(summary.directory_table));
  out.raw("xattr_table", table_object(summary.xattr_table));
  return out.end();
}

std::string counts_object(const BuildSummary& summary) {
  Object out;
  out.number("inodes", summary.inodes).number("files", summary.files);
  out.number("directories", summary.directories).number("symlinks", summary.symlinks);
  out.number("devices", summary.devices).number("fifos", summary.fifos);
  out.number("sockets", summary.sockets).number("hard_links", summary.hard_links);
  out.number("ids", summary.ids).number("warnings", summary.warnings);
  return out.end();
}

std::string stage_object(const Clocks& spent) {
  Object out;
  out.raw("wall", seconds(spent.wall)).raw("cpu", seconds(spent.processor));
  return out.end();
}

std::string seconds_object(const BuildSummary& summary) {
  Clocks total;
  Object out;
  for (size_t i = 0; i < kStages; ++i) {
    total.wall += summary.stages[i].wall;
    total.processor += summary.stages[i].processor;
    out.raw(kStageNames[i], stage_object(summary.stages[i]));
  }
  return out.raw("total", stage_object(total)).end();
}

}  // namespace

std::string build_stats(const MakeSettings& make, Tool tool, const BuildSummary& summary) {
  Object duplicates, fragments, out;
  duplicates.number("files", summary.duplicate_files).number("bytes", summary.duplicate_bytes);
  fragments.number("blocks", summary.fragments).number("stored", summary.fragment_bytes);
  fragments.number("tails", summary.fragment_tails);
  out.text("tool", name_of(tool)).text("version", kVersion).text("image", make.destination);
  out.raw("settings", settings_object(make, summary)).raw("bytes", sizes_object(summary));
  out.raw("counts", counts_object(summary)).raw("duplicates", duplicates.end());
  out.raw("fragments", fragments.end()).raw("seconds", seconds_object(summary));
  return out.end() + "\n";
}

}  // namespace sqfs
