#include <algorithm>

#include "base/interval.h"
#include "base/sink.h"
#include "catch.h"
#include "exports/export.h"
#include "exports/numpy/array.h"
#include "exports/numpy/helpers.h"
#include "exports/numpy/step_code.h"
#include "unit/ops/recorded.h"

using namespace attn;  // NOLINT(google-build-using-namespace)

namespace {

const Export& notebook() { return *std::ranges::find(exports(), "ipynb", &Export::name); }

}  // namespace

TEST_CASE("numbers are written as Python reads them", "[exports]") {
  CHECK(in_python(0.25) == "0.25");
  CHECK(in_python(infinity) == "np.inf");
  CHECK(in_python(-infinity) == "-np.inf");
  CHECK(in_python(infinity - infinity) == "np.nan");
}

TEST_CASE("what is turned is put in brackets first where it needs them", "[exports]") {
  const AxisNames rows{"query", "key"}, columns{"key", "query"};
  CHECK(permuted({"a", rows}, columns).text == "a.T");
  CHECK(permuted({"a + b", rows, false}, columns).text == "(a + b).T");
  CHECK(permuted({"a + b", rows, false}, rows).text == "a + b");
}

TEST_CASE("axes of an einsum have letters of their own whatever they are called", "[exports]") {
  const auto product = [](const Axis& first, const Axis& second) {
    return product_over("over", {"a", {"batch", first, "over"}}, {"b", {"head", second, "over"}},
                        {"batch", "head", first, second});
  };
  CHECK(product("query", "key") == "np.einsum(\"bqo,hko->bhqk\", a, b)");
  CHECK(product("d_k", "key") == "np.einsum(\"bko,hlo->bhkl\", a, b)");
  CHECK(product("z", "zoom") == "np.einsum(\"bzo,hao->bhza\", a, b)");
  CHECK(product("2nd", "row") == "np.einsum(\"bao,hro->bhar\", a, b)");
}

TEST_CASE("a notebook defines what its steps call and no more", "[exports]") {
  const auto head = [](const std::set<std::string>& helpers) {
    return numpy_head(helpers, HandRounding{.decimals = 2, .mode = RoundingMode::keep_sum});
  };
  CHECK_THAT(head({"rounded_rows"}),
             contains("from decimal import") && contains("def read(") && contains("def rounded_rows("));
  CHECK_THAT(head({"rounded_rows"}), !contains("def rounded("));
  CHECK_THAT(head({"rounded"}), contains("def rounded(") && !contains("def rounded_rows("));
  CHECK_THAT(head({}), !contains("def ") && !contains("from decimal"));
}

TEST_CASE("exponentials close what only their own mask closes", "[exports]") {
  const Shape rows{{"query", 2}, {"key", 2}};
  const auto code = [&](std::optional<Operand> of_scores, std::optional<Operand> of_exponentials) {
    const Tensor<double> x = drawn(rows, 1);
    Trace trace;
    for (const char* id : {"x", "mask", "other"}) trace.givens.push_back(given_of({.id = id}, x));
    trace.givens.push_back(given_of({.id = "largest"}, drawn({{"query", 2}}, 2)));
    trace.steps.push_back(step_of({.id = "scores"}, Close{}, {"x"}, std::move(of_scores), x));
    trace.steps.push_back(step_of({.id = "made"}, Softmax{Softmax::Part::exponentials, "key"}, {"scores", "largest"},
                                  std::move(of_exponentials), x));
    std::set<std::string> helpers;
    return code_of_step(trace, trace.steps.back(), {}, helpers);
  };
  const std::string powers = "np.exp(scores - largest[:, None])";
  CHECK(code("mask", "mask") == "made = " + powers);
  CHECK(code("other", "mask") == "made = np.where(mask != 0, " + powers + ", 0)");
  CHECK(code({}, "mask") == "made = np.where(mask != 0, " + powers + ", 0)");
  CHECK(code("mask", {}) == "made = " + powers);
}

TEST_CASE("a notebook says what a step is by its formula or by its symbol where there is none", "[exports]") {
  StringSink sink;
  notebook().write(traced({"", Map{Unary::multiply, 2, ""}, {drawn({{"query", 2}}, 1)}}), sink);
  const std::string written = sink.take();
  CHECK_THAT(written, contains("**a**\\n\",\n    \"\\n\",\n    \"$a$"));
  CHECK_THAT(written, contains("**made**\\n\",\n    \"\\n\",\n    \"$Y$"));
}

TEST_CASE("a notebook of more than a million numbers is not written", "[exports]") {
  const auto why = [](std::size_t keys) {
    return notebook().unwritable(
        traced({"", Map{Unary::multiply, 2, ""}, {drawn({{"query", 1000}, {"key", keys}}, 1)}}));
  };
  CHECK_FALSE(why(500));
  CHECK_THAT(why(501).value().message, contains("1002000 numbers"));
}
