#include "exports/blank_answers.h"

#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "unit/trace/by_hand.h"

namespace attn {
namespace {

// What stands in the template of that name.
std::string template_of(const Trace& trace, std::string_view name) {
  std::vector<std::string> ids;
  for (const Step& step : trace.steps) ids.push_back(step.heading.id);
  for (const AnswersTemplate& one : answers_templates()) {
    if (one.name == name) return one.write(trace, ids);
  }
  return "there is none";
}

// A trace of steps with one number each, without a title.
Trace trace_of_single_numbers(const std::vector<std::pair<std::string, std::string>>& ids_and_symbols) {
  Trace trace;
  for (const auto& [id, symbol] : ids_and_symbols) {
    trace.steps.push_back(step_of({.id = id, .symbol = symbol}, Given{}, {}, {}, Tensor<double>({}, {0.75})));
  }
  return trace;
}

// Scores of one query, "a", with these keys.
Trace trace_of_scores(const std::vector<std::string>& keys) {
  Trace trace;
  trace.steps.push_back(
      step_of({.id = "scores", .symbol = "S"}, Given{}, {}, {},
              Tensor<double>({{"query", 1}, {"key", keys.size()}}, std::vector<double>(keys.size()))));
  trace.labels.query = {{"a"}};
  trace.labels.key = {keys};
  return trace;
}

TEST_CASE("a number that is no matrix has one blank in every template", "[answers]") {
  const Trace trace = trace_of_single_numbers({{"sum", "s"}});
  CHECK(template_of(trace, "csv") == "sum,\ns,\n");
  CHECK(template_of(trace, "json").find(R"("sum": null)") != std::string::npos);
  const std::string text = template_of(trace, "text");
  INFO(text);
  CHECK(text.ends_with("\n# sum\ns = _\n"));
  CHECK(worked_answers(trace, {"sum"}, 2) == "\n# sum\ns = 0.75\n");
}

TEST_CASE("what could be read as a number where a comma is a point is no heading of a template", "[answers]") {
  const Trace trace = trace_of_scores({"1,2", "3,14", "a,b", "1, 2"});
  CHECK(template_of(trace, "csv") == "scores,key 1,key 2,\"a,b\",\"1, 2\"\na,,,,\n");
}

TEST_CASE("what separates fields elsewhere is in no heading of a template", "[answers]") {
  const Trace trace = trace_of_scores({"b;c", "d\te", "f"});
  CHECK(template_of(trace, "csv") == "scores,key 1,key 2,f\na,,,\n");
}

TEST_CASE("a template without a title begins with how it is filled in", "[answers]") {
  Trace trace = trace_of_single_numbers({{"sum", "s"}});
  const std::string untitled = template_of(trace, "text");
  trace.title = "A sum";
  CHECK(template_of(trace, "text") == "# A sum\n" + untitled);
}

TEST_CASE("a step whose symbol cannot be typed before an equals sign stands there by its id", "[answers]") {
  const Trace trace = trace_of_single_numbers({{"first", "s[1]"}, {"second", ""}, {"third", "t"}, {"fourth", "t"}});
  const std::string text = template_of(trace, "text");
  INFO(text);
  for (const char* line : {"\nfirst = _\n", "\nsecond = _\n", "\nthird = _\n", "\nfourth = _\n"}) {
    INFO(line);
    CHECK(text.find(line) != std::string::npos);
  }
}

}  // namespace
}  // namespace attn
