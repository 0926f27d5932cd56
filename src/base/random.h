#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace attn {

// Pseudo-random numbers: the same seed gives the same bits on every machine.
// Good for tests and examples, useless for secrets.
//
// xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number
// generators", ACM TOMS 47(4), 2021), its state filled by splitmix64 (Steele,
// Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed);

  // 64 random bits.
  std::uint64_t bits();

  // Uniform on the multiples of 2^-53 in [0, 1).
  double uniform();

  // Uniform on lowest, ..., highest; every one exactly as likely as the others.
  // REQUIRES: lowest <= highest.
  std::int64_t integer(std::int64_t lowest, std::int64_t highest);

  // Normal with mean 0 and standard deviation 1, by Marsaglia's polar method
  // (Marsaglia and Bray, "A convenient method for generating normal variables",
  // SIAM Review 6(3), 1964). It makes two numbers at a time: every other call
  // returns the second and draws no bits.
  double normal();

 private:
  std::array<std::uint64_t, 4> state_;
  std::optional<double> second_normal_;
};

// How the numbers of a random tensor are drawn. fan_in and fan_out are its last
// dimension but one and its last, since y = x·W has a row of W for each input;
// for a vector both are its size, for a single number 1.
enum class RandomKind {
  // Mean 0, standard deviation 1.
  normal,

  // Uniform between ±√(6/(fan_in + fan_out)): Glorot and Bengio,
  // "Understanding the difficulty of training deep feedforward neural
  // networks", AISTATS 2010, equation (16).
  xavier,

  // Normal with mean 0, standard deviation √(2/fan_in): He, Zhang, Ren and Sun,
  // "Delving deep into rectifiers", ICCV 2015, equation (10).
  kaiming,

  // Whole numbers from -3 to 3, all equally likely: with them every product and
  // most sums stay within what people work out in the head.
  integers,
};

// The numbers of a tensor of this shape, last dimension fastest. Two tensors of
// one seed share their draws; give each its own seed. Of more than `most` numbers
// only so many are drawn, the first ones. REQUIRES: the product of the dimensions
// fits std::size_t, and so many numbers memory.
std::vector<double> random_values(RandomKind kind, std::span<const std::size_t> shape, std::uint64_t seed,
                                  std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace attn
