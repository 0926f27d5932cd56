#include <cmath>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "exports/json.h"
#include "exports/json_text.h"

namespace attn {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<const char*, double Cost::*> counts_of_costs[] = {{"multiplications", &Cost::multiplications},
                                                                      {"additions", &Cost::additions},
                                                                      {"divisions", &Cost::divisions},
                                                                      {"exponentials", &Cost::exponentials},
                                                                      {"comparisons", &Cost::comparisons},
                                                                      {"functions", &Cost::functions},
                                                                      {"bytes_read", &Cost::bytes_read},
                                                                      {"bytes_written", &Cost::bytes_written}};

// A whole number, but for a share of one.
Json count_json(double count) {
  constexpr double most_exact = 0x1p53;
  return count == std::floor(count) && std::abs(count) <= most_exact ? Json(static_cast<long long>(count))
                                                                     : Json(count);
}

Json cost_json(const Cost& cost) {
  Json json;
  for (const auto& [name, count] : counts_of_costs) json[name] = count_json(cost.*count);
  return json;
}

Json step_cost_json(const CostReport::OfStep& step) {
  Json json = {{"id", step.id}};
  json.update(cost_json(step.cost));
  return json;
}

}  // namespace

std::string costs_json(const CostReport& report) {
  Json steps = Json::array(), layers = Json::array();
  for (const CostReport::OfStep& step : report.steps) steps.push_back(step_cost_json(step));
  for (const LayerCost& layer : report.layers()) {
    layers.push_back({{"layer", name(layer.kind)},
                      {"formula", formula(layer.kind)},
                      {"operations", count_json(layer.operations)},
                      {"sequential", count_json(layer.sequential)},
                      {"path", count_json(layer.path)},
                      {"crossing", layer.crossing ? count_json(*layer.crossing) : Json()}});
  }
  Json next;
  if (report.next) {
    next = {{"without_cache", cost_json(report.next->without_cache)},
            {"with_cache", cost_json(report.next->with_cache)}};
  }
  const Json all = {{"schema", "attn/cost/1"},
                    {"dtype", name(report.dtype)},
                    {"steps", std::move(steps)},
                    {"total", cost_json(report.total())},
                    {"closed_cells_save", cost_json(report.saved())},
                    {"next_token", std::move(next)},
                    {"tokens", count_json(report.tokens)},
                    {"width", count_json(report.width)},
                    {"kernel", count_json(report.kernel)},
                    {"neighbours", count_json(report.neighbours)},
                    {"layers", std::move(layers)}};
  return indented(all);
}

std::string costs_csv(const CostReport& report) {
  std::string text = "step";
  for (const auto& [name, count] : counts_of_costs) text += std::string(",") + name;
  text += "\n";
  const auto add = [&](const std::string& id, const Cost& cost) {
    text += id;
    for (const auto& [name, count] : counts_of_costs) text += "," + count_json(cost.*count).dump();
    text += "\n";
  };
  for (const CostReport::OfStep& step : report.steps) add(step.id, step.cost);
  add("total", report.total());
  return text;
}

}  // namespace attn
