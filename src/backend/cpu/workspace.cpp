#include "backend/cpu/workspace.h"

#include "base/thread_end.h"

namespace attn {
namespace {

constexpr std::align_val_t alignment{64};

// Enough for the smallest problems without asking the system.
constexpr std::size_t at_hand = std::size_t{16} << 10;

void give_back(void* memory) { ::operator delete(memory, alignment); }

}  // namespace

void* workspace(std::size_t bytes) {
  alignas(64) thread_local unsigned char small[at_hand];
  if (bytes <= at_hand) return small;
  thread_local void* data = nullptr;
  thread_local std::size_t size = 0;
  if (size < bytes) {
    give_back(data);
    data = ::operator new(bytes, alignment, std::nothrow);
    size = data ? bytes : 0;
    keep_until_thread_ends<give_back>(data);
  }
  return data;
}

}  // namespace attn
