// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

// The problem catalogue (problems.def) as an enumeration and a table. Decoders return these ids in
// Error::problem, so every tool says the same sentence about the same defect.
namespace sqfs {

enum class Problem : uint16_t {
  kNone = 0,
#define SQFS_PROBLEM(id, number, severity, kernel, message, effect) id = (number),
#include "squashfs-format/problems.def"
#undef SQFS_PROBLEM
};

enum class Severity : uint8_t { kNote, kWarning, kError, kFatal };
enum class KernelVerdict : uint8_t { kAccepts, kSilent, kEio, kRejects, kCrashes };

struct ProblemInfo {
  Problem id;
  std::string_view name;  // "SuperMagic": the enumerator without its k
  Severity severity;
  KernelVerdict kernel;
  std::string_view message;
  std::string_view effect;
};

std::span<const ProblemInfo> problem_catalogue();  // sorted by number
const ProblemInfo& info(Problem problem);          // problem must be in the catalogue

inline Problem problem_of(const Error& error) { return static_cast<Problem>(error.problem); }

// "super-magic": how reports and --json name the problem.
std::string kebab_name(Problem problem);

// Fills in a row's message: {found} {expected} as decimal, {found:x} {expected:x} as 0x… hex,
// {detail}.
std::string format_message(Problem problem, uint64_t found, uint64_t expected,
                           std::string_view detail);

// An Error of Code::kCorrupt carrying `problem`, whose `what` is the filled-in message.
Error corrupt(Problem problem, uint64_t offset, uint64_t found = 0, uint64_t expected = 0,
              std::string_view detail = {});

static_assert(static_cast<uint16_t>(Problem::kTruncated) == 0x0001);  // == kProblemTruncated

}  // namespace sqfs
