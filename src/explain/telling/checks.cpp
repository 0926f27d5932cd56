#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "explain/provenance.h"
#include "explain/telling/parts.h"
#include "ops/functions.h"
#include "words/language.h"

namespace attn {
namespace {

// What a check found: how many it looked at, and how many held.
struct Tally {
  std::size_t looked_at = 0, held = 0;
  std::size_t closed_rows = 0;

  void add(bool holds) {
    ++looked_at;
    held += holds ? 1 : 0;
  }
  bool holds() const { return held == looked_at; }
};

// The least and the largest of some numbers.
struct Range {
  double least = infinity, most = -infinity;
  std::size_t not_numbers = 0;

  void add(double number) {
    if (std::isnan(number)) ++not_numbers;
    least = std::min(least, number);
    most = std::max(most, number);
  }
  bool is_empty() const { return least > most; }
};

// How far what is computed may be from what would be exact.
double slack(const Trace& trace) {
  const Dtype dtype = trace.arithmetic.dtype;
  if (rounds_once_a_step(dtype)) return 4 * step_at_one(dtype);
  return dtype == Dtype::f32 ? 1e-4 : 1e-9;
}

// The axes that are in both shapes, or only in the first, but for `without`.
Shape axes_of(const Shape& shape, const Shape& other, bool in_both, std::string_view without) {
  Shape axes;
  for (const Dim& dim : shape.dims()) {
    if (other.has(dim.axis) == in_both && dim.axis != without) axes.append(dim);
  }
  return axes;
}

// Where a tensor stands at each cell of these axes, in row-major order.
std::vector<std::size_t> offsets(const Shape& axes, const Shape& tensor) {
  std::vector<std::size_t> all = {0};
  for (const Dim& dim : axes.dims()) {
    const std::size_t stride = tensor.stride(dim.axis);
    std::vector<std::size_t> longer;
    longer.reserve(all.size() * dim.size);
    for (const std::size_t offset : all) {
      for (std::size_t i = 0; i < dim.size; ++i) longer.push_back(offset + i * stride);
    }
    all = std::move(longer);
  }
  return all;
}

// The weights row by row, and which cells of a row the mask leaves open. `rows`
// are the axes that tell them apart. REQUIRES: the step is a part of a softmax.
class WeightRows {
 public:
  WeightRows(const Trace& trace, const Step& weights, const Shape& rows)
      : weights_(weights.result),
        starts_(offsets(rows, weights.result.shape())),
        width_(weights.result.shape().size(over(weights))),
        stride_(weights.result.shape().stride(over(weights))) {
    const Reading reading = reading_of(trace, weights);
    if (!reading.open) return;
    mask_ = &trace.value(reading.open->id);
    mask_starts_ = offsets(rows, reading.open->shape);
    mask_stride_ = reading.open->shape.stride(over(weights));
  }

  // All rows of the weights.
  WeightRows(const Trace& trace, const Step& weights)
      : WeightRows(trace, weights, axes_of(weights.result.shape(), weights.result.shape(), true, over(weights))) {}

  static const Axis& over(const Step& weights) { return std::get<Softmax>(weights.op).over; }

  std::size_t count() const { return starts_.size(); }
  std::size_t width() const { return width_; }
  double weight(std::size_t row, std::size_t i) const { return weights_[starts_[row] + i * stride_]; }
  bool is_open(std::size_t row, std::size_t i) const {
    return !mask_ || (*mask_)[mask_starts_[row] + i * mask_stride_] != 0;
  }

