// SPDX-License-Identifier: MIT
#include "writer/dedup.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

namespace sqfs {
namespace {

// Hands out the blocks of a stored file, as jobs of about one job's size.
class CompareFeeder {
 public:
  CompareFeeder(const JobContext& context, OutputFile& image, uint64_t image_offset,
                const JobFile& reader, const FileLayout& original)
      : context_(context),
        image_(image),
        reader_(reader),
        original_(original),
        position_(image_offset + original.start) {}

  bool more() {
    const auto& words = original_.block_words;
    while (number_ < words.size() && words[number_] == 0) ++number_;
    return number_ < words.size();
  }

  std::unique_ptr<CompareJob> next() {
    auto job = std::make_unique<CompareJob>(context_, image_, reader_);
    const size_t limit = job_bytes(context_.options.block_size);
    for (size_t bytes = 0; more() && bytes < limit; ++number_) {
      job->blocks.push_back(next_block());
      bytes += job->blocks.back().size;
    }
    return job;
  }

 private:
  CompareJob::StoredBlock next_block() {
    const uint64_t block_size = context_.options.block_size;
    const uint64_t offset = number_ * block_size;
    const auto size = static_cast<uint32_t>(std::min(block_size, original_.size - offset));
    const uint32_t word = original_.block_words[number_];
    const CompareJob::StoredBlock block{offset, size, word, position_};
    position_ += word & kBlockSizeMask;
    return block;
  }

  const JobContext& context_;
  OutputFile& image_;
  const JobFile& reader_;
  const FileLayout& original_;
  uint64_t position_;
  size_t number_ = 0;
};

}  // namespace

std::vector<FileRole> assign_roles(const Tree& tree, std::span<const NodeId> files,
                                   bool find_duplicates) {
  std::vector<FileRole> roles(files.size(), FileRole::kUnique);
  if (!find_duplicates) return roles;
  std::vector<std::pair<uint64_t, size_t>> by_size;
  by_size.reserve(files.size());
  for (size_t i = 0; i < files.size(); ++i) {
    by_size.emplace_back(tree.file(files[i]).expected_size, i);
  }
  std::ranges::sort(by_size);
  for (size_t i = 1; i < by_size.size(); ++i) {
    if (by_size[i].first != by_size[i - 1].first) continue;
    FileRole& before = roles[by_size[i - 1].second];
    if (before == FileRole::kUnique) before = FileRole::kFirst;
    roles[by_size[i].second] = FileRole::kLater;
  }
  return roles;
}

Result<bool> has_same_blocks(const JobContext& context, OrderedPool& pool, OutputFile& image,
                             uint64_t image_offset, const JobFile& reader,
                             const FileLayout& original, const std::function<bool()>& cancelled) {
  CompareFeeder feeder(context, image, image_offset, reader, original);
  std::deque<OrderedPool::Ticket> running;
  bool is_same = true;
  std::optional<Error> failure;
  // Once the answer is known, what still runs is only waited for.
  while ((is_same && !failure && feeder.more()) || !running.empty()) {
    if (is_same && !failure && feeder.more() && running.size() <= pool.threads()) {
      running.push_back(pool.submit_urgent(feeder.next()));
      continue;
    }
    const std::unique_ptr<Job> done = pool.take(running.front());
    running.pop_front();
    if (!failure && cancelled()) failure = Error{Code::kCancelled, 0, 0, 0, "interrupted"};
    if (!failure && !done->status()) failure = done->status().error();
    if (!static_cast<CompareJob&>(*done).is_same) is_same = false;
  }
  if (failure) return *std::move(failure);
  return is_same;
}

}  // namespace sqfs
