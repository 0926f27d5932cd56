#include "base/memory_shortage.h"

#include <new>

#include "catch.h"

using namespace attn;

namespace {

// How often the handler still has memory to free.
int shortage_left = 0;

}  // namespace

TEST_CASE("memory is asked for again as long as a handler frees some", "[base]") {
  const std::new_handler before = std::set_new_handler([] { --shortage_left; });
  char memory = 0;
  shortage_left = 3;
  void* const got = memory_of([&]() -> void* { return shortage_left > 0 ? nullptr : &memory; });
  std::set_new_handler(nullptr);
  int asked = 0;
  void* const without = memory_of([&]() -> void* {
    ++asked;
    return nullptr;
  });
  std::set_new_handler(before);
  CHECK(got == &memory);
  CHECK(shortage_left == 0);
  CHECK(without == nullptr);
  CHECK(asked == 1);
}
