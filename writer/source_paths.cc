// SPDX-License-Identifier: MIT
#include "writer/source_paths.h"

#include <algorithm>
#include <cerrno>

#include "base/text.h"

namespace sqfs {
namespace {

constexpr size_t kInputPiece = 1u << 16;
constexpr size_t kMaxListedPath = 1u << 20;

// How much of `path` leads to the root: /, ./ and ../, also as its last component.
size_t root_length(std::string_view path) {
  size_t at = 0;
  for (;;) {
    const size_t slash = std::min(path.find('/', at), path.size());
    const std::string_view name = path.substr(at, slash - at);
    if (!name.empty() && name != "." && name != "..") return at;
    if (slash == path.size()) return slash;
    at = slash + 1;
  }
}

// Cuts a stream of paths into paths.
class PathSplitter {
 public:
  explicit PathSplitter(char end) : end_(end) {}

  Status take(std::string_view piece) {
    while (!piece.empty()) {
      const size_t length = std::min(piece.find(end_), piece.size());
      path_ += piece.substr(0, length);
      if (path_.size() > kMaxListedPath) return wrong("is longer than any path can be");
      if (length == piece.size()) return ok();
      SQFS_CHECKED(end_path());
      piece.remove_prefix(length + 1);
    }
    return ok();
  }

  Status end_path() {
    if (path_.find('\0') != std::string::npos) {
      return wrong("has a byte 0 in it; paths that end with one need -cpiostyle0");
    }
    if (!path_.empty()) paths_.push_back(std::move(path_));
    path_.clear();
    ++number_;
    return ok();
  }

  std::vector<std::string> take_paths() { return std::move(paths_); }

 private:
  Error wrong(const std::string& what) const {
    return usage_error("path " + std::to_string(number_) + " of standard input (" +
                       printable(std::string_view(path_).substr(0, 40)) + "…) " + what);
  }

  char end_;
  std::string path_;
  uint64_t number_ = 1;
  std::vector<std::string> paths_;
};

}  // namespace

Result<SourcePath> split_source_path(std::string_view path) {
  SourcePath source;
  size_t at = root_length(path);
  source.root = at == 0 ? "." : std::string(path.substr(0, at));
  while (at < path.size()) {
    const size_t slash = std::min(path.find('/', at), path.size());
    const std::string_view name = path.substr(at, slash - at);
    if (name == "." || name == "..") {
      return usage_error("the source " + printable(path) + " has \"" + std::string(name) +
                         "\" behind a name, so it has no path in the image");
    }
    if (!name.empty()) {
      source.names.emplace_back(name);
      source.ends.push_back(slash);
    }
    at = slash + 1;
  }
  return source;
}

Result<std::vector<std::string>> read_path_list(Env& env, char end,
                                                const std::function<bool()>& cancelled) {
  PathSplitter splitter(end);
  Buffer piece(kInputPiece);
  for (;;) {
    if (cancelled()) return Error{Code::kCancelled, 0, 0, 0, "interrupted"};
    const auto got = env.read_standard_input(piece);
    if (!got && got.error().os_errno == EINTR) continue;
    if (!got) return got.error();
    if (*got == 0) break;
    SQFS_CHECKED(splitter.take(as_text(Bytes(piece).first(*got))));
  }
  SQFS_CHECKED(splitter.end_path());
  return splitter.take_paths();
}

}  // namespace sqfs
