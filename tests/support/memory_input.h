// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/env.h"

namespace sqfs {

// A file that is a range of memory. Borrows the bytes.
class MemoryInput final : public InputFile {
 public:
  explicit MemoryInput(Bytes bytes) : bytes_(bytes) {}

  Result<size_t> read_at(uint64_t offset, MutableBytes out) override {
    const uint64_t start = std::min<uint64_t>(offset, bytes_.size());
    const Bytes part = bytes_.subspan(start, std::min(out.size(), bytes_.size() - start));
    if (!part.empty()) std::memcpy(out.data(), part.data(), part.size());
    return part.size();
  }
  Result<FileInfo> info() override {
    FileInfo info;
    info.size = bytes_.size();
    return info;
  }
  Result<uint64_t> size() override { return uint64_t{bytes_.size()}; }
  Result<std::optional<uint64_t>> next_data(uint64_t offset) override {
    return std::optional(offset);
  }
  Result<uint64_t> next_hole(uint64_t) override { return uint64_t{bytes_.size()}; }

 private:
  Bytes bytes_;
};

}  // namespace sqfs
