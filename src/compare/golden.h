#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

// Every difference, in the order of the expected steps; empty where there is none. Where the
// trace has bounds, numbers may be twice as far apart as ours may be from the exact ones: so
// may those of who added up in another order.
std::vector<Difference> differences(const StoredTrace& expected, const Trace& got, Tolerance tolerance);

// What became of one problem and the golden beside it.
struct GoldenVerdict {
  enum class Kind { ok, differs, error, created, updated, unchanged };

  std::string file;
  std::string golden;
  Kind kind = Kind::ok;
  std::string message = {};                  // why, or what an update changed; empty where nothing is to be said
  std::vector<Difference> differences = {};  // from the golden as it was
  std::string details = {};                  // these, or what is wrong, for people: lines

  bool has_failed() const { return kind == Kind::differs || kind == Kind::error; }
};

// "ok", "differs", …
constexpr std::string_view name(GoldenVerdict::Kind kind) {
  constexpr std::string_view words[] = {"ok", "differs", "error", "created", "updated", "unchanged"};
  return words[static_cast<std::size_t>(kind)];
}

// The first step that differs; empty where none does.
std::string first_different(const std::vector<Difference>& differences);

}  // namespace attn
