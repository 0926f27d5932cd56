#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tensor/late_tensor.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

// The primitive operations that every step is one of.
//
// Axes are matched by name: an operand without an axis is broadcast along it.
// The set is closed: whoever reads it visits all of it, and the compiler says
// who forgot one. A new score, mask or position encoding is a composition of
// these, not a new one.

namespace attn {

// The numbers stand in the problem; nothing is computed.
struct Given {
  bool operator==(const Given&) const = default;
};

// The same numbers, perhaps under other axis names, and repeated along `along`
// where the operand has no such axis.
struct Copy {
  Shape along;
  bool operator==(const Copy&) const = default;
};

// One axis becomes two: index = outer · (size / parts) + inner.
struct Split {
  Axis axis, outer, inner;
  std::size_t parts = 1;
  bool operator==(const Split&) const = default;
};

// Two axes become one: index = outer · size(inner) + inner.
struct Merge {
  Axis outer, inner, axis;
  bool operator==(const Merge&) const = default;
};

// The operands one after another along `axis`, which each of them has, of any
// size; an operand without one of the other axes is repeated along it.
struct Join {
  Axis axis;
  bool operator==(const Join&) const = default;
};

// `times` as many along `axis`: index i reads i / times, so that neighbours
// share (grouped-query attention: Ainslie et al. 2023); tiled, it reads
// i mod size.
struct Repeat {
  Axis axis;
  std::size_t times = 1;
  bool tiled = false;
  bool operator==(const Repeat&) const = default;
};

// Which row of a table each cell reads; −1 reads none. Axes are those along
// which that differs.
class Rows {
 public:
  explicit Rows(Tensor<std::int64_t> rows) : table_(std::move(rows)) {}

  // `make` is called when a row is first asked for: see LateTensor.
  Rows(Shape shape, std::function<Tensor<std::int64_t>()> make) : table_(std::move(shape), std::move(make)) {}

  const Shape& shape() const { return table_.shape(); }
  std::int64_t operator[](std::size_t i) const { return data()[i]; }
  std::span<const std::int64_t> data() const { return table_.numbers().data(); }

  bool operator==(const Rows& other) const {
    return table_.is(other.table_) || (shape() == other.shape() && std::ranges::equal(data(), other.data()));
  }

