// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/env.h"
#include "base/result.h"
#include "writer/zip_marks.h"

// The bytes of an archive, from a file or from standard input, as a reader of formats asks for
// them.
namespace sqfs {

class ArchiveInput {
 public:
  using MakeSpool = std::function<Result<std::unique_ptr<SpoolFile>>()>;

  // Fails when the file cannot be opened or read. Where standard input begins like a zip archive it
  // is read to its end, into a temporary file. Borrows `env` and `cancelled` for its lifetime.
  static Result<ArchiveInput> open(const std::string& path, Env& env,
                                   const std::function<bool()>& cancelled, const MakeSpool& spool);

  // The next bytes: none at the end. Valid up to the next call. Code::kCancelled.
  Result<Bytes> read();

  bool is_zip() const { return is_zip_; }
  // Only for zip archives.
  uint64_t position() const { return position_; }
  uint64_t size() const { return size_; }
  void seek(uint64_t position) { position_ = std::min(position, size_); }

 private:
  ArchiveInput(Env& env, const std::function<bool()>& cancelled)
      : env_(&env), cancelled_(&cancelled), buffer_(kPiece) {}

  static constexpr size_t kPiece = 256u << 10;

  Status look_at_start();
  Status copy_to_spool(const MakeSpool& spool);
  Result<size_t> read_some(MutableBytes out);

  Env* env_;
  const std::function<bool()>* cancelled_;
  std::unique_ptr<InputFile> file_;  // null: standard input
  Buffer buffer_;
  size_t ahead_ = 0;  // bytes of buffer_ that were read to look at them
  bool is_zip_ = false;
  uint64_t position_ = 0, size_ = 0;
  ZipMarks marks_;
};

}  // namespace sqfs
