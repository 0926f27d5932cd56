#pragma once

#include <cstddef>
#include <vector>

namespace attn {

// How repeated measurements of one thing are spread.
struct Spread {
  std::size_t count = 0;
  double least = 0, lower = 0, median = 0, upper = 0, most = 0;  // lower and upper: the quartiles

  bool operator==(const Spread&) const = default;
};

// Between two numbers of the list quantiles are interpolated linearly (Hyndman
// and Fan 1996, definition 7). Of no number all are 0.
Spread spread_of(std::vector<double> values);

}  // namespace attn
