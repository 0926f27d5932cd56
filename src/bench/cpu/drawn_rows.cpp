#include "bench/cpu/drawn_rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/random.h"
#include "bench/cpu/row_context.h"

namespace attn {
namespace {

constexpr std::size_t rows_drawn = 24;

}  // namespace

double farther(double worst_yet, double number, double exact) {
  const double away = std::abs(number - exact);
  return away <= worst_yet ? worst_yet : std::isnan(away) ? std::numeric_limits<double>::infinity() : away;
}

template <class T>
MeasurableRun::Error error_of_drawn_rows(const FusedAttention<T>& call) {
  Random random(20170612);
  MeasurableRun::Error worst;
  for (std::size_t drawn = 0; drawn < rows_drawn; ++drawn) {
    const auto one_of = [&](std::size_t count) {
      return static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(count) - 1));
    };
    const std::size_t batch = one_of(call.batch), head = one_of(call.heads), query = one_of(call.queries);
    const std::vector<double> exact = context_of<double, DotTwice>(call, batch, head, query);
    const std::vector<T> plain = context_of<T, DotPlain<T>>(call, batch, head, query);
    const T* got =
        call.context + batch * call.context_at.batch + head * call.context_at.head + query * call.context_at.row;
    for (std::size_t c = 0; c < call.value_width; ++c) {
      worst.kernel = farther(worst.kernel, static_cast<double>(got[c]), exact[c]);
      worst.plain = farther(worst.plain, static_cast<double>(plain[c]), exact[c]);
    }
  }
  return worst;
}

template MeasurableRun::Error error_of_drawn_rows(const FusedAttention<float>&);
template MeasurableRun::Error error_of_drawn_rows(const FusedAttention<double>&);

}  // namespace attn
