// SPDX-License-Identifier: MIT
#include "compressors/xz_codec.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "compressors/rows.h"
#include "compressors/stream_errors.h"

#if XZ_SUPPORT
#include "compressors/lzma_memory.h"
#endif

// xz: one .xz stream per block, in the subset that the kernel reads: check CRC32 or none, LZMA2
// with at most one BCJ filter in front of it, and no dictionary above the one in the options block.
namespace sqfs {

#if XZ_SUPPORT
namespace {

// A damaged image may ask for gigabytes. No block needs more than 1 MiB of dictionary, and
// unsquashfs stops at 32 MiB.
constexpr uint32_t kMaxDecoderDictionary = uint32_t{64} << 20;

// liblzma's number of a filter. The last two are newer than some versions' headers; a library that
// does not know a number says so.
lzma_vli filter_id(uint32_t filter_bit) {
  switch (filter_bit) {
    case kXzFilterX86: return LZMA_FILTER_X86;
    case kXzFilterPowerpc: return LZMA_FILTER_POWERPC;
    case kXzFilterIa64: return LZMA_FILTER_IA64;
    case kXzFilterArm: return LZMA_FILTER_ARM;
    case kXzFilterArmthumb: return LZMA_FILTER_ARMTHUMB;
    case kXzFilterSparc: return LZMA_FILTER_SPARC;
    case kXzFilterArm64: return 0x0a;
    default: return 0x0b;  // kXzFilterRiscv
  }
}

bool is_bcj(lzma_vli id) { return LZMA_FILTER_X86 <= id && id <= 0x0b; }

const uint8_t* octets(Bytes bytes) { return reinterpret_cast<const uint8_t*>(bytes.data()); }
uint8_t* octets(MutableBytes bytes) { return reinterpret_cast<uint8_t*>(bytes.data()); }

Error status_error(lzma_ret status, MutableBytes out) {
  switch (status) {
    case LZMA_MEM_ERROR: return no_memory_for("xz");
    case LZMA_BUF_ERROR: return too_long(out);
    case LZMA_FORMAT_ERROR: return damaged_stream("xz", "no stream starts here");
    case LZMA_OPTIONS_ERROR: return damaged_stream("xz", "the stream needs an unknown feature");
    default: return damaged_stream("xz", "damaged stream, or one that ends early");
  }
}

// Decodes one stream, block by block: only so the filters of each block can be judged as the kernel
// judges them, which liblzma's stream decoder would just follow.
class XzStreamReader {
 public:
  XzStreamReader(const lzma_allocator* allocator, uint32_t max_dictionary, Bytes in,
                 MutableBytes out)
      : allocator_(allocator),
        max_dictionary_(max_dictionary),
        in_(in),
        out_(out),
        index_(lzma_index_hash_init(nullptr, allocator)) {}
  XzStreamReader(const XzStreamReader&) = delete;
  XzStreamReader& operator=(const XzStreamReader&) = delete;
  ~XzStreamReader() { lzma_index_hash_end(index_, allocator_); }

  Result<size_t> run() {
    if (index_ == nullptr) return no_memory_for("xz");
    SQFS_CHECKED(read_header());
    while (position_ < in_.size() && in_[position_] != kIndexIndicator) {
      SQFS_CHECKED(read_block());
    }
    SQFS_CHECKED(read_index());
    SQFS_CHECKED(read_footer());
    if (position_ < in_.size()) return trailing_bytes("xz", position_, in_.size());
    return produced_;
  }

 private:
  static constexpr std::byte kIndexIndicator{0};  // where a block's header size would stand

  // The filter chain of a block header, whose options liblzma allocates.
  struct Filters {
    explicit Filters(const lzma_allocator* memory) : allocator(memory) {
      for (lzma_filter& filter : chain) filter = {LZMA_VLI_UNKNOWN, nullptr};
    }
    Filters(const Filters&) = delete;
    Filters& operator=(const Filters&) = delete;
    ~Filters() {
      for (const lzma_filter& filter : chain) {
        if (filter.id != LZMA_VLI_UNKNOWN && filter.options != nullptr) {
          allocator->free(allocator->opaque, filter.options);
        }
      }
    }
    const lzma_allocator* allocator;
    lzma_filter chain[LZMA_FILTERS_MAX + 1];
  };

