#include "backend/cpu/workspace.h"

namespace attn {
namespace {

constexpr std::align_val_t alignment{64};

// Enough for the smallest problems without asking the system.
constexpr std::size_t at_hand = std::size_t{16} << 10;

struct Memory {
  void* data = nullptr;
  std::size_t bytes = 0;
  ~Memory() { ::operator delete(data, alignment); }
};

}  // namespace

void* workspace(std::size_t bytes) {
  alignas(64) thread_local unsigned char small[at_hand];
  if (bytes <= at_hand) return small;
  thread_local Memory memory;
  if (memory.bytes < bytes) {
    ::operator delete(memory.data, alignment);
    memory.bytes = 0;
    memory.data = ::operator new(bytes, alignment, std::nothrow);
    if (memory.data != nullptr) memory.bytes = bytes;
  }
  return memory.data;
}

}  // namespace attn
