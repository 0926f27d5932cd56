#include "explain/reports/scaling.h"

#include <string>

#include <fmt/core.h>

#include "base/math.h"
#include "words/language.h"

namespace attn {
namespace {

std::string with_digits(double number) { return fmt::format("{:.4g}", number); }

Table table_of_scores(const ScalingReport& report) {
  const ScalingWords& said = language().scaling;
  Table table{.caption = {},
              .header = {{said.width}, {said.mean}, {said.mean_in_theory}, {said.variance}, {said.variance_in_theory}},
              .rows = {},
              .numbers = true};
  for (const ScalingOfWidth& one : report.widths) {
    table.rows.push_back({{std::to_string(one.width)},
                          {with_digits(one.drawn.mean)},
                          {with_digits(one.theory().mean)},
                          {with_digits(one.drawn.variance)},
                          {with_digits(one.theory().variance)}});
  }
  return table;
}

Table table_of_softmax(const ScalingReport& report, SoftmaxPeak ScalingOfWidth::*which) {
  const ScalingWords& said = language().scaling;
  Table table{.caption = {},
              .header = {{said.width}, {said.largest_weight}, {said.entropy}, {said.largest_derivative}},
              .rows = {},
              .numbers = true};
  for (const ScalingOfWidth& one : report.widths) {
    const SoftmaxPeak& peak = one.*which;
    table.rows.push_back({{std::to_string(one.width)},
                          {with_digits(peak.largest_weight)},
                          {with_digits(peak.entropy)},
                          {with_digits(peak.largest_derivative)}});
  }
  return table;
}

}  // namespace

Document told_scaling(const ScalingReport& report) {
  const ScalingWords& said = language().scaling;
  Document document{{Headline{1, {said.title}}}};
  document.add(Prose{{said.how_drawn(report.queries, report.keys, report.seed)}});
  document.add(Headline{2, {said.scores}});
  document.add(Prose{{said.why_variance}});
  document.add(table_of_scores(report));
  document.add(Headline{2, {said.without}});
  document.add(Prose{{said.why_peaks}});
  document.add(table_of_softmax(report, &ScalingOfWidth::plain));
  document.add(Headline{2, {said.with}});
  document.add(Prose{{said.why_divided(with_digits(log(static_cast<double>(report.keys))))}});
  document.add(table_of_softmax(report, &ScalingOfWidth::divided));
  return document;
}

}  // namespace attn