  Status expect(size_t size) const {
    if (in_.size() - position_ >= size) return ok();
    return damaged_stream("xz", "the stream ends early");
  }

  Status read_header() {
    SQFS_CHECKED(expect(LZMA_STREAM_HEADER_SIZE));
    const lzma_ret status = lzma_stream_header_decode(&flags_, octets(in_));
    if (status != LZMA_OK) return status_error(status, out_);
    if (flags_.check != LZMA_CHECK_NONE && flags_.check != LZMA_CHECK_CRC32) {
      return damaged_stream("xz", "its check is neither CRC32 nor none");
    }
    position_ = LZMA_STREAM_HEADER_SIZE;
    return ok();
  }

  Status read_block() {
    lzma_block block{};
    block.check = flags_.check;
    block.header_size = lzma_block_header_size_decode(std::to_integer<uint32_t>(in_[position_]));
    SQFS_CHECKED(expect(block.header_size));
    Filters filters(allocator_);
    block.filters = filters.chain;
    lzma_ret status = lzma_block_header_decode(&block, allocator_, octets(in_) + position_);
    if (status != LZMA_OK) return status_error(status, out_);
    SQFS_CHECKED(check_filters(filters.chain));

    position_ += block.header_size;
    status = lzma_block_buffer_decode(&block, allocator_, octets(in_), &position_, in_.size(),
                                      octets(out_), &produced_, out_.size());
    if (status != LZMA_OK) return status_error(status, out_);
    status =
        lzma_index_hash_append(index_, lzma_block_unpadded_size(&block), block.uncompressed_size);
    if (status != LZMA_OK) return status_error(status, out_);
    return ok();
  }

  Status check_filters(const lzma_filter* chain) const {
    if (is_bcj(chain->id)) {
      const auto* bcj = static_cast<const lzma_options_bcj*>(chain->options);
      if (bcj != nullptr && bcj->start_offset != 0) {
        return damaged_stream("xz", "its BCJ filter has a start offset");
      }
      ++chain;
    }
    if (chain[0].id != LZMA_FILTER_LZMA2 || chain[1].id != LZMA_VLI_UNKNOWN) {
      return damaged_stream("xz", "its filters are not LZMA2 with at most one BCJ filter");
    }
    const uint32_t dictionary = static_cast<const lzma_options_lzma*>(chain->options)->dict_size;
    if (dictionary <= max_dictionary_) return ok();
    return damaged_stream("xz", "its dictionary of " + std::to_string(dictionary) +
                                    " bytes is above the maximum of " +
                                    std::to_string(max_dictionary_));
  }

  Status read_index() {
    const lzma_ret status = lzma_index_hash_decode(index_, octets(in_), &position_, in_.size());
    if (status == LZMA_STREAM_END) return ok();
    return damaged_stream("xz", "damaged index, or a stream that ends early");
  }

  Status read_footer() {
    SQFS_CHECKED(expect(LZMA_STREAM_HEADER_SIZE));
    lzma_stream_flags footer{};
    const lzma_ret status = lzma_stream_footer_decode(&footer, octets(in_) + position_);
    if (status != LZMA_OK || lzma_stream_flags_compare(&flags_, &footer) != LZMA_OK ||
        footer.backward_size != lzma_index_hash_size(index_)) {
      return damaged_stream("xz", "damaged footer");
    }
    position_ += LZMA_STREAM_HEADER_SIZE;
    return ok();
  }

