#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tensor/shape.h"

// Expressions of numpy, with axes that have names: numpy itself knows only their order.

namespace attn {

using AxisNames = std::vector<Axis>;

bool has_axis(const AxisNames& axes, const Axis& axis);
std::size_t place_of(const AxisNames& axes, const Axis& axis);
AxisNames without(AxisNames axes, const Axis& axis);

// Those of `order` that are among `axes`, in that order.
AxisNames kept_of(const AxisNames& order, const AxisNames& axes);

// "3", "0.25", "-np.inf".
std::string in_python(double number);

// An expression and the axes of what it gives.
struct NumpyArray {
  std::string text;
  AxisNames axes;
  bool is_atom = true;  // something may be put behind it

  std::string atom() const { return is_atom ? text : "(" + text + ")"; }
};

// The same with its axes in another order: "x.T".
NumpyArray permuted(const NumpyArray& array, const AxisNames& order);

// The same as numpy broadcasts it against an array of these axes: "m[:, None]".
NumpyArray aligned(const NumpyArray& array, const AxisNames& to);

// a·b summed over an axis, in the axes of `result`: as a product of matrices where it is one,
// "queries @ keys.T", else by einsum.
std::string product_over(const Axis& over, const NumpyArray& a, const NumpyArray& b, const AxisNames& result);

}  // namespace attn