 private:
  const Tensor<double>& weights_;
  std::vector<std::size_t> starts_;
  std::size_t width_, stride_;
  const Tensor<double>* mask_ = nullptr;
  std::vector<std::size_t> mask_starts_;
  std::size_t mask_stride_ = 0;
};

// Whether each row sums to 1; with a sink, to no more than 1. `sums`: from which to which.
Tally sums_to_one(const Trace& trace, const Step& weights, bool or_less, Range& sums) {
  const WeightRows rows(trace, weights);
  Tally tally;
  for (std::size_t row = 0; row < rows.count(); ++row) {
    double sum = 0;
    bool any_open = false;
    for (std::size_t i = 0; i < rows.width(); ++i) {
      sum += rows.weight(row, i);
      any_open = any_open || rows.is_open(row, i);
    }
    if (!any_open) {
      ++tally.closed_rows;
      continue;
    }
    tally.add(std::abs(sum - 1) <= slack(trace) || (or_less && sum >= 0 && sum < 1));
    sums.add(sum);
  }
  return tally;
}

Tally closed_are_zero(const Trace& trace, const Step& weights) {
  const WeightRows rows(trace, weights);
  Tally tally;
  for (std::size_t row = 0; row < rows.count(); ++row) {
    for (std::size_t i = 0; i < rows.width(); ++i) {
      if (!rows.is_open(row, i)) tally.add(rows.weight(row, i) == 0);
    }
  }
  return tally;
}

// Whether every context lies between the least and the largest open value of its
// column; `or_nearer` to 0, where a sink takes a part.
Tally within_values(const Trace& trace, const Step& weights, const Tensor<double>& values,
                    const Tensor<double>& context, bool or_nearer) {
  const Axis& key = WeightRows::over(weights);
  const Shape row_axes = axes_of(context.shape(), weights.result.shape(), true, key);
  const Shape column_axes = axes_of(context.shape(), weights.result.shape(), false, key);
  const WeightRows rows(trace, weights, row_axes);
  const std::vector<std::size_t> starts = offsets(row_axes, context.shape());
  const std::vector<std::size_t> columns = offsets(column_axes, context.shape());
  const std::vector<std::size_t> value_starts = offsets(row_axes, values.shape());
  const std::vector<std::size_t> value_columns = offsets(column_axes, values.shape());

  // The range of each column over the keys that are open. Mostly these are those
  // of the row before, or those and some more, and then only what is new is read.
  std::vector<Range> ranges(columns.size());
  std::vector<std::size_t> open_keys, keys;
  std::size_t start = 0;  // of the values that the ranges are of
  const std::size_t key_stride = values.shape().stride(key);
  Tally tally;
  for (std::size_t row = 0; row < rows.count(); ++row) {
    open_keys.clear();
    for (std::size_t i = 0; i < rows.width(); ++i) {
      if (rows.is_open(row, i)) open_keys.push_back(i);
    }
    if (open_keys.empty()) continue;  // a closed row
    const bool goes_on = value_starts[row] == start && keys.size() <= open_keys.size() &&
                         std::equal(keys.begin(), keys.end(), open_keys.begin());
    start = value_starts[row];
    if (!goes_on) {
      keys.clear();
      std::ranges::fill(ranges, Range());
    }
    for (std::size_t i = keys.size(); i < open_keys.size(); ++i) {
      const std::size_t at = start + open_keys[i] * key_stride;
      for (std::size_t c = 0; c < columns.size(); ++c) ranges[c].add(values[at + value_columns[c]]);
    }
    keys = open_keys;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      Range range = ranges[c];
      if (range.is_empty()) continue;
      if (or_nearer) range.add(0);
      const double room = slack(trace) * std::max({1.0, std::abs(range.least), std::abs(range.most)});
      const double number = context[starts[row] + columns[c]];
      tally.add(number >= range.least - room && number <= range.most + room);
    }
  }
  return tally;
}

std::string verdict(const Tally& tally, const std::string& what) {
  const TellingWords& said = language().telling;
  const std::string text =
      tally.holds() ? said.yes(tally.looked_at, what) : said.no(tally.looked_at - tally.held, tally.looked_at, what);
  return text + (tally.closed_rows > 0 ? said.closed_rows_left_out(tally.closed_rows) : "");
}

// Whether its rows are attention weights.
bool are_weights(const Step& step) {
  const auto* softmax = std::get_if<Softmax>(&step.op);
  return softmax && (softmax->part == Softmax::Part::weights || softmax->part == Softmax::Part::shares);
}

// Whether a sink takes a part of each row that no key gets.
bool has_sink(const Trace& trace, const Step& weights) {
  if (weights.operands.size() < 2) return false;
  const Step* sum = trace.find(weights.operands[1].id);
  return sum && std::holds_alternative<Softmax>(sum->op) && sum->operands.size() > 1;
}

// Shares may be negative, and then the sum is no mean.
bool are_of_a_mean(const Step& weights) {
  return std::get<Softmax>(weights.op).part != Softmax::Part::shares ||
         std::ranges::none_of(weights.result.data(), [](double weight) { return weight < 0; });
}

// The step that the weights are multiplied with, and the sums of these products.
struct Weighing {
  std::string values;
  const Step* context = nullptr;
};

Weighing weighing_of(const Trace& trace, const Step& weights) {
  std::string values, products;
  // Who reads them stands below.
  const auto above = static_cast<std::size_t>(trace.find(weights.heading.id) - trace.steps.data());
  for (const Step& step : std::span(trace.steps).subspan(above)) {
    const auto* contract = std::get_if<Contract>(&step.op);
    const auto* combine = std::get_if<Combine>(&step.op);
    const auto* reduce = std::get_if<Reduce>(&step.op);
    if (step.operands.size() == 2 && step.operands[0].id == weights.heading.id) {
      if (contract && contract->over == "key") return {step.operands[1].id, &step};
      if (combine && combine->function == Binary::multiply) {
        values = step.operands[1].id;
        products = step.heading.id;
      }
    }
    const bool sums_products = reduce && step.operands.size() == 1 && step.operands[0].id == products;
    if (sums_products && reduce->over == "key") return {values, &step};
  }
  return {};
}

void add_checks(const Trace& trace, const Step& weights, const Numerals& numerals, Table& table) {
  const TellingWords& said = language().telling;
  const Span a(weights.heading.symbol, weights.heading.role);
  const std::string why_not = trace.arithmetic.hand_rounding ? said.for_rounded.text() : "";
  const bool sink = has_sink(trace, weights);
  Range range;
  const Tally sums = sums_to_one(trace, weights, sink, range);
  std::string sums_verdict = verdict(sums, said.row);
  if (!sums.holds()) {
    if (range.not_numbers > 0) sums_verdict += said.sums_not_numbers(range.not_numbers);
    if (!range.is_empty()) {
      sums_verdict += said.sums_range(numerals.in_line(range.least), numerals.in_line(range.most));
    }
    sums_verdict += why_not;
  }
  const Said sums_words = sink ? said.sums_to_1_at_most : said.sums_to_1;
  table.rows.push_back({{said.each_row_of, a, sums_words}, {sums_verdict}});

  const Tally closed = closed_are_zero(trace, weights);
  if (closed.looked_at > 0) {
    table.rows.push_back({{said.closed_cells_of, a, said.exactly_0}, {verdict(closed, said.cell)}});
  }

  const Weighing weighing = weighing_of(trace, weights);
  if (are_of_a_mean(weights) && weighing.context && trace.find(weighing.values)) {
    const Tally within = within_values(trace, weights, trace.value(weighing.values), weighing.context->result, sink);
    const Heading& context = weighing.context->heading;
    const Heading& values = trace.heading(weighing.values);
    table.rows.push_back({{{context.symbol, context.role},
                           said.stays_within,
                           {values.symbol, values.role},
                           sink ? said.and_0 : Said("")},
                          {verdict(within, said.number) + (within.holds() ? "" : why_not)}});
  }
}

// An online softmax seen from its end: what it says behind the last block, and what all
// keys at once make of the same scores and values.
class OnlineRows {
 public:
  // REQUIRES: the step is the result of an online softmax.
  OnlineRows(const Trace& trace, const Step& result)
      : contexts_(*trace.find(result.operands[0].id)),
        sums_(*trace.find(result.operands[1].id)),
        exponentials_(*trace.find(contexts_.operands[0].id)),
        maxima_(*trace.find(exponentials_.operands[1].id)),
        reading_(reading_of(trace, exponentials_)),
        weighing_(reading_of(trace, contexts_)),
        scores_(trace.value(exponentials_.operands[0].id)),
        values_(trace.value(weighing_.operands[1].id)),
        open_(reading_.open ? &trace.value(reading_.open->id) : nullptr),
        result_(result.result),
        slack_(slack(trace)) {}

