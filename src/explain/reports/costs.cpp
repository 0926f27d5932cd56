#include "explain/reports/costs.h"

#include <array>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "words/language.h"

namespace attn {
namespace {

// "1234", "12.3 k", "1.05 M": what people compare.
std::string shown_count(double count) {
  constexpr std::array<const char*, 6> units = {"", " k", " M", " G", " T", " P"};
  if (count < 10'000) return fmt::format("{:.0f}", count);
  std::size_t unit = 0;
  for (; count >= 999.5 && unit + 1 < units.size(); ++unit) count /= 1000;
  return fmt::format("{:.3g}{}", count, units[unit]);
}

std::string shown_bytes(double bytes) { return spelled_size(static_cast<std::size_t>(bytes)); }

int percent(double part, double whole) { return whole == 0 ? 0 : static_cast<int>(std::lround(100 * part / whole)); }

struct Column {
  Said title;
  double Cost::*count;
  std::string (*shown)(double);
};

std::vector<Column> columns_of(const Cost& total) {
  const CostWords& said = language().costs;
  std::vector<Column> columns = {{said.multiplications, &Cost::multiplications, shown_count},
                                 {said.additions, &Cost::additions, shown_count},
                                 {said.divisions, &Cost::divisions, shown_count},
                                 {said.exponentials, &Cost::exponentials, shown_count},
                                 {said.comparisons, &Cost::comparisons, shown_count},
                                 {said.functions, &Cost::functions, shown_count},
                                 {said.read, &Cost::bytes_read, shown_bytes},
                                 {said.written, &Cost::bytes_written, shown_bytes}};
  std::erase_if(columns, [&](const Column& column) { return total.*column.count == 0; });
  return columns;
}

Table table_of_steps(const CostReport& report) {
  const CostWords& said = language().costs;
  const Cost total = report.total();
  const std::vector<Column> columns = columns_of(total);
  Table table{.caption = {}, .header = {{said.step}}, .rows = {}, .numbers = true};
  for (const Column& column : columns) table.header.push_back({column.title});
  const auto add = [&](Inline name, const Cost& cost) {
    table.rows.push_back({std::move(name)});
    for (const Column& column : columns) {
      const double count = cost.*column.count;
      table.rows.back().push_back({count == 0 ? "" : column.shown(count)});
    }
  };
  // Of a block a part a line, for its steps are many.
  std::vector<std::pair<std::string, Cost>> lines;
  for (const CostReport::OfStep& step : report.steps) {
    const std::string& name = step.part.empty() ? step.id : step.part;
    if (lines.empty() || lines.back().first != name) lines.emplace_back(name, Cost());
    lines.back().second += step.cost;
  }
  for (const auto& [name, cost] : lines) add({printable(name)}, cost);
  add({said.all}, total);
  return table;
}

Table table_of_layers(const CostReport& report) {
  const CostWords& said = language().costs;
  Table table{.caption = {},
              .header = {{said.layer}, {said.operations}, {said.here}, {said.sequential}, {said.path}},
              .rows = {},
              .numbers = true};
  table.header.push_back({said.crossing});
  for (const LayerCost& layer : report.layers()) {
    table.rows.push_back({{name(layer.kind)},
                          {formula(layer.kind)},
                          {shown_count(layer.operations)},
                          {shown_count(layer.sequential)},
                          {shown_count(layer.path)},
                          {layer.crossing ? "n = " + fmt::format("{:.0f}", *layer.crossing) : ""}});
  }
  return table;
}

}  // namespace

Cost CostReport::total() const {
  Cost all;
  for (const OfStep& step : steps) all += step.cost;
  return all;
}

Cost CostReport::saved() const {
  Cost all;
  for (const OfStep& step : steps) {
    all += step.all_open;
    all += step.cost * -1;
  }
  return all;
}

std::string name(LayerCost::Kind kind) {
  const CostWords& said = language().costs;
  const Said names[] = {said.self_attention, said.recurrent, said.convolutional, said.restricted};
  return names[static_cast<std::size_t>(kind)];
}

std::string formula(LayerCost::Kind kind) {
  constexpr const char* formulas[] = {"n²·d", "n·d²", "k·n·d²", "r·n·d"};
  return formulas[static_cast<std::size_t>(kind)];
}

Document told_costs(const CostReport& report) {
  const CostWords& said = language().costs;
  Document document{{Headline{1, {dotted(said.title.text(), printable(report.title))}}}};
  document.add(Prose{{said.how_counted(language().telling.precision(attn::name(report.dtype)))}});
  document.add(table_of_steps(report));
  const double operations = report.total().operations(), saved = report.saved().operations();
  if (saved > 0) {
    const double whole = operations + saved;
    document.add(Prose{{said.closed_cells_save(shown_count(saved), shown_count(whole), percent(saved, whole))}});
  }
  if (report.next) {
    const double without = report.next->without_cache.operations(), with = report.next->with_cache.operations();
    if (with < without) {
      document.add(Prose{{said.next_token(shown_count(without), shown_count(with), percent(with, without))}});
    }
  }
  document.add(Headline{2, {said.layers}});
  document.add(Prose{{said.of_sizes(shown_count(report.tokens), shown_count(report.width), shown_count(report.kernel),
                                    shown_count(report.neighbours))}});
  document.add(table_of_layers(report));
  return document;
}

}  // namespace attn
