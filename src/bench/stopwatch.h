#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>

namespace attn {

// Times calls of one thing so that the clock and the caches do it justice: one
// that is short is called once more before, since what was measured in between
// had the caches, and one too short for the clock is timed as the mean of many.
class Stopwatch {
 public:
  // Returns the seconds of a call.
  template <class Call>
  double seconds(Call&& call) {
    if (last_ > 0 && last_ < short_call) call();
    const double calls = last_ > 0 ? std::clamp(long_enough / last_, 1.0, most_calls) : 1;
    const auto start = std::chrono::steady_clock::now();
    for (auto left = static_cast<std::size_t>(calls); left > 0; --left) call();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    last_ = std::max(took.count(), 1e-9) / std::floor(calls);
    return last_;
  }

 private:
  static constexpr double short_call = 0.02, long_enough = 0.001, most_calls = 10000;
  double last_ = 0;  // of the time before
};

}  // namespace attn
