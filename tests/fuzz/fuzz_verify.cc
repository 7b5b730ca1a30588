// SPDX-License-Identifier: MIT
// Fuzzes the whole verifier: any bytes are an image, and none may crash it, keep it busy, or make
// it take more memory than it is allowed.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>

#include "tests/support/verify_run.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

constexpr uint64_t kMaxMemory = uint64_t{64} << 20;
constexpr size_t kInodeTableStart = 64;  // its place in the superblock

// The tables are where damage tells; most of an image is data.
size_t pick_place(const uint8_t* data, size_t size, std::minstd_rand& random) {
  uint64_t tables = 0;
  if (size >= 96) std::memcpy(&tables, data + kInodeTableStart, sizeof tables);
  const bool in_tables = tables < size && random() % 4 != 0;
  const size_t first = in_tables ? static_cast<size_t>(tables) : 0;
  return first + random() % (size - first);
}

uint64_t pick_value(uint64_t now, std::minstd_rand& random) {
  constexpr uint64_t kValues[] = {0,      1,       2,       3,          0x7f,       0x80,
                                  0xff,   0x100,   0x1fff,  0x2000,     0x7fff,     0x8000,
                                  0xffff, 1 << 16, 1 << 24, 0x7fffffff, 0x80000000, 0xffffffff};
  switch (random() % 4) {
    case 0: return kValues[random() % std::size(kValues)];
    case 1: return now + random() % 17 - 8;
    case 2: return now ^ (uint64_t{1} << (random() % 64));
    default: return random();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const sqfs::Bytes image(reinterpret_cast<const std::byte*>(data), size);
  sqfs::VerifyOptions options;
  options.max_memory = kMaxMemory;
  const sqfs::VerifyRun run = sqfs::run_verifier(image, options);
  // What a caller goes by has to agree with what was reported.
  if (run.verdict && run.findings.empty() && !run.verdict->is_clean()) std::abort();
  return 0;
}

// Mostly overwrites a number in place: an image with bytes inserted is refused at once.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  std::minstd_rand random(seed);
  if (size < 8 || random() % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);
  for (size_t changes = 1 + random() % 4; changes > 0; --changes) {
    const size_t width = size_t{1} << (random() % 4);
    const size_t at = std::min(pick_place(data, size, random), size - width);
    uint64_t value = 0;
    std::memcpy(&value, data + at, width);
    value = pick_value(value, random);
    std::memcpy(data + at, &value, width);
  }
  return size;
}
