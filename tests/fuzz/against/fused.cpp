#include <algorithm>
#include <limits>
#include <string>

#include "base/numbers.h"
#include "bytes.h"
#include "harness.h"
#include "unit/backend/cpu/fused_call.h"

namespace attn {
namespace {

// As tests/unit/backend/cpu/attend_test.cpp has it: twice the error of the plain loop, or what a sum of so large
// products may be off.
template <class T>
double allowed(const fused::Error& error) {
  const double unit = std::numeric_limits<T>::epsilon() / 2.0;
  return std::max(2 * error.plain, unit * (16 + error.largest_product));
}

template <class T>
void check(Bytes bytes) {
  fused::Case<T> test = fused::any_call<T>(bytes.bits<std::uint32_t>(), {6, 20});
  for (auto* numbers : {&test.q, &test.k, &test.v}) {
    for (T& number : *numbers) {
      if (!bytes.any()) break;
      number = static_cast<T>((static_cast<int>(bytes.byte()) - 128) / 16.0);
    }
  }
  static Threads one(1);
  fused::with_each_instruction_set([&](const std::string& set) {
    test.attend(one);
    const fused::Error error = fused::error_of(test);
    demand(error.rows_marked, "rows are marked that see nothing, and no others", set);
    demand(error.kernel <= allowed<T>(error), "a kernel is as near as the plain loop",
           set + ": " + shortest(error.kernel) + " of " + shortest(allowed<T>(error)));
  });
}

// Attention at once by every instruction set, against its definition.
void run(std::string_view text) {
  Bytes bytes(text);
  if (bytes.one_in(2)) return check<double>(bytes);
  check<float>(bytes);
}

}  // namespace

Harness fused_harness() { return {"fused", run}; }

}  // namespace attn
