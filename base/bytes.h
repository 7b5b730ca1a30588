// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"

// Byte ranges and little-endian cursors. Pure; no structure of the format is known here.
namespace sqfs {

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;
using Buffer = std::vector<std::byte>;

inline Bytes as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// True when every byte is zero. Fast: compares the range with itself, shifted.
inline bool is_all_zero(Bytes bytes) {
  return bytes.empty() || (bytes[0] == std::byte{0} &&
                           std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

inline bool same_bytes(Bytes a, Bytes b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

// The catalogue number every "ends early" error carries; problem.h asserts that its row agrees.
inline constexpr uint16_t kProblemTruncated = 0x0001;

// Reads little-endian numbers from a byte range, front to back, and never past its end. Errors are
// Code::kCorrupt with problem kProblemTruncated and the cursor's offset.
class ByteReader {
 public:
  explicit ByteReader(Bytes bytes) : bytes_(bytes) {}

  size_t offset() const { return offset_; }
  size_t remaining() const { return bytes_.size() - offset_; }

  Result<uint8_t> u8() { return number<uint8_t>(); }
  Result<uint16_t> u16() { return number<uint16_t>(); }
  Result<uint32_t> u32() { return number<uint32_t>(); }
  Result<uint64_t> u64() { return number<uint64_t>(); }
  Result<int16_t> i16() {
    SQFS_TRY(const uint16_t raw, u16());
    return static_cast<int16_t>(raw);
  }

  // A view of the next `count` bytes of the underlying range.
  Result<Bytes> bytes(size_t count) {
    if (count > remaining()) return ends_early(count);
    const Bytes out = bytes_.subspan(offset_, count);
    offset_ += count;
    return out;
  }

  Status skip(size_t count) {
    SQFS_TRY([[maybe_unused]] const Bytes skipped, bytes(count));
    return ok();
  }

 private:
  template <class T>
  Result<T> number() {
    if (sizeof(T) > remaining()) return ends_early(sizeof(T));
    uint64_t value = 0;
    for (size_t i = 0; i < sizeof(T); ++i) {
      value |= static_cast<uint64_t>(bytes_[offset_ + i]) << (8 * i);
    }
    offset_ += sizeof(T);
    return static_cast<T>(value);
  }

  Error ends_early(size_t wanted) const;

  Bytes bytes_;
  size_t offset_ = 0;
};

inline Error ByteReader::ends_early(size_t wanted) const {
  return Error{Code::kCorrupt, kProblemTruncated, offset_, 0,
               "ends early: " + std::to_string(wanted) + " bytes wanted, " +
                   std::to_string(remaining()) + " left"};
}

// Appends little-endian numbers to a buffer that the caller owns. Cannot fail.
class ByteWriter {
 public:
  explicit ByteWriter(Buffer& out) : out_(out) {}

  size_t size() const { return out_.size(); }

  void u8(uint8_t value) { number(value); }
  void u16(uint16_t value) { number(value); }
  void u32(uint32_t value) { number(value); }
  void u64(uint64_t value) { number(value); }
  void i16(int16_t value) { number(static_cast<uint16_t>(value)); }
  void bytes(Bytes bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }
  void text(std::string_view text) { bytes(as_bytes(text)); }

 private:
  template <class T>
  void number(T value) {
    std::byte raw[sizeof(T)];
    for (size_t i = 0; i < sizeof(T); ++i) {
      raw[i] = static_cast<std::byte>(static_cast<uint64_t>(value) >> (8 * i));
    }
    out_.insert(out_.end(), raw, raw + sizeof(T));
  }

  Buffer& out_;
};

}  // namespace sqfs
