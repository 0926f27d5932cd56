#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "exports/json.h"
#include "exports/json_text.h"

namespace attn {
namespace {

using Json = nlohmann::ordered_json;

Json spread_json(const ScoreSpread& spread) { return {{"mean", spread.mean}, {"variance", spread.variance}}; }

Json peak_json(const SoftmaxPeak& peak) {
  return {{"largest_weight", peak.largest_weight},
          {"entropy", peak.entropy},
          {"largest_derivative", peak.largest_derivative}};
}

}  // namespace

std::string scaling_json(const ScalingReport& report) {
  Json widths = Json::array();
  for (const ScalingOfWidth& one : report.widths) {
    widths.push_back({{"width", one.width},
                      {"drawn", spread_json(one.drawn)},
                      {"theory", spread_json(one.theory())},
                      {"plain", peak_json(one.plain)},
                      {"divided", peak_json(one.divided)}});
  }
  return indented({{"schema", "attn/scaling/1"},
                   {"queries", report.queries},
                   {"keys", report.keys},
                   {"seed", report.seed},
                   {"widths", std::move(widths)}});
}

std::string scaling_csv(const ScalingReport& report) {
  std::string text =
      "width,mean,variance,variance_in_theory,largest_weight,entropy,largest_derivative,"
      "divided_largest_weight,divided_entropy,divided_largest_derivative\n";
  for (const ScalingOfWidth& one : report.widths) {
    text += std::to_string(one.width);
    for (const double number : {one.drawn.mean, one.drawn.variance, one.theory().variance, one.plain.largest_weight,
                                one.plain.entropy, one.plain.largest_derivative, one.divided.largest_weight,
                                one.divided.entropy, one.divided.largest_derivative}) {
      text += "," + Json(number).dump();
    }
    text += "\n";
  }
  return text;
}

}  // namespace attn
