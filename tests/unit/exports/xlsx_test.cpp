#include <algorithm>

#include "base/interval.h"
#include "catch.h"
#include "exports/export.h"
#include "exports/xlsx/formula.h"
#include "unit/ops/recorded.h"

using namespace attn;  // NOLINT(google-build-using-namespace)

namespace {

std::vector<std::string> cells_of(const Trace& trace, const std::string& id = "made") {
  const SheetLayout layout(trace);
  SheetOptions options;
  return SheetFormulas(trace, layout, options).of(layout.table(id));
}

// What a spreadsheet has in the first cell of a step. In each table numbers stand in the third line and below it, from
// column B on; the first operand begins in line 3 of its sheet.
std::string first_cell(const OneStep& one) { return cells_of(traced(one)).front(); }

const Export& spreadsheet() { return *std::ranges::find(exports(), "xlsx", &Export::name); }

}  // namespace

TEST_CASE("a spreadsheet computes functions of one number as they are defined", "[exports]") {
  struct Written {
    Map map;
    const char* formula;
  };
  const Written all[] = {
      {{Unary::multiply, 2, ""}, "B5*made_factor"},
      {{Unary::divide, 1.5, "√3"}, "B5/made_divisor"},
      {{Unary::add, 2, ""}, "B5+made_summand"},
      {{Unary::exp, 0, ""}, "EXP(B5)"},
      {{Unary::tanh, 0, ""}, "TANH(B5)"},
      {{Unary::softcap, 2, ""}, "made_c*TANH(B5/made_c)"},
      {{Unary::square, 0, ""}, "B5^2"},
      {{Unary::sqrt, 0, ""}, "SQRT(B5)"},
      {{Unary::relu, 0, ""}, "MAX(B5,0)"},
      {{Unary::gelu, 0, ""}, "B5*0.5*(1+ERF(B5/SQRT(2)))"},
      {{Unary::gelu_tanh, 0, ""}, "B5*0.5*(1+TANH(SQRT(2/PI())*(B5+0.044715*B5^3)))"},
      {{Unary::silu, 0, ""}, "IF(B5<-709,0,B5/(1+EXP(-B5)))"},
  };
  for (const Written& one : all) {
    CHECK(first_cell({"", one.map, {drawn({{"query", 2}, {"d_k", 2}}, 1)}}) == one.formula);
  }
}

TEST_CASE("a spreadsheet finds what is largest and how long a row is", "[exports]") {
  const Shape rows{{"query", 2}, {"d_k", 2}};
  const Tensor<double> x = drawn(rows, 1), each = drawn({{"query", 2}}, 2), mask = closed_every(rows, 2);
  const Op largest = Reduce{Reducer::maximum, "d_k"}, in_softmax = Softmax{Softmax::Part::maximum, "d_k"};
  CHECK(first_cell({"", largest, {x}}) == "MAX(B5:C5)");
  CHECK(first_cell({"", Reduce{Reducer::norm, "d_k"}, {x}}) == "SQRT(SUMSQ(B5:C5))");
  // What the mask closes does not count; a row of which all is closed has none.
  for (const Op& op : {largest, in_softmax}) {
    CHECK(first_cell({"", op, {x}, mask}) ==
          "IF(SUM(B10:C10)=0,\"−∞\",MAX(IF(B10=0,-1E+308,B5),IF(C10=0,-1E+308,C5)))");
  }
  // A sink is always open.
  CHECK(first_cell({"", in_softmax, {x, each}, mask}) == "MAX(IF(B14=0,-1E+308,B5),IF(C14=0,-1E+308,C5),B9)");
  CHECK(first_cell({"", Softmax{Softmax::Part::shares, "d_k"}, {x}, mask}) == "IF(B10=0,0,B5/SUMIF(B10:C10,1,B5:C5))");
}

