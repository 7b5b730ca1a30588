// SPDX-License-Identifier: MIT
#include "tests/support/image_patch.h"

#include <charconv>
#include <cstring>
#include <optional>

#include "base/text.h"
#include "compressors/compressor.h"
#include "tests/support/base_images.h"

namespace sqfs {
namespace {

using Words = std::vector<std::string>;

// Splits at blanks; "..." is one word, which keeps its opening quote as a mark.
Words split_words(std::string_view line) {
  Words words;
  for (size_t i = 0; i < line.size();) {
    if (line[i] == ' ') {
      ++i;
      continue;
    }
    if (line[i] == '#') break;
    const bool quoted = line[i] == '"';
    const size_t end = std::min(line.find(quoted ? '"' : ' ', i + 1), line.size());
    words.emplace_back(line.substr(i, end - i));
    i = end + (quoted ? 1 : 0);
  }
  return words;
}

Result<std::string> bytes_of_hex(std::string_view hex) {
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned value = 0;
    const auto [end, status] = std::from_chars(&hex[i], &hex[i] + 2, value, 16);
    if (status != std::errc() || end != &hex[i] + 2)
      return usage_error("no hex: " + std::string(hex));
    out += static_cast<char>(value);
  }
  return out;
}

Result<int64_t> plain_number(std::string_view word) {
  const bool negative = word.starts_with('-');
  if (negative) word.remove_prefix(1);
  const bool hex = word.starts_with("0x");
  if (hex) word.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, status] =
      std::from_chars(word.data(), word.data() + word.size(), value, hex ? 16 : 10);
  if (status != std::errc() || end != word.data() + word.size()) {
    return usage_error("no number: " + std::string(word));
  }
  return static_cast<int64_t>(negative ? ~value + 1 : value);
}

// --- before the image is built
// ---------------------------------------------------------------------

Result<bool> adapt_spec(TestSpec& spec, const Words& step) {
  if (step[0] == "compressor") {
    const CompressorInfo* info = find_compressor(std::string_view(step.at(1)));
    if (info == nullptr) return usage_error("no compressor " + step[1]);
    spec.compressor = info->id;
  } else if (step[0] == "options") {
    SQFS_TRY(spec.options, bytes_of_hex(step.at(1)));
  } else if (step[0] == "store") {
    SQFS_TRY(const int64_t index, plain_number(step.at(2)));
    SQFS_TRY(const std::string bytes, bytes_of_hex(step.at(3)));
    for (TestNode& node : spec.nodes) {
      if (node.label == step[1]) node.stored[static_cast<size_t>(index)] = bytes;
    }
  } else if (step[0] == "store-tails") {
    SQFS_TRY(spec.stored_tails, bytes_of_hex(step.at(1)));
  } else if (step[0] == "sets") {
    SQFS_TRY(const int64_t count, plain_number(step.at(1)));
    SQFS_TRY(const int64_t ref, plain_number(step.at(2)));
    SQFS_TRY(const int64_t pairs, plain_number(step.at(3)));
    SQFS_TRY(const int64_t bytes, plain_number(step.at(4)));
    spec.more_sets.assign(
        static_cast<size_t>(count),
        {static_cast<uint64_t>(ref), static_cast<uint32_t>(pairs), static_cast<uint32_t>(bytes)});
  } else if (step[0] == "type" || step[0] == "short-block") {
    SQFS_TRY(const int64_t value, plain_number(step.at(2)));
    if (step[0] == "short-block") spec.first_block[step[1]] = static_cast<uint32_t>(value);
    for (TestNode& node : spec.nodes) {
      if (step[0] == "type" && node.label == step[1]) node.type = static_cast<InodeType>(value);
    }
  } else if (step[0] == "gap" || step[0] == "fragment-gap") {
    SQFS_TRY(const int64_t value, plain_number(step.at(1)));
    (step[0] == "gap" ? spec.gap_before_tables : spec.gap_behind_fragments) =
        static_cast<uint32_t>(value);
  } else if (step[0] == "no-padding") {
    spec.padding = false;
  } else {
    return false;
  }
  return true;
}

// --- afterwards
// ------------------------------------------------------------------------------------

class ImagePatch {
 public:
  explicit ImagePatch(TestImage& image) : image_(image) {}

  Status run(const Words& step) {
    if (step[0] == "set") return set(step.at(1), step.at(2));
    if (step[0] == "add") return add(step.at(1), step.at(2));
    if (step[0] == "cut") {
      SQFS_TRY(const int64_t size, number(step.at(1)));
      image_.bytes.resize(static_cast<size_t>(size));
      return ok();
    }
    if (step[0] == "append") {
      SQFS_TRY(const int64_t count, number(step.at(1)));
      SQFS_TRY(const int64_t value, number(step.at(2)));
      image_.bytes.resize(image_.bytes.size() + static_cast<size_t>(count),
                          static_cast<std::byte>(value));
      return ok();
    }
    return usage_error("no step " + step[0]);
  }