  const Heading& maxima() const { return maxima_.heading; }
  const Heading& sums() const { return sums_.heading; }
  const std::string& values() const { return weighing_.operands[1].id; }

  // Looks at every row. REQUIRES: called once.
  void look(Tally& largest, Tally& sums, Tally& contexts) const {
    const Shape& shape = reading_.operands[0].shape;
    const Shape& values = weighing_.operands[1].shape;
    const Shape rows = axes_of(shape, shape, true, "key");
    const std::vector<std::size_t> of_scores = offsets(rows, shape);
    const std::vector<std::size_t> of_open = reading_.open ? offsets(rows, reading_.open->shape) : of_scores;
    const std::vector<std::size_t> of_values = offsets(rows, values);
    const std::vector<std::size_t> of_result = offsets(rows, result_.shape());
    const std::vector<std::size_t> columns = offsets(axes_of(values, shape, false, "key"), values);
    const std::vector<std::size_t> of_columns = offsets(axes_of(values, shape, false, "key"), result_.shape());
    const std::vector<double> maxima = behind_last_block(maxima_, rows), all_sums = behind_last_block(sums_, rows);
    const double base = std::get<Online>(exponentials_.op).base;
    for (std::size_t row = 0; row < of_scores.size(); ++row) {
      std::vector<std::size_t> open;
      for (std::size_t i = 0; i < shape.size("key"); ++i) {
        if (!open_ || (*open_)[of_open[row] + i * reading_.open->shape.stride("key")] != 0) open.push_back(i);
      }
      const auto score = [&](std::size_t i) { return scores_[of_scores[row] + i * shape.stride("key")]; };
      double most = -infinity, sum = 0;
      for (const std::size_t i : open) most = std::max(most, score(i));
      largest.add(maxima[row] == most);
      std::vector<double> powers;
      for (const std::size_t i : open) sum += powers.emplace_back(most == -infinity ? 0 : power(base, score(i) - most));
      sums.add(std::abs(all_sums[row] - sum) <= slack_ * std::max(1.0, sum));
      for (std::size_t c = 0; c < columns.size(); ++c) {
        double weighted = 0, size = 1;
        for (std::size_t i = 0; i < open.size(); ++i) {
          const double value = values_[of_values[row] + columns[c] + open[i] * values.stride("key")];
          weighted += powers[i] * value;
          size = std::max(size, std::abs(value));
        }
        const double expected = sum == 0 ? 0 : weighted / sum;
        contexts.add(std::abs(result_[of_result[row] + of_columns[c]] - expected) <= slack_ * size);
      }
    }
  }

