// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace sqfs {

enum class FragmentPolicy : uint8_t {
  kNone,        // every tail is a short data block
  kSmallFiles,  // files below one block are packed; longer files' tails are short data blocks
  kTailEnds,    // all tails are packed
};

// What one file asks for, other than the options that hold for all.
struct DataPolicy {
  enum class Choice : uint8_t { kAsOptions, kYes, kNo };

  Choice fragments = Choice::kAsOptions;   // kNo: every tail is a short data block
  Choice tail_ends = Choice::kAsOptions;   // kYes: the tail is packed, however long the file
  Choice compressed = Choice::kAsOptions;  // of its blocks, and of the fragment block of its tail
  uint8_t align_log = 0;                   // its blocks begin at a multiple of 2^align_log
  uint16_t fragment_group = 0;             // tails of different groups share no fragment block

  bool is_aligned() const { return align_log != 0; }

  // An aligned file's bytes are all in its blocks.
  FragmentPolicy fragment_policy(FragmentPolicy options) const {
    const bool packs = chosen(fragments, options != FragmentPolicy::kNone);
    if (!packs || is_aligned()) return FragmentPolicy::kNone;
    const bool packs_all = chosen(tail_ends, options == FragmentPolicy::kTailEnds);
    return packs_all ? FragmentPolicy::kTailEnds : FragmentPolicy::kSmallFiles;
  }
  // `option`: whether blocks are stored as they are.
  bool is_raw(bool option) const { return !chosen(compressed, !option); }

 private:
  static bool chosen(Choice choice, bool otherwise) {
    return choice == Choice::kAsOptions ? otherwise : choice == Choice::kYes;
  }
};

}  // namespace sqfs