  const lzma_allocator* allocator_;
  const uint32_t max_dictionary_;
  const Bytes in_;
  const MutableBytes out_;
  lzma_index_hash* index_;
  lzma_stream_flags flags_{};
  size_t position_ = 0, produced_ = 0;
};

lzma_options_lzma encoder_options(const CompressorConfig& config, uint32_t dictionary) {
  lzma_options_lzma options{};
  lzma_lzma_preset(&options, config.xz_preset | (config.xz_extreme ? LZMA_PRESET_EXTREME : 0));
  options.dict_size = dictionary;
  options.lc = config.xz_lc.value_or(options.lc);
  options.lp = config.xz_lp.value_or(options.lp);
  options.pb = config.xz_pb.value_or(options.pb);
  return options;
}

class XzCompressor final : public Compressor {
 public:
  XzCompressor(const CompressorConfig& config, uint32_t block_size)
      : max_dictionary_(config.xz.dictionary_size != 0 ? config.xz.dictionary_size
                                                       : std::max(block_size, kMetadataBlockSize)),
        // An image that is appended to may allow more than a block can use, or less than metadata.
        decoder_dictionary_(std::min(max_dictionary_, kMaxDecoderDictionary)),
        data_options_(encoder_options(
            config, std::min(max_dictionary_, std::max(block_size, kMetadataBlockSize)))),
        metadata_options_(encoder_options(config, std::min(max_dictionary_, kMetadataBlockSize))) {
    for (uint32_t bit = 1; bit <= kXzFilterRiscv; bit <<= 1) {
      if ((config.xz.filters & bit) != 0 && xz_library_encodes(bit)) filters_.push_back(bit);
    }
  }

  // The first of the smallest results. Each attempt may fill one byte less than the best so far.
  Result<std::optional<size_t>> compress(Bytes in, MutableBytes out) override {
    SQFS_TRY(std::optional<size_t> best,
             run(LZMA_VLI_UNKNOWN, data_options_, in, out.first(result_limit(in, out))));
    for (const uint32_t bit : filters_) {
      const size_t limit = best ? *best - 1 : result_limit(in, out);
      if (scratch_.size() < limit) scratch_.resize(limit);
      SQFS_TRY(const std::optional<size_t> size,
               run(filter_id(bit), data_options_, in, MutableBytes(scratch_).first(limit)));
      if (!size) continue;
      std::memcpy(out.data(), scratch_.data(), *size);
      best = size;
    }
    return best;
  }

  Result<std::optional<size_t>> compress_metadata(Bytes in, MutableBytes out) override {
    return run(LZMA_VLI_UNKNOWN, metadata_options_, in, out.first(result_limit(in, out)));
  }

  Result<size_t> decompress(Bytes in, MutableBytes out) override {
    return XzStreamReader(memory_.allocator(), decoder_dictionary_, in, out).run();
  }

 private:
  // bcj LZMA_VLI_UNKNOWN: LZMA2 alone.
  Result<std::optional<size_t>> run(lzma_vli bcj, lzma_options_lzma& options, Bytes in,
                                    MutableBytes out) {
    // No encoder has a smaller dictionary: nothing that a reader would take can be made.
    if (options.dict_size < LZMA_DICT_SIZE_MIN || out.empty()) return std::optional<size_t>();
    lzma_filter chain[3] = {
        {bcj, nullptr}, {LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
    lzma_filter* const first = bcj == LZMA_VLI_UNKNOWN ? chain + 1 : chain;
    size_t size = 0;
    const lzma_ret status =
        lzma_stream_buffer_encode(first, LZMA_CHECK_CRC32, memory_.allocator(), octets(in),
                                  in.size(), octets(out), &size, out.size());
    if (status == LZMA_OK) return std::optional(size);
    if (status == LZMA_BUF_ERROR) return std::optional<size_t>();
    if (status == LZMA_MEM_ERROR) return no_memory_for("xz");
    return encoder_failed("xz", "status " + std::to_string(status));
  }

  const uint32_t max_dictionary_, decoder_dictionary_;
  lzma_options_lzma data_options_, metadata_options_;
  std::vector<uint32_t> filters_;  // kXzFilter… bits to try
  LzmaMemory memory_;
  Buffer scratch_;
};

}  // namespace

bool xz_library_encodes(uint32_t filter_bit) {
  return lzma_filter_encoder_is_supported(filter_id(filter_bit)) != 0;
}

Result<std::unique_ptr<Compressor>> make_xz(const CompressorConfig& config, uint32_t block_size) {
  return std::make_unique<XzCompressor>(config, block_size);
}
#else
bool xz_library_encodes(uint32_t) { return true; }
#endif

}  // namespace sqfs
