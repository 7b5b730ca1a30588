// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/io.h"
#include "cli/tool.h"

// Runs the programs in process, with a host of our making around them.
namespace sqfs {

class StringSink final : public TextSink {
 public:
  void write(std::string_view more) override {
    if (!is_full) text += more;
  }
  bool is_complete() const override { return !is_full; }

  std::string text;
  bool is_full = false;  // writes fail
};

// Knows one user, "alice" (1000), one group, "staff" (50), and one date, "yesterday" (86400).
class FakeSystem final : public System {
 public:
  std::optional<uint32_t> user_id(const std::string& name) override;
  std::optional<uint32_t> group_id(const std::string& name) override;
  std::optional<std::string> user_name(uint32_t id) override;
  std::optional<std::string> group_name(uint32_t id) override;
  unsigned processors() override { return processor_count; }
  uint64_t physical_memory() override { return memory; }
  unsigned terminal_columns() override { return 80; }
  Result<std::string> date_seconds(const std::string& text) override;
  Result<std::string> read_text(const std::string& path) override;
  Status read_stream(const std::string& path, const std::function<Status(Bytes)>& take) override;
  Result<std::unique_ptr<TextSink>> create_text(const std::string& path) override;
  Result<std::unique_ptr<TextSink>> replace_text(const std::string& path) override;
  bool show_with(const std::vector<std::string>& words, std::string_view text) override;
  void note_signals() override {}
  bool interrupted() override { return is_interrupted; }
  bool was_asked_for_place() override { return std::exchange(is_asked_for_place, false); }

  unsigned processor_count = 2;
  uint64_t memory = uint64_t{8} << 30;
  bool is_interrupted = false;
  bool is_asked_for_place = false;
  std::string program;                       // the only one there is for show_with
  std::vector<std::string> shown;            // what it was called with, and the text
  std::map<std::string, std::string> texts;  // files that read_text finds
};

// One run after another in a directory of its own, which is the working directory of no one.
class ToolRun {
 public:
  ToolRun();
  ~ToolRun();

  // Each returns the exit status; out, err hold what was printed.
  int mksquashfs(const std::vector<std::string>& args);
  int sqfstar(const std::vector<std::string>& args);
  int fsck(const std::vector<std::string>& args);

  // Paths in the directory, and small files.
  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  void write(const std::string& name, const std::string& content);
  std::string read(const std::string& name) const;
  bool exists(const std::string& name) const;

  std::string out, err;
  bool out_is_terminal = false;
  bool out_is_full = false;
  FakeSystem system;

 private:
  int run(int (*tool)(std::span<const std::string_view>, Io&),
          const std::vector<std::string>& args);

  std::string directory_;
  std::unique_ptr<Env> env_ = make_posix_env();
};

}  // namespace sqfs
