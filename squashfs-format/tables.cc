// SPDX-License-Identifier: MIT
#include "squashfs-format/tables.h"

#include <array>
#include <cassert>

#include "squashfs-format/problem.h"

namespace sqfs {
namespace {

constexpr std::array<std::string_view, 3> kPrefixes = {"user.", "trusted.", "security."};

}  // namespace

void encode(const FragmentEntry& entry, ByteWriter& out) {
  out.u64(entry.start);
  out.u32(entry.word);
  out.u32(entry.unused);
}

void encode(const XattrIdEntry& entry, ByteWriter& out) {
  out.u64(entry.ref);
  out.u32(entry.pair_count);
  out.u32(entry.byte_count);
}

void encode(const XattrTableHeader& header, ByteWriter& out) {
  out.u64(header.pairs_start);
  out.u32(header.id_count);
  out.u32(header.unused);
}

Result<FragmentEntry> decode_fragment_entry(ByteReader& in) {
  FragmentEntry entry;
  SQFS_TRY(entry.start, in.u64());
  SQFS_TRY(entry.word, in.u32());
  SQFS_TRY(entry.unused, in.u32());
  return entry;
}

Result<XattrIdEntry> decode_xattr_id_entry(ByteReader& in) {
  XattrIdEntry entry;
  SQFS_TRY(entry.ref, in.u64());
  SQFS_TRY(entry.pair_count, in.u32());
  SQFS_TRY(entry.byte_count, in.u32());
  return entry;
}

Result<XattrTableHeader> decode_xattr_table_header(ByteReader& in) {
  XattrTableHeader header;
  SQFS_TRY(header.pairs_start, in.u64());
  SQFS_TRY(header.id_count, in.u32());
  SQFS_TRY(header.unused, in.u32());
  return header;
}

std::string_view prefix_text(XattrPrefix prefix) { return kPrefixes[static_cast<size_t>(prefix)]; }

bool split_xattr_name(std::string_view full, XattrPrefix& prefix, std::string_view& rest) {
  for (size_t i = 0; i < kPrefixes.size(); ++i) {
    if (full.starts_with(kPrefixes[i]) && full.size() > kPrefixes[i].size()) {
      prefix = static_cast<XattrPrefix>(i);
      rest = full.substr(kPrefixes[i].size());
      return true;
    }
  }
  return false;
}

std::string XattrKey::full_name() const {
  assert(has_known_prefix());
  return std::string(kPrefixes[type & 0xff]) + std::string(name);
}

void encode_xattr_key(XattrPrefix prefix, bool out_of_line, std::string_view name,
                      ByteWriter& out) {
  out.u16(
      static_cast<uint16_t>(static_cast<uint16_t>(prefix) | (out_of_line ? kXattrOutOfLine : 0)));
  out.u16(static_cast<uint16_t>(name.size()));
  out.text(name);
}

void encode_xattr_value(Bytes value, ByteWriter& out) {
  out.u32(static_cast<uint32_t>(value.size()));
  out.bytes(value);
}

Result<XattrKey> decode_xattr_key(ByteReader& in) {
  XattrKey key;
  SQFS_TRY(key.type, in.u16());
  SQFS_TRY(const uint16_t length, in.u16());
  SQFS_TRY(const Bytes name, in.bytes(length));
  key.name = as_text(name);
  return key;
}

Result<Bytes> decode_xattr_value(ByteReader& in) {
  const size_t at = in.offset();
  SQFS_TRY(const uint32_t size, in.u32());
  if (size > kMaxXattrValue) return corrupt(Problem::kXattrValueLarge, at, size, kMaxXattrValue);
  return in.bytes(size);
}

}  // namespace sqfs
