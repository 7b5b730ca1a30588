// SPDX-License-Identifier: MIT
#include "writer/pseudo_commands.h"

#include <memory>
#include <utility>

#include "base/text.h"
#include "writer/section_content.h"

namespace sqfs {
namespace {

class CommandRunner {
 public:
  CommandRunner(const BuildOptions& options, const std::string& destination, Env& env,
                const Warn& warn, const std::function<bool()>& cancelled)
      : options_(options),
        destination_(destination),
        env_(env),
        warn_(warn),
        cancelled_(cancelled) {}

  Result<RegularFile> run(const PseudoDefinition& definition, const std::string& command) {
    if (spool_ == nullptr) {
      SQFS_TRY(spool_, env_.create_spool(destination_));
    }
    const uint64_t start = spool_->end();
    SQFS_TRY(const bool is_complete, print(definition, command));
    PseudoSection section;
    section.file = spool_;
    section.offset = start;
    section.size = is_complete ? spool_->end() - start : 0;
    return file_of_section(section, printable(definition.path), options_.data.block_size);
  }

 private:
  // Puts what the command prints at the end of the spool. False: it failed, and what it has printed
  // does not count.
  Result<bool> print(const PseudoDefinition& definition, const std::string& command) {
    Status spooled = ok();
    const auto take = [&](Bytes bytes) -> Status {
      if (cancelled_()) spooled = Error{Code::kCancelled, 0, 0, 0, "interrupted"};
      if (spooled) spooled = spool_->append(bytes);
      return spooled;
    };
    const auto status = env_.run({{"/bin/sh", "-c", command}, {}}, take);
    SQFS_CHECKED(spooled);
    if (status && *status == 0) return true;
    const std::string what = "Failed to read file " + printable(definition.path);
    const std::string why =
        status ? "its command ended with status " + std::to_string(*status) : status.error().what;
    if (options_.data.exit_on_error) {
      return unsupported_error(definition.place + ": " + what + ": " + why);
    }
    warn_(what + ", creating empty file (" + why + ")");
    return false;
  }

  const BuildOptions& options_;
  const std::string& destination_;
  Env& env_;
  const Warn& warn_;
  const std::function<bool()>& cancelled_;
  std::shared_ptr<SpoolFile> spool_;  // shared with the contents of the files
};

}  // namespace

Result<RegularFile> file_of_section(const PseudoSection& section, const std::string& label,
                                    uint32_t block_size) {
  SQFS_CHECKED(check_file_size(section.size, block_size, label));
  RegularFile file;
  file.expected_size = section.size;
  file.is_sparse_on_host = section.is_sparse;
  file.content = section_content(section.file, section.offset, section.size);
  return file;
}

Status run_pseudo_commands(const BuildOptions& options, std::span<const NodeId> nodes,
                           const std::string& destination, Env& env, const Warn& warn,
                           const std::function<bool()>& cancelled, Tree& tree) {
  CommandRunner runner(options, destination, env, warn, cancelled);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto* command = std::get_if<PseudoCommand>(&options.pseudo[i].kind);
    if (command == nullptr || nodes[i] == kNoNode) continue;
    SQFS_TRY(RegularFile file, runner.run(options.pseudo[i], command->command));
    tree.node(nodes[i]).kind = std::move(file);
  }
  return ok();
}

}  // namespace sqfs
