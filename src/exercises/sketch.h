#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "base/rounding.h"
#include "problem/problem.h"

namespace attn {

// What somebody wishes of an exercise; what they leave open is chosen so that nothing
// about it coincides: sizes that differ pairwise, keys whose width has a whole root.
struct ExerciseWishes {
  std::optional<std::size_t> inputs = {}, width = {}, key_width = {}, value_width = {}, heads = {};
  std::string score = "scaled_dot";
  std::string positions = {};  // empty: none
  std::string block = {};      // its kind; empty: none
  bool causal = false, cross = false;
  std::optional<std::pair<int, int>> window = {};
  int digits = digits_unless_said;

  // How many decimals answers need to show what such a problem is about.
  static int usual_digits(std::string_view positions) { return positions == "alibi" ? 4 : digits_unless_said; }
};

// A problem whose numbers are yet to be drawn: the file as it will be, and where in it
// which numbers stand.
struct Sketch {
  struct Numbers {
    nlohmann::ordered_json::json_pointer where;
    std::vector<std::size_t> shape;
    bool is_gain = false;  // of a norm: 0 would put out all that it is multiplied with

    std::size_t count() const;
  };
  nlohmann::ordered_json problem;
  std::vector<Numbers> numbers;

  std::size_t count() const;  // of all

  // The text of the problem file with these numbers, in order. REQUIRES: as many as count().
  std::string with(const std::vector<double>& values) const;
};

// What no numbers can give: a root that should be whole and is not, say; nothing where
// there is no such.
std::optional<Diagnostic> contradiction_in(const ExerciseWishes& wishes);

// Sizes wished for that are the same, or one the square of the other, in words:
// "--inputs 4 stands against --d-k 4".
std::vector<std::string> coincidences_in(const ExerciseWishes& wishes);

// REQUIRES: names that a problem file knows; what they ask for may not fit together.
Sketch sketch_of(const ExerciseWishes& wishes);

// The same problem with other numbers: what says who may attend to whom stays, what it is
// called and what is said about it goes. REQUIRES: the text of a valid problem file.
// Faults: "not-drawn": numbers that stand in other files.
Result<Sketch> sketch_like(std::string_view problem, int digits);

}  // namespace attn