TEST_CASE("what may be minus infinity is no number to a spreadsheet", "[exports]") {
  const Shape rows{{"query", 2}, {"key", 2}};
  RecipeBuilder work;
  const auto given = [&](const char* id, const Tensor<double>& numbers) {
    return work.given({.id = id, .symbol = id, .title = id}, LateTensor(numbers));
  };
  const auto step = [&](const char* id, Op op, std::vector<Operand> operands, std::optional<Operand> open = {}) {
    return work.step({.id = id, .symbol = id, .title = id, .formula = id}, std::move(op), std::move(operands), open);
  };
  const std::string x = given("x", drawn(rows, 1)), mask = given("mask", closed_every(rows, 2));
  const std::string closed = step("closed", Close{}, {x}, mask);
  step("more", Close{}, {x, closed});
  step("largest", Reduce{Reducer::maximum, "key"}, {closed});
  step("sum", Reduce{Reducer::sum, "key"}, {x});
  step("open", Close{}, {x});
  step("share", Softmax{Softmax::Part::shares, "key"}, {closed}, mask);
  const Trace trace = worked_out(work);
  const SheetLayout layout(trace);
  SheetOptions options;
  const SheetFormulas formulas(trace, layout, options);
  for (const char* id : {"closed", "more", "largest"}) CHECK(formulas.may_be_text(id));
  for (const char* id : {"x", "sum", "open"}) CHECK_FALSE(formulas.may_be_text(id));
  CHECK(cells_of(trace, "closed")[1] == "IF(C10=0,\"−∞\",C5)");
  CHECK(cells_of(trace, "more")[1] == "IF(ISTEXT(C16),\"−∞\",C5+C16)");
  CHECK(cells_of(trace, "largest")[0] == "IF(COUNT(B16:C16)=0,\"−∞\",MAX(B16:C16))");
  CHECK(cells_of(trace, "open")[1] == "C5");
  CHECK(cells_of(trace, "share")[0] == "IF(B10=0,0,B16/SUM(B16:C16))");
}

TEST_CASE("a spreadsheet normalizes with what is said of epsilon and of the divisor", "[exports]") {
  const Tensor<double> x = drawn({{"query", 2}, {"d_k", 2}}, 1), each = drawn({{"query", 2}}, 2);
  using part = Normalize::Part;
  CHECK(first_cell({"", Normalize{.part = part::variance, .over = "d_k"}, {x, each}}) ==
        "SUMPRODUCT((B5:C5-B9)^2)/(COUNT(B5:C5))");
  CHECK(first_cell({"", Normalize{.part = part::variance, .over = "d_k", .fewer = 1}, {x, each}}) ==
        "SUMPRODUCT((B5:C5-B9)^2)/(COUNT(B5:C5)-1)");
  CHECK(first_cell({"", Normalize{part::normalized, "d_k"}, {x, each}}) == "IF(B9=0,0,B5/SQRT(B9))");
  CHECK(first_cell({"", Normalize{part::normalized, "d_k", 0.5}, {x, each, each}}) ==
        "IF(B13+norm_eps=0,0,(B5-B9)/SQRT(B13+norm_eps))");
  CHECK(first_cell({"", Normalize{part::normalized, "d_k", 0.5, true}, {x, each, each}}) ==
        "IF(B13+norm_eps=0,0,(B5-B9)/(SQRT(B13)+norm_eps))");
}

TEST_CASE("a long sum of products is one function of two rows or columns of a spreadsheet", "[exports]") {
  const Shape rows{{"query", 2}, {"d_k", 13}}, columns{{"d_k", 13}, {"query", 2}};
  const Shape other_rows{{"key", 2}, {"d_k", 13}}, other_columns{{"d_k", 13}, {"key", 2}};
  const auto product = [](const Shape& a, const Shape& b) {
    return first_cell({"", Contract{"d_k"}, {drawn(a, 1), drawn(b, 2)}});
  };
  CHECK(product(rows, other_rows) == "SUMPRODUCT(B5:N5,B10:N10)");
  CHECK(product(columns, other_columns) == "SUMPRODUCT(B5:B17,B21:B33)");
  // A row times a column, whichever comes first.
  CHECK(product(rows, other_columns) == "SUM(MMULT(B5:N5,B10:B22))");
  CHECK(product(columns, other_rows) == "SUM(MMULT(B21:N21,B5:B17))");
  // A short one is written out.
  CHECK(product({{"query", 1}, {"d_k", 2}}, {{"key", 1}, {"d_k", 2}}) == "B5*B9+C5*C9");
  // So is one behind a mask, until nobody could read it.
  const auto masked = [](std::size_t keys) {
    const Shape all{{"query", 1}, {"key", keys}};
    return first_cell(
        {"", Contract{"key"}, {drawn(all, 1), drawn({{"key", keys}, {"d_v", 1}}, 2)}, closed_every(all, 2)});
  };
  CHECK(masked(2) == "IF(B14=0,0,B5*B9)+IF(C14=0,0,C5*B10)");
  CHECK(masked(400) == "SUM(MMULT(B5:OK5,B9:B408))");
}

