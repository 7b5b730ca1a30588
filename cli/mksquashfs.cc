// SPDX-License-Identifier: MIT
#include <memory>

#include "base/text.h"
#include "cli/append_report.h"
#include "cli/help.h"
#include "cli/option_checks.h"
#include "cli/option_parser.h"
#include "cli/pager.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/stats.h"
#include "cli/tool.h"
#include "writer/append_recover.h"
#include "writer/stream.h"

namespace sqfs {
namespace {

constexpr int kSuccess = 0, kFailure = 1;
constexpr uint32_t kDefaultBlockSize = 131072;

// As a shell reads it back: the whole word in quotes.
std::string quoted_word(std::string_view word) {
  std::string out = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\' || c == '$' || c == '`') out += '\\';
    out += c;
  }
  return out + "\"";
}

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
  const bool is_signal = error.code == Code::kCancelled;
  io.err.write((is_signal ? "interrupted by a signal" : error.what) + "\nFATAL ERROR: " +
               (make.build.append ? "nothing was added to " + printable(make.destination)
                                  : std::string("no image was made")) +
               "\n");
  return kFailure;
}

Result<std::string> text_to_print(Settings& settings) {
  const Tool tool = settings.tool;
  System& system = settings.io.system;
  const unsigned columns = settings.columns.value_or(system.terminal_columns());
  switch (settings.print) {
    case Print::kNothing:
    case Print::kFix:
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

int fix(const std::string& path, Io& io) {
  if (Status status = fix_stream(io.env, path); !status) {
    io.err.write(status.error().what + "\nFATAL ERROR: the file was not fixed\n");
    return kFailure;
  }
  io.out.write("\"" + printable(path) + "\" is an image now\n");
  return kSuccess;
}

int print_and_end(Settings& settings, Io& io) {
  if (settings.print == Print::kFix) return fix(settings.print_what, io);
  const Result<std::string> text = text_to_print(settings);
  if (!text) return fail_usage(text.error(), settings.tool, io);
  const bool is_long = settings.print != Print::kVersion && settings.print != Print::kDefaultMemory;
  const Status printed = print_text(*text, is_long && settings.may_page, io);
  if (printed || !io.out.is_complete()) return printed ? kSuccess : kFailure;
  return fail_usage(printed.error(), settings.tool, io);
}

// What stands at the destination decides whether the build may begin, and whether it adds to an
// image; that it is left as it is until the new image is complete is the writer's affair.
Status check_destination(MakeSettings& make, Tool tool, Io& io) {
  if (make.build.data.is_stream) {
    if (io.out_is_terminal) return unsupported_error("-stream does not write to a terminal");
    return ok();
  }
  const auto info = io.env.stat(make.destination);
  if (!info) return ok();  // missing: to be made. What else it may be, opening it will tell.
  if (info->type != FileType::kRegular && info->type != FileType::kBlockDevice) {
    return unsupported_error("Destination not block device or regular file: \"" +
                             printable(make.destination) + "\"");
  }
  const bool is_tar = make.build.source_kind == SourceKind::kArchives && !make.reads_zip;
  if (is_tar && !make.replace_existing) {
    return unsupported_error(
        "\"" + printable(make.destination) +
        "\" exists already, and nothing is added to it from tar archives; with " +
        (tool == Tool::kSqfstar ? "-force" : "-noappend") + " it is replaced");
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
  // `place_sink`: where the place goes that SIGQUIT asks for.
  Observer(const MakeSettings& make, Io& io, Progress& progress, TextSink& place_sink)
      : make_(make),
        io_(io),
        progress_(progress),
        place_sink_(place_sink),
        compressor_(make.build.data.compressor) {}

  std::string_view compressor_name() const { return compressor_->name; }  // of the image
  void show_files_on(TextSink* sink) { files_ = sink; }
  void show_positions_on(TextSink* sink) { positions_ = sink; }

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
  void action_line(const std::string& line) override {
    progress_.make_room();
    io_.out.write(line + "\n");
  }

  bool wants_place() override { return io_.system.was_asked_for_place(); }
  void place(const std::string& what) override {
    progress_.make_room();
    place_sink_.write(what + "\n");
  }

  bool wants_positions() const override { return positions_ != nullptr; }
  void file_position(const std::string& path, uint64_t start) override {
    positions_->write(path + ", " + std::to_string(start) + "\n");
  }
  void fragment_position(uint64_t number, uint64_t start) override {
    positions_->write("Fragment " + std::to_string(number) + ", " + std::to_string(start) + "\n");
  }

 private:
  const MakeSettings& make_;
  Io& io_;
  Progress& progress_;
  TextSink& place_sink_;
  const CompressorInfo* compressor_;
  TextSink* positions_ = nullptr;  // where -log lines go
  TextSink* files_ = nullptr;      // where -info lines go
};

// The image is there already: what fails here does not take it away.
int write_stats(const Settings& settings, const BuildSummary& summary, Io& io) {
  const std::string& path = settings.make.stats_file;
  if (path.empty()) return kSuccess;
  const auto sink = io.system.replace_text(path);
  if (sink) (*sink)->write(build_stats(settings.make, settings.tool, summary));
  if (sink && (*sink)->is_complete()) return kSuccess;
  io.err.write(
      "--stats: " + (sink ? "cannot write \"" + printable(path) + "\"" : sink.error().what) +
      "\nThe image was made.\n");
  return kFailure;
}

int build(Settings& settings, Io& io) {
  const MakeSettings& make = settings.make;
  Progress progress(progress_style(make, io), io.system, io.out);
  Observer observer(make, io, progress, make.build.data.is_stream ? io.err : io.out);
  std::unique_ptr<TextSink> info_file, log_file;
  if (!make.info_file.empty()) {
    auto created = io.system.create_text(make.info_file);
    if (!created)
      return fail_build(std::move(created).error().with_context("-info-file"), make, io);
    info_file = *std::move(created);
    observer.show_files_on(info_file.get());
  } else if (make.info) {
    observer.show_files_on(&io.out);
  }

  if (!make.log_file.empty()) {
    auto created = io.system.replace_text(make.log_file);
    if (!created) return fail_build(std::move(created).error().with_context("-log"), make, io);
    log_file = *std::move(created);
    observer.show_positions_on(log_file.get());
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
  return write_stats(settings, *summary, io);
}

// With SQFS_CMDLINE, the directory of a log, every command line is added to it before anything is
// done.
Status log_command_line(Tool tool, std::span<const std::string_view> args, Io& io) {
  const auto directory = io.env.variable("SQFS_CMDLINE");
  if (!directory) return ok();
  std::string line = quoted_word(name_of(tool));
  for (const std::string_view word : args) line += " " + quoted_word(word);
  return io.env.append_line(join_path(*directory, "sqfs_cmdline"), line + " ");
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
  if (Status checked = check_destination(settings.make, settings.tool, io); !checked) {
    return fail_build(checked.error(), settings.make, io);
  }
  return build(settings, io);
}

}  // namespace

int mksquashfs_main(std::span<const std::string_view> args, Io& io) {
  Settings settings(io);
  if (Status logged = log_command_line(settings.tool, args, io); !logged) {
    return fail_build(std::move(logged).error().with_context("SQFS_CMDLINE"), settings.make, io);
  }
  return run(parse_mksquashfs(args, settings), settings, io);
}

int sqfstar_main(std::span<const std::string_view> args, Io& io) {
  Settings settings(io, Tool::kSqfstar);
  if (Status logged = log_command_line(settings.tool, args, io); !logged) {
    return fail_build(std::move(logged).error().with_context("SQFS_CMDLINE"), settings.make, io);
  }
  return run(parse_sqfstar(args, settings), settings, io);
}

}  // namespace sqfs
