// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "cli/compare_tree.h"
#include "cli/io.h"
#include "cli/settings.h"
#include "verifier/verify.h"

// What fsck.squashfs prints: lines for people, or one JSON object for programs.
namespace sqfs {

class CheckReport : public FindingSink, public DifferenceSink {
 public:
  using DifferenceSink::report;
  using FindingSink::report;
  // The image was judged; `compared`: --compare was carried out.
  virtual void finish(const Verdict& verdict, uint64_t differences, bool compared) = 0;
  // It could not be judged, or not to the end.
  virtual void fail(const Error& error) = 0;
};

// Lines on io.out: findings as `IMAGE: error[super-magic]: superblock: …`, then a line that sums
// up. A clean image gives none, unless settings.verbose is set; with settings.quiet nothing does.
// Failures go to io.err.
std::unique_ptr<CheckReport> make_text_report(const CheckSettings& settings, std::string image,
                                              Io& io);

// One object, its members in a fixed order. Bytes that are no UTF-8 become lone surrogates
// U+DC80..U+DCFF, as Python's "surrogateescape" reads and writes them.
std::unique_ptr<CheckReport> make_json_report(const CheckSettings& settings, std::string image,
                                              Io& io);

// `text` with its quotes, for a JSON document.
std::string json_string(std::string_view text);

}  // namespace sqfs