TEST_CASE("numbers that stand apart are read one by one or not at all", "[exports]") {
  const Tensor<double> two = drawn({{"batch", 2}, {"query", 2}, {"d_k", 2}}, 3);
  CHECK(first_cell({"", Reduce{Reducer::norm, "batch"}, {two}}) == "SQRT(SUMSQ(B6,B10))");
  const Tensor<double> many = drawn({{"batch", 13}, {"query", 2}, {"d_k", 2}}, 3);
  const Tensor<double> side_by_side = drawn({{"batch", 13}, {"key", 2}}, 2);
  CHECK_THROWS_AS(first_cell({"", Contract{"batch"}, {many, side_by_side}}), ExportError);
  CHECK_THROWS_AS(first_cell({"", Contract{"batch"}, {side_by_side, many}}), ExportError);
  const Rows rows(Tensor<std::int64_t>(Shape{{"query", 2}}, {-1, 1}));
  CHECK(cells_of(traced({"", Pick{"distance", rows}, {drawn({{"distance", 2}, {"d_k", 2}}, 8)}})) ==
        std::vector<std::string>{"0", "0", "B6", "C6"});
}

TEST_CASE("sheets have names of their own that a spreadsheet reads", "[exports]") {
  RecipeBuilder work;
  const std::string start = "a.part.whose.name.is.longer.than.what.a.sheet.is.called";
  for (const char* end : {".one", ".two", ".three"}) {
    RecipeBuilder part = work.part(start + end, end);
    const std::string x = part.given({.id = "x", .symbol = "x", .title = "x"}, LateTensor(drawn({{"query", 2}}, 1)));
    part.step({.id = "twice", .symbol = "y", .title = "y", .formula = "y"}, Map{Unary::multiply, 2, ""}, {x});
  }
  const Trace trace = worked_out(work);
  const SheetLayout layout(trace);
  std::vector<std::string> names;
  for (const SheetLayout::Sheet& sheet : layout.sheets()) names.push_back(sheet.name);
  CHECK(names == std::vector<std::string>{"a.part.whose.name.is.longer.tha", "a.part.whose.name.is.longer.t~2",
                                          "a.part.whose.name.is.longer.t~3"});
}

TEST_CASE("a trace that nobody cut into parts is one sheet", "[exports]") {
  const Tensor<double> x = drawn({{"query", 1}, {"d_k", 2}}, 1);
  Trace trace;
  trace.givens.push_back(given_of({.id = "x", .symbol = "x"}, x));
  trace.steps.push_back(step_of({.id = "made", .symbol = "y"}, Map{Unary::multiply, 2, ""}, {"x"}, {}, x));
  CHECK(SheetLayout(trace).sheets().size() == 1);
  CHECK(cells_of(trace) == std::vector<std::string>{"B5*made_factor", "C5*made_factor"});
}

TEST_CASE("options of a spreadsheet that are called alike and are not the same get names of their own", "[exports]") {
  SheetOptions options;
  options.keep_free("scale");
  const auto name = [&](const char* wanted, double value, const char* formula = "") {
    return options.name_of("layer1.self", {wanted, "", value, formula});
  };
  CHECK(name("eps", 0.5) == "eps");
  CHECK(name("eps", 0.5) == "eps");
  CHECK(name("eps", 0.25) == "layer1_self_eps");
  CHECK(name("eps", 0.5, "1/2") == "layer1_self_eps_2");
  CHECK(name("eps", 0.25) == "layer1_self_eps");
  CHECK(name("scale", 2) == "layer1_self_scale");
  CHECK(options.name_of("", {"scale", "", 3}) == "scale_2");
  CHECK(options.all().size() == 5);
}

TEST_CASE("what a spreadsheet cannot hold is said before anything is written", "[exports]") {
  const auto refused = [](const OneStep& one) {
    const auto why = spreadsheet().unwritable(traced(one));
    return why ? why->message : "";
  };
  const Op twice = Map{Unary::multiply, 2, ""};
  CHECK(refused({"", twice, {drawn({{"query", 2}, {"key", 3}}, 1)}}).empty());
  CHECK_THAT(refused({"", twice, {drawn({{"query", 300}, {"key", 400}}, 1)}}), contains("240000 numbers"));
  CHECK_THAT(refused({"", twice, {drawn({{"query", 1}, {"key", 17000}}, 1)}}), contains("16,384 columns"));
  // Minus infinity is what a closed cell has, and no other number is.
  const Shape rows{{"query", 1}, {"key", 3}};
  const Tensor<double> mask(rows, {1, 1, 0});
  CHECK(refused({"", Close{}, {Tensor<double>(rows, {1, 2, 3})}, mask}).empty());
  CHECK_THAT(refused({"", Close{}, {Tensor<double>(rows, {1, infinity, 3})}, mask}), contains("not finite"));
}
