// SPDX-License-Identifier: MIT
#include <algorithm>

#include "compressors/rows.h"
#include "compressors/stream_errors.h"

#if LZMA_XZ_SUPPORT
#include "compressors/lzma_memory.h"
#endif

// lzma: the .lzma format, for images that no kernel mounts but other tools still read.
// Stream: 0 u8 properties | 1 u32 dictionary size | 5 u64 raw size | 13 LZMA data. Encoders differ
// in whether an end marker follows the data, although the size is known: ours writes one (liblzma
// cannot do without before 5.4), and both kinds are read.
namespace sqfs {

Status LzmaRow::finish(CompressorConfig&, uint32_t) { return ok(); }

Buffer LzmaRow::encode_options(const CompressorConfig&, uint32_t) { return {}; }

Status LzmaRow::decode_options(Bytes payload, CompressorConfig&, uint32_t) {
  if (payload.empty()) return ok();
  return corrupt(Problem::kCompressorOptionsValue, 0, payload.size(), 0, "lzma has no options");
}

#if LZMA_XZ_SUPPORT
namespace {

constexpr uint32_t kPreset = 6;
constexpr size_t kRawSizeOffset = 5, kHeaderSize = 13;
// A stream states its dictionary itself. unsquashfs stops at 32 MiB; this leaves some room.
constexpr uint64_t kDecoderMemoryLimit = uint64_t{64} << 20;

// A liblzma coder in use for one block; its memory goes back on scope exit.
struct LzmaStream : lzma_stream {
  explicit LzmaStream(const LzmaMemory& memory) : lzma_stream(LZMA_STREAM_INIT) {
    allocator = memory.allocator();
  }
  LzmaStream(const LzmaStream&) = delete;
  LzmaStream& operator=(const LzmaStream&) = delete;
  ~LzmaStream() { lzma_end(this); }

  void set_buffers(Bytes in, MutableBytes out) {
    next_in = reinterpret_cast<const uint8_t*>(in.data());
    avail_in = in.size();
    next_out = reinterpret_cast<uint8_t*>(out.data());
    avail_out = out.size();
  }
};

class LzmaCompressor final : public Compressor {
 public:
  explicit LzmaCompressor(uint32_t block_size) : block_size_(block_size) {}

  Result<std::optional<size_t>> compress(Bytes in, MutableBytes out) override {
    return encode_stream(in, out, std::max(block_size_, kMetadataBlockSize));
  }

  Result<std::optional<size_t>> compress_metadata(Bytes in, MutableBytes out) override {
    return encode_stream(in, out, kMetadataBlockSize);
  }

  Result<size_t> decompress(Bytes in, MutableBytes out) override {
    SQFS_TRY(const uint64_t raw_size, stated_size(in));
    if (raw_size > out.size()) return too_long(out);
    const MutableBytes room = out.first(static_cast<size_t>(raw_size));

    auto size = decode_stream(in, room);
    if (!size && size.error().code == Code::kCorrupt) {
      // liblzma before 5.2.6 takes an end marker behind a known size for damage.
      Buffer unsized(in.begin(), in.end());
      std::fill_n(unsized.begin() + kRawSizeOffset, 8, std::byte{0xff});
      if (auto second = decode_stream(unsized, room)) size = std::move(second);
    }
    if (size && *size != raw_size) return damaged_stream("lzma", "the stream ends early");
    return size;
  }

 private:
  static Result<uint64_t> stated_size(Bytes in) {
    if (in.size() < kHeaderSize) return damaged_stream("lzma", "the stream ends early");
    ByteReader header(in.subspan(kRawSizeOffset));
    return header.u64();
  }

  Result<std::optional<size_t>> encode_stream(Bytes in, MutableBytes out, uint32_t dictionary) {
    if (result_limit(in, out) == 0) return std::optional<size_t>();
    lzma_options_lzma options;
    if (lzma_lzma_preset(&options, kPreset)) return encoder_failed("lzma", "no such preset");
    options.dict_size = dictionary;
    LzmaStream stream(memory_);
    lzma_ret status = lzma_alone_encoder(&stream, &options);
    if (status == LZMA_MEM_ERROR) return no_memory_for("lzma");
    if (status != LZMA_OK) return encoder_failed("lzma", "status " + std::to_string(status));

    stream.set_buffers(in, out.first(result_limit(in, out)));
    status = lzma_code(&stream, LZMA_FINISH);
    if (status == LZMA_MEM_ERROR) return no_memory_for("lzma");
    if (status != LZMA_STREAM_END) return std::optional<size_t>();  // the room is used up
    state_size(in.size(), out);
    return std::optional(static_cast<size_t>(stream.total_out));
  }

  // liblzma leaves "unknown" in the header; the tools that read such images want the number.
  static void state_size(size_t raw_size, MutableBytes out) {
    for (size_t i = 0; i < sizeof(uint64_t); ++i) {
      out[kRawSizeOffset + i] = static_cast<std::byte>(uint64_t{raw_size} >> (8 * i));
    }
  }

  Result<size_t> decode_stream(Bytes in, MutableBytes out) {
    LzmaStream stream(memory_);
    lzma_ret status = lzma_alone_decoder(&stream, kDecoderMemoryLimit);
    if (status != LZMA_OK) return no_memory_for("lzma");
    stream.set_buffers(in, out);
    status = lzma_code(&stream, LZMA_FINISH);
    if (status == LZMA_STREAM_END) {
      if (stream.avail_in != 0) {
        return trailing_bytes("lzma", static_cast<size_t>(stream.total_in), in.size());
      }
      return static_cast<size_t>(stream.total_out);
    }
    if (status == LZMA_MEM_ERROR) return no_memory_for("lzma");
    if (status == LZMA_MEMLIMIT_ERROR) return damaged_stream("lzma", "its dictionary is too large");
    return damaged_stream("lzma", "damaged stream, or one that ends early");
  }

  const uint32_t block_size_;
  LzmaMemory memory_;
};

}  // namespace

Result<std::unique_ptr<Compressor>> make_lzma(const CompressorConfig&, uint32_t block_size) {
  return std::make_unique<LzmaCompressor>(block_size);
}
#endif

}  // namespace sqfs
