#include <algorithm>
#include <limits>

#include "catch.h"
#include "exports/export.h"
#include "unit/trace/by_hand.h"

using namespace attn;  // NOLINT(google-build-using-namespace)

namespace {

Trace trace_of(std::vector<double> scores, Dtype dtype = Dtype::f64) {
  Trace trace;
  trace.result = "scores";
  trace.arithmetic.dtype = dtype;
  trace.labels = {{{"one"}}, {std::vector<std::string>(scores.size(), "=1")}};
  trace.steps.push_back(step_of({.id = "scores"}, Given{}, {}, std::nullopt,
                                Tensor<double>({{"query", 1}, {"key", scores.size()}}, scores)));
  return trace;
}

std::string trace_csv(const Trace& trace) {
  StringSink sink;
  std::ranges::find(exports(), "csv", &Export::name)->write(trace, sink);
  return sink.take();
}

const std::string header = "batch,head,step,row,column,value,row_label,column_label\n";

// Other people's text as a cell.
std::string csv_cell(const std::string& label) {
  Trace trace = trace_of({0});
  trace.labels.key = {{label}};
  const std::string text = trace_csv(trace), before = header + ",,scores,1,1,0,one,";
  REQUIRE(text.starts_with(before));
  return text.substr(before.size(), text.size() - before.size() - 1);
}

}  // namespace

TEST_CASE("a number is a line, in the fewest digits that read back", "[exports]") {
  CHECK(trace_csv(trace_of({0.1, -3})) == header + ",,scores,1,1,0.1,one,'=1\n" + ",,scores,1,2,-3,one,'=1\n");
  CHECK(trace_csv(trace_of({1.0 / 3}, Dtype::f32)) == header + ",,scores,1,1,0.33333334,one,'=1\n");
  CHECK(trace_csv(trace_of({0.333251953125}, Dtype::f16)) == header + ",,scores,1,1,0.3333,one,'=1\n");
  const std::string text = trace_csv(trace_of({infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}));
  CHECK(text == header + ",,scores,1,1,inf,one,'=1\n,,scores,1,2,-inf,one,'=1\n,,scores,1,3,nan,one,'=1\n");
}

TEST_CASE("how large an export will be is known before it is written", "[exports]") {
  std::vector<double> scores;
  for (int i = 0; i < 5000; ++i) scores.push_back(i % 7 == 0 ? -infinity : i % 3 == 0 ? i : 1.0 / (i + 1));
  for (const Dtype dtype : dtypes) {
    for (const Export& one : exports()) {
      // Others write code and questions about the numbers.
      const bool writes_every_number = one.name == "json" || one.name == "csv" || !one.is_text;
      if (!writes_every_number || one.name == "xlsx") continue;
      CAPTURE(name(dtype), one.name);
      const Trace trace = trace_of(scores, dtype);
      StringSink sink;
      one.write(trace, sink);
      CHECK(static_cast<double>(one.expected_bytes(trace)) == Approx(sink.take().size()).epsilon(0.1));
    }
  }
}

TEST_CASE("sequences and heads have columns of their own", "[exports]") {
  Trace trace;
  trace.batched = true;
  trace.labels = {{{"a"}, {"b"}}, {{"a"}, {"b"}}};
  const Shape shape = {{"batch", 2}, {"head", 2}, {"query", 1}};
  trace.steps.push_back(step_of({.id = "row_maximum"}, Given{}, {}, std::nullopt, Tensor<double>(shape, {1, 2, 3, 4})));
  CHECK(trace_csv(trace) == header + "1,1,row_maximum,1,,1,a,\n" + "1,2,row_maximum,1,,2,a,\n" +
                                "2,1,row_maximum,1,,3,b,\n" + "2,2,row_maximum,1,,4,b,\n");
}

TEST_CASE("a vector of features lies in a row, a number alone nowhere", "[exports]") {
  Trace trace;
  trace.givens.push_back(given_of({.id = "bias.query"}, Tensor<double>({{"d_k", 2}}, {5, 6})));
  trace.givens.push_back(given_of({.id = "scale"}, Tensor<double>(Shape{}, {7})));
  CHECK(trace_csv(trace) == header + ",,bias.query,,1,5,,1\n" + ",,bias.query,,2,6,,2\n" + ",,scale,,,7,,\n");
}

TEST_CASE("of three axes the first two are the row", "[exports]") {
  Trace trace;
  trace.labels = {{{"q"}}, {{"a", "b"}}};
  const Shape shape = {{"query", 1}, {"key", 2}, {"d_v", 1}};
  trace.steps.push_back(step_of({.id = "weighted_values"}, Given{}, {}, std::nullopt, Tensor<double>(shape, {8, 9})));
  CHECK(trace_csv(trace) == header + ",,weighted_values,1 1,1,8,q · a,1\n" + ",,weighted_values,1 2,1,9,q · b,1\n");
}

TEST_CASE("no cell begins a formula, ends early or steers a terminal", "[exports]") {
  CHECK(csv_cell("the") == "the");
  CHECK(csv_cell("a=b") == "a=b");
  for (const std::string text : {"=1", "+1", "-1", "@x", "\uff1d1", "\uff0b1", "\uff0d1", "\uff201"}) {
    CHECK(csv_cell(text) == "'" + text);
    CHECK(csv_cell("\u00a0'" + text) == "'\u00a0'" + text);
  }
  CHECK(csv_cell(" =1") == "' =1");
  CHECK(csv_cell("\t=1") == "'\\t=1");
  CHECK(csv_cell("\r=1") == "'\\x0d=1");
  CHECK(csv_cell("say \"a,b\"") == "\"say \"\"a,b\"\"\"");
  CHECK(csv_cell("two\nlines \x1b[1m") == "two\\nlines \\x1b[1m");
  CHECK(csv_cell(" x") == "\" x\"");
  // Where a spreadsheet begins a cell at a semicolon, and takes quotes behind it for text.
  CHECK(csv_cell("a;b") == "\"a;b\"");
  CHECK(csv_cell("a;=1") == "\"a;'=1\"");
  CHECK(csv_cell("a; +1;@x") == "\"a;' +1;'@x\"");
  CHECK(csv_cell("a;\"=1") == "\"a;'\"\"=1\"");
}