 private:
  LateTensor<std::int64_t> table_;  // shared: an op is copied often
};

// Of `axis` the row that `rows` says; 0 where that is −1. The axis gives way to
// those of `rows`.
struct Pick {
  Axis axis;
  Rows rows;
  bool operator==(const Pick&) const = default;
};

// Sines and cosines of p / base^(2i/width), for the positions p = first,
// first + 1, … along `positions` and the pairs i of features: nothing is read.
//
//   sine, cosine   of pair i = the index along `features`, which has width / 2
//   alternating    sine at even indices of `features`, cosine at odd ones of
//                  the same pair (Vaswani et al. 2017, section 3.5)
struct Waves {
  enum class Kind { sine, cosine, alternating };
  Kind kind = Kind::alternating;
  Dim positions;
  Dim features;
  std::size_t first = 0;
  double base = 10000;
  std::size_t width = 0;
  bool operator==(const Waves&) const = default;
};

// Pairs of features of the first operand turned by the angles whose cosines and
// sines are the second and third, [.., pair] (Su et al. 2021, equation 34):
// a·cos − b·sin, b·cos + a·sin. A pair (a, b) are neighbours if interleaved;
// otherwise they stand as far apart as there are pairs. What has no pair stays.
struct Rotate {
  Axis axis, pair;
  bool interleaved = false;
  bool operator==(const Rotate&) const = default;
};

// Σ over `over` of a · b, in index order, starting from 0. Then
//
//   add      + each further operand, in order
//   divide   / the product of the first two further operands, 0 where that is
//            0; then + each of the rest
struct Contract {
  enum class Then { add, divide };
  Axis over;
  Then then = Then::add;
  bool operator==(const Contract&) const = default;
};

enum class Binary { add, subtract, multiply, divide, minimum };

// a ∘ b ∘ …, cell by cell, from left to right; repeated along `along` where no
// operand has such an axis.
struct Combine {
  Binary function = Binary::add;
  Shape along;
  bool operator==(const Combine&) const = default;
};

enum class Unary { multiply, divide, add, exp, tanh, softcap, square, sqrt, relu, gelu, gelu_tanh, silu };

// f(a), cell by cell. `parameter` is what `multiply` multiplies by, `divide`
// divides by and `add` adds, and the c of softcap(a) = c·tanh(a / c);
// `spelling` is how a person writes it ("√3"), empty for plain digits.
//
//   relu       max(a, 0)
//   gelu       a·½·(1 + erf(a / √2))                     (Hendrycks and Gimpel 2016)
//   gelu_tanh  a·½·(1 + tanh(√(2/π)·(a + 0.044715·a³)))  (the same, section 2)
//   silu       a / (1 + e^(−a))                          (the same, section 4)
struct Map {
  Unary function = Unary::multiply;
  double parameter = 0;
  std::string spelling;
  bool operator==(const Map&) const = default;
};

enum class Reducer { sum, maximum, norm };

// Along one axis the sum (in index order, starting from 0; then + each further
// operand, in order), the largest, or the norm √Σa² (summed in the same way).
struct Reduce {
  Reducer function = Reducer::sum;
  Axis over;
  bool operator==(const Reduce&) const = default;
};

// f(a)·b, cell by cell: the gate of a gated linear unit (Shazeer 2020, equation 6).
struct Gate {
  Unary function = Unary::silu;
  bool operator==(const Gate&) const = default;
};

// Normalization along `over` (Ba et al. 2016, equation 3; Zhang and Sennrich 2019,
// equation 4), in the parts that a person works out one after another.
//
//   mean         (x)                  Σ x / n
//   variance     (x, mean)            Σ (x − mean)² / (n − fewer)
//   mean_square  (x)                  Σ x² / n
//   normalized   (x, mean, variance)  (x − mean) / √(variance + eps)
//                (x, mean_square)     x / √(mean_square + eps)
//   affine       (x, gain, bias)      x·gain + bias
//
// Where there is nothing to divide by, a normalized number is 0.
struct Normalize {
  enum class Part { mean, variance, mean_square, normalized, affine };
  Part part = Part::mean;
  Axis over;
  double eps = 0;
  bool eps_outside = false;  // √variance + eps: as people get it wrong
  std::size_t fewer = 0;     // 1 with Bessel's correction: also wrong
  bool operator==(const Normalize&) const = default;
};

// The first operand (plus the second where there is one) where the mask is
// open, −∞ where it is closed.
struct Close {
  bool operator==(const Close&) const = default;
};

// Softmax along `over`, in the parts that a person works out one after another.
//
//   maximum       (scores)                 largest open score, −∞ in a closed row
//   exponentials  (scores, maximum)        e^(score − maximum), 0 where closed
//   sum           (exponentials)           their sum, 0 in a closed row
//   weights       (exponentials, sum)      exponential / sum, 0 in a closed row
//
// Another `base` takes the place of e. A sink is one more score of each row that
// gets no weight: maximum (scores, sink) counts it in, a closed row too, and
// sum (exponentials, sink, maximum) adds e^(sink − maximum) last.
//
//   shares        (scores)                 score / the sum of the open scores, 0 where closed
struct Softmax {
  enum class Part { maximum, exponentials, sum, weights, shares };
  Part part = Part::maximum;
  Axis over;
  double base = 0;  // 0 for e
  bool operator==(const Softmax&) const = default;
};

// Softmax along `over` and the sum that it weighs, `size` numbers at a time. Block b
// of `blocks` has the indices b·size, b·size + 1, … of `over`; what is known behind it
// follows from what was known before it (Milakov and Gimelshein 2018, algorithm 3; Dao
// et al. 2022, algorithm 1).
//
//   block_maximum  (scores)                         the largest open score of the block, −∞ without any
//   maximum        (block_maximum)                  the larger of the maximum before and the block's
//   rescale        (maximum)                        e^(the maximum before − the maximum), 0 where that before is −∞
//   exponentials   (scores, maximum)                e^(score − the maximum of its block), 0 where closed
//   sum            (exponentials, rescale)          the sum before · rescale + Σ exponentials of the block
//   context        (exponentials, values, rescale)  the context before · rescale + Σ exponential · value
//   result         (context, sum)                   the last context / the last sum, 0 where that is 0
//
// Another `base` takes the place of e. An operand more of the result's shape, behind
// those of maximum, sum and context, says what stood there before each block in place
// of what the operation itself makes of it.
struct Online {
  enum class Part { block_maximum, maximum, rescale, exponentials, sum, context, result };
  Part part = Part::block_maximum;
  Axis over, blocks;
  std::size_t size = 1;
  double base = 0;  // 0 for e

  // How many blocks so many numbers make.
  std::size_t count(std::size_t numbers) const { return (numbers + size - 1) / size; }

  // Whether what it says of a block takes in what it said of the block before.
  bool carries_on() const { return part == Part::maximum || part == Part::sum || part == Part::context; }
  bool operator==(const Online&) const = default;
};

using Op = std::variant<Given, Copy, Split, Merge, Join, Repeat, Pick, Waves, Rotate, Contract, Combine, Map, Reduce,
                        Gate, Normalize, Close, Softmax, Online>;

// Visits a variant with one lambda an alternative.
template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace attn
