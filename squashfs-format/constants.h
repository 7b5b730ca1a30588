// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

// Numbers of the SquashFS 4.0 format and the limits that the Linux kernel puts on it.
// docs/FORMAT.md says where each comes from.
namespace sqfs {

inline constexpr uint32_t kMagic = 0x73717368;  // the bytes "hsqs"
inline constexpr uint16_t kVersionMajor = 4;
inline constexpr uint16_t kVersionMinor = 0;
inline constexpr uint64_t kSuperblockSize = 96;

inline constexpr uint64_t kNoTable = ~uint64_t{0};
inline constexpr uint32_t kNoFragment = ~uint32_t{0};
inline constexpr uint32_t kNoXattr = ~uint32_t{0};

inline constexpr uint32_t kMinBlockSize = 4096, kMaxBlockSize = 1u << 20;
inline constexpr uint16_t kMinBlockLog = 12, kMaxBlockLog = 20;
inline constexpr uint32_t kMetadataBlockSize = 8192;
inline constexpr uint32_t kMetadataHeaderSize = 2;
inline constexpr uint16_t kMetadataRawBit = 0x8000;
inline constexpr uint32_t kMetadataMaxStored = kMetadataBlockSize + kMetadataHeaderSize;

// A block word: the stored size of a data or fragment block, and whether it is stored raw.
inline constexpr uint32_t kBlockRawBit = 1u << 24;
inline constexpr uint32_t kBlockSizeMask = kBlockRawBit - 1;

inline constexpr uint32_t kImageAlignment = 4096;   // the file is padded to it
inline constexpr uint32_t kDeviceBlockSize = 1024;  // the kernel reads in units of this

inline constexpr uint32_t kMaxNameLength = 255;
inline constexpr uint32_t kMaxNameLengthKernel = 256;  // the driver's own limit
inline constexpr uint32_t kMaxSymlinkLength = 4095;    // the longest readlink returns
inline constexpr uint32_t kMaxSymlinkLengthKernel = 4096;
inline constexpr uint32_t kMaxIds = 65535;
inline constexpr uint32_t kMaxDirRunEntries = 256;
inline constexpr uint32_t kDirSizeBias =
    3;  // a directory's file_size counts "." and ".." as 3 bytes
inline constexpr uint32_t kMaxDirListing = 0x7fffffff - kDirSizeBias;
inline constexpr uint32_t kMaxBasicDirListing = 0xffff - kDirSizeBias;
inline constexpr uint32_t kMaxXattrName = 255;  // with its prefix
inline constexpr uint32_t kMaxXattrValue = 65536;
inline constexpr uint32_t kMaxXattrList = 65536;  // all names of an inode with their NULs
inline constexpr uint32_t kMaxCompressorOptions = 4096;
inline constexpr uint32_t kMaxMajor = 0xfff, kMaxMinor = 0xfffff;

enum class CompressorId : uint16_t {
  kGzip = 1,
  kLzma = 2,
  kLzo = 3,
  kXz = 4,
  kLz4 = 5,
  kZstd = 6,
};

// Superblock flags. The kernel acts on kFlagCompressorOptions alone.
inline constexpr uint16_t kFlagRawInodes = 0x0001, kFlagRawData = 0x0002, kFlagCheck = 0x0004,
                          kFlagRawFragments = 0x0008, kFlagNoFragments = 0x0010,
                          kFlagAlwaysFragments = 0x0020, kFlagDuplicates = 0x0040,
                          kFlagExport = 0x0080, kFlagRawXattrs = 0x0100, kFlagNoXattrs = 0x0200,
                          kFlagCompressorOptions = 0x0400, kFlagRawIds = 0x0800;

// Inode types; the extended form of type t is t + 7.
enum class InodeType : uint16_t {
  kDir = 1,
  kFile = 2,
  kSymlink = 3,
  kBlockDevice = 4,
  kCharDevice = 5,
  kFifo = 6,
  kSocket = 7,
  kLongDir = 8,
  kLongFile = 9,
  kLongSymlink = 10,
  kLongBlockDevice = 11,
  kLongCharDevice = 12,
  kLongFifo = 13,
  kLongSocket = 14,
};
inline constexpr InodeType basic_type(InodeType type) {
  const auto raw = static_cast<uint16_t>(type);
  return static_cast<InodeType>(raw > 7 ? raw - 7 : raw);
}
inline constexpr InodeType extended_type(InodeType type) {
  return static_cast<InodeType>(static_cast<uint16_t>(basic_type(type)) + 7);
}

}  // namespace sqfs
