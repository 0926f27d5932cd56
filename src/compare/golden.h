#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/closeness.h"
#include "tensor/dtype.h"
#include "tensor/tensor.h"

namespace attn {

struct Trace;

// A step as a trace file holds it.
struct StoredStep {
  std::string id;
  Tensor<double> value;
};

// What of a trace file is compared: never its wording.
struct StoredTrace {
  std::string statement = {};
  std::string dtype = {};
  std::optional<std::string> hand_rounding = {};
  std::string result = {};
  std::vector<StoredStep> steps = {};
};

// How many numbers of the dtype lie between the two, plus one; 0 for equal
// numbers. Saturates; the largest value where either is NaN.
std::uint64_t ulps_apart(double a, double b, Dtype dtype);

// A cell at which a step differs.
struct WorstCell {
  std::vector<std::size_t> index;  // counts from 0
  double expected = 0;
  double got = 0;
  std::uint64_t ulps = 0;
};

// One way in which a trace is not what it should be: of a step, or of the whole
// where `step` is empty.
struct Difference {
  std::string step;
  std::string message;                  // "12 of 40 cells differ", "shape is 3 × 4, expected 3 × 3", …
  std::optional<WorstCell> worst = {};  // where cells differ: the one farthest off
};

// Every difference, in the order of the expected steps; empty where there is none.
std::vector<Difference> differences(const StoredTrace& expected, const Trace& got, Tolerance tolerance);

}  // namespace attn
