// SPDX-License-Identifier: MIT
#include <memory>

#include "base/text.h"
#include "cli/append_report.h"
#include "cli/help.h"
#include "cli/option_checks.h"
#include "cli/option_parser.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/tool.h"
#include "writer/append_recover.h"

namespace sqfs {
namespace {

constexpr int kSuccess = 0, kFailure = 1;
constexpr uint32_t kDefaultBlockSize = 131072;

// A wrong command line. Usage lines go to standard output, where squashfs-tools 4.7 has them.
int fail_usage(const Error& error, Tool tool, Io& io) {
  const std::string program(name_of(tool));
  io.err.write(program + ": " + error.what + "\n");
  if (error.code == Code::kUsage) {
    io.out.write(usage_line(tool) + "\"" + program + " -help\" tells more.\n");
  }
  return kFailure;
}

// The first line says what happened; the second one marks it for those who search a log.
int fail_build(const Error& error, const MakeSettings& make, Io& io) {
  const bool is_signal = error.code == Code::kCancelled && error.what == "interrupted";
  io.err.write((is_signal ? "interrupted by a signal" : error.what) + "\nFATAL ERROR: " +
               (make.build.append ? "nothing was added to " + printable(make.destination)
                                  : std::string("no image was made")) +
               "\n");
  return kFailure;
}

Result<std::string> print_text(Settings& settings) {
  const Tool tool = settings.tool;
  System& system = settings.io.system;
  const unsigned columns = settings.columns.value_or(system.terminal_columns());
  switch (settings.print) {
    case Print::kNothing:
    case Print::kSummary: return help_summary(tool);
    case Print::kAll: return help_all(tool, columns);
    case Print::kSection: return help_section(tool, settings.print_what, columns);
    case Print::kOption: return help_option(tool, settings.print_what, columns);
    case Print::kCompressor: return help_compressor(settings.print_what, columns);
    case Print::kXhelp: return compressor_help(*settings.make.build.data.compressor, columns);
    case Print::kVersion: return version_text(tool);
    case Print::kDefaultMemory:
      return std::to_string(default_memory(system, system.processors(), kDefaultBlockSize) >> 20) +
             "\n";
  }
  return std::string();
}

int print_and_end(Settings& settings, Io& io) {
  const Result<std::string> text = print_text(settings);
  if (!text) return fail_usage(text.error(), settings.tool, io);
  io.out.write(*text);
  return io.out.is_complete() ? kSuccess : kFailure;
}

// What stands at the destination decides whether the build may begin, and whether it adds to an
// image; that it is left as it is until the new image is complete is the writer's affair.
Status check_destination(MakeSettings& make, Tool tool, Env& env) {
  const auto info = env.stat(make.destination);
  if (!info) return ok();  // missing: to be made. What else it may be, opening it will tell.
  if (info->type != FileType::kRegular && info->type != FileType::kBlockDevice) {
    return unsupported_error("Destination not block device or regular file: \"" +
                             printable(make.destination) + "\"");
  }
  if (tool == Tool::kSqfstar && !make.replace_existing) {
    return unsupported_error("\"" + printable(make.destination) +
                             "\" exists already; with -force it is replaced");
  }
  make.build.append = !make.replace_existing;
  return ok();
}

int recover(const MakeSettings& make, Io& io) {
  const Status recovered =
      recover_image(make.destination, make.build.image_offset, make.recovery_file, io.env);
  if (!recovered) {
    io.err.write("FATAL ERROR: " + recovered.error().what + "\n");
    return kFailure;
  }
  io.out.write("Successfully wrote recovery file \"" + printable(make.recovery_file) +
               "\".  Exiting\n");
  return kSuccess;
}

ProgressStyle progress_style(const MakeSettings& make, const Io& io) {
  if (make.percentage) return ProgressStyle::kPercentage;
  if (make.no_progress) return ProgressStyle::kNone;
  if (make.info && !make.progress) return ProgressStyle::kNone;
  if (io.out_is_terminal) return ProgressStyle::kBar;
  return make.progress ? ProgressStyle::kLines : ProgressStyle::kNone;
}

class Observer final : public BuildObserver {
 public:
  Observer(const MakeSettings& make, Io& io, Progress& progress)
      : make_(make), io_(io), progress_(progress), compressor_(make.build.data.compressor) {}

  std::string_view compressor_name() const { return compressor_->name; }  // of the image
  void show_files_on(TextSink* sink) { files_ = sink; }

  void warning(const std::string& sentence) override {
    progress_.make_room();
    io_.err.write(sentence + "\n");
  }
  void appending(const BaseImage& base) override {
    compressor_ = base.compressor;
    if (!make_.quiet) io_.out.write(base_report(base, make_.build, make_.destination));
  }
  void progress(uint64_t done, uint64_t total) override { progress_.update(done, total); }
  bool wants_files() const override { return files_ != nullptr; }
  void file(const FileEvent& event) override {
    if (files_ == &io_.out) progress_.make_room();
    files_->write(info_line(event));
  }

 private:
  const MakeSettings& make_;
  Io& io_;
  Progress& progress_;
  const CompressorInfo* compressor_;
  TextSink* files_ = nullptr;  // where -info lines go
};

int build(Settings& settings, Io& io) {
  const MakeSettings& make = settings.make;
  Progress progress(progress_style(make, io), io.system, io.out);
  Observer observer(make, io, progress);
  std::unique_ptr<TextSink> info_file;
  if (!make.info_file.empty()) {
    auto created = io.system.create_text(make.info_file);
    if (!created)
      return fail_build(std::move(created).error().with_context("-info-file"), make, io);
    info_file = *std::move(created);
    observer.show_files_on(info_file.get());
  } else if (make.info) {
    observer.show_files_on(&io.out);
  }

  if (!make.quiet && !make.build.append) io.out.write(build_banner(make.build, make.destination));
  io.system.note_signals();
  const auto summary = build_image(make.build, make.destination, io.env, observer,
                                   [&io] { return io.system.interrupted(); });
  if (!summary) {
    progress.make_room();
    return fail_build(summary.error(), make, io);
  }
  progress.finish();
  if (!make.quiet) {
    io.out.write("\n" + build_summary(*summary, observer.compressor_name(), io.system));
  }
  return kSuccess;
}

int run(const Status& parsed, Settings& settings, Io& io) {
  if (!parsed) return fail_usage(parsed.error(), settings.tool, io);
  if (settings.print != Print::kNothing) return print_and_end(settings, io);
  if (Status finished = finish_settings(settings); !finished) {
    return fail_usage(finished.error(), settings.tool, io);
  }
  for (const std::string& warning : settings.warnings) {
    io.err.write(std::string(name_of(settings.tool)) + ": warning: " + warning + "\n");
  }
  if (!settings.make.recovery_file.empty()) return recover(settings.make, io);
  if (Status checked = check_destination(settings.make, settings.tool, io.env); !checked) {
    return fail_build(checked.error(), settings.make, io);
  }
  return build(settings, io);
}

}  // namespace

int mksquashfs_main(std::span<const std::string_view> args, Io& io) {
  Settings settings(io);
  return run(parse_mksquashfs(args, settings), settings, io);
}

int sqfstar_main(std::span<const std::string_view> args, Io& io) {
  Settings settings(io, Tool::kSqfstar);
  return run(parse_sqfstar(args, settings), settings, io);
}

}  // namespace sqfs
