#pragma once

#include <optional>
#include <string>

#include "problem/sources.h"

namespace attn {

// A weight matrix, or one a head, as y = x·W reads it: `in` numbers make `out`.
struct WeightMatrix {
  std::string where;
  std::optional<std::size_t> matrices;  // how many, where there is one a head
  std::size_t in = 0;
  std::size_t out = 0;
  Regular numbers;  // as the file has them
};

// What a part of the file says about one projection.
struct Part {
  std::string name;  // "query", "key", "value" or "output"
  bool is_faulty = false;
  std::optional<WeightMatrix> matrix = std::nullopt;  // not there: no projection is made
  std::optional<Regular> bias = std::nullopt;
  bool bias_given = false;

  bool is_whole() const { return !is_faulty && (!bias_given || bias); }
};

// What every projection needs to know of the problem.
struct Setting {
  Vectors vectors = Vectors::rows;
  WeightLayout layout = WeightLayout::in_out;
  bool split_input = false;
  bool heads_known = true;
  std::optional<std::size_t> heads = std::nullopt;
  std::optional<std::size_t> kv_heads = std::nullopt;  // set where they are fewer than heads

  // The same for keys and values.
  Setting of_keys() const {
    Setting keys = *this;
    if (kv_heads) keys.heads = kv_heads;
    return keys;
  }

  // Whether a weight matrix of the file has a row for each number it makes.
  bool is_exchanged() const { return vectors == Vectors::columns || layout == WeightLayout::out_in; }
};

// A matrix, or one a head, and a vector; nothing, and a fault, where it is something else.
std::optional<WeightMatrix> measured_matrix(RawTensor tensor, const Setting& setting, Budget& budget, Faults& faults);
std::optional<Regular> measured_bias(RawTensor tensor, Budget& budget, Faults& faults);

// Checks that a matrix takes as many numbers as the vectors have that it multiplies;
// `vectors` says what they are: "the inputs have 4 columns".
void check_multiplies(const WeightMatrix& matrix, std::size_t wanted, const std::string& vectors,
                      const Setting& setting, Faults& faults);

// Of query, key and value there are all, or none. They stand at `where`.
void check_all_or_none(Roles<RawWeight>& weights, const std::string& where, Faults& faults);

// The same where none may be there, but "identity".
void check_projected_already(Roles<RawWeight>& weights, const std::string& where, Faults& faults);

// Reads the weight and the bias of that name; their shapes are not compared with anything yet.
Part measured_part(std::string name, Statement& statement, const Setting& setting, Budget& budget, Faults& faults);

// Checks a part of query, key or value against the vectors it projects (or the
// vectors that stand for its result), and returns how wide one head's vectors
// become; nothing if that is not known.
std::optional<std::size_t> checked_width(const Part& part, const Side& side, const Setting& setting, Faults& faults);

// What makes queries or keys, and how wide they become.
struct Made {
  const Part& part;
  const Side& side;
  std::size_t width;
};

// Checks that queries and keys are of one width, as a dot product needs it.
void check_equal_widths(const Made& queries, const Made& keys, const Setting& setting, Faults& faults);

// Checks `output` against the width of the context of all heads.
void check_output(const Part& part, std::size_t context_width, std::size_t value_width, const Setting& setting,
                  Faults& faults);

// The projection with its axes named. REQUIRES: part.matrix, and all was checked.
Projection projection(Part part, const Axis& out, const Setting& setting);

}  // namespace attn