 private:
  // "NAME", "NAME+N" or "NAME-N".
  Result<TestField> field(const std::string& word) {
    auto found = image_.fields.find(word);
    if (found != image_.fields.end()) return found->second;
    const size_t sign = word.find_last_of("+-");
    if (sign == std::string::npos) return usage_error("no field " + word);
    found = image_.fields.find(word.substr(0, sign));
    if (found == image_.fields.end()) return usage_error("no field " + word);
    SQFS_TRY(const int64_t shift, plain_number(word.substr(sign + 1)));
    const auto distance = static_cast<uint64_t>(word[sign] == '-' ? -shift : shift);
    return TestField{found->second.offset + distance, found->second.width};
  }

  Result<int64_t> number(const std::string& word) {
    if (word.starts_with("offset:")) {
      SQFS_TRY(const TestField place, field(word.substr(word.find(':') + 1)));
      SQFS_TRY(const TestField table, field("inodes.block.0"));
      return static_cast<int64_t>(place.offset - table.offset - kMetadataHeaderSize);
    }
    if (!word.starts_with('@')) return plain_number(word);
    SQFS_TRY(const TestField place, field(word.substr(1)));
    return static_cast<int64_t>(place.offset);
  }

  Status set(const std::string& name, const std::string& value) {
    SQFS_TRY(const TestField place, field(name));
    if (value.starts_with('"')) return write(place.offset, as_bytes(value).subspan(1));
    if (value.starts_with("x:")) {
      SQFS_TRY(const std::string bytes, bytes_of_hex(std::string_view(value).substr(2)));
      return write(place.offset, as_bytes(bytes));
    }
    SQFS_TRY(const int64_t wanted, number(value));
    return write_number(place, static_cast<uint64_t>(wanted));
  }

  Status add(const std::string& name, const std::string& value) {
    SQFS_TRY(const TestField place, field(name));
    SQFS_TRY(const int64_t by, number(value));
    uint64_t now = 0;
    for (uint32_t i = 0; i < place.width; ++i) {
      now |= std::to_integer<uint64_t>(image_.bytes.at(place.offset + i)) << (8 * i);
    }
    return write_number(place, now + static_cast<uint64_t>(by));
  }

  Status write_number(const TestField& place, uint64_t value) {
    if (place.width == 0) return usage_error("a number needs a field of numbers");
    Buffer raw;
    ByteWriter(raw).u64(value);
    return write(place.offset, Bytes(raw).first(place.width));
  }

  Status write(uint64_t offset, Bytes bytes) {
    if (offset + bytes.size() > image_.bytes.size()) return usage_error("behind the image");
    std::memcpy(image_.bytes.data() + offset, bytes.data(), bytes.size());
    return ok();
  }

  TestImage& image_;
};

bool is_complete(const Words& words) {
  static const std::pair<std::string_view, size_t> kArguments[] = {
      {"recipe", 1},       {"base", 1},        {"compressor", 1}, {"options", 1}, {"store", 3},
      {"store-tails", 1},  {"sets", 4},        {"no-padding", 0}, {"type", 2},    {"gap", 1},
      {"fragment-gap", 1}, {"short-block", 2}, {"set", 2},        {"add", 2},     {"cut", 1},
      {"append", 2},       {"expect", 1}};
  for (const auto& [name, count] : kArguments) {
    if (words[0] == name)
      return words.size() == count + 1 || (name == "expect" && words.size() == 3);
  }
  return false;
}

}  // namespace

Result<std::vector<Recipe>> parse_recipes(std::string_view text, const std::string& group) {
  std::vector<Recipe> recipes;
  size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    const Words words = split_words(line);
    if (words.empty()) continue;
    if (!is_complete(words) || (recipes.empty() && words[0] != "recipe")) {
      return usage_error(group + " line " + std::to_string(number) + ": " + std::string(line));
    }
    if (words[0] == "recipe") {
      recipes.push_back({group + "/" + words[1], {}, {}, {}});
    } else if (words[0] == "base") {
      recipes.back().base = words[1];
    } else if (words[0] == "expect") {
      recipes.back().expected.push_back({words[1], words.size() > 2 ? words[2] : std::string()});
    } else {
      recipes.back().steps.push_back(words);
    }
  }
  return recipes;
}

Result<Buffer> make_bad_image(const Recipe& recipe) {
  auto spec = base_image(recipe.base);
  if (!spec) return usage_error("no base image " + recipe.base);
  std::vector<Words> patches;
  for (const Words& step : recipe.steps) {
    SQFS_TRY(const bool done, adapt_spec(*spec, step));
    if (!done) patches.push_back(step);
  }
  TestImage image = build_test_image(*spec);
  ImagePatch patch(image);
  for (const Words& step : patches) {
    if (Status status = patch.run(step); !status) {
      return std::move(status).error().with_context(recipe.name);
    }
  }
  return std::move(image.bytes);
}

}  // namespace sqfs
