#include <cstdlib>
#include <limits>
#include <new>
#include <thread>
#include <vector>

#include "backend/cpu/product.h"
#include "catch.h"
#include "fused_call.h"

namespace {

// How often this thread has asked for memory.
thread_local std::size_t allocations = 0;
// Whether it gets none for what kernels pack.
thread_local bool is_short = false;

void* counted_or_null(std::size_t bytes) {
  ++allocations;
  return std::malloc(bytes);
}

void* counted_or_null(std::size_t bytes, std::align_val_t alignment) {
  ++allocations;
  if (is_short) return nullptr;
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

namespace {

// On a thread that has nothing packed yet, and gets no memory for it.
template <class Work>
void without_memory(Work&& work) {
  std::thread([&] {
    Threads caller(1);
    is_short = true;
    work(caller);
    is_short = false;
  }).join();
}

template <class T>
void check_attention_without_memory(std::size_t queries, std::size_t keys) {
  Case<T> test(1, 6, 2, queries, keys, 200, 200);
  fill(test, 33);
  without_memory([&](Threads& caller) { test.attend(caller); });
  const Error error = error_of(test);
  CAPTURE(queries, keys);
  CHECK(error.kernel <= 100 * static_cast<double>(std::numeric_limits<T>::epsilon()));
  CHECK(error.rows_marked);
}

// Sums of small whole numbers are exact, in whatever order.
template <class T>
void check_product_without_memory() {
  constexpr std::size_t rows = 30, depth = 300, columns = 50;
  std::vector<T> x(rows * depth), w(depth * columns), y(rows * columns, T{77});
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i % 7) - T{3};
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<T>(i % 5) - T{2};
  Threads threads(1);
  const PackedMatrix<T> packed(LyingMatrix<T>{w.data(), depth, columns, columns}, threads);
  without_memory([&](Threads& caller) { multiply_on({rows, x.data(), y.data(), depth, columns}, packed, caller); });
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      T sum = 0;
      for (std::size_t i = 0; i < depth; ++i) sum += x[row * depth + i] * w[i * columns + column];
      REQUIRE(y[row * columns + column] == sum);
    }
  }
}

}  // namespace

TEST_CASE("without memory for what it packs a kernel works each row out where it stands", "[backend][cpu]") {
  for (const std::size_t queries : {2U, 8U}) {
    for (const std::size_t keys : {60U, 600U}) {
      check_attention_without_memory<float>(queries, keys);
      check_attention_without_memory<double>(queries, keys);
    }
  }
  check_product_without_memory<float>();
  check_product_without_memory<double>();
}