 private:
  // What a step says of each row in the end.
  static std::vector<double> behind_last_block(const Step& running, const Shape& rows) {
    const Shape& shape = running.result.shape();
    const std::size_t last = (shape.size("block") - 1) * shape.stride("block");
    std::vector<double> numbers;
    for (const std::size_t start : offsets(rows, shape)) numbers.push_back(running.result[start + last]);
    return numbers;
  }

  const Step &contexts_, &sums_, &exponentials_, &maxima_;
  Reading reading_, weighing_;
  const Tensor<double>&scores_, &values_;
  const Tensor<double>* open_;
  const Tensor<double>& result_;
  double slack_;
};

void add_online_checks(const Trace& trace, const Step& result, Table& table) {
  const TellingWords& said = language().telling;
  const OnlineWords& online = language().online;
  const OnlineRows rows(trace, result);
  Tally largest, sums, contexts;
  rows.look(largest, sums, contexts);
  const auto symbol = [](const Heading& heading) { return Span(heading.symbol, heading.role); };
  table.rows.push_back({{online.last, symbol(rows.maxima()), online.is_largest}, {verdict(largest, said.row)}});
  table.rows.push_back({{online.last, symbol(rows.sums()), online.is_sum}, {verdict(sums, said.row)}});
  table.rows.push_back({{symbol(result.heading), online.is_weighted, symbol(trace.heading(rows.values()))},
                        {verdict(contexts, said.number)}});
}

}  // namespace

std::optional<Table> checks(const Trace& trace, std::span<const Step* const> steps, const Numerals& numerals) {
  Table table;
  for (const Step* one : steps) {
    const Step& step = *one;
    const auto* online = std::get_if<Online>(&step.op);
    const bool ends_online = online && online->part == Online::Part::result;
    if (!are_weights(step) && !ends_online) continue;
    const std::size_t before = table.rows.size();
    ends_online ? add_online_checks(trace, step, table) : add_checks(trace, step, numerals, table);
    const std::string title = part_title(trace, step);
    for (std::size_t row = before; row < table.rows.size() && !title.empty(); ++row) {
      Inline& what = table.rows[row].front();
      what.insert(what.begin(), Span(title + ": "));
    }
  }
  return table.rows.empty() ? std::nullopt : std::optional(std::move(table));
}

}  // namespace attn
