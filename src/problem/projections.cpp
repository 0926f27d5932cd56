#include "problem/projections.h"

#include <utility>

namespace attn {
namespace {

std::string in_word(const Setting& setting) { return setting.is_exchanged() ? "column" : "row"; }

// "/inputs has 4 columns"
std::string width_of(const Side& side, const Setting& setting) {
  if (!side.embeddings.empty()) return shown(side.embeddings) + " has vectors of " + counted(side.width, "number");
  return shown(side.where) + " has " + counted(side.width, setting.vectors == Vectors::rows ? "column" : "row");
}

// What a product needs, and what may have happened where it does not fit.
std::string product_help(const WeightMatrix& matrix, std::size_t wanted, const Setting& setting, const std::string& x) {
  const bool columns = setting.vectors == Vectors::columns;
  const bool exchanged = setting.is_exchanged();
  std::string help = columns     ? "y = W·" + x + " needs one column of W for each row of " + x
                     : exchanged ? "y = " + x + "·Wᵀ needs one column of W for each column of " + x
                                 : "y = " + x + "·W needs one row of W for each column of " + x;
  const bool transposed_fits = matrix.out == wanted;
  if (transposed_fits && columns) return help + "; transposed it would fit";
  if (transposed_fits && exchanged) return help + R"(; without "weight_layout": "out_in" it would fit)";
  // A square matrix does not show how it is stored.
  if (!exchanged && (transposed_fits || matrix.in == matrix.out)) {
    return help + R"(; if W is stored as nn.Linear stores it, say "weight_layout": "out_in")";
  }
  return help;
}

void report_rows(const WeightMatrix& matrix, std::size_t wanted, const std::string& other, std::string help,
                 const Setting& setting, Faults& faults) {
  if (matrix.in == wanted) return;
  const std::string who = matrix.matrices ? "each matrix of " + shown(matrix.where) : shown(matrix.where);
  faults.add("shape-mismatch", matrix.where, who + " has " + counted(matrix.in, in_word(setting)) + ", and " + other,
             std::move(help));
}

bool check_rows(const WeightMatrix& matrix, const Side& side, const Setting& setting, Faults& faults) {
  if (matrix.in == side.width) return true;
  std::string help = product_help(matrix, side.width, setting, "x");
  const bool tokens_as_columns =
      setting.vectors == Vectors::rows && !side.batched && side.embeddings.empty() && side.rows[0] == matrix.in;
  if (tokens_as_columns && matrix.out != side.width && matrix.in != matrix.out)
    help += R"(; if each token is a column, say "vectors": "columns")";
  report_rows(matrix, side.width, width_of(side, setting), std::move(help), setting, faults);
  return false;
}

// The width of one head, where all heads share this one.
std::optional<std::size_t> shared(std::size_t width, const std::string& where, const std::string& what,
                                  const Setting& setting, Faults& faults) {
  if (!setting.heads_known) return std::nullopt;
  if (!setting.heads) return width;
  if (width % *setting.heads == 0) return width / *setting.heads;
  return faults.add("heads", where, what + ", which " + std::to_string(*setting.heads) + " heads cannot share equally",
                    "the width is a multiple of heads: each head has consecutive columns");
}

// A bias with as many numbers as the projection makes.
void check_bias(const Part& part, std::size_t wanted, Faults& faults) {
  if (!part.bias || part.bias->shape[0] == wanted) return;
  const WeightMatrix& matrix = *part.matrix;
  const std::string makes = matrix.matrices ? counted(*matrix.matrices, "head") + " of " + std::to_string(matrix.out)
                                            : "vectors of " + counted(wanted, "number");
  faults.add_of("shape-mismatch", part.bias->where,
                "has " + counted(part.bias->shape[0], "number") + ", and " + shown(matrix.where) + " makes " + makes,
                matrix.matrices ? "one vector for all heads, their parts one after the other"
                                : "one number for each column of y = x·W + b");
}

std::optional<std::size_t> checked_split(const Part& part, const Side& side, const Setting& setting, Faults& faults) {
  const std::optional<std::size_t> width = shared(side.width, side.where, width_of(side, setting), setting, faults);
  if (!width || !part.matrix) return width;
  const WeightMatrix& matrix = *part.matrix;
  const std::string wanted = std::to_string(*width) + " × " + std::to_string(*width);
  if (matrix.matrices) {
    faults.add_of("wrong-rank", matrix.where,
                  "is " + counted(*matrix.matrices, "matrix") + R"(, and with "split": "input" all heads share one)",
                  "one matrix " + wanted);
    return width;
  }
  if (matrix.in != *width || matrix.out != *width) {
    faults.add_of("shape-mismatch", matrix.where,
                  "is " + std::to_string(setting.is_exchanged() ? matrix.out : matrix.in) + " × " +
                      std::to_string(setting.is_exchanged() ? matrix.in : matrix.out) + ", and a head's part of " +
                      shown(side.where) + " is " + std::to_string(*width) + " wide",
                  R"(with "split": "input" all heads share one matrix )" + wanted);
    return width;
  }
  check_bias(part, matrix.out, faults);
  return width;
}

}  // namespace

std::optional<WeightMatrix> measured_matrix(RawTensor tensor, const Setting& setting, Budget& budget, Faults& faults) {
  std::optional<Regular> found = regular(std::move(tensor), budget, faults);
  if (!found) return std::nullopt;
  const std::size_t rank = found->rank();
  if (rank != 2 && rank != 3) {
    const std::string is = rank == 0   ? " is one number"
                           : rank == 1 ? " is a list of numbers"
                                       : " is nested " + std::to_string(rank) + " deep";
    return faults.add("wrong-rank", found->where,
                      shown(found->where) + is + "; a matrix is wanted, or one matrix a head",
                      "a matrix is a list of its rows: [[1, 0], [0, 1]]");
  }
  WeightMatrix matrix{.where = found->where, .matrices = std::nullopt, .numbers = {}};
  if (rank == 3) matrix.matrices = found->shape[0];
  matrix.in = found->shape[rank - 2];
  matrix.out = found->shape[rank - 1];
  if (setting.is_exchanged()) std::swap(matrix.in, matrix.out);
  matrix.numbers = std::move(*found);
  return matrix;
}

std::optional<Regular> measured_bias(RawTensor tensor, Budget& budget, Faults& faults) {
  std::optional<Regular> bias = regular(std::move(tensor), budget, faults);
  if (!bias || bias->rank() == 1) return bias;
  return faults.add_of(
      "wrong-rank", bias->where,
      std::string(bias->rank() == 0 ? "is one number" : "is a list of lists") + "; a bias is a list of numbers",
      bias->rank() == 0 ? "write [ ] around it: [0.5]" : "one vector, the heads' parts one after the other");
}

void check_multiplies(const WeightMatrix& matrix, std::size_t wanted, const std::string& vectors,
                      const Setting& setting, Faults& faults) {
  report_rows(matrix, wanted, vectors, product_help(matrix, wanted, setting, "x"), setting, faults);
}

void check_all_or_none(Roles<RawWeight>& weights, const std::string& where, Faults& faults) {
  std::string given, missing;
  for (const std::string role : {"query", "key", "value"}) {
    std::string& list = weights.of(role).is_given() ? given : missing;
    list += (list.empty() ? "" : " and ") + role;
  }
  if (given.empty() || missing.empty()) return;
  faults.add_of("missing-member", where, "has " + given + ", and not " + missing,
                R"(give all of query, key and value, or none; "identity" stands for a projection that is not made)");
}

void check_projected_already(Roles<RawWeight>& weights, const std::string& where, Faults& faults) {
  if (!weights.is_object) return;
  for (const std::string role : {"query", "key", "value"}) {
    const Stated<RawWeight>& weight = weights.of(role);
    if (!weight.is_given() || (weight && !weight->tensor)) continue;
    const std::string place = weight ? weight->where : where + "/" + role;
    faults.add_at_key("two-sources", place, shown(place) + " is given, and queries are given directly",
                      "queries, keys and values are projected already; only weights.output may stand");
  }
}

Part measured_part(std::string name, Statement& statement, const Setting& setting, Budget& budget, Faults& faults) {
  Stated<RawWeight>& weight = statement.weights.of(name);
  Stated<RawTensor>& bias = statement.biases.of(name);
  Part part{.name = std::move(name), .is_faulty = weight.is_faulty(), .bias_given = bias.is_given()};
  if (weight && weight->tensor) {
    part.matrix = measured_matrix(std::move(*weight->tensor), setting, budget, faults);
    part.is_faulty = !part.matrix;
  }
  const std::string where = statement.place("/weights/" + part.name);
  if (part.bias_given && statement.biases.is_object && !part.is_faulty && !part.matrix) {
    const std::string bias_where = bias ? bias->where : statement.place("/biases/" + part.name);
    faults.add_at_key("bias-without-weight", bias_where,
                      shown(bias_where) + " is given, and " + shown(where) + (weight ? " is \"identity\"" : " is not"),
                      "a bias is added to what a weight matrix makes");
  } else if (bias) {
    part.bias = measured_bias(std::move(*bias), budget, faults);
  }
  return part;
}

std::optional<std::size_t> checked_width(const Part& part, const Side& side, const Setting& setting, Faults& faults) {
  if (part.is_faulty) return std::nullopt;
  if (side.heads) return side.width;
  if (setting.split_input) return checked_split(part, side, setting, faults);
  if (!part.matrix) return shared(side.width, side.where, width_of(side, setting), setting, faults);

  const WeightMatrix& matrix = *part.matrix;
  check_rows(matrix, side, setting, faults);
  check_bias(part, matrix.out * matrix.matrices.value_or(1), faults);
  if (matrix.matrices) return matrix.out;
  const std::string makes = shown(matrix.where) + " makes vectors of " + counted(matrix.out, "number");
  return shared(matrix.out, matrix.where, makes, setting, faults);
}

void check_equal_widths(const Made& queries, const Made& keys, const Setting& setting, Faults& faults) {
  if (queries.width == keys.width) return;
  const auto maker = [](const Made& made) { return made.part.matrix ? made.part.matrix->where : made.side.where; };
  const std::string a_head = setting.heads ? " a head" : "";
  faults.add_of("shape-mismatch", maker(keys),
                "gives keys of " + counted(keys.width, "number") + a_head + ", and " + shown(maker(queries)) +
                    " gives queries of " + std::to_string(queries.width),
                "the dot product of a query and a key needs as many numbers in both");
}

void check_output(const Part& part, std::size_t context_width, std::size_t value_width, const Setting& setting,
                  Faults& faults) {
  if (!part.matrix) return;
  const WeightMatrix& matrix = *part.matrix;
  if (matrix.matrices) {
    faults.add_of("wrong-rank", matrix.where, "is " + counted(*matrix.matrices, "matrix") + "; one matrix is wanted",
                  "the contexts of all heads stand side by side before it");
    return;
  }
  std::string context =
      "the context has " + counted(context_width, setting.vectors == Vectors::rows ? "column" : "row");
  if (setting.heads) context += " (" + counted(*setting.heads, "head") + " of " + std::to_string(value_width) + ")";
  report_rows(matrix, context_width, context, product_help(matrix, context_width, setting, "c"), setting, faults);
  check_bias(part, matrix.out, faults);
}

Projection projection(Part part, const Axis& out, const Setting& setting) {
  WeightMatrix& matrix = *part.matrix;
  Shape shape;
  Dim in_dim{"d_model", matrix.in};
  Dim out_dim{out, matrix.out};
  const bool wide = setting.heads && !matrix.matrices && !setting.split_input;
  if (part.name == "output") {
    in_dim.axis = setting.heads ? "d_concat" : "d_v";
  } else if (setting.split_input) {
    in_dim.axis = "d_head";
  } else if (wide) {
    out_dim.axis = "d_concat";
  }
  if (matrix.matrices) shape.append({"head", *matrix.matrices});
  Shape bias_shape = shape;
  bias_shape.append(out_dim);
  shape.append(setting.is_exchanged() ? out_dim : in_dim);
  shape.append(setting.is_exchanged() ? in_dim : out_dim);

  Projection made{std::move(matrix.numbers).source(shape), std::nullopt};
  if (part.bias) made.bias = std::move(*part.bias).source(bias_shape);
  return made;
}

}  // namespace attn
