// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>

#include "cli/check_report.h"
#include "cli/compare_tree.h"
#include "cli/help.h"
#include "cli/option_parser.h"
#include "cli/tool.h"

namespace sqfs {
namespace {

// As fsck(8) documents them; 1 and 2 (repaired) never occur.
constexpr int kClean = 0, kErrorsFound = 4, kNotJudged = 8, kWrongUsage = 16;

int fail_usage(const Error& error, Io& io) {
  io.err.write("fsck.squashfs: " + error.what + "\n" + usage_line(Tool::kFsck) +
               "\"fsck.squashfs --help\" prints the options.\n");
  return kWrongUsage;
}

int print_and_end(const Settings& settings, Io& io) {
  io.out.write(settings.print == Print::kVersion
                   ? version_text(Tool::kFsck)
                   : help_all(Tool::kFsck, io.system.terminal_columns()));
  return io.out.is_complete() ? kClean : kNotJudged;
}

// Differences are looked for only where the image is sound: the reader trusts it more than the
// verifier does.
Result<int> judge(const CheckSettings& settings, const std::string& path, Io& io,
                  CheckReport& report) {
  SQFS_TRY(const std::unique_ptr<InputFile> image, io.env.open_input(path));
  SQFS_TRY(const Verdict verdict, verify_image(settings.verify, *image, report));
  const bool compares = verdict.is_clean() && !settings.compare_directory.empty();
  uint64_t differences = 0;
  if (compares) {
    SQFS_TRY(differences, compare_tree(*image, settings.verify.offset, io.env,
                                       settings.compare_directory, report));
  }
  report.finish(verdict, differences, compares);
  return verdict.is_clean() && differences == 0 ? kClean : kErrorsFound;
}

}  // namespace

int fsck_main(std::span<const std::string_view> args, Io& io) {
  Settings settings(io);
  std::string image;
  if (Status parsed = parse_fsck(args, settings, image); !parsed) {
    return fail_usage(parsed.error(), io);
  }
  if (settings.print != Print::kNothing) return print_and_end(settings, io);
  CheckSettings& check = settings.check;
  check.verify.threads = check.processors.value_or(io.system.processors());

  const auto report =
      check.json ? make_json_report(check, image, io) : make_text_report(check, image, io);
  const Result<int> status = judge(check, image, io, *report);
  if (!status) {
    report->fail(status.error());
    return kNotJudged;
  }
  // What was found got lost on the way: nobody may take that for a clean image.
  return io.out.is_complete() ? *status : std::max(*status, kNotJudged);
}

}  // namespace sqfs
