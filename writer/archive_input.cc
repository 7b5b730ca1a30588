// SPDX-License-Identifier: MIT
#include "writer/archive_input.h"

#include <cerrno>
#include <utility>

#include "base/text.h"

namespace sqfs {
namespace {

constexpr size_t kStart = 4;

bool begins_like_zip(Bytes bytes) {
  const std::string_view start = as_text(bytes.first(std::min(bytes.size(), kStart)));
  return start == "PK\3\4" || start == "PK\5\6";
}

}  // namespace

Result<ArchiveInput> ArchiveInput::open(const std::string& path, Env& env,
                                        const std::function<bool()>& cancelled,
                                        const MakeSpool& spool) {
  ArchiveInput input(env, cancelled);
  if (path != "-") {
    auto file = env.open_input(path);
    if (!file) return std::move(file).error();
    input.file_ = std::move(file).value();
  }
  SQFS_CHECKED(input.look_at_start());
  if (!input.is_zip_) return input;
  if (input.file_ == nullptr) SQFS_CHECKED(input.copy_to_spool(spool));
  SQFS_TRY(input.size_, input.file_->size());
  SQFS_TRY(input.marks_, ZipMarks::find(*input.file_, input.size_));
  input.ahead_ = 0;
  input.position_ = 0;
  return input;
}

Result<Bytes> ArchiveInput::read() {
  if (ahead_ > 0) return Bytes(buffer_).first(std::exchange(ahead_, 0));
  const uint64_t start = position_;
  SQFS_TRY(const size_t got, read_some(buffer_));
  const MutableBytes piece = MutableBytes(buffer_).first(got);
  if (is_zip_) marks_.clear(start, piece);
  return Bytes(piece);
}

// A pipe may hand out its first bytes one by one.
Status ArchiveInput::look_at_start() {
  while (ahead_ < kStart) {
    SQFS_TRY(const size_t got, read_some(MutableBytes(buffer_).subspan(ahead_)));
    if (got == 0) break;
    ahead_ += got;
  }
  is_zip_ = begins_like_zip(Bytes(buffer_).first(ahead_));
  return ok();
}

Status ArchiveInput::copy_to_spool(const MakeSpool& spool) {
  SQFS_TRY(auto copy, spool());
  for (;;) {
    const bool is_zip = std::exchange(is_zip_, false);
    const auto piece = read();
    is_zip_ = is_zip;
    if (!piece) return piece.error();
    if (piece->empty()) break;
    SQFS_CHECKED(copy->append(*piece));
  }
  file_ = std::move(copy);
  return ok();
}

Result<size_t> ArchiveInput::read_some(MutableBytes out) {
  for (;;) {
    if ((*cancelled_)()) return Error{Code::kCancelled, 0, 0, 0, "interrupted"};
    auto got = file_ != nullptr ? file_->read_at(position_, out) : env_->read_standard_input(out);
    if (got) {
      position_ += *got;
      return got;
    }
    if (got.error().os_errno != EINTR) return got;
  }
}

}  // namespace sqfs
