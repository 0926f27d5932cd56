#include "explain/telling/matrices.h"

#include <string>
#include <vector>

#include "catch.h"
#include "explain/telling/closing.h"
#include "unit/explain/examples.h"
#include "unit/ops/recorded.h"

namespace attn {
namespace {

Matrix first_matrix(const Trace& trace, const std::string& id = "made") {
  return matrices_of(trace, Numerals(4, trace), id).at(0);
}

std::string sizes_of(const OneStep& one) { return first_matrix(traced(one)).sizes; }

TEST_CASE("the sizes of a matrix are those of what it is made of and its own", "[explain]") {
  const auto any = [](const Shape& shape) { return drawn(shape, 1); };
  const Shape scores{{"query", 2}, {"key", 3}};
  CHECK(sizes_of({"", Contract{"d_k"}, {any({{"d_k", 4}}), any({{"key", 3}, {"d_k", 4}})}}) == "[4]·[3 × 4] → [3]");
  CHECK(sizes_of({"", Reduce{Reducer::sum, "key"}, {any(scores)}}) == "[2 × 3] → [2]");
  CHECK(sizes_of({"", Merge{"query", "key", "pair"}, {any(scores)}}) == "[2 × 3] → [6]");
  CHECK(sizes_of({"", Merge{"head", "d_v", "d_concat"}, {any({{"head", 2}, {"query", 3}, {"d_v", 2}})}}) ==
        "2 × [3 × 2] → [3 × 4]");
}

// What a sum over the keys says of sizes, where that step made what is summed.
std::string sizes_of_sum_of(const Op& op, bool hides_last, std::size_t count) {
  RecipeBuilder work;
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string id(1, static_cast<char>('a' + i));
    work.given({.id = id, .symbol = id}, LateTensor(drawn({{"query", 2}, {"key", 3}}, 1)));
    const bool hides = hides_last && i + 1 == count;
    operands.emplace_back(hides ? work.step({.id = "hidden"}, Copy{}, {id}, std::nullopt, Instruction::Kind::hidden)
                                : id);
  }
  work.step({.id = "products", .symbol = "P"}, op, operands);
  work.step({.id = "made", .symbol = "Y"}, Reduce{Reducer::sum, "key"}, {"products"});
  return first_matrix(worked_out(work)).sizes;
}

TEST_CASE("a sum of the products of two has the sizes of one product", "[explain]") {
  CHECK(sizes_of_sum_of(Combine{Binary::multiply, {}}, false, 2) == "[2 × 3]·[2 × 3] → [2]");
  CHECK(sizes_of_sum_of(Combine{Binary::multiply, {}}, false, 3) == "[2 × 3] → [2]");
  CHECK(sizes_of_sum_of(Combine{Binary::multiply, {}}, true, 2) == "[2 × 3] → [2]");
  CHECK(sizes_of_sum_of(Combine{Binary::add, {}}, false, 2) == "[2 × 3] → [2]");
}

TEST_CASE("a divisor that is hidden has no size", "[explain]") {
  RecipeBuilder work;
  work.given({.id = "a", .symbol = "A"}, LateTensor(drawn({{"query", 2}, {"d_k", 4}}, 1)));
  work.given({.id = "b", .symbol = "B"}, LateTensor(drawn({{"key", 3}, {"d_k", 4}}, 2)));
  for (const std::string id : {"c", "d"}) {
    const Axis axis = id == "c" ? "query" : "key";
    work.given({.id = id, .symbol = id}, LateTensor(drawn({{axis, id == "c" ? 2U : 3U}}, 3)));
    work.step({.id = "hidden-" + id}, Copy{}, {id}, std::nullopt, Instruction::Kind::hidden);
  }
  const Op divided = Contract{"d_k", Contract::Then::divide};
  work.step({.id = "shown", .symbol = "Y"}, divided, {"a", "b", "c", "d"});
  work.step({.id = "made", .symbol = "Y"}, divided, {"a", "b", "hidden-c", "hidden-d"});
  const Trace trace = worked_out(work);
  CHECK(first_matrix(trace, "shown").sizes == "[2 × 4]·[4 × 3] / ([2]·[3]) → [2 × 3]");
  CHECK(first_matrix(trace).sizes == "[2 × 4]·[4 × 3] → [2 × 3]");
}

TEST_CASE("only rows of weights over keys are said to sum to 1", "[explain]") {
  for (const auto& [rows, columns] : {std::pair("query", "key"), std::pair("key", "query")}) {
    Trace trace;
    trace.steps.push_back(step_of({.id = "made", .symbol = "A", .role = Role::attention_weight}, Given{}, {}, {},
                                  examples::matrix(rows, columns, {{0.5, 0.5}, {0.25, 0.75}})));
    CHECK(examples::holds(first_matrix(trace).words, "sums to 1") == (std::string(columns) == "key"));
  }
}

TEST_CASE("a rule that closes nothing is not named beside what is closed", "[explain]") {
  Problem problem = examples::causal_sentence();
  Tensor<double> open(Shape{{"query", 4}, {"key", 4}}, std::vector<double>(16, 1));
  const auto closed_by = [&] {
    problem.attention().options["mask"] = std::vector<MaskTerm>{{MaskTerm::Kind::allow, open}};
    return first_matrix(examples::traced(problem), "masked_scores").closed_by;
  };
  CHECK(closed_by() == std::vector<std::string>{"causal"});
  open[0] = 0;
  CHECK(closed_by().size() == 2);
}

TEST_CASE("of several sequences each names the rules that close cells of its own", "[explain]") {
  Problem problem = examples::ragged_heads();
  problem.attention().options["causal"] = true;
  const Trace trace = examples::traced(problem);
  const Numerals numerals(4, trace);
  std::vector<std::vector<std::string>> closed_by;
  for (const Matrix& matrix : matrices_of(trace, numerals, "masked_scores")) closed_by.push_back(matrix.closed_by);
  const std::vector<std::string> of_first = {"causal"}, of_second = {"causal", "lengths"};
  CHECK(closed_by == std::vector{of_first, of_first, of_second, of_second});
}

TEST_CASE("rules of one name and symbol are named once", "[explain]") {
  RecipeBuilder work;
  const Shape row{{"key", 2}};
  work.given({.id = "a", .symbol = "A"}, LateTensor(drawn(row, 1)));
  for (const char* id : {"m", "n"}) {
    work.given({.id = id, .symbol = "M", .title = "gap: closed", .role = Role::mask},
               LateTensor(Tensor<double>(row, {0, 1})));
  }
  work.step({.id = "mask", .symbol = "M", .role = Role::mask}, Combine{Binary::minimum, {}}, {"m", "n"});
  work.step({.id = "made", .symbol = "Y"}, Close{}, {"a"}, Operand("mask"));
  const Trace trace = worked_out(work);
  CHECK(first_matrix(trace).closed_by == std::vector<std::string>{"gap M"});
  CHECK(closed_by(trace, {"mask", 0, 0, 1}) == "closed by gap M");
}

TEST_CASE("only given rules and masks that are shown are told", "[explain]") {
  RecipeBuilder work;
  const Shape row{{"key", 2}};
  work.given({.id = "a", .symbol = "A"}, LateTensor(drawn(row, 1)));
  work.given({.id = "m", .symbol = "M_1", .title = "gap: closed", .role = Role::mask},
             LateTensor(Tensor<double>(row, {0, 1})));
  work.step({.id = "other", .symbol = "M_2", .title = "made", .role = Role::mask}, Map{Unary::add, 0, ""}, {"m"});
  work.step({.id = "hidden", .symbol = "M_3", .role = Role::mask}, Copy{}, {"m"}, std::nullopt,
            Instruction::Kind::hidden);
  work.step({.id = "mask", .symbol = "M", .role = Role::mask}, Combine{Binary::minimum, {}}, {"m", "other"});
  work.step({.id = "first", .symbol = "Y"}, Close{}, {"a"}, Operand("mask"));
  work.step({.id = "made", .symbol = "Z"}, Close{}, {"a"}, Operand("hidden"));
  const Trace trace = worked_out(work);
  CHECK(first_matrix(trace, "first").closed_by == std::vector<std::string>{"gap"});
  CHECK(first_matrix(trace).closed_by.empty());
  CHECK(masks_read(trace) == std::vector<std::string>{"mask"});
}

TEST_CASE("of the query that is asked for one row is in each matrix", "[explain]") {
  for (const Shape& shape :
       {Shape{{"key", 3}, {"query", 2}, {"d_k", 2}}, Shape{{"query", 2}, {"key", 3}, {"d_k", 2}}}) {
    Trace trace;
    trace.steps.push_back(step_of({.id = "made", .symbol = "Y"}, Given{}, {}, {}, drawn(shape, 1)));
    const Numerals numerals(4, trace);
    const std::vector<Matrix> all = matrices_at(trace, numerals, "made", {}, 1);
    const bool by_key = shape[0].axis == "key";
    REQUIRE(all.size() == (by_key ? 3 : 1));
    for (const Matrix& matrix : all) {
      CHECK(matrix.rows() == (by_key ? 1 : 3));
      const std::vector<std::size_t> at = shape.index(matrix.place_of(0, 0));
      CHECK(at[*shape.position("query")] == 1);
      CHECK(matrix.cells[0] == trace.value("made")[matrix.place_of(0, 0)]);
    }
  }
}

TEST_CASE("a matrix is described by its sizes and in words where it has both", "[explain]") {
  Matrix matrix;
  CHECK(matrix.meaning().empty());
  matrix.sizes = "[2 × 2]";
  CHECK(matrix.meaning() == "[2 × 2]");
  matrix.words = "rows: queries";
  CHECK(matrix.meaning() == "[2 × 2], rows: queries");
  matrix.sizes.clear();
  CHECK(matrix.meaning() == "rows: queries");
}

TEST_CASE("the matrices of a step, one for each query, share their labels until one is given its own", "[explain]") {
  const Trace trace = examples::traced(examples::worked_example());
  std::vector<Matrix> all = matrices_of(trace, Numerals(4, trace), "weighted_values");
  REQUIRE(all.size() == 3);
  CHECK(&all[0].row_labels[0] == &all[2].row_labels[0]);
  CHECK(all[0].row_labels == axis_labels(trace, trace.heading("weighted_values"), {"key", 3}, {}));
  all[2].row_labels.own()[0] = "other";
  CHECK(all[0].row_labels[0] != "other");
  CHECK(all[0].row_labels == all[1].row_labels);
}

TEST_CASE("a number in a box has all its digits, those of very large ones without the zeros behind them", "[explain]") {
  Matrix matrix;
  matrix.row_labels = {"1"};
  matrix.column_labels = {"1", "2", "3", "4", "5", "6"};
  matrix.column_stride = 1;
  matrix.cells = {12, 0.25, -1234567, 1234567.25, -1.25e20, infinity};
  matrix.format = {.decimals = 4};
  matrix.boxes.assign(6, Box::filled);
  std::vector<std::string> shown;
  for (std::size_t column = 0; column < 6; ++column) shown.push_back(matrix.in_box(0, column));
  CHECK(shown == std::vector<std::string>{"12", "0.2500", "−1234567", "1234567.2500", "−1.25e20", "∞"});
}

}  // namespace
}  // namespace attn
