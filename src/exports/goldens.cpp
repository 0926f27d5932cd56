#include "exports/goldens.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/numbers.h"
#include "base/text.h"
#include "exports/json_text.h"
#include "exports/xml_text.h"

namespace attn {
namespace {

using Json = nlohmann::ordered_json;
using Kind = GoldenVerdict::Kind;

Json of_cell(double value) { return std::isfinite(value) ? Json(value) : Json(shortest(value)); }

Json worst_json(const WorstCell& worst) {
  const bool is_countable = worst.ulps != std::numeric_limits<std::uint64_t>::max();
  return {{"index", from_one(worst.index)},
          {"expected", of_cell(worst.expected)},
          {"got", of_cell(worst.got)},
          {"ulps", is_countable ? Json(worst.ulps) : Json()}};
}

Json verdict_json(const GoldenVerdict& verdict) {
  Json differences = Json::array();
  for (const Difference& one : verdict.differences) {
    differences.push_back({{"step", text_or_null(one.step)},
                           {"message", one.message},
                           {"worst", one.worst ? worst_json(*one.worst) : Json()}});
  }
  return {{"file", verdict.file},
          {"golden", verdict.golden},
          {"verdict", name(verdict.kind)},
          {"message", text_or_null(verdict.message)},
          {"first_different", text_or_null(first_different(verdict.differences))},
          {"differences", std::move(differences)}};
}

std::string testcase(const GoldenVerdict& verdict) {
  std::string text = "    <testcase classname=\"attn golden\" name=\"" + in_xml(printable(verdict.file)) + "\"";
  if (!verdict.has_failed()) return text + "/>\n";
  const std::string kind = verdict.kind == Kind::differs ? "failure" : "error";
  text += ">\n      <" + kind + " message=\"" + in_xml(printable(verdict.message)) + "\">";
  return text + in_xml(verdict.details) + "</" + kind + ">\n    </testcase>\n";
}

}  // namespace

std::string in_xml(std::string_view text) {
  std::string escaped;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point(text, at);
    const bool is_noncharacter = point.value == 0xFFFE || point.value == 0xFFFF;  // which XML has not
    if (point.value == '&') {
      escaped += "&amp;";
    } else if (point.value == '<') {
      escaped += "&lt;";
    } else if (point.value == '>') {
      escaped += "&gt;";
    } else if (point.value == '"') {
      escaped += "&quot;";
    } else {
      escaped += is_noncharacter ? "\uFFFD" : text.substr(at, point.bytes);
    }
    at += point.bytes;
  }
  return escaped;
}

std::string goldens_json(std::span<const GoldenVerdict> verdicts) {
  const auto failed = std::ranges::count_if(verdicts, &GoldenVerdict::has_failed);
  Json files = Json::array();
  for (const GoldenVerdict& verdict : verdicts) files.push_back(verdict_json(verdict));
  const Json said = {{"schema", "attn/golden/1"}, {"passed", std::ssize(verdicts) - failed}, {"failed", failed}};
  return "{\n" + members(said, "  ") + "  \"files\": " + lines(files, "  ") + "\n}\n";
}

std::string goldens_junit(std::span<const GoldenVerdict> verdicts) {
  const auto differ = std::ranges::count(verdicts, Kind::differs, &GoldenVerdict::kind);
  const auto wrong = std::ranges::count(verdicts, Kind::error, &GoldenVerdict::kind);
  const std::string counts = " tests=\"" + std::to_string(verdicts.size()) + "\" failures=\"" + std::to_string(differ) +
                             "\" errors=\"" + std::to_string(wrong) + "\">\n";
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + counts + "  <testsuite name=\"attn golden\"" + counts;
  for (const GoldenVerdict& verdict : verdicts) text += testcase(verdict);
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace attn
