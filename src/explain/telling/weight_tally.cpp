#include "explain/telling/weight_tally.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "explain/provenance.h"

namespace attn {
namespace {

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
// are the axes that tell them apart.
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
  std::size_t width_;
  std::size_t stride_;
  const Tensor<double>* mask_ = nullptr;
  std::vector<std::size_t> mask_starts_;
  std::size_t mask_stride_ = 0;
};

// The least and the largest of each column of the values, over the keys that
// are open. Mostly these are those of the row before, or those and some more,
// and then only what is new is read.
class Ranges {
 public:
  // `columns`: where each column of the values begins, from the row's own start.
  Ranges(const Tensor<double>& values, std::vector<std::size_t> columns, std::size_t key_stride)
      : values_(values),
        columns_(std::move(columns)),
        key_stride_(key_stride),
        least_(columns_.size()),
        most_(columns_.size()) {}

  void look_at(std::size_t start, const std::vector<std::size_t>& open_keys) {
    const bool goes_on = start == start_ && keys_.size() <= open_keys.size() &&
                         std::equal(keys_.begin(), keys_.end(), open_keys.begin());
    if (!goes_on) {
      keys_.clear();
      std::ranges::fill(least_, infinity);
      std::ranges::fill(most_, -infinity);
    }
    start_ = start;
    for (std::size_t i = keys_.size(); i < open_keys.size(); ++i) add(start + open_keys[i] * key_stride_);
    keys_ = open_keys;
  }

  double least(std::size_t column) const { return least_[column]; }
  double most(std::size_t column) const { return most_[column]; }

 private:
  void add(std::size_t at) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const double value = values_[at + columns_[c]];
      least_[c] = std::min(least_[c], value);
      most_[c] = std::max(most_[c], value);
    }
  }

  const Tensor<double>& values_;
  std::vector<std::size_t> columns_;
  std::size_t key_stride_;
  std::vector<double> least_, most_;
  std::size_t start_ = static_cast<std::size_t>(-1);
  std::vector<std::size_t> keys_;  // that the ranges are over
};

}  // namespace

Tally sums_to_one(const Trace& trace, const Step& weights, bool or_less) {
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
    ++tally.looked_at;
    if (std::abs(sum - 1) <= slack(trace) || (or_less && sum >= 0 && sum < 1)) ++tally.held;
    tally.least = std::min(tally.least, sum);
    tally.most = std::max(tally.most, sum);
  }
  return tally;
}

Tally closed_are_zero(const Trace& trace, const Step& weights) {
  const WeightRows rows(trace, weights);
  Tally tally;
  for (std::size_t row = 0; row < rows.count(); ++row) {
    for (std::size_t i = 0; i < rows.width(); ++i) {
      if (rows.is_open(row, i)) continue;
      ++tally.looked_at;
      if (rows.weight(row, i) == 0) ++tally.held;
    }
  }
  return tally;
}

Tally within_values(const Trace& trace, const Step& weights, const Tensor<double>& values,
                    const Tensor<double>& context, bool or_nearer) {
  const Axis& key = WeightRows::over(weights);
  const Shape row_axes = axes_of(context.shape(), weights.result.shape(), true, key);
  const Shape column_axes = axes_of(context.shape(), weights.result.shape(), false, key);

  const WeightRows rows(trace, weights, row_axes);
  const std::vector<std::size_t> starts = offsets(row_axes, context.shape());
  const std::vector<std::size_t> columns = offsets(column_axes, context.shape());
  const std::vector<std::size_t> value_starts = offsets(row_axes, values.shape());
  Ranges ranges(values, offsets(column_axes, values.shape()), values.shape().stride(key));

  Tally tally;
  std::vector<std::size_t> open_keys;
  for (std::size_t row = 0; row < rows.count(); ++row) {
    open_keys.clear();
    for (std::size_t i = 0; i < rows.width(); ++i) {
      if (rows.is_open(row, i)) open_keys.push_back(i);
    }
    if (open_keys.empty()) continue;  // a closed row
    ranges.look_at(value_starts[row], open_keys);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      double least = ranges.least(c);
      double most = ranges.most(c);
      if (least > most) continue;
      if (or_nearer) {
        least = std::min(least, 0.0);
        most = std::max(most, 0.0);
      }
      const double room = slack(trace) * std::max({1.0, std::abs(least), std::abs(most)});
      const double number = context[starts[row] + columns[c]];
      ++tally.looked_at;
      if (number >= least - room && number <= most + room) ++tally.held;
    }
  }
  return tally;
}

}  // namespace attn
