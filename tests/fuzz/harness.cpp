#include "harness.h"

#include <cstdio>
#include <cstdlib>

namespace attn {

void demand(bool holds, std::string_view promise, std::string_view of) {
  if (holds) return;
  std::fprintf(stderr, "not so: %.*s\n%.*s\n", static_cast<int>(promise.size()), promise.data(),
               static_cast<int>(of.size()), of.data());
  std::abort();
}

void demand(bool holds, std::string_view promise) { demand(holds, promise, ""); }

}  // namespace attn
