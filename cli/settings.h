// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/io.h"
#include "verifier/verify.h"
#include "writer/build.h"

// What the options of a command line add up to, before it is split into what the engine takes. The
// rows of option_rows.cc write into it; option_checks.h judges combinations.
namespace sqfs {

enum class Tool : uint8_t { kMksquashfs, kSqfstar, kFsck };

// Options that print something and end the program.
enum class Print : uint8_t {
  kNothing,
  kSummary,
  kAll,
  kSection,
  kOption,
  kCompressor,
  kVersion,
  kDefaultMemory,
  kXhelp,
  kFix  // prints nothing: turns a streamed image into a usual one
};

// The value of -p, or of -pf.
struct PseudoArgument {
  bool is_file = false;
  std::string value;
};

// Of mksquashfs and sqfstar.
struct MakeSettings {
  BuildOptions build;
  std::string destination;
  bool replace_existing = false;  // -noappend, -force
  std::string recovery_file;      // -recover

  bool reads_tar = false, reads_zip = false;  // -tar, -zip
  std::vector<std::string> layers;            // -layer

  bool compressor_given = false;
  std::vector<std::string> compressor_options;  // the words of each
  std::optional<uint64_t> memory;               // bytes; default_memory() unless given
  std::optional<unsigned> processors;

  bool quiet = false, info = false;
  std::string info_file;
  std::string log_file;    // -log
  std::string stats_file;  // --stats
  bool no_progress = false, progress = false, percentage = false;

  std::vector<PseudoArgument> pseudo;  // in the order given, to be read when all options are known

  // What the time options said, one by one: they can contradict each other.
  std::optional<uint32_t> image_time, repro_time;
  bool image_time_is_newest = false, repro = false;
  bool xattrs_selected = false;  // one of -xattrs-exclude -xattrs-include -xattrs-add
};

struct CheckSettings {
  VerifyOptions verify;
  std::optional<unsigned> processors;
  bool quiet = false, verbose = false, json = false;
  std::string compare_directory;  // empty: none
};

struct Settings {
  explicit Settings(Io& io_in, Tool tool_in = Tool::kMksquashfs) : tool(tool_in), io(io_in) {}

  Tool tool;
  Io& io;  // apply functions ask it for users, dates and exclude files
  MakeSettings make;
  CheckSettings check;
  Print print = Print::kNothing;
  std::vector<std::string> warnings;  // about the command line itself
  std::string print_what;             // what kSection, kOption and kCompressor are about
  std::optional<unsigned> columns;    // -cols
  bool may_page = true;               // -no-pager
};

}  // namespace sqfs
