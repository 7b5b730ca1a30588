// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "squashfs-format/metadata.h"
#include "squashfs-format/tables.h"
#include "xattr/pool.h"

// From sets in memory to the pairs of the xattr table. It knows nothing of compression: the bytes
// go to a stream that knows where in the table each one will be.
namespace sqfs {

// A table of metadata blocks that is being written.
class XattrStream {
 public:
  virtual ~XattrStream() = default;
  virtual MetadataRef position() const = 0;  // of the next byte
  virtual Status append(Bytes bytes) = 0;
};

// Writes the pairs of every set of the pool and returns the sets' entries in the xattr id table, in
// the order of their numbers. A value longer than a reference is written once, where it first
// occurs; later pairs refer to it. Fails when the stream does, and with Code::kUnsupported when it
// grows beyond what a reference can express.
Result<std::vector<XattrIdEntry>> write_xattr_pairs(const XattrPool& pool, XattrStream& out);

}  // namespace sqfs
