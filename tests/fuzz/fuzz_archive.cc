// SPDX-License-Identifier: MIT
// Fuzzes archives as sources: any bytes are an archive, or a layer on another one, and either a
// clean image comes of it or an error, in little time and memory.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>

#include "tests/support/fake_env.h"
#include "tests/support/verify_run.h"
#include "writer/build.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

constexpr size_t kTarBlock = 512, kChecksum = 148, kChecksumSize = 8, kMagic = 257;
// What a few bytes may unpack to.
constexpr uint64_t kMaxUnpacked = 2u << 20;
constexpr size_t kMaxPieces = 64;

class Silence final : public sqfs::BuildObserver {
 public:
  void warning(const std::string&) override {}
  void progress(uint64_t, uint64_t) override {}
  bool wants_files() const override { return false; }
  void file(const FileEvent&) override {}
};

bool is_header(const uint8_t* block) { return std::memcmp(block + kMagic, "ustar", 5) == 0; }

// A tar header with a wrong checksum is refused at once: give it the right one.
void sign(uint8_t* block) {
  std::memset(block + kChecksum, ' ', kChecksumSize);
  unsigned sum = 0;
  for (size_t i = 0; i < kTarBlock; ++i) sum += block[i];
  for (size_t i = 6; i > 0; --i, sum >>= 3) {
    block[kChecksum + i - 1] = static_cast<uint8_t>('0' + (sum & 7));
  }
  block[kChecksum + 6] = 0;
}

void change_block(uint8_t* block, std::minstd_rand& random) {
  // Where a header has its fields: name, mode, ids, size, time, type, link, prefix and sparse map.
  constexpr size_t kFields[] = {0,   1,   100, 108, 116, 124, 125, 130, 135, 136,
                                156, 157, 265, 297, 329, 337, 345, 386, 398, 482};
  constexpr uint8_t kBytes[] = {0,   '0', '1', '2', '5', '7', 'L', 'K',  'S',  'x', 'g',
                                'D', 'M', 'V', '/', '.', ' ', '=', 0x80, 0xff, '\n'};
  for (size_t changes = 1 + random() % 4; changes > 0; --changes) {
    const size_t at =
        random() % 3 == 0 ? random() % kTarBlock : kFields[random() % std::size(kFields)];
    block[at] =
        random() % 4 == 0 ? static_cast<uint8_t>(random()) : kBytes[random() % std::size(kBytes)];
  }
}

sqfs::BuildOptions options_for(const uint8_t* data, size_t size) {
  sqfs::BuildOptions options;
  options.source_kind = sqfs::SourceKind::kArchives;
  options.sources = {"-"};
  options.data.compressor = sqfs::find_compressor("lz4");
  options.data.block_size = 4096;
  options.data.threads = 0;
  options.archive.max_hole_blocks = 64;
  // The end of an archive is padding in most: bits of it choose options.
  const unsigned bits = size == 0 ? 0 : data[size - 1];
  options.archive.ignore_zeros = (bits & 1) != 0;
  options.archive.numeric_owner = (bits & 2) != 0;
  if ((bits & 4) != 0) {
    options.archive.are_layers = true;
    options.sources = {"/base", "-"};
  }
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const sqfs::Bytes archive(reinterpret_cast<const std::byte*>(data), size);
  sqfs::FakeEnv env;
  env.standard_input.assign(archive.begin(), archive.end());
  const sqfs::BuildOptions options = options_for(data, size);
  if (options.archive.are_layers) env.add_file("/base", sqfs::FakeContent(env.standard_input));
  Silence silence;
  // One that unpacks to much more than it is only costs time.
  const auto is_large = [&env] { return env.spooled_bytes > kMaxUnpacked; };
  const auto summary = sqfs::build_image(options, "/image", env, silence, is_large);
  if (!summary) {
    if (env.open_input("/image")) std::abort();  // half an image was left
    return 0;
  }
  const auto file = env.open_input("/image");
  if (!file) std::abort();
  sqfs::Buffer image(*(*file)->size());
  if (!(*file)->read_at(0, image)) std::abort();
  const sqfs::VerifyRun run = sqfs::run_verifier(image);
  if (!run.verdict || !run.verdict->is_clean() || !run.findings.empty()) std::abort();
  return 0;
}

// Changes headers of tar so that they still are some; everything else as usual.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  std::minstd_rand random(seed);
  const size_t blocks = size / kTarBlock;
  if (blocks == 0 || !is_header(data) || random() % 4 == 0) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  if (random() % 4 == 0 && size + kTarBlock <= max_size) {  // an entry twice, or elsewhere
    const size_t from = random() % blocks * kTarBlock, to = random() % blocks * kTarBlock;
    uint8_t block[kTarBlock];
    std::memcpy(block, data + from, kTarBlock);
    std::memmove(data + to + kTarBlock, data + to, size - to);
    std::memcpy(data + to, block, kTarBlock);
    return size + kTarBlock;
  }
  for (size_t tries = 0; tries < kMaxPieces; ++tries) {
    uint8_t* block = data + random() % blocks * kTarBlock;
    if (!is_header(block) && random() % 8 != 0) continue;
    const bool was_header = is_header(block);
    change_block(block, random);
    if (was_header) sign(block);
    break;
  }
  return size;
}
