// SPDX-License-Identifier: MIT
#if XZ_SUPPORT || LZMA_XZ_SUPPORT
#include "compressors/lzma_memory.h"

#include <cstdlib>
#include <new>

namespace sqfs {
namespace {

// Enough for the encoders of 1 MiB blocks. Above it pieces are freed at once, so that damaged
// streams, which ask for dictionaries of all sizes, cannot pile up memory.
constexpr size_t kMaxKeptSize = size_t{48} << 20;

}  // namespace

struct alignas(std::max_align_t) LzmaMemory::Piece {
  Piece* next;
  size_t size;
};

LzmaMemory::LzmaMemory()
    : allocator_{
          [](void* self, size_t, size_t size) {  // the number of objects is always 1
            return static_cast<LzmaMemory*>(self)->take(size);
          },
          [](void* self, void* memory) { static_cast<LzmaMemory*>(self)->give_back(memory); },
          this} {}

LzmaMemory::~LzmaMemory() {
  while (kept_ != nullptr) {
    Piece* const piece = kept_;
    kept_ = piece->next;
    std::free(piece);
  }
}

void* LzmaMemory::take(size_t size) {
  for (Piece** link = &kept_; *link != nullptr; link = &(*link)->next) {
    Piece* const piece = *link;
    if (piece->size != size) continue;
    *link = piece->next;
    kept_size_ -= size;
    return piece + 1;
  }
  void* const memory = std::malloc(sizeof(Piece) + size);
  if (memory == nullptr) return nullptr;
  return new (memory) Piece{nullptr, size} + 1;
}

void LzmaMemory::give_back(void* memory) {
  if (memory == nullptr) return;
  Piece* const piece = static_cast<Piece*>(memory) - 1;
  if (kept_size_ + piece->size > kMaxKeptSize) {
    std::free(piece);
    return;
  }
  piece->next = kept_;
  kept_ = piece;
  kept_size_ += piece->size;
}

}  // namespace sqfs
#endif
