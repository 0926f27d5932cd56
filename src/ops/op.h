#pragma once

#include <string>
#include <variant>

#include "tensor/shape.h"

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

// Σ over `over` of a · b, in index order, starting from 0; then + bias where
// there is a third operand.
struct Contract {
  Axis over;
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

enum class Unary { multiply, divide, exp, square, sqrt };

// f(a), cell by cell. `parameter` is what `multiply` multiplies and `divide`
// divides by; `spelling` is how a person writes it ("√3"), empty for plain digits.
struct Map {
  Unary function = Unary::multiply;
  double parameter = 0;
  std::string spelling;
  bool operator==(const Map&) const = default;
};

enum class Reducer { sum, maximum };

// The sum (in index order, starting from 0) or the largest, along one axis.
struct Reduce {
  Reducer function = Reducer::sum;
  Axis over;
  bool operator==(const Reduce&) const = default;
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
struct Softmax {
  enum class Part { maximum, exponentials, sum, weights };
  Part part = Part::maximum;
  Axis over;
  bool operator==(const Softmax&) const = default;
};

using Op = std::variant<Given, Copy, Split, Merge, Contract, Combine, Map, Reduce, Close, Softmax>;

// Visits a variant with one lambda an alternative.
template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace attn
