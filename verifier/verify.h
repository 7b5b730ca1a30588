// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/result.h"
#include "squashfs-format/problem.h"

// Re-parses an image, trusting nothing, and reports everything that is wrong with it. Shares the
// decoders of squashfs-format with the writer, and nothing else.
namespace sqfs {

enum class Where : uint8_t {
  kSuperblock,
  kTable,
  kInode,
  kDirectory,
  kFragment,
  kXattrSet,
  kBlock,
  kImage
};

// One problem at one place, ready to be printed: below cli/ nobody else builds these sentences.
struct Finding {
  Problem problem = Problem::kNone;
  Where where = Where::kImage;
  uint64_t image_offset =
      0;  // of the metadata block or data block concerned, from the image's start
  uint32_t inode_number = 0;  // 0: none
  std::string path;           // "/a/b" as stored in the image; empty: none or unknown
  uint64_t found = 0, expected = 0;
  std::string detail;
  std::string message;  // the catalogue's sentence, filled in
};

class FindingSink {
 public:
  virtual ~FindingSink() = default;
  virtual void report(const Finding& finding) = 0;
};

struct VerifyOptions {
  uint64_t offset = 0;            // bytes before the image in the file
  bool check_data = true;         // decompress every data and fragment block
  unsigned threads = 0;           // 0: in the calling thread
  uint64_t max_memory = 0;        // bytes; 0: a default of 256 MiB
  uint32_t max_per_problem = 20;  // reported findings of one problem; the rest are counted
};

struct Verdict {
  uint64_t fatal = 0, errors = 0, warnings = 0, notes = 0;
  bool stopped = false;  // a fatal problem ended it early: what follows was not judged
  uint64_t inodes = 0, directories = 0, files = 0, data_blocks = 0, fragments = 0,
           bytes_checked = 0;

  // Findings beyond max_per_problem: counted above, but not handed to the sink.
  struct Unreported {
    Problem problem = Problem::kNone;
    uint64_t count = 0;
  };
  std::vector<Unreported> unreported;

  bool is_clean() const { return fatal == 0 && errors == 0; }
};

// An Error means that the image could not be judged (unreadable file, no memory); what was found
// goes to the sink, in an order that does not depend on the number of threads.
Result<Verdict> verify_image(const VerifyOptions& options, InputFile& image, FindingSink& sink);

}  // namespace sqfs
