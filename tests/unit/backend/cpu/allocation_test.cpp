#include <cstdlib>
#include <new>

#include "catch.h"
#include "fused_call.h"

namespace {

// How often this thread has asked for memory.
thread_local std::size_t allocations = 0;

void* counted_or_null(std::size_t bytes) {
  ++allocations;
  return std::malloc(bytes);
}

void* counted_or_null(std::size_t bytes, std::align_val_t alignment) {
  ++allocations;
  const auto multiple = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(multiple, (bytes + multiple - 1) / multiple * multiple);
}

void* or_throw(void* memory) { return memory ? memory : throw std::bad_alloc(); }

}  // namespace

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // it sees through new, not through delete
#endif

// Every way to ask for memory: what a sanitizer's own hands out, our delete may not free.
void* operator new(std::size_t bytes) { return or_throw(counted_or_null(bytes)); }
void* operator new[](std::size_t bytes) { return or_throw(counted_or_null(bytes)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return counted_or_null(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return counted_or_null(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return or_throw(counted_or_null(bytes, alignment));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return counted_or_null(bytes, alignment);
}
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

using namespace attn;         // NOLINT(google-build-using-namespace)
using namespace attn::fused;  // NOLINT(google-build-using-namespace)

TEST_CASE("a small call allocates nothing, and a large one nothing the second time", "[backend][cpu]") {
  const std::size_t size = GENERATE(3U, 200U);
  // One thread, as each of several allocates when chance first gives it a task.
  Threads threads(1);
  Case<float> test(1, 2, 2, size, size, 24, 24);
  fill(test, 31);
  const FusedAttention<float> call = test.call();
  if (size > 3) attend_on(call, threads);
  const std::size_t before = allocations;
  attend_on(call, threads);
  const std::size_t after = allocations;
  CHECK(after == before);
  std::vector<int> counted_like_any(1000);
  CHECK(allocations > after);
  CHECK(counted_like_any.size() == 1000);
}
