// SPDX-License-Identifier: MIT
#include "writer/stream.h"

#include "base/text.h"
#include "squashfs-format/superblock.h"

namespace sqfs {
namespace {

constexpr size_t kMagicSize = 4;

Error no_stream(const std::string& path, const std::string& why) {
  return unsupported_error("\"" + printable(path) +
                           "\" is no image that -stream has written: " + why);
}

// The superblock at the end, if `file` has the form that it has to have.
Result<Buffer> find_superblock(InputFile& file, const std::string& path) {
  SQFS_TRY(const uint64_t size, file.size());
  Buffer magic(kMagicSize), block(kSuperblockSize);
  SQFS_TRY(const size_t magic_got, file.read_at(0, magic));
  if (magic_got != kMagicSize || !same_bytes(magic, Bytes(stream_head()).first(kMagicSize))) {
    return no_stream(path, "it does not begin with the bytes HSQS");
  }
  if (size < 2 * kSuperblockSize) return no_stream(path, "it ends early");
  SQFS_TRY(const size_t got, file.read_at(size - kSuperblockSize, block));
  if (got != kSuperblockSize) return no_stream(path, "it ends early");
  SQFS_TRY(const Superblock super, decode_superblock(block));
  if (auto status = check_identity(super); !status) {
    return no_stream(path, "there is no superblock in its last 96 bytes");
  }
  if (super.bytes_used > size - kSuperblockSize) return no_stream(path, "it ends early");
  return block;
}

}  // namespace

Buffer stream_head() {
  Buffer head;
  head.reserve(kSuperblockSize);
  ByteWriter(head).u32(kStreamMagic);
  head.resize(kSuperblockSize);
  return head;
}

// The magic number goes last, and the end is cut off only when the front is on disk.
Status fix_stream(Env& env, const std::string& path) {
  SQFS_TRY(const auto input, env.open_input(path));
  SQFS_TRY(const Buffer block, find_superblock(*input, path));
  SQFS_TRY(const uint64_t size, input->size());
  SQFS_TRY(const auto output, env.open_for_update(path));
  SQFS_CHECKED(output->write_at(kMagicSize, Bytes(block).subspan(kMagicSize)));
  SQFS_CHECKED(output->sync());
  SQFS_CHECKED(output->write_at(0, Bytes(block).first(kMagicSize)));
  SQFS_CHECKED(output->sync());
  SQFS_CHECKED(output->truncate(size - kSuperblockSize));
  SQFS_CHECKED(output->sync());
  return output->commit();
}

}  // namespace sqfs
