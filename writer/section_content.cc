// SPDX-License-Identifier: MIT
#include "writer/section_content.h"

#include <algorithm>
#include <utility>

namespace sqfs {
namespace {

class SectionFile final : public InputFile {
 public:
  SectionFile(std::shared_ptr<InputFile> file, uint64_t offset, uint64_t size)
      : file_(std::move(file)), offset_(offset), size_(size) {}

  Result<size_t> read_at(uint64_t offset, MutableBytes out) override {
    if (offset >= size_) return size_t{0};
    const uint64_t wanted = std::min<uint64_t>(out.size(), size_ - offset);
    return file_->read_at(offset_ + offset, out.first(static_cast<size_t>(wanted)));
  }
  Result<FileInfo> info() override {
    SQFS_TRY(FileInfo info, file_->info());
    info.size = size_;
    return info;
  }
  Result<uint64_t> size() override { return size_; }

  Result<std::optional<uint64_t>> next_data(uint64_t offset) override {
    SQFS_TRY(const auto at, file_->next_data(offset_ + offset));
    if (!at || *at >= offset_ + size_) return std::optional<uint64_t>();
    return std::optional(*at - offset_);
  }
  Result<uint64_t> next_hole(uint64_t offset) override {
    SQFS_TRY(const uint64_t at, file_->next_hole(offset_ + offset));
    return std::min(at - offset_, size_);
  }

 private:
  std::shared_ptr<InputFile> file_;
  uint64_t offset_, size_;
};

class SectionContent final : public Content {
 public:
  SectionContent(std::shared_ptr<InputFile> file, uint64_t offset, uint64_t size)
      : file_(std::move(file)), offset_(offset), size_(size) {}

  Result<std::unique_ptr<InputFile>> open(Env&) const override {
    return std::make_unique<SectionFile>(file_, offset_, size_);
  }

 private:
  std::shared_ptr<InputFile> file_;
  uint64_t offset_, size_;
};

}  // namespace

std::unique_ptr<Content> section_content(std::shared_ptr<InputFile> file, uint64_t offset,
                                         uint64_t size) {
  return std::make_unique<SectionContent>(std::move(file), offset, size);
}

}  // namespace sqfs
