#include <algorithm>
#include <limits>
#include <string>

#include "base/numbers.h"
#include "bytes.h"
#include "harness.h"
#include "unit/backend/cpu/fused_call.h"

namespace attn {
namespace {

// Twice the error of the plain loop, or what sums of so large products, in another order, may be off: more than for
// the calls of tests/unit/backend/cpu/attend_test.cpp, since whoever looks for the worst call finds it. A base of
// powers other than e makes more of it.
template <class T>
double allowed(const fused::Error& error, const FusedAttention<T>& call) {
  const double unit = std::numeric_limits<T>::epsilon() / 2.0;
  return std::max(2 * error.plain, unit * (16 + 4 * error.largest_product * std::max(1.0, call.log_base)));
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
    demand(error.kernel <= allowed<T>(error, test.sizes), "a kernel is as near as the plain loop",
           set + ": " + shortest(error.kernel) + " of " + shortest(allowed<T>(error, test.sizes)));
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
