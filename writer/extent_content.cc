// SPDX-License-Identifier: MIT
#include "writer/extent_content.h"

#include <algorithm>
#include <utility>

#include "writer/section_content.h"

namespace sqfs {
namespace {

struct Extents {
  std::vector<Extent> list;
  uint64_t size = 0;

  // The first extent that ends behind `offset`.
  auto from(uint64_t offset) const {
    return std::partition_point(list.begin(), list.end(), [offset](const Extent& extent) {
      return extent.offset + extent.size <= offset;
    });
  }
};

class ExtentFile final : public InputFile {
 public:
  // The extents belong to the Content, which outlives its open files.
  ExtentFile(std::shared_ptr<InputFile> data, const Extents& extents)
      : data_(std::move(data)), extents_(extents) {}

  Result<size_t> read_at(uint64_t offset, MutableBytes out) override {
    if (offset >= extents_.size) return size_t{0};
    out = out.first(static_cast<size_t>(std::min<uint64_t>(out.size(), extents_.size - offset)));
    std::ranges::fill(out, std::byte{0});
    const uint64_t end = offset + out.size();
    for (auto at = extents_.from(offset); at != extents_.list.end() && at->offset < end; ++at) {
      const uint64_t first = std::max(offset, at->offset);
      const uint64_t last = std::min(end, at->offset + at->size);
      const MutableBytes into =
          out.subspan(static_cast<size_t>(first - offset), static_cast<size_t>(last - first));
      SQFS_TRY(const size_t got, data_->read_at(at->stored + (first - at->offset), into));
      if (got != into.size()) return io_error(0, "a temporary file was cut short by somebody");
    }
    return out.size();
  }
  Result<FileInfo> info() override {
    SQFS_TRY(FileInfo info, data_->info());
    info.size = extents_.size;
    return info;
  }
  Result<uint64_t> size() override { return extents_.size; }

  Result<std::optional<uint64_t>> next_data(uint64_t offset) override {
    const auto at = extents_.from(offset);
    if (at == extents_.list.end()) return std::optional<uint64_t>();
    return std::optional(std::max(offset, at->offset));
  }
  Result<uint64_t> next_hole(uint64_t offset) override {
    for (auto at = extents_.from(offset); at != extents_.list.end() && at->offset <= offset; ++at) {
      offset = at->offset + at->size;
    }
    return std::min(offset, extents_.size);
  }

 private:
  std::shared_ptr<InputFile> data_;
  const Extents& extents_;
};

class ExtentContent final : public Content {
 public:
  ExtentContent(std::shared_ptr<InputFile> data, Extents extents)
      : data_(std::move(data)), extents_(std::move(extents)) {}

  Result<std::unique_ptr<InputFile>> open(Env&) const override {
    return std::make_unique<ExtentFile>(data_, extents_);
  }

 private:
  std::shared_ptr<InputFile> data_;
  Extents extents_;
};

}  // namespace

std::unique_ptr<Content> extent_content(std::shared_ptr<InputFile> data,
                                        std::vector<Extent> extents, uint64_t size) {
  if (size == 0) return section_content(std::move(data), 0, 0);
  if (extents.size() == 1 && extents[0].size == size) {
    return section_content(std::move(data), extents[0].stored, size);
  }
  extents.shrink_to_fit();
  return std::make_unique<ExtentContent>(std::move(data), Extents{std::move(extents), size});
}

}  // namespace sqfs
