// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "squashfs-format/constants.h"
#include "squashfs-format/metadata.h"

// Records of the fragment, export, id and xattr tables. The first three and the xattr id table are
// arrays of fixed records in metadata blocks of exactly 8192 bytes (the last one short), followed
// by an array of u64: the absolute position of each block.
namespace sqfs {

inline constexpr uint32_t kFragmentEntrySize = 16, kExportEntrySize = 8, kIdEntrySize = 4,
                          kXattrIdEntrySize = 16, kXattrTableHeaderSize = 16;

// fragment   0 u64 start (absolute) | 8 u32 block word | 12 u32 unused, 0
struct FragmentEntry {
  uint64_t start = 0;
  uint32_t word = 0;
  uint32_t unused = 0;
  bool operator==(const FragmentEntry&) const = default;
};

// xattr id   0 u64 ref to the first pair, relative to the pair stream | 8 u32 number of pairs
//            12 u32 bytes of the pairs
struct XattrIdEntry {
  uint64_t ref = 0;
  uint32_t pair_count = 0;
  // Headers + names + value sizes + stored values. squashfs-tools counts each name with its prefix
  // and a NUL, and a value stored elsewhere in full; kernels only use it for listxattr's buffer.
  uint32_t byte_count = 0;
  bool operator==(const XattrIdEntry&) const = default;
};

// xattr header 0 u64 start of the pair stream (absolute) | 8 u32 number of ids | 12 u32 unused, 0
struct XattrTableHeader {
  uint64_t pairs_start = 0;
  uint32_t id_count = 0;
  uint32_t unused = 0;
  bool operator==(const XattrTableHeader&) const = default;
};

void encode(const FragmentEntry&, ByteWriter&);
void encode(const XattrIdEntry&, ByteWriter&);
void encode(const XattrTableHeader&, ByteWriter&);

// All three fail with kTruncated alone: no value is judged.
Result<FragmentEntry> decode_fragment_entry(ByteReader& in);
Result<XattrIdEntry> decode_xattr_id_entry(ByteReader& in);
Result<XattrTableHeader> decode_xattr_table_header(ByteReader& in);

// --- xattr pairs ---------------------------------------------------------------------------------
// pair       u16 type (low byte: prefix; 0x0100: value out of line) | u16 name length | name
//            u32 value size | value, or out of line: size 8 and a u64 ref (relative to the pair
//            stream) to the value-size field of an inline value
enum class XattrPrefix : uint8_t { kUser = 0, kTrusted = 1, kSecurity = 2 };
inline constexpr uint16_t kXattrOutOfLine = 0x0100;

std::string_view prefix_text(XattrPrefix prefix);  // "user."

// Splits "user.name"; false when the prefix is none of the three or the rest is empty.
bool split_xattr_name(std::string_view full, XattrPrefix& prefix, std::string_view& rest);

struct XattrKey {
  uint16_t type = 0;      // as stored
  std::string_view name;  // without prefix; borrowed from the reader's range
  bool operator==(const XattrKey&) const = default;

  bool is_out_of_line() const { return (type & kXattrOutOfLine) != 0; }
  bool has_known_prefix() const { return (type & ~kXattrOutOfLine) <= 2; }
  std::string full_name() const;  // has_known_prefix() must hold
};

void encode_xattr_key(XattrPrefix prefix, bool out_of_line, std::string_view name, ByteWriter&);
void encode_xattr_value(Bytes value, ByteWriter&);  // the size and the bytes

// kTruncated alone.
Result<XattrKey> decode_xattr_key(ByteReader& in);
// The value behind a key, or at the end of an out-of-line reference. kXattrValueLarge when the size
// is above 65536, the most the VFS hands out; kTruncated.
Result<Bytes> decode_xattr_value(ByteReader& in);

}  // namespace sqfs
