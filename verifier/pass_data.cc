// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <tuple>
#include <variant>

#include "base/ordered_pool.h"
#include "squashfs-format/metadata.h"
#include "verifier/block_check.h"
#include "verifier/facts.h"
#include "verifier/file_blocks.h"

namespace sqfs {
namespace {

// A block as one file, or one fragment, sees it.
struct BlockUse {
  uint64_t start = 0;
  uint32_t word = 0;
  uint32_t raw_size = 0;  // what it has to hold; of a fragment, the most
  uint32_t owner = 0;     // record of the inode, or index of the fragment
};

// Blocks are collected in the order of the inodes, checked in the order of the image. Images with
// more blocks than this are checked in several rounds.
constexpr size_t kMaxUses = 1 << 21;
constexpr uint64_t kWindowBytes = 16 << 20;
constexpr size_t kInodeView = 320;

// Checks lists of uses, each stored block once, on all threads.
class BlockChecker {
 public:
  BlockChecker(const Context& context, Facts& facts, Findings& findings, Verdict& verdict)
      : context_(context),
        facts_(facts),
        findings_(findings),
        verdict_(verdict),
        pool_(context.options.threads, kWindowBytes, [&facts] {
          return BlockWorker::make(*facts.compressor, facts.config, facts.super.block_size);
        }) {}

  // Sorts `uses` and checks each block they name once. Borrows `uses` for the call.
  Status run(std::vector<BlockUse>& uses, bool are_fragments) {
    are_fragments_ = are_fragments;
    uses_ = &uses;
    const Status status = check_sorted(uses);
    uses_ = nullptr;
    return status;
  }

 private:
  Status check_sorted(std::vector<BlockUse>& uses) {
    std::sort(uses.begin(), uses.end(), [](const BlockUse& a, const BlockUse& b) {
      return std::tuple(a.start, a.word, a.raw_size, a.owner) <
             std::tuple(b.start, b.word, b.raw_size, b.owner);
    });
    auto job = new_job();
    uint64_t covered = 0;
    for (size_t i = 0; i < uses.size();) {
      const BlockCheck block = next_block(i);
      if (block.start < covered && !may_overlap(block, covered)) continue;
      covered = std::max(covered, block.end());
      if (!job->accepts(block)) {
        SQFS_CHECKED(submit(std::move(job)));
        job = new_job();
      }
      job->add(block);
    }
    SQFS_CHECKED(submit(std::move(job)));
    while (pool_.in_flight() > 0) SQFS_CHECKED(finish_oldest());
    return ok();
  }

  std::unique_ptr<BlockCheckJob> new_job() const {
    return std::make_unique<BlockCheckJob>(context_.image, facts_.compressor_id);
  }

  static bool same_block(const BlockUse& a, const BlockUse& b) {
    return a.start == b.start && a.word == b.word;
  }

  // The block that uses [i, …) have in common; moves i behind them.
  BlockCheck next_block(size_t& i) const {
    const std::vector<BlockUse>& uses = *uses_;
    BlockCheck block;
    block.start = uses[i].start;
    block.word = uses[i].word;
    block.first_use = i;
    for (const size_t first = i; i < uses.size() && same_block(uses[first], uses[i]); ++i) {
      block.capacity = std::max(block.capacity, uses[i].raw_size);
    }
    return block;
  }

  Place place_of(const BlockUse& use) const {
    if (!are_fragments_) return {Where::kBlock, use.start, use.owner, {}, {}};
    return {Where::kFragment, use.start, kNoRecord, "fragment " + std::to_string(use.owner), {}};
  }

  // A block that starts inside another one. Bytes stored raw may be shared like that; that a part
  // of a compressed block is a good block as well does not happen.
  bool may_overlap(const BlockCheck& block, uint64_t covered) {
    const Problem problem =
        block.is_raw() ? Problem::kBlocksOverlap : Problem::kCompressedBlocksOverlap;
    findings_.report(problem, place_of((*uses_)[block.first_use]), block.start, covered);
    return block.is_raw();
  }

  Status submit(std::unique_ptr<BlockCheckJob> job) {
    if (job->blocks.empty()) return ok();
    const uint64_t cost = job->cost();
    while (!pool_.has_room(cost)) SQFS_CHECKED(finish_oldest());
    pool_.submit(std::move(job), cost);
    return ok();
  }

  Status finish_oldest() {
    const std::unique_ptr<Job> job = pool_.pop();
    if (!job->status()) return job->status().error();
    for (const BlockCheck& block : static_cast<const BlockCheckJob&>(*job).blocks) judge(block);
    return ok();
  }

  void judge(const BlockCheck& block) {
    ++(are_fragments_ ? verdict_.fragments : verdict_.data_blocks);
    verdict_.bytes_checked += block.raw_size;
    const std::vector<BlockUse>& uses = *uses_;
    const Place place = place_of(uses[block.first_use]);
    if (block.error) {
      findings_.report(*block.error, place);
      return;
    }
    if (block.issue) {
      findings_.report(block.issue->problem, place, block.issue->found, block.issue->expected,
                       block.issue->detail);
    }
    if (block.is_zero && !are_fragments_) findings_.report(Problem::kBlockAllZero, place);
    if (!block.is_raw() && block.stored_size() >= block.raw_size) {
      findings_.report(Problem::kBlockNotSmaller, place, block.stored_size(), block.raw_size);
    }
    for (size_t i = block.first_use; i < uses.size() && same_block(uses[block.first_use], uses[i]);
         ++i) {
      judge_use(block, uses[i]);
    }
  }

