// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/digest.h"
#include "base/ordered_pool.h"
#include "base/result.h"
#include "writer/block_job.h"
#include "writer/tree.h"

// Whole files that are equal: which are worth a look, which content is known, and the proof on the
// bytes. It does not decide what becomes of a duplicate; tails have an index of their own
// (fragments/tail_index.h).
namespace sqfs {

// What a file's size says before it is read. Only files that share their size can be duplicates.
enum class FileRole : uint8_t {
  kUnique,  // no other file has this size: not even hashed
  kFirst,   // the first of its size: compressed at once, and hashed for the later ones
  kLater,   // hashed before it is compressed: it may cost nothing
};

// One role per file, from the sizes the scan saw. All unique unless `find_duplicates`.
std::vector<FileRole> assign_roles(const Tree& tree, std::span<const NodeId> files,
                                   bool find_duplicates);

// The digest of a file, from the digests of its blocks that are no holes. So a hole costs nothing,
// however long, and it makes no difference whether the host stores it.
class FileDigest {
 public:
  explicit FileDigest(uint64_t size) : digest_{size, 0} {}
  void add(uint64_t block_number, const Digest& block) {
    digest_ = combine(digest_, {block.low ^ block_number, block.high});
  }
  const Digest& value() const { return digest_; }

 private:
  Digest digest_;
};

// Files with data blocks by digest. An entry is a hint, never a proof.
class FileIndex {
 public:
  struct Original {
    NodeId file = kNoNode;
    uint64_t end_slot = 0;  // its blocks have positions once the queue has settled all before it
  };

  void insert(const Digest& digest, Original original) { index_.emplace(digest, original); }
  auto find(const Digest& digest) const { return index_.equal_range(digest); }

 private:
  std::unordered_multimap<Digest, Original, DigestHash> index_;
};

// Compares the blocks of a file on the host with those of `original`, which are all in `image`
// (`image_offset` bytes precede the image there). `reader` names the file. Holes and tails are not
// compared: that both have the same ones is the caller's business.
// False where the file differs or cannot be read as expected; fails when the image cannot be read,
// and with Code::kCancelled.
Result<bool> has_same_blocks(const JobContext& context, OrderedPool& pool, OutputFile& image,
                             uint64_t image_offset, const JobFile& reader,
                             const FileLayout& original, const std::function<bool()>& cancelled);

}  // namespace sqfs
