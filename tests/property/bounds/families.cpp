#include "families.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "number.h"

namespace attn::bounds {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double of_exponent(Random& random, int most) {
  return std::ldexp(random.signed_unit(),
                    static_cast<int>(random.below(static_cast<std::size_t>(2 * most + 1))) - most);
}

// The largest exponent that numbers of the dtype have, about.
int wide(Dtype dtype) { return dtype == Dtype::f64 ? 1000 : dtype == Dtype::f16 ? 13 : 120; }

double one_of(Family family, Dtype dtype, Random& random) {
  switch (family) {
    case Family::exponents_30:
      return of_exponent(random, std::min(30, wide(dtype)));
    case Family::exponents_1000:
      return of_exponent(random, wide(dtype));
    case Family::overflows: {
      const std::array<double, 6> some = {1e150, -1e150, 1e308, -1e308, 1, 1e-150};
      return some[random.below(some.size())] * (random.one_in(2) ? 1 : random.unit());
    }
    case Family::subnormal:
      return std::ldexp(random.signed_unit(), random.one_in(2) ? -1060 : random.one_in(2) ? -140 : -20);
    case Family::whole_and_zeros:
      return random.one_in(5) ? -0.0 : static_cast<double>(random.below(9)) - 4;
    default:
      return random.signed_unit() * (random.one_in(3) ? 10 : 1);
  }
}

// Every second number nearly takes back what the one before it gives.
void cancel_in_pairs(Tensor<double>& numbers, std::size_t width, double large, Random& random) {
  for (std::size_t at = 0; at + 1 < numbers.size(); at += 1) {
    if (at % width + 1 >= width || at % width % 2 != 0) continue;
    numbers[at] = large * (1 + random.unit());
    numbers[at + 1] = -numbers[at] + random.signed_unit();
  }
}

// The second half of each row of `rows` takes back what the first half makes with `other`
// (after Ogita, Rump and Oishi 2005, algorithm 6.1).
void condition_badly(const Tensor<double>& other, Tensor<double>& rows, std::size_t width, Dtype dtype,
                     Random& random) {
  const int most = std::min(wide(dtype), 8 + static_cast<int>(random.below(42)));
  for (std::size_t row = 0; row + width <= rows.size(); row += width) {
    Exact sum;
    for (std::size_t i = 0; i < width; ++i) {
      double& number = rows[row + i];
      const Exact factor(other[i]);
      if (2 * i < width) {
        number = of_exponent(random, most / 2);
      } else {
        const double share = static_cast<double>(width - i) / static_cast<double>(width);
        const Exact target(std::ldexp(random.signed_unit(), static_cast<int>(most * share) - 10));
        number = factor.is_zero() ? 0 : stored(((target - sum) / factor).number(), dtype);
      }
      number = stored(number, dtype);
      if (!std::isfinite(number)) number = 1;
      sum.add_product(Exact(number), factor);
    }
  }
}

double next(double number, Random& random) {
  const std::size_t way = random.below(3);
  return way == 0 ? number : std::nextafter(number, way == 1 ? infinity : -infinity);
}

double edge_of_exp(Random& random) {
  const std::array<double, 10> edges = {709.782712893384,
                                        745.1332191019411,
                                        708.3964185322641,
                                        88.72283935546875,
                                        103.97208,
                                        87.33655,
                                        11.089866,
                                        16.63553,
                                        0.5,
                                        1};
  return (random.one_in(2) ? 1 : -1) * next(edges[random.below(edges.size())], random);
}

std::size_t some_size(Random& random) {
  if (random.one_in(3)) return 1 + random.below(8);
  return 1 + random.below(130);
}

// With one feature that is 1 a score is the key.
void draw_scores(Drawn& all, Random& random) {
  std::ranges::fill(all.q.data(), 1);
  for (std::size_t at = 0; at < all.k.size(); ++at) {
    double& key = all.k[at];
    const std::size_t i = at % all.keys;
    if (all.family == Family::edges_of_exp) key = i == 0 ? 0 : -std::abs(edge_of_exp(random));
    if (all.family == Family::equal_scores) key = 0.3;
    if (all.family == Family::one_dominant) key = i == all.keys / 2 ? 20 + 700 * random.unit() : random.signed_unit();
    if (all.family == Family::two_maxima) key = i % 3 == 1 ? 7.25 : 7 * random.unit();
  }
}

bool is_of_scores(Family family) {
  return family == Family::edges_of_exp || family == Family::equal_scores || family == Family::one_dominant ||
         family == Family::two_maxima;
}

void put_behind_the_mask(Drawn& all, Random& random) {
  const std::array<double, 3> odd = {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
  for (std::size_t key = 0; key < all.keys; ++key) {
    bool closed = true;
    for (std::size_t i = 0; i < all.queries; ++i) closed = closed && all.open[i * all.keys + key] == 0;
    if (!closed || random.one_in(3)) continue;
    for (std::size_t head = 0; head < all.heads; ++head) {
      all.k[(head * all.keys + key) * all.features + random.below(all.features)] = odd[random.below(odd.size())];
      all.v[(head * all.keys + key) * all.values + random.below(all.values)] = odd[random.below(odd.size())];
    }
  }
}

void draw_sizes(Drawn& all, Random& random) {
  all.heads = random.one_in(5) ? 1 + random.below(16) : 1;
  all.features = some_size(random);
  all.values = 1 + random.below(4);
  all.queries = 1 + random.below(all.heads > 1 ? 2 : 6);
  all.keys = all.heads > 4 ? 1 + random.below(20) : some_size(random);
  if (is_of_scores(all.family)) all.features = 1;
  const bool is_long = random.one_in(is_of_scores(all.family) ? 12 : 60);
  if (!is_long) return;
  const std::array<std::size_t, 6> lengths = {1023, 1024, 1025, 4096, 4097, 257};
  all.keys = lengths[random.below(lengths.size())];
  all.features = std::min<std::size_t>(all.features, 3);
  all.heads = all.queries = all.values = 1;
}

}  // namespace

std::uint64_t Random::bits() {
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

Drawn drawn(std::uint64_t seed) {
  Random random(seed);
  Drawn all;
  all.family = Family(seed % family_count);
  const std::array<Dtype, 6> some = {Dtype::f64, Dtype::f64, Dtype::f64, Dtype::f32, Dtype::bf16, Dtype::f16};
  all.dtype = some[random.below(some.size())];
  draw_sizes(all, random);
  const Dim head{"head", all.heads}, query{"query", all.queries}, key{"key", all.keys};
  const Dim feature{"feature", all.features}, value{"value", all.values};
  all.q = Tensor<double>(Shape({head, query, feature}));
  all.k = Tensor<double>(Shape({head, key, feature}));
  all.v = Tensor<double>(Shape({head, key, value}));
  all.open = Tensor<double>(Shape({query, key}));
  all.cells = Tensor<double>(Shape({{"cell", 24}}));
  all.others = all.cells;
  all.gain = Tensor<double>(Shape({feature}));
  all.bias = all.gain;
  for (Tensor<double>* numbers : {&all.q, &all.k, &all.v, &all.cells, &all.others, &all.gain, &all.bias}) {
    for (double& number : numbers->data()) number = one_of(all.family, all.dtype, random);
  }
  if (all.family == Family::cancels_1e8 || all.family == Family::cancels_1e15) {
    const double large = all.family == Family::cancels_1e8 ? 1e8 : 1e15;
    cancel_in_pairs(all.k, all.features, large, random);
    cancel_in_pairs(all.v, all.values * 2, large, random);
    std::ranges::fill(all.q.data(), 1);
  }
  if (is_of_scores(all.family)) draw_scores(all, random);
  if (all.family == Family::edges_of_exp) {
    for (double& number : all.cells.data()) number = edge_of_exp(random);
  }
  for (Tensor<double>* numbers : {&all.q, &all.k, &all.v, &all.cells, &all.others, &all.gain, &all.bias}) {
    for (double& number : numbers->data()) number = stored(number, all.dtype);
  }
  if (all.family == Family::ill_conditioned) condition_badly(all.q, all.k, all.features, all.dtype, random);
  const bool is_masked = all.family == Family::behind_the_mask || random.one_in(3);
  const std::size_t closed_keys = random.below(all.keys);
  for (std::size_t at = 0; at < all.open.size(); ++at) {
    const bool closed = is_masked && (at % all.keys >= all.keys - closed_keys || random.one_in(5));
    all.open[at] = closed ? 0 : 1;
  }
  if (all.family == Family::behind_the_mask) put_behind_the_mask(all, random);
  return all;
}

}  // namespace attn::bounds
