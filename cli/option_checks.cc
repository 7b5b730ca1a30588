// SPDX-License-Identifier: MIT
#include "cli/option_checks.h"

#include <algorithm>

#include "cli/option_values.h"
#include "cli/pseudo_file.h"

namespace sqfs {
namespace {

constexpr uint64_t kBaseMemory = 64u << 20;
// What a thread needs to be kept busy: a block being read, one being compressed, their results.
constexpr uint64_t kBlocksPerThread = 4;

using Kind = TimeChoice::Kind;

// -repro-time T stands for -mkfs-time T -inode-time T.
Status apply_repro_time(MakeSettings& make, uint32_t seconds) {
  TimeOptions& times = make.build.times;
  const bool any_newest = make.image_time_is_newest || times.inodes.kind == Kind::kNewestInode ||
                          times.root.kind == Kind::kNewestInode;
  if (make.repro) return unsupported_error("-repro and -repro-time contradict each other");
  if (any_newest) return unsupported_error("-repro-time contradicts a time given as \"inode\"");
  const bool other_image = make.image_time && *make.image_time != seconds;
  const bool other_inodes = times.inodes.kind == Kind::kFixed && times.inodes.seconds != seconds;
  if (other_image || other_inodes) {
    return unsupported_error("-repro-time contradicts -mkfs-time or -inode-time");
  }
  make.image_time = seconds;
  times.inodes = {Kind::kFixed, seconds};
  return ok();
}

Status finish_times(Settings& settings) {
  MakeSettings& make = settings.make;
  TimeOptions& times = make.build.times;
  if (make.repro_time) SQFS_CHECKED(apply_repro_time(make, *make.repro_time));
  if (make.image_time && (make.image_time_is_newest || make.repro)) {
    return unsupported_error("-mkfs-time with a time contradicts -mkfs-time inode and -repro");
  }
  if (make.image_time) times.image = {Kind::kFixed, *make.image_time};
  if (make.image_time_is_newest || make.repro) times.image.kind = Kind::kNewestInode;

  const auto epoch = settings.io.env.variable("SOURCE_DATE_EPOCH");
  if (!epoch) return ok();
  SQFS_TRY(const uint32_t seconds, parse_epoch(*epoch));
  // What the command line says wins: the environment only fills in and clamps the rest.
  if (times.image.kind == Kind::kDefault) times.image = {Kind::kFixed, seconds};
  if (times.inodes.kind != Kind::kFixed) times.clamp = seconds;
  return ok();
}

Status check_progress(const MakeSettings& make) {
  if (!make.no_progress) return ok();
  if (make.percentage)
    return unsupported_error("-no-progress and -percentage contradict each other");
  if (make.progress) return unsupported_error("-no-progress and -progress contradict each other");
  return ok();
}

Status check_sources(const BuildOptions& build) {
  if (build.source_kind == SourceKind::kListedPaths && !build.sources.empty()) {
    return unsupported_error(
        "with -cpiostyle the sources come from standard input: \"-\" has to stand for them");
  }
  return ok();
}

// The image has standard output for itself, and goes there front to back.
Status finish_stream(MakeSettings& make) {
  DataOptions& data = make.build.data;
  if (!data.is_stream) return ok();
  if (make.progress) return unsupported_error("-stream and -progress contradict each other");
  if (make.percentage) return unsupported_error("-stream and -percentage contradict each other");
  if (make.info && make.info_file.empty()) {
    return unsupported_error("-stream and -info contradict each other; -info-file is possible");
  }
  if (make.build.image_offset != 0) {
    return unsupported_error("-stream and -offset contradict each other");
  }
  make.quiet = make.no_progress = true;
  data.find_duplicates = false;
  return ok();
}

void finish_resources(Settings& settings) {
  DataOptions& data = settings.make.build.data;
  const unsigned wanted = settings.make.processors.value_or(settings.io.system.processors());
  const uint64_t memory =
      settings.make.memory.value_or(default_memory(settings.io.system, wanted, data.block_size));
  const uint64_t affordable = memory / (kBlocksPerThread * data.block_size);
  data.threads = static_cast<unsigned>(std::clamp<uint64_t>(affordable, 1, wanted));
  data.memory_bytes = static_cast<size_t>(std::min<uint64_t>(memory, SIZE_MAX));
}

// What is in an archive is no file that could be looked at.
Status check_archives(const BuildOptions& build) {
  if (build.source_kind != SourceKind::kArchives) return ok();
  if (!build.actions.empty()) return unsupported_error("actions work on files, not on archives");
  if (!build.sort_entries.empty())
    return unsupported_error("-sort works on files, not on archives");
  return ok();
}

Status finish_compressor(Settings& settings) {
  DataOptions& data = settings.make.build.data;
  Status status = data.compressor->finish(data.config, data.block_size);
  if (!status) {
    status.error().code = Code::kUnsupported;
    return status;
  }
  if (!data.compressor->kernel_mounts) {
    settings.warnings.push_back(std::string(data.compressor->name) +
                                " is a legacy format: no Linux kernel mounts this image");
  }
  return ok();
}

// What archives cannot have.
Status check_archive_options(const BuildOptions& build, std::string_view option) {
  const FilterOptions& filter = build.filter;
  if (!filter.excludes.empty() && filter.syntax == ExcludeSyntax::kExact) {
    return unsupported_error("-wildcards or -regex must be specified with " + std::string(option) +
                             " and excludes: there are no files to compare with");
  }
  if (filter.max_depth) {
    return unsupported_error(std::string(option) + " and -max-depth contradict each other");
  }
  return ok();
}

// -tar, -zip and -layer say what the sources are.
Status finish_archives(const Settings& settings, MakeSettings& make) {
  BuildOptions& build = make.build;
  const bool is_sqfstar = settings.tool == Tool::kSqfstar;
  const int given = make.reads_tar + make.reads_zip + !make.layers.empty();
  if (given > 1) return unsupported_error("-tar, -zip and -layer contradict each other");
  if (given == 0 && !is_sqfstar) return ok();
  const std::string_view option = is_sqfstar       ? "sqfstar"
                                  : make.reads_tar ? "-tar"
                                  : make.reads_zip ? "-zip"
                                                   : "-layer";
  const bool has_sources = build.source_kind != SourceKind::kNothing;
  if (!make.reads_zip && !is_sqfstar && has_sources) {
    return unsupported_error("with " + std::string(option) +
                             " the source on the command line has to be \"-\"");
  }
  if (!has_sources) build.sources = {"-"};
  if (!make.layers.empty()) build.sources = make.layers;
  build.archive.are_layers = !make.layers.empty();
  build.source_kind = SourceKind::kArchives;
  return check_archive_options(build, option);
}

}  // namespace

Status finish_settings(Settings& settings) {
  SQFS_CHECKED(check_sources(settings.make.build));
  SQFS_CHECKED(finish_archives(settings, settings.make));
  SQFS_CHECKED(check_progress(settings.make));
  SQFS_CHECKED(check_archives(settings.make.build));
  SQFS_CHECKED(finish_stream(settings.make));
  SQFS_CHECKED(finish_times(settings));
  SQFS_CHECKED(finish_compressor(settings));
  finish_resources(settings);
  SQFS_CHECKED(read_pseudo_arguments(settings));
  return ok();
}

uint64_t default_memory(System& system, unsigned threads, uint32_t block_size) {
  const uint64_t busy = uint64_t{threads} * kBlocksPerThread * block_size;
  return std::max(kBaseMemory, std::min(busy, system.physical_memory() / 4));
}

}  // namespace sqfs
