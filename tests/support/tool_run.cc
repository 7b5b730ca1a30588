// SPDX-License-Identifier: MIT
#include "tests/support/tool_run.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace sqfs {

namespace {

class MapSink final : public TextSink {
 public:
  explicit MapSink(std::string& text) : text_(text) { text_.clear(); }
  void write(std::string_view more) override { text_ += more; }
  bool is_complete() const override { return true; }

 private:
  std::string& text_;
};

}  // namespace

std::optional<uint32_t> FakeSystem::user_id(const std::string& name) {
  return name == "alice" ? std::optional<uint32_t>(1000) : std::nullopt;
}
std::optional<uint32_t> FakeSystem::group_id(const std::string& name) {
  return name == "staff" ? std::optional<uint32_t>(50) : std::nullopt;
}
std::optional<std::string> FakeSystem::user_name(uint32_t id) {
  return id == 1000 ? std::optional<std::string>("alice") : std::nullopt;
}
std::optional<std::string> FakeSystem::group_name(uint32_t id) {
  return id == 50 ? std::optional<std::string>("staff") : std::nullopt;
}

Result<std::string> FakeSystem::date_seconds(const std::string& text) {
  if (text == "yesterday") return std::string("86400");
  if (text == "long ago") return std::string("-5");
  return usage_error("date: invalid date");
}

Result<std::string> FakeSystem::read_text(const std::string& path) {
  const auto found = texts.find(path);
  if (found == texts.end()) return io_error(ENOENT, "Failed to open " + path);
  return found->second;
}

Status FakeSystem::read_stream(const std::string& path, const std::function<Status(Bytes)>& take) {
  SQFS_TRY(const std::string text, read_text(path));
  return take(as_bytes(text));
}

Result<std::unique_ptr<TextSink>> FakeSystem::create_text(const std::string& path) {
  if (texts.contains(path)) return io_error(EEXIST, "cannot create " + path);
  return std::make_unique<StringSink>();
}

Result<std::unique_ptr<TextSink>> FakeSystem::replace_text(const std::string& path) {
  return std::make_unique<MapSink>(texts[path]);
}

bool FakeSystem::show_with(const std::vector<std::string>& words, std::string_view text) {
  if (words[0] != program) return false;
  shown = words;
  shown.emplace_back(text);
  return true;
}

ToolRun::ToolRun() {
  std::string pattern = std::filesystem::temp_directory_path() / "squashkit.XXXXXX";
  directory_ = mkdtemp(pattern.data()) == nullptr ? std::string() : pattern;
}

ToolRun::~ToolRun() {
  if (!directory_.empty()) std::filesystem::remove_all(directory_);
}

int ToolRun::mksquashfs(const std::vector<std::string>& args) { return run(mksquashfs_main, args); }

int ToolRun::sqfstar(const std::vector<std::string>& args) { return run(sqfstar_main, args); }

int ToolRun::fsck(const std::vector<std::string>& args) { return run(fsck_main, args); }

void ToolRun::write(const std::string& name, const std::string& content) {
  std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
  std::ofstream(path(name), std::ios::binary) << content;
}

std::string ToolRun::read(const std::string& name) const {
  std::ifstream in(path(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool ToolRun::exists(const std::string& name) const { return std::filesystem::exists(path(name)); }

int ToolRun::run(int (*tool)(std::span<const std::string_view>, Io&),
                 const std::vector<std::string>& args) {
  StringSink out_sink, err_sink;
  out_sink.is_full = out_is_full;
  Io io{*env_, system, out_sink, err_sink, out_is_terminal};
  const std::vector<std::string_view> words(args.begin(), args.end());
  const int status = tool(words, io);
  out = out_sink.text;
  err = err_sink.text;
  return status;
}

}  // namespace sqfs
