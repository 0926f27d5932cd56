#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"

namespace attn {

// A parameter that a named choice takes, as a problem file gives it.
struct Parameter {
  std::string name = {};     // the key in the file
  std::string summary = {};  // one line, for people

  // What sizes a tensor has, one name an axis: "d_q" is the width of a query,
  // "d_k" the width of a key; any other name is an axis of the choice's own,
  // and stands for one size wherever it occurs. Empty: the parameter is one number.
  std::vector<Axis> axes = {};

  // What a number is where the file does not say. Without it the parameter is required.
  std::optional<double> fallback = std::nullopt;
};

// What a problem file may name in one place: a score, say.
struct ChoiceSpec {
  std::string name = {};
  std::string summary = {};  // one line, for people
  std::vector<Parameter> parameters = {};
  bool equal_widths = true;  // whether queries and keys need the same width
};

// A choice as made: its name and its parameters, all of them there.
struct Choice {
  std::string name;
  std::map<std::string, double> numbers = {};
  std::map<std::string, Tensor<double>> tensors = {};

  bool operator==(const Choice&) const = default;
};

// Every choice a problem file can name. The model makes it; who reads and
// validates files is handed it, and so needs to know no score by name.
struct Catalog {
  std::vector<ChoiceSpec> scores;
};

// The spec of that name, or null.
const ChoiceSpec* find(const std::vector<ChoiceSpec>& specs, std::string_view name);

}  // namespace attn
