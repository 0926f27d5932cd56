#include "explain/reports/costs.h"

#include <string>

#include "catch.h"
#include "unit/formats/as_text.h"

namespace attn {

TEST_CASE("a count that is rounded up to a thousand of its unit is told in the next", "[explain]") {
  const auto [count, told] = GENERATE(table<double, std::string>({
      {9'996, "9996"},
      {10'000, "10 k"},
      {999'400, "999 k"},
      {999'600, "1 M"},
      {1'000'000, "1 M"},
      {999'600'000, "1 G"},
      {999'600'000'000, "1 T"},
  }));
  CostReport report;
  report.steps.push_back({.id = "scores", .cost = {.multiplications = count}, .all_open = {.multiplications = count}});
  const std::string text = as_text(told_costs(report));
  INFO(text);
  const std::size_t at = text.find("scores");
  REQUIRE(at != std::string::npos);
  const std::string line = text.substr(at, text.find('\n', at) - at);
  CHECK(line.find(" " + told) != std::string::npos);
  CHECK(line.find("e+") == std::string::npos);
}

}  // namespace attn
