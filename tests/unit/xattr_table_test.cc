// SPDX-License-Identifier: MIT
#include "xattr/table.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "squashfs-format/constants.h"

namespace sqfs {
namespace {

// Metadata blocks whose stored form is as long as their contents, headers aside.
class RawStream final : public XattrStream {
 public:
  MetadataRef position() const override {
    return {bytes.size() / kMetadataBlockSize * kMetadataMaxStored,
            static_cast<uint16_t>(bytes.size() % kMetadataBlockSize)};
  }
  Status append(Bytes more) override {
    bytes.insert(bytes.end(), more.begin(), more.end());
    return ok();
  }
  size_t raw_offset(uint64_t packed) const {
    const MetadataRef ref = MetadataRef::unpack(packed);
    return ref.block / kMetadataMaxStored * kMetadataBlockSize + ref.offset;
  }

  Buffer bytes;
};

XattrPair pair_of(std::string name, std::string_view value) {
  const Bytes bytes = as_bytes(value);
  return {std::move(name), Buffer(bytes.begin(), bytes.end())};
}

// Reads a set back, following references.
XattrSet read_set(const RawStream& stream, const XattrIdEntry& entry) {
  XattrSet set;
  const size_t start = stream.raw_offset(entry.ref);
  ByteReader in(Bytes(stream.bytes).subspan(start, entry.byte_count));
  for (uint32_t i = 0; i < entry.pair_count; ++i) {
    const auto key = decode_xattr_key(in);
    auto value = decode_xattr_value(in);
    if (!key || !value) return {};
    if (key->is_out_of_line()) {
      const uint64_t ref = *ByteReader(*value).u64();
      ByteReader there(Bytes(stream.bytes).subspan(stream.raw_offset(ref)));
      value = decode_xattr_value(there);
      if (!value) return {};
    }
    set.push_back({XattrKey{static_cast<uint16_t>(key->type & 0xff), key->name}.full_name(),
                   Buffer(value->begin(), value->end())});
  }
  EXPECT_EQ(in.remaining(), 0u) << "byte_count covers the pairs and no more";
  return set;
}

TEST(XattrTable, NoSetsMakeNoEntries) {
  RawStream stream;
  const auto entries = write_xattr_pairs(XattrPool(), stream);
  ASSERT_TRUE(entries);
  EXPECT_TRUE(entries->empty());
  EXPECT_TRUE(stream.bytes.empty());
}

TEST(XattrTable, SetsOfAllPrefixesComeBack) {
  XattrPool pool;
  pool.intern({pair_of("user.a", "1"), pair_of("trusted.b", ""), pair_of("security.c", "three")});
  pool.intern({pair_of("user.a", "2")});
  RawStream stream;
  const auto entries = write_xattr_pairs(pool, stream);
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ(read_set(stream, (*entries)[0]), pool.sets()[0]);
  EXPECT_EQ(read_set(stream, (*entries)[1]), pool.sets()[1]);
}

TEST(XattrTable, ALongValueIsStoredOnceAlsoAcrossBlocks) {
  const std::string value(3000, 'v');
  XattrPool pool;
  for (int i = 0; i < 20; ++i) {
    pool.intern({pair_of("user.n", std::to_string(i)), pair_of("user.big", value),
                 pair_of("user.own", std::string(900, static_cast<char>('a' + i)))});
  }
  RawStream stream;
  const auto entries = write_xattr_pairs(pool, stream);
  ASSERT_TRUE(entries);
  for (size_t i = 0; i < entries->size(); ++i) {
    EXPECT_EQ(read_set(stream, (*entries)[i]), pool.sets()[i]) << i;
  }
  const std::string_view text = as_text(stream.bytes);
  EXPECT_EQ(text.find(value), text.rfind(value));
}

TEST(XattrTable, AValueNoLongerThanAReferenceIsRepeated) {
  XattrPool pool;
  pool.intern({pair_of("user.a", "12345678"), pair_of("user.b", "12345678")});
  RawStream stream;
  const auto entries = write_xattr_pairs(pool, stream);
  ASSERT_TRUE(entries);
  EXPECT_EQ((*entries)[0].byte_count, 2u * (4 + 1 + 4 + 8));
  EXPECT_EQ(read_set(stream, (*entries)[0]), pool.sets()[0]);
}

}  // namespace
}  // namespace sqfs
