// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "compressors/option_value.h"
#include "compressors/rows.h"
#include "compressors/stream_errors.h"
#include "compressors/xz_codec.h"

// xz: the settings. The streams are made and read in xz_codec.cc.
namespace sqfs {
namespace {

struct NamedFilter {
  std::string_view name;
  uint32_t bit;
};
constexpr std::array<NamedFilter, 9> kFilters = {{{"x86", kXzFilterX86},
                                                  {"powerpc", kXzFilterPowerpc},
                                                  {"ppc", kXzFilterPowerpc},
                                                  {"ia64", kXzFilterIa64},
                                                  {"arm", kXzFilterArm},
                                                  {"armthumb", kXzFilterArmthumb},
                                                  {"sparc", kXzFilterSparc},
                                                  {"arm64", kXzFilterArm64},
                                                  {"riscv", kXzFilterRiscv}}};

constexpr uint32_t kMaxPreset = 9, kMaxLiteralBits = 4, kMaxPositionBits = 4;
constexpr uint32_t kDefaultLc = 3, kDefaultLp = 0;  // of all presets
constexpr uint32_t kMinDictionary = kMetadataBlockSize;
constexpr size_t kPercentDecimals = 6;
constexpr uint64_t kMillionthsPerPercent = 1'000'000;

// What the kernel assumes when there is no options block: metadata of 8 KiB fits in any case.
uint32_t default_dictionary(uint32_t block_size) { return std::max(block_size, kMinDictionary); }

Status apply_filters(CompressorConfig& config, std::string_view value) {
  uint32_t bits = 0;
  do {
    const std::string_view name = take_list_element(value);
    const auto* found = std::ranges::find(kFilters, name, &NamedFilter::name);
    if (found == kFilters.end()) {
      return usage_error(
          "xz -Xbcj takes a list of x86, powerpc, ia64, arm, armthumb, sparc, arm64 "
          "and riscv, not \"" +
          std::string(name) + "\"");
    }
    if (!xz_library_encodes(found->bit)) {
      return usage_error("xz -Xbcj " + std::string(name) +
                         " needs a newer liblzma than this program was built with");
    }
    bits |= found->bit;
  } while (!value.empty());
  config.xz.filters = bits;
  return ok();
}

Error bad_dictionary(std::string_view value) {
  return usage_error(
      "xz -Xdict-size takes a number of bytes, such as 65536, 64K or 1M, or a "
      "percentage of the block size, such as 75%, not \"" +
      std::string(value) + "\"");
}

std::optional<uint64_t> parse_digits(std::string_view digits) {
  uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (digits.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

// "37.5" in millionths; nullopt unless above 0 and at most 100.
std::optional<uint32_t> parse_percent(std::string_view text) {
  const size_t point = std::min(text.find('.'), text.size());
  std::string decimals(text.substr(std::min(point + 1, text.size())));
  if (decimals.size() > kPercentDecimals || text.ends_with('.')) return std::nullopt;
  decimals.append(kPercentDecimals - decimals.size(), '0');
  const auto whole = parse_digits(text.substr(0, point));
  const auto millionths = parse_digits(decimals);
  if (!whole || !millionths || *whole > 100) return std::nullopt;
  const uint64_t sum = *whole * kMillionthsPerPercent + *millionths;
  if (sum == 0 || sum > 100 * kMillionthsPerPercent) return std::nullopt;
  return static_cast<uint32_t>(sum);
}

// A number of bytes with an optional k, K, m or M.
std::optional<uint32_t> parse_dictionary_bytes(std::string_view text) {
  unsigned shift = 0;
  if (text.ends_with('k') || text.ends_with('K')) shift = 10;
  if (text.ends_with('m') || text.ends_with('M')) shift = 20;
  if (shift != 0) text.remove_suffix(1);
  const auto number = parse_digits(text);
  if (!number || *number == 0 || *number > std::numeric_limits<uint32_t>::max() >> shift) {
    return std::nullopt;
  }
  return static_cast<uint32_t>(*number << shift);
}

Status apply_dictionary(CompressorConfig& config, std::string_view value) {
  const bool is_percentage = value.ends_with('%');
  const auto number = is_percentage ? parse_percent(value.substr(0, value.size() - 1))
                                    : parse_dictionary_bytes(value);
  if (!number) return bad_dictionary(value);
  config.xz.dictionary_size = is_percentage ? 0 : *number;
  config.xz_dictionary_percent_millionths = is_percentage ? *number : 0;
  return ok();
}

Status apply_preset(CompressorConfig& config, std::string_view value) {
  SQFS_TRY(config.xz_preset, parse_unsigned(value, 0, kMaxPreset, "xz -Xpreset"));
  return ok();
}

Status apply_extreme(CompressorConfig& config, std::string_view) {
  config.xz_extreme = true;
  return ok();
}

Status apply_lc(CompressorConfig& config, std::string_view value) {
  SQFS_TRY(config.xz_lc, parse_unsigned(value, 0, kMaxLiteralBits, "xz -Xlc"));
  return ok();
}

Status apply_lp(CompressorConfig& config, std::string_view value) {
  SQFS_TRY(config.xz_lp, parse_unsigned(value, 0, kMaxLiteralBits, "xz -Xlp"));
  return ok();
}

Status apply_pb(CompressorConfig& config, std::string_view value) {
  SQFS_TRY(config.xz_pb, parse_unsigned(value, 0, kMaxPositionBits, "xz -Xpb"));
  return ok();
}

Status check_dictionary(uint32_t size, uint32_t block_size) {
  if (size >= kMinDictionary && size <= block_size && is_legal_xz_dictionary(size)) return ok();
  return usage_error("xz -Xdict-size comes to " + std::to_string(size) +
                     " bytes; it has to be 2^n or 2^n + 2^(n+1), at least 8192, and at most the "
                     "block size of " +
                     std::to_string(block_size));
}

Status check_literal_bits(const CompressorConfig& config) {
  const uint32_t lc = config.xz_lc.value_or(kDefaultLc), lp = config.xz_lp.value_or(kDefaultLp);
  if (lc + lp <= kMaxLiteralBits) return ok();
  return usage_error("xz -Xlc (" + std::to_string(lc) + ") and -Xlp (" + std::to_string(lp) +
                     ") may add up to 4 at most");
}

}  // namespace

constinit const CompressorOption XzRow::kOptions[7] = {
    {{"-Xbcj", "", "<filter>[,<filter>...]",
      "x86, powerpc, ia64, arm, armthumb, sparc, arm64, riscv",
      "Compresses each data block once without and once with each of these filters for machine "
      "code "
      "and keeps the smallest result. A kernel mounts the image only if it was built with the "
      "filters used; usually that is the one of its own architecture."},
     apply_filters},
    {{"-Xdict-size", "", "<size>", "8192 .. the block size, in bytes or percent (default 100%)",
      "Has to be 2^n or 2^n + 2^(n+1) bytes: 100%, 75%, 50%, 37.5%, 64K and so on. The suffixes K "
      "and M multiply by 1024 and 1048576. A smaller dictionary makes the image larger, and saves "
      "memory where it is mounted."},
     apply_dictionary},
    {{"-Xpreset", "", "<preset>", "0 .. 9 (default 6)",
      "The preset of xz(1), without its dictionary. It is not recorded in the image."},
     apply_preset},
    {{"-Xe", "", "", "try harder (xz's \"extreme\" variant of the preset)", ""}, apply_extreme},
    {{"-Xlc", "", "<bits>", "0 .. 4 literal context bits (default 3)",
      "-Xlc and -Xlp may add up to 4 at most."},
     apply_lc},
    {{"-Xlp", "", "<bits>", "0 .. 4 literal position bits (default 0)", ""}, apply_lp},
    {{"-Xpb", "", "<bits>", "0 .. 4 position bits (default 2)", ""}, apply_pb},
};

Status XzRow::finish(CompressorConfig& config, uint32_t block_size) {
  SQFS_CHECKED(check_literal_bits(config));
  const uint64_t percent = config.xz_dictionary_percent_millionths;
  uint32_t& dictionary = config.xz.dictionary_size;
  if (percent == 0 && dictionary == 0) {
    dictionary = default_dictionary(block_size);
    return ok();
  }
  if (percent != 0) {
    dictionary = static_cast<uint32_t>(block_size * percent / (100 * kMillionthsPerPercent));
  }
  return check_dictionary(dictionary, block_size);
}

Buffer XzRow::encode_options(const CompressorConfig& config, uint32_t block_size) {
  Buffer payload;
  if (config.xz == XzOptions{default_dictionary(block_size), 0}) return payload;
  ByteWriter out(payload);
  encode(config.xz, out);
  return payload;
}

Status XzRow::decode_options(Bytes payload, CompressorConfig& config, uint32_t) {
  SQFS_TRY(config.xz, decode_xz_options(payload));
  return ok();
}

}  // namespace sqfs
