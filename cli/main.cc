// SPDX-License-Identifier: MIT
#include <csignal>
#include <new>
#include <string_view>
#include <vector>

#include "cli/tool.h"
#include "cli/version.h"

#include <unistd.h>

// One binary under several names: dispatches on the name it was called by.
namespace sqfs {
namespace {

struct ToolRow {
  std::string_view name;
  std::string_view what;
  int (*run)(std::span<const std::string_view> args, Io& io);
  int out_of_memory;  // exit status
};

constexpr ToolRow kTools[] = {
    {"mksquashfs", "makes an image of directories and files", mksquashfs_main, 1},
    {"sqfstar", "makes an image of a tar archive on standard input", sqfstar_main, 1},
    {"fsck.squashfs", "checks an image", fsck_main, 8},
};
constexpr std::string_view kOwnName = "squashkit";

std::string_view basename_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

const ToolRow* find_tool(std::string_view name) {
  for (const ToolRow& tool : kTools) {
    if (tool.name == name) return &tool;
  }
  return nullptr;
}

int list_tools(Io& io) {
  std::string text = std::string(kOwnName) + " " + std::string(kVersion) +
                     ", the SquashFS 4.0 tools. One program under several names:\n";
  for (const ToolRow& tool : kTools) {
    text += "  " + std::string(tool.name) + std::string(16 - tool.name.size(), ' ') +
            std::string(tool.what) + "\n";
  }
  io.out.write(text + "\"squashkit TOOL ARGUMENT...\" runs one as well.\n");
  return io.out.is_complete() ? 0 : 1;
}

// The only place that catches: running out of memory outside the worker threads.
int run(const ToolRow& tool, std::span<const std::string_view> args, Io& io) {
  try {
    return tool.run(args, io);
  } catch (const std::bad_alloc&) {
    io.err.write("FATAL ERROR: out of memory\n");
    return tool.out_of_memory;
  }
}

int main_with(std::string_view called_as, std::span<const std::string_view> args, Io& io) {
  if (const ToolRow* tool = find_tool(basename_of(called_as))) return run(*tool, args, io);
  if (args.empty()) return list_tools(io);
  if (const ToolRow* tool = find_tool(args[0])) return run(*tool, args.subspan(1), io);
  io.err.write(std::string(kOwnName) + ": there is no tool \"" + std::string(args[0]) + "\"\n");
  list_tools(io);
  return 1;
}

}  // namespace
}  // namespace sqfs

int main(int argc, char** argv) {
  if (!sqfs::hold_standard_descriptors()) return 1;
  // A reader of our output that goes away must not end a build half way, nor a limit on the size of
  // files leave half an image: both come back as errors of write(2).
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  const auto env = sqfs::make_posix_env();
  const auto system = sqfs::make_posix_system();
  const auto out = sqfs::make_descriptor_sink(STDOUT_FILENO);
  const auto err = sqfs::make_descriptor_sink(STDERR_FILENO);
  sqfs::Io io{*env, *system, *out, *err, isatty(STDOUT_FILENO) == 1};
  const std::vector<std::string_view> words(argv, argv + argc);
  if (words.empty()) return 1;
  return sqfs::main_with(words[0], std::span(words).subspan(1), io);
}
