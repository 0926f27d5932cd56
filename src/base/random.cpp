#include "base/random.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <functional>
#include <numeric>
#include <utility>

#include "base/math.h"

namespace attn {

// splitmix64: neighbouring seeds give unrelated states, and no seed a state of
// all zeros, in which xoshiro256** would stay.
Random::Random(std::uint64_t seed) {
  for (std::uint64_t& word : state_) {
    seed += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = seed;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    word = mixed ^ (mixed >> 31);
  }
}

std::uint64_t Random::bits() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

std::int64_t Random::integer(std::int64_t lowest, std::int64_t highest) {
  assert(lowest <= highest);
  // Unsigned, since the distance may exceed the signed integers. It wraps to 0
  // where there are 2^64 choices: any 64 bits are one then.
  const auto first = static_cast<std::uint64_t>(lowest);
  const std::uint64_t choices = static_cast<std::uint64_t>(highest) - first + 1;
  if (choices == 0) return static_cast<std::int64_t>(bits());

  // Of the 2^64 draws, the lowest 2^64 mod `choices` are drawn again, so that
  // the rest fall on each choice equally often.
  const std::uint64_t left_over = (0 - choices) % choices;
  std::uint64_t draw = bits();
  while (draw < left_over) draw = bits();
  return static_cast<std::int64_t>(first + draw % choices);
}

double Random::normal() {
  if (second_normal_) return *std::exchange(second_normal_, std::nullopt);

  // A point drawn uniformly from the unit disk, without its centre.
  double u = 0;
  double v = 0;
  double s = 0;
  do {
    u = 2 * uniform() - 1;
    v = 2 * uniform() - 1;
    s = u * u + v * v;
  } while (s >= 1 || s == 0);

  const double stretch = sqrt(-2 * log(s) / s);
  second_normal_ = v * stretch;
  return u * stretch;
}

std::vector<double> random_values(RandomKind kind, std::span<const std::size_t> shape, std::uint64_t seed,
                                  std::size_t most) {
  const std::size_t count = std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  std::vector<double> values(std::min(count, most));
  if (count == 0) return values;

  const std::size_t last = shape.empty() ? 1 : shape.back();
  const auto fan_out = static_cast<double>(last);
  const auto fan_in = static_cast<double>(shape.size() < 2 ? last : shape[shape.size() - 2]);
  Random random(seed);
  const auto fill = [&](auto draw) { std::ranges::generate(values, draw); };

  switch (kind) {
    case RandomKind::normal:
      fill([&] { return random.normal(); });
      break;
    case RandomKind::xavier: {
      const double bound = sqrt(6 / (fan_in + fan_out));
      fill([&] { return bound * (2 * random.uniform() - 1); });
      break;
    }
    case RandomKind::kaiming: {
      const double deviation = sqrt(2 / fan_in);
      fill([&] { return deviation * random.normal(); });
      break;
    }
    case RandomKind::integers:
      fill([&] { return static_cast<double>(random.integer(-3, 3)); });
      break;
  }
  return values;
}

}  // namespace attn