  void judge_use(const BlockCheck& block, const BlockUse& use) {
    if (are_fragments_) {
      if (block.raw_size == 0) findings_.report(Problem::kBlockShort, place_of(use), 0, 1);
      (*facts_.fragments)[use.owner].raw_size = block.raw_size;
    } else if (block.raw_size < use.raw_size) {
      // Of a raw block, pass_inodes has said it.
      if (block.is_raw()) return;
      findings_.report(Problem::kBlockShort, place_of(use), block.raw_size, use.raw_size);
    } else if (block.raw_size > use.raw_size && !block.is_raw()) {
      findings_.report(Problem::kCompressedTooLong, place_of(use), block.raw_size, use.raw_size);
    }
  }

  const Context& context_;
  Facts& facts_;
  Findings& findings_;
  Verdict& verdict_;
  OrderedPool pool_;
  std::vector<BlockUse>* uses_ = nullptr;
  bool are_fragments_ = false;
};

Status check_fragments(Facts& facts, BlockChecker& checker) {
  if (!facts.fragments) return ok();
  std::vector<BlockUse> uses;
  for (uint32_t i = 0; i < facts.fragments->size(); ++i) {
    const FragmentFact& fragment = (*facts.fragments)[i];
    if (fragment.word == 0) continue;
    SQFS_CHECKED(facts.budget.append(
        uses, BlockUse{fragment.start, fragment.word, facts.super.block_size, i}));
  }
  return checker.run(uses, true);
}

// Reads the files of the inode table once more: their block words are not kept.
class FileReader {
 public:
  FileReader(Facts& facts, Findings& findings, BlockChecker& checker)
      : facts_(facts),
        findings_(findings),
        checker_(checker),
        cursor_(*facts.inode_table, findings) {}

  Status run() {
    for (uint32_t record = 0; record < facts_.inodes.size(); ++record) {
      if (facts_.inodes[record].is(InodeType::kFile)) SQFS_CHECKED(read(record));
    }
    return checker_.run(uses_, false);
  }

 private:
  Status read(uint32_t record) {
    SQFS_TRY([[maybe_unused]] const bool found,
             cursor_.seek_ref(MetadataRef::unpack(facts_.inodes[record].ref)));
    SQFS_TRY(const Bytes view, cursor_.peek(kInodeView));
    const Place place{Where::kInode, cursor_.place().image_offset, record, {}, {}};
    ByteReader in(view);
    SQFS_TRY(const Inode inode, decode_inode(in));
    const auto& file = std::get<FileBody>(inode.body);
    check_tail(file, place);
    SQFS_TRY([[maybe_unused]] const uint64_t moved, cursor_.skip(in.offset()));
    return add_blocks(file, record);
  }

  // Of compressed fragments, pass_inodes knew only an upper bound of the size.
  void check_tail(const FileBody& file, const Place& place) {
    if (!facts_.fragments || file.fragment >= facts_.fragments->size()) return;
    const FragmentFact& fragment = (*facts_.fragments)[file.fragment];
    if (fragment.word == 0 || (fragment.word & kBlockRawBit) != 0) return;
    const uint64_t end =
        uint64_t{file.fragment_offset} + fragment_tail_size(file, facts_.super.block_size);
    if (end > fragment.raw_size && end <= facts_.super.block_size) {
      findings_.report(Problem::kInodeFragmentRange, place, end, fragment.raw_size);
    }
  }

  Status add_blocks(const FileBody& file, uint32_t record) {
    uint64_t at = file.start;
    bool is_usable = true;
    SQFS_TRY([[maybe_unused]] const bool complete,
             for_each_block(cursor_, file, facts_.super.block_size, [&](const FilePiece& piece) {
               const auto word = decode_block_word(piece.word, piece.raw_size);
               is_usable = is_usable && word && lies_inside(at, word->stored_size);
               if (!is_usable || word->is_hole()) return ok();
               const BlockUse use{at, piece.word, piece.raw_size, record};
               at += word->stored_size;
               return add(use);
             }));
    return ok();
  }

  bool lies_inside(uint64_t at, uint32_t stored_size) const {
    if (stored_size == 0) return true;
    const uint64_t limit = facts_.super.bytes_used;
    return at >= facts_.data_start && at <= limit && stored_size <= limit - at;
  }

  Status add(const BlockUse& use) {
    if (uses_.size() >= kMaxUses) {
      SQFS_CHECKED(checker_.run(uses_, false));
      uses_.clear();
    }
    return facts_.budget.append(uses_, use);
  }

  Facts& facts_;
  Findings& findings_;
  BlockChecker& checker_;
  MetadataCursor cursor_;
  std::vector<BlockUse> uses_;
};

}  // namespace

Status pass_data(const Context& context, Facts& facts, Findings& findings, Verdict& verdict) {
  SQFS_CHECKED(facts.budget.take(kWindowBytes));
  BlockChecker checker(context, facts, findings, verdict);
  SQFS_CHECKED(check_fragments(facts, checker));
  return FileReader(facts, findings, checker).run();
}

}  // namespace sqfs
