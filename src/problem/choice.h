#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "problem/option.h"
#include "problem/source.h"

namespace attn {

// A parameter that a named choice takes, as a problem file gives it.
struct Parameter {
  enum class Kind { number, whole, boolean };

  std::string name = {};     // the key in the file
  std::string summary = {};  // one line, for people; its shape, in brackets, last
  std::string symbol = {};   // how formulas call it; its name where it is empty

  // What sizes a tensor has, one name an axis. Fixed by the problem are
  //   d_q, d_k, d_v   the width of a query, key, value of one head
  //   d_pair          d_q + d_k
  //   d_model         the width of the inputs
  //   head            the heads; left out where the problem has no head axis
  //   d_concat        heads · d_k; called d_k where there is no head axis
  // Any other name is an axis of the choice's own, and stands for one size
  // wherever it occurs. Empty: the parameter is one number.
  std::vector<Axis> axes = {};

  // What a number is where the file does not say. Without it the parameter is
  // required, unless it may be left out.
  std::optional<double> fallback = std::nullopt;
  bool may_be_left_out = false;

  bool may_be_one_number = false;  // a tensor that is the same along all its axes

  Kind kind = Kind::number;                                 // whole: 0 or more; boolean: kept as 0 and 1
  double above = -std::numeric_limits<double>::infinity();  // a number is more than this
};

struct Choice;

// What a choice has to fit in the problem that makes it.
struct ChoiceSetting {
  std::optional<std::size_t> query_width = {}, key_width = {}, value_width = {};  // of one head
  std::optional<std::size_t> model_width = {};                                    // where all inputs have one
  std::optional<std::size_t> heads = {};                                          // where there is a head axis
  bool from_inputs = true;      // false where queries, keys and values are given directly
  bool one_model_width = true;  // false where the inputs of queries, keys and values differ in width
  std::size_t longest = 0;      // new tokens of queries or of keys, whichever are more
  std::size_t past = 0;         // tokens before them
};

// Why a choice does not fit.
struct Misfit {
  std::string parameter = {};  // empty for the choice as a whole
  std::string message = {};    // what is the matter, after the name of what it is said of
  Help help;
};

// What a problem file may name in one place: a score, say.
struct ChoiceSpec {
  std::string name = {};
  std::string summary = {};  // one line, for people
  std::vector<Parameter> parameters = {};
  bool equal_widths = true;  // of a score: whether queries and keys need the same width

  // Of a score: whether the terms of relative positions can be added to it. Of
  // a position: whether it has such terms.
  bool score_terms = false;

  // Of a position: whether it is added to the inputs.
  bool added_to_inputs = false;

  // Whether it is written {"base": 3}, by the one parameter that has its name.
  bool by_parameter = false;

  // What of the choice, all its tensors of the right shape, does not fit the problem.
  std::function<std::optional<Misfit>(const Choice&, const ChoiceSetting&)> misfit = {};
};

// A choice as made: its name and its parameters; those that were left out are not there.
struct Choice {
  std::string name;
  std::map<std::string, double> numbers = {};
  std::map<std::string, Source> tensors = {};

  bool has(const std::string& parameter) const { return numbers.contains(parameter) || tensors.contains(parameter); }

  bool operator==(const Choice&) const = default;
};

// Names that a block can have.
struct NormSpec {
  std::string name = {};
  std::string summary = {};  // one line, for people
};
struct ActivationSpec {
  std::string name = {};
  std::string summary = {};
  bool gated = false;  // whether it is taken of a second product, and multiplied by the first
};

// Every choice and option a problem file can name. The model makes it; who reads and
// validates files is handed it, and so needs to know no score by name.
struct Catalog {
  std::vector<NormSpec> norms;              // the first is what a block has that names none
  std::vector<ActivationSpec> activations;  // the same
  std::vector<ChoiceSpec> scores;
  std::vector<ChoiceSpec> positions;
  std::vector<ChoiceSpec> softmaxes;  // the first is what a problem has that names none
  std::vector<OptionSpec> options;
};

}  // namespace attn
