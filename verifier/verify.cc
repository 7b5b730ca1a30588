// SPDX-License-Identifier: MIT
#include "verifier/verify.h"

#include <algorithm>

#include "verifier/facts.h"
#include "verifier/paths.h"

namespace sqfs {
namespace {

constexpr uint64_t kDefaultMemory = uint64_t{256} << 20;

void count_inodes(const Facts& facts, Verdict& verdict) {
  verdict.inodes = facts.inodes.size();
  verdict.directories = facts.directories.size();
  verdict.files = static_cast<uint64_t>(
      std::count_if(facts.inodes.begin(), facts.inodes.end(),
                    [](const InodeFact& inode) { return inode.is(InodeType::kFile); }));
}

// Findings name inodes by their records until here; from here on every path can be told.
void release(Facts& facts, Findings& findings) {
  findings.release([&facts, &findings](uint32_t record) {
    return Findings::Owner{facts.inodes[record].number, path_of(facts, record, findings)};
  });
}

Status run_passes(const Context& context, Facts& facts, Findings& findings, Verdict& verdict) {
  using Pass = Status (*)(const Context&, Facts&, Findings&);
  for (const Pass pass : {pass_super, pass_tables, pass_inodes, pass_directories}) {
    SQFS_CHECKED(pass(context, facts, findings));
    if (findings.has_fatal()) return ok();
  }
  release(facts, findings);
  SQFS_CHECKED(pass_links(context, facts, findings));
  if (context.options.check_data) SQFS_CHECKED(pass_data(context, facts, findings, verdict));
  return pass_space(context, facts, findings);
}

}  // namespace

Result<Verdict> verify_image(const VerifyOptions& options, InputFile& image, FindingSink& sink) {
  SQFS_TRY(const uint64_t file_size, image.size());
  const uint64_t size = file_size - std::min(file_size, options.offset);
  const Context context{options, ImageFile(image, options.offset, size)};
  Facts facts(options.max_memory != 0 ? options.max_memory : kDefaultMemory);
  Findings findings(sink, options.max_per_problem);
  Verdict verdict;
  const Status status = run_passes(context, facts, findings, verdict);
  release(facts, findings);
  if (!status) return status.error();
  count_inodes(facts, verdict);
  findings.summarize(verdict);
  return verdict;
}

}  // namespace sqfs
