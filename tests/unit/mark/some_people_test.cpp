#include "mark/some_people.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/random.h"
#include "catch.h"
#include "mark/allowance.h"
#include "mark/follow.h"
#include "model/attention.h"
#include "model/computation.h"
#include "reading/problem/problem.h"
#include "reference_backend.h"

namespace attn {
namespace {

// With one decimal in each of its many steps the intervals of its output tell little.
constexpr const char* three_heads_with_past_keys = R"({
  "inputs": [[0, 0], [0, 0], [0, 1], [1, 0]],
  "weights": {
    "query": [[0, 0, 0, 1, -1, 1, 2, 1, -1], [-1, -1, -1, 1, 0, 0, 1, 0, -1]],
    "key": [[1, 1, -1, 1, -1, 2, 1, -1, 1], [-1, 0, -1, 2, 1, 2, -1, 1, -1]],
    "value": [[0, 2, 1, -1, 0, 1, 1, 1, 0], [1, 1, -1, 0, 0, 0, 1, 0, -1]],
    "output": [[0, 2, -1, 2, -1, 1, 1, 1, 1], [1, 2, 2, -1, 1, 1, 1, 1, 0], [2, 1, 0, 1, 2, 1, -1, -1, -1],
               [1, 1, 2, 1, 1, -1, -1, 2, 2], [-1, -1, -1, 1, -1, -1, 2, 1, 1], [1, 0, -1, -1, -1, 0, 0, 1, -1],
               [1, 1, -1, -1, -1, -1, 2, 2, 0], [1, 0, 2, -1, 1, -1, -1, -1, 1], [1, -1, 2, -1, 0, 0, -1, 0, 1]]},
  "past": {"keys": [[-1, 1, 1, 1, 2, 0, -1, 2, 1], [1, 0, 1, 1, 1, 0, 1, 0, 1]],
           "values": [[1, 1, 1, 2, -1, 1, -1, 1, 1], [1, 1, 2, 1, 1, 0, 1, 1, 2]]},
  "appended": {"keys": [[1, 2, -1, 1, 0, 0, 0, 1, 0]], "values": [[0, -1, 1, 1, 1, -1, -1, 2, 0]]},
  "heads": 3, "causal": true, "offset": 2, "positions": {"type": "sinusoidal", "base": 100}
})";

// The output alone, as it comes out in full, with one decimal.
Sheet output_of(const Trace& trace, const MarkingRule& rule) {
  const Tensor<double>& output = trace.find("output")->result;
  HandedStep step;
  step.id = "output";
  step.decimals = 1;
  step.is_whole = true;
  step.shape = output.shape().sizes();
  for (const double number : output.data()) {
    const double written = rounded(number, {1, RoundingMode::half_up});
    step.cells.push_back({HandedCell::Kind::number, {.value = written, .decimals = 1}});
  }
  Sheet sheet;
  sheet.steps.push_back(std::move(step));
  sheet.decimals = sheet.decimals_within = 1;
  fill_in_allowances(sheet, rule);
  return sheet;
}

}  // namespace

TEST_CASE("what a few people get leaves room for everybody else who rounds honestly", "[check]") {
  const Result<Problem> problem = read_problem(three_heads_with_past_keys, catalog(), std::size_t{1} << 30, ".");
  REQUIRE(problem);
  ReferenceBackend backend;
  const Trace trace = attention(problem.value(), backend);
  const MarkingRule rule;
  const Sheet sheet = output_of(trace, rule);
  const SheetPlaces places = places_on_sheet(trace.recipe, sheet);
  const Task task{trace.recipe, sheet, rule, places};
  const std::size_t output = *trace.recipe.line("output");
  const auto habit =
      GENERATE(RoundingMode::half_up, RoundingMode::keep_sum, RoundingMode::truncate, RoundingMode::half_even);
  CAPTURE(habit);

  constexpr double anything = 1e6;
  Tensor<Interval> accepted(trace.find("output")->result.shape());
  for (Interval& cell : accepted.data()) cell = {-anything, anything};
  SomePeople(task, habit).narrow(output, accepted);
  for (const Interval& cell : accepted.data()) CHECK(cell.width() < 10);

  std::size_t strangers = 0;
  for (std::uint64_t seed = 2; seed <= 500; ++seed) {
    Random lots(seed);
    const Followed<double> person = follow(task, {.manner = {habit, habit, true}, .lots = &lots});
    for (std::size_t cell = 0; cell < accepted.size(); ++cell) {
      strangers += accepted[cell].contains((*person.computed[output])[cell]) ? 0 : 1;
    }
  }
  CHECK(strangers == 0);
}

}  // namespace attn
