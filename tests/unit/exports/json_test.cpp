#include "exports/json.h"

#include <limits>

#include <nlohmann/json.hpp>

#include "catch.h"
#include "unit/trace/by_hand.h"

using namespace attn;  // NOLINT(google-build-using-namespace)

namespace {

Trace trace_of(std::vector<double> scores, Dtype dtype = Dtype::f64) {
  Trace trace;
  trace.result = "scores";
  trace.arithmetic.dtype = dtype;
  trace.labels = {{{"Query 1"}}, {{"Key 1"}}};
  trace.steps.push_back(step_of({.id = "scores"}, Given{}, {}, std::nullopt,
                                Tensor<double>({{"query", 1}, {"key", scores.size()}}, scores)));
  return trace;
}

}  // namespace

TEST_CASE("numbers are written with the fewest digits that read back to the same bits", "[exports]") {
  const auto written = nlohmann::json::parse(trace_json(trace_of({0.1, 1.0 / 3, 1e-320, 1e300})));
  CHECK(written["steps"][0]["data"] == nlohmann::json::parse("[[0.1, 0.3333333333333333, 1e-320, 1e300]]"));

  const double third = static_cast<double>(1.0F / 3);
  CHECK(trace_json(trace_of({third}, Dtype::f32)).find("[0.33333334]") != std::string::npos);
  CHECK(trace_json(trace_of({0.333984375, 65280}, Dtype::bf16)).find("[0.334, 65300]") != std::string::npos);
  CHECK(trace_json(trace_of({0.333251953125, 65504}, Dtype::f16)).find("[0.3333, 65500]") != std::string::npos);
}

TEST_CASE("negative zero is written as 0, and what JSON cannot hold as text", "[exports]") {
  const auto written = nlohmann::json::parse(
      trace_json(trace_of({-0.0, infinity, -infinity, std::numeric_limits<double>::quiet_NaN()})));
  CHECK(written["steps"][0]["data"].dump() == R"([[0,"inf","-inf","nan"]])");
}

TEST_CASE("other people's text is JSON text, whatever it holds", "[exports]") {
  Trace trace = trace_of({1});
  trace.title = "a \"title\"\n\x1b[31m \xff";
  trace.labels.key = {{"</script>"}};
  const std::string text = trace_json(trace);
  CHECK(text.find('\x1b') == std::string::npos);
  const auto written = nlohmann::json::parse(text);
  CHECK(written["title"] == "a \"title\"\n\x1b[31m \xEF\xBF\xBD");
  CHECK(written["labels"]["key"][0] == "</script>");
}

TEST_CASE("counts of costs are whole as long as they are known exactly", "[exports]") {
  CostReport report;
  report.steps = {{.id = "scores", .cost = {.multiplications = 12, .additions = 0x1p60}, .all_open = {}}};
  const auto written = nlohmann::json::parse(costs_json(report));
  const auto& step = written["steps"][0];
  CHECK(step["multiplications"].is_number_integer());
  CHECK(step["multiplications"] == 12);
  CHECK(step["additions"].is_number_float());
  CHECK(step["additions"] == 0x1p60);
}

TEST_CASE("a trace without labels has none of queries and of keys", "[exports]") {
  Trace trace = trace_of({1});
  trace.labels = {};
  const auto written = nlohmann::json::parse(trace_json(trace));
  CHECK(written["labels"]["query"].empty());
  CHECK(written["labels"]["key"].is_array());
}
