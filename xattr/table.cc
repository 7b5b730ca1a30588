// SPDX-License-Identifier: MIT
#include "xattr/table.h"

#include <optional>
#include <string_view>
#include <unordered_map>

namespace sqfs {
namespace {

constexpr size_t kReferenceSize = 8;

class PairWriter {
 public:
  explicit PairWriter(XattrStream& out) : out_(out) {}

  Result<XattrIdEntry> write_set(const XattrSet& set) {
    SQFS_TRY(const uint64_t start, checked_position());
    uint64_t bytes = 0;
    for (const XattrPair& pair : set) {
      SQFS_TRY(const size_t size, write_pair(pair));
      bytes += size;
    }
    return XattrIdEntry{start, static_cast<uint32_t>(set.size()), static_cast<uint32_t>(bytes)};
  }

 private:
  Result<size_t> write_pair(const XattrPair& pair) {
    XattrPrefix prefix{};
    std::string_view rest;
    split_xattr_name(pair.name, prefix, rest);
    const std::optional<uint64_t> earlier = find(pair.value);

    Buffer key, value;
    ByteWriter key_writer(key), value_writer(value);
    encode_xattr_key(prefix, earlier.has_value(), rest, key_writer);
    if (earlier) {
      Buffer reference;
      ByteWriter(reference).u64(*earlier);
      encode_xattr_value(reference, value_writer);
    } else {
      encode_xattr_value(pair.value, value_writer);
    }
    SQFS_CHECKED(out_.append(key));
    if (!earlier && pair.value.size() > kReferenceSize) {
      SQFS_TRY(const uint64_t position, checked_position());
      values_.emplace(as_text(pair.value), position);
    }
    SQFS_CHECKED(out_.append(value));
    return key.size() + value.size();
  }

  std::optional<uint64_t> find(const Buffer& value) const {
    const auto found = values_.find(as_text(value));
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

  Result<uint64_t> checked_position() const {
    const MetadataRef position = out_.position();
    if (!position.fits_kernel()) {
      return unsupported_error("the extended attributes fill more than 4 GiB");
    }
    return position.packed();
  }

  XattrStream& out_;
  std::unordered_map<std::string_view, uint64_t> values_;  // of values in the pool, written inline
};

}  // namespace

Result<std::vector<XattrIdEntry>> write_xattr_pairs(const XattrPool& pool, XattrStream& out) {
  PairWriter writer(out);
  std::vector<XattrIdEntry> entries;
  entries.reserve(pool.sets().size());
  for (const XattrSet& set : pool.sets()) {
    SQFS_TRY(entries.emplace_back(), writer.write_set(set));
  }
  return entries;
}

}  // namespace sqfs
