#include "explain/telling/checks.h"

#include <algorithm>
#include <string>

#include "explain/telling/weight_tally.h"
#include "words/language.h"

namespace attn {
namespace {

std::string verdict(const Tally& tally, const std::string& what) {
  const TellingWords& said = language().telling;
  const std::string text =
      tally.holds() ? said.yes(tally.looked_at, what) : said.no(tally.looked_at - tally.held, tally.looked_at, what);
  return text + (tally.closed_rows > 0 ? said.closed_rows_left_out(tally.closed_rows) : "");
}

// The step whose rows are attention weights.
const Step* weights_of(const Trace& trace) {
  const auto found = std::ranges::find_if(trace.steps, [](const Step& step) {
    const auto* softmax = std::get_if<Softmax>(&step.op);
    return softmax && (softmax->part == Softmax::Part::weights || softmax->part == Softmax::Part::shares);
  });
  return found == trace.steps.end() ? nullptr : &*found;
}

bool are_shares(const Step& weights) { return std::get<Softmax>(weights.op).part == Softmax::Part::shares; }

// Whether a sink takes a part of each row that no key gets.
bool has_sink(const Trace& trace, const Step& weights) {
  if (weights.operands.size() < 2) return false;
  const Step* sum = trace.find(weights.operands[1].id);
  return sum && std::holds_alternative<Softmax>(sum->op) && sum->operands.size() > 1;
}

bool any_negative(const Step& weights) {
  return std::ranges::any_of(weights.result.data(), [](double weight) { return weight < 0; });
}

// The step that the weights are multiplied with, and the sums of these products.
struct Weighing {
  std::string values;
  const Step* context = nullptr;
};

Weighing weighing_of(const Trace& trace, const Step& weights) {
  Weighing found;
  std::string products;
  for (const Step& step : trace.steps) {
    if (step.operands.size() == 2 && step.operands[0].id == weights.heading.id) {
      const auto* contract = std::get_if<Contract>(&step.op);
      const auto* combine = std::get_if<Combine>(&step.op);
      if (contract && contract->over == "key") return {step.operands[1].id, &step};
      if (combine && combine->function == Binary::multiply) {
        found.values = step.operands[1].id;
        products = step.heading.id;
      }
    }
    const auto* reduce = std::get_if<Reduce>(&step.op);
    const bool sums_products = reduce && step.operands.size() == 1 && step.operands[0].id == products;
    if (sums_products && reduce->over == "key" && !products.empty()) {
      found.context = &step;
      return found;
    }
  }
  return found;
}

std::string why_not(const Trace& trace) {
  return trace.arithmetic.hand_rounding ? language().telling.for_rounded.text() : "";
}

}  // namespace

std::optional<Table> checks(const Trace& trace, const Numerals& numerals) {
  const TellingWords& said = language().telling;
  const Step* weights = weights_of(trace);
  if (!weights) return std::nullopt;
  const Span a(weights->heading.symbol, weights->heading.role);

  Table table;
  const bool sink = has_sink(trace, *weights);
  const Tally sums = sums_to_one(trace, *weights, sink);
  std::string sums_verdict = verdict(sums, said.row);
  if (!sums.holds()) {
    sums_verdict += said.sums_range(numerals.in_line(sums.least), numerals.in_line(sums.most));
    sums_verdict += why_not(trace);
  }
  const Said sums_words = sink ? said.sums_to_1_at_most : said.sums_to_1;
  table.rows.push_back({{said.each_row_of, a, sums_words}, {sums_verdict}});

  const Tally closed = closed_are_zero(trace, *weights);
  if (closed.looked_at > 0) {
    table.rows.push_back({{said.closed_cells_of, a, said.exactly_0}, {verdict(closed, said.cell)}});
  }

  // Shares may be negative, and then the sum is no mean.
  const bool is_mean = !are_shares(*weights) || !any_negative(*weights);
  const Weighing weighing = weighing_of(trace, *weights);
  if (is_mean && weighing.context && trace.find(weighing.values)) {
    const Tally within = within_values(trace, *weights, trace.value(weighing.values), weighing.context->result, sink);
    const Heading& context = weighing.context->heading;
    const Heading& values = trace.heading(weighing.values);
    table.rows.push_back({{{context.symbol, context.role},
                           said.stays_within,
                           {values.symbol, values.role},
                           sink ? said.and_0 : Said("")},
                          {verdict(within, said.number) + (within.holds() ? "" : why_not(trace))}});
  }
  return table;
}

}  // namespace attn
