#include "exports/grades.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/numbers.h"
#include "base/rounding.h"
#include "base/text.h"
#include "explain/reports/grades.h"
#include "exports/csv_text.h"
#include "exports/json_text.h"
#include "exports/xml_text.h"
#include "words/language.h"

namespace attn {
namespace {

using Json = nlohmann::ordered_json;

// Thirds are not exact, and nobody reads their last digits.
Json points_json(double points) {
  const double value = rounded(points, {most_rounded_decimals, RoundingMode::half_up});
  if (value == static_cast<double>(static_cast<long long>(value))) return static_cast<long long>(value);
  return value;
}

// "wrong", "unreadable"
std::string_view verdict_name(const GradedHandIn& one) { return one.is_graded() ? name(one.verdict) : name(one.what); }

std::string joined_by_semicolons(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
  return all;
}

Json scheme_json(const Scheme& scheme) {
  constexpr std::string_view coarse[] = {"right", "wrong", "ask"};
  Json points = Json::object(), deduct = Json::object(), json;
  for (const auto& one : scheme.points) points[one.step] = points_json(one.points);
  for (const auto& one : scheme.deduct) deduct[one.mistake] = points_json(one.points);
  json["points"] = scheme.points.empty() ? Json() : std::move(points);
  json["per"] = scheme.per == Scheme::Per::cell ? "cell" : "step";
  json["follow_through"] = scheme.follow_through;
  json["deduct"] = std::move(deduct);
  json["too_coarse"] = coarse[static_cast<std::size_t>(scheme.too_coarse)];
  json["round_to"] = points_json(scheme.round_to);
  return json;
}

Json step_json(const StepGrade& step) {
  Json json;
  json["id"] = step.id;
  json["handed_in"] = step.handed_in;
  json["other_shape"] = step.other_shape;
  const std::pair<const char*, std::size_t> counts[] = {
      {"cells", step.cells}, {"right", step.right}, {"consistent", step.consistent}, {"too_coarse", step.too_coarse},
      {"wrong", step.wrong}, {"blank", step.blank}, {"missing", step.missing},       {"counted", step.counted}};
  for (const auto& [key, count] : counts) json[key] = count;
  const std::pair<const char*, double> points[] = {{"earned", step.earned},
                                                   {"deducted", step.deducted},
                                                   {"undecided", step.undecided},
                                                   {"points", step.points()},
                                                   {"of", step.of}};
  for (const auto& [key, value] : points) json[key] = points_json(value);
  return json;
}

Json found_json(const GradedHandIn& one) {
  Json all = Json::array();
  for (const GradedHandIn::Finding& found : one.findings) {
    Json json;
    json["mistake"] = found.mistake;
    json["kind"] = name(found.kind);
    json["step"] = found.step;
    json["ties"] = found.ties;
    json["message"] = found.message;
    all.push_back(std::move(json));
  }
  return all;
}

Json deductions_json(const Grade& grade) {
  Json all = Json::array();
  for (const Deducted& one : grade.deductions) {
    Json json;
    json["mistake"] = one.mistake;
    json["step"] = one.step;
    json["asked"] = points_json(one.asked);
    json["taken"] = points_json(one.taken);
    all.push_back(std::move(json));
  }
  return all;
}

Json undecided_json(const Grade& grade) {
  Json all = Json::array();
  for (const UndecidedCell& cell : grade.undecided) {
    Json json;
    json["step"] = cell.step;
    json["index"] = from_one(cell.index);
    json["given"] = cell.given;
    all.push_back(std::move(json));
  }
  return all;
}

std::string hand_in_json(const GradedHandIn& one) {
  const std::string indent = "      ";
  Json said, steps = Json::array();
  said["name"] = one.name;
  said["files"] = one.files;
  said["problem"] = text_or_null(one.problem);
  said["verdict"] = verdict_name(one);
  const bool has_points = !one.is_failed();
  said["points"] = has_points ? points_json(one.grade.points) : Json();
  said["of"] = has_points ? points_json(one.grade.of) : Json();
  said["percent"] = has_points ? points_json(one.grade.percent()) : Json();
  said["sum"] = has_points ? points_json(one.grade.sum) : Json();
  said["first_wrong"] = text_or_null(one.first_wrong);
  said["error"] = text_or_null(one.error);
  said["remarks"] = one.remarks;
  for (const StepGrade& step : one.grade.steps) steps.push_back(step_json(step));
  return "    {\n" + members(said, indent) + indent + "\"steps\": " + lines(steps, indent) + ",\n" + indent +
         "\"deductions\": " + lines(deductions_json(one.grade), indent) + ",\n" + indent +
         "\"undecided\": " + lines(undecided_json(one.grade), indent) + ",\n" + indent +
         "\"mistakes\": " + lines(found_json(one), indent) + "\n    }";
}

Json summary_json(const ClassSummary& summary) {
  Json json, mistakes = Json::array(), steps = Json::array();
  json["graded"] = summary.hand_ins();
  json["mean_percent"] = points_json(summary.mean_percent());
  json["median_percent"] = points_json(summary.median_percent());
  json["distribution"] = summary.distribution();
  for (const ClassSummary::Made& made : summary.mistakes()) {
    Json one;
    one["mistake"] = made.mistake;
    one["step"] = made.step;
    one["hand_ins"] = made.people;
    mistakes.push_back(std::move(one));
  }
  for (const ClassSummary::StepOfClass& step : summary.steps()) {
    Json one;
    one["id"] = step.id;
    one["shape"] = step.shape;
    one["hand_ins"] = step.people;
    one["wrong"] = step.wrong;
    one["cells"] = step.cells;
    steps.push_back(std::move(one));
  }
  json["mistakes"] = std::move(mistakes);
  json["steps"] = std::move(steps);
  return json;
}

std::string attribute(const char* key, const std::string& text) {
  return std::string(" ") + key + "=\"" + in_xml(printable(text)) + "\"";
}

// What is said of a step to whoever reads a report of tests.
std::string told_step(const GradedHandIn& one, const StepGrade& step) {
  std::string text = how_graded(step);
  if (step.of > 0) text += "; " + language().grades.points_of(spelled_points(step.points()), spelled_points(step.of));
  for (const Deducted& deducted : one.grade.deductions) {
    if (deducted.step == step.id && deducted.taken > 0)
      text += "; −" + spelled_points(deducted.taken) + " " + deducted.mistake;
  }
  return text;
}

std::string told_findings(const GradedHandIn& one, const std::string& step) {
  std::string text;
  for (const GradedHandIn::Finding& found : one.findings) {
    if (found.step == step) text += (text.empty() ? "" : "\n") + found.mistake + ": " + printable(found.message);
  }
  return text;
}

bool is_passed(const StepGrade& step) {
  return step.handed_in && !step.other_shape && step.counted == step.cells && step.deducted == 0;
}

std::string testcase(const std::string& name, const char* kind, const std::string& message, const std::string& text) {
  const std::string begin = "    <testcase classname=\"attn grade\"" + attribute("name", name);
  if (!*kind) return begin + "/>\n";
  return begin + ">\n      <" + kind + attribute("message", message) + ">" + in_xml(text) + "</" + kind +
         ">\n    </testcase>\n";
}

std::string testsuite(const GradedHandIn& one, std::size_t& tests, std::size_t& failures, std::size_t& errors) {
  std::string cases;
  std::size_t own_tests = 0, own_failures = 0, own_errors = 0;
  for (const StepGrade& step : one.grade.steps) {
    const bool passed = is_passed(step);
    cases += passed ? testcase(step.id, "", "", "")
                    : testcase(step.id, "failure", told_step(one, step), told_findings(one, step.id));
    ++own_tests;
    own_failures += passed ? 0 : 1;
  }
  if (one.is_failed() || own_tests == 0) {
    cases += testcase("hand-in", one.is_failed() ? "error" : "failure", verdict_of(one), printable(one.error));
    ++own_tests;
    ++(one.is_failed() ? own_errors : own_failures);
  }
  tests += own_tests;
  failures += own_failures;
  errors += own_errors;
  const auto count = [](const char* key, std::size_t value) { return attribute(key, std::to_string(value)); };
  return "  <testsuite" + attribute("name", one.name.empty() ? listed(one.files) : one.name) +
         count("tests", own_tests) + count("failures", own_failures) + count("errors", own_errors) + ">\n" + cases +
         "  </testsuite>\n";
}

}  // namespace

std::string grades_csv(const GradedClass& graded) {
  std::string text = "name,problem,points,of,percent,verdict,first_wrong,mistakes,file\n";
  for (const GradedHandIn& one : graded.hand_ins) {
    std::vector<std::string> mistakes;
    for (const GradedHandIn::Finding& found : one.findings) {
      const bool is_told = std::ranges::count(mistakes, found.mistake) > 0;
      if (found.kind != MistakeKind::note && !is_told) mistakes.push_back(found.mistake);
    }
    text += csv_cell(one.name) + "," + csv_cell(one.problem) + ",";
    text += one.is_failed() ? ",,"
                            : points_json(one.grade.points).dump() + "," + points_json(one.grade.of).dump() + "," +
                                  spelled_percent(one.grade.percent());
    text += "," + std::string(verdict_name(one)) + "," + csv_cell(one.first_wrong) + "," +
            csv_cell(joined_by_semicolons(mistakes)) + "," + csv_cell(joined_by_semicolons(one.files)) + "\n";
  }
  return text;
}

std::string grades_json(const GradedClass& graded) {
  Json said;
  said["schema"] = "attn/grades/1";
  said["title"] = graded.title;
  said["scheme"] = scheme_json(graded.scheme);
  said["summary"] = summary_json(graded.summary);
  std::string text = "{\n" + members(said, "  ") + "  \"hand_ins\": [";
  bool is_first = true;
  for (const GradedHandIn& one : graded.hand_ins) {
    text += (std::exchange(is_first, false) ? "\n" : ",\n") + hand_in_json(one);
  }
  return text + "\n  ]\n}\n";
}

std::string grades_junit(const GradedClass& graded) {
  std::size_t tests = 0, failures = 0, errors = 0;
  std::string suites;
  for (const GradedHandIn& one : graded.hand_ins) suites += testsuite(one, tests, failures, errors);
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"attn grade\" tests=\"" +
         std::to_string(tests) + "\" failures=\"" + std::to_string(failures) + "\" errors=\"" + std::to_string(errors) +
         "\">\n" + suites + "</testsuites>\n";
}

std::string gradescope_json(const GradedHandIn& one, const std::string& output) {
  Json json, tests = Json::array();
  json["score"] = points_json(one.grade.points);
  json["output"] = output;
  json["output_format"] = "text";
  json["visibility"] = "visible";
  for (const StepGrade& step : one.grade.steps) {
    const std::string found = told_findings(one, step.id);
    Json test;
    test["name"] = step.id;
    test["score"] = points_json(step.points());
    test["max_score"] = points_json(step.of);
    test["status"] = is_passed(step) ? "passed" : "failed";
    test["output"] = told_step(one, step) + (found.empty() ? "" : "\n" + found);
    test["output_format"] = "text";
    test["visibility"] = "visible";
    tests.push_back(std::move(test));
  }
  json["tests"] = std::move(tests);
  return indented(json);
}

}  // namespace attn
