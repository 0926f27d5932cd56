#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/math.h"
#include "ops/functions.h"
#include "ops/op.h"
#include "tensor/tensor.h"

// How each primitive operation is computed, written once for every kind of
// number: the plainest loops.

namespace attn {

// The cells of an operand, under the axis names that the operation knows them by.
template <class Number>
struct Cells {
  const Shape* shape = nullptr;
  const Number* data = nullptr;
};

// Where each operand stands, and after them the mask, if there is one.
using Offsets = std::vector<std::size_t>;

// Walks the cells of `shape` in row-major order; where each operand stands at
// that cell follows by its strides. An operand without an axis stays in place
// along it.
class Walk {
 public:
  template <class Number>
  Walk(const Shape& shape, std::span<const Cells<Number>> operands, const Cells<double>* open)
      : count_(shape.count()), tensors_(operands.size() + (open ? 1 : 0)) {
    for (const Dim& dim : shape.dims()) {
      sizes_.push_back(dim.size);
      Offsets steps;
      for (const Cells<Number>& operand : operands) steps.push_back(operand.shape->stride(dim.axis));
      if (open) steps.push_back(open->shape->stride(dim.axis));
      steps_.push_back(std::move(steps));
    }
  }

  // Calls visit(at, offsets) for every cell; `at` counts them.
  template <class Visit>
  void each(Visit visit) const {
    std::vector<std::size_t> index(sizes_.size(), 0);
    Offsets offsets(tensors_, 0);
    for (std::size_t at = 0; at < count_; ++at) {
      visit(at, offsets);
      advance(index, offsets);
    }
  }

 private:
  void advance(std::vector<std::size_t>& index, Offsets& offsets) const {
    for (std::size_t axis = sizes_.size(); axis-- > 0;) {
      const Offsets& step = steps_[axis];
      if (++index[axis] < sizes_[axis]) {
        for (std::size_t i = 0; i < tensors_; ++i) offsets[i] += step[i];
        return;
      }
      for (std::size_t i = 0; i < tensors_; ++i) offsets[i] -= step[i] * (sizes_[axis] - 1);
      index[axis] = 0;
    }
  }

  std::vector<std::size_t> sizes_;
  std::size_t count_;
  std::size_t tensors_;
  std::vector<Offsets> steps_;
};

// One operation on numbers of type T, each product, partial sum and function
// result rounded to it; what it reads and makes is kept as numbers of type
// Kept. Visits an Op.
template <class T, class Kept = T>
class Run {
 public:
  // REQUIRES: the walk is over `result` with these operands, and all of them outlive the run.
  Run(const Walk& walk, std::span<const Cells<Kept>> operands, const Cells<double>* open, const Shape& result)
      : operands_(operands), open_(open), result_(result), walk_(walk) {}

  Tensor<Kept> operator()(const Given&) { return copied(); }
  Tensor<Kept> operator()(const Copy&) { return copied(); }

  Tensor<Kept> operator()(const Split& op) {
    // Seen from the result, the split axis is one stride for each of its parts.
    const auto& whole = operands_[0];
    const std::size_t inner_size = result_.size(op.inner);
    const std::size_t stride = whole.shape->stride(op.axis);
    return regrouped([&](std::span<const std::size_t> index) {
      return (index[*result_.position(op.outer)] * inner_size + index[*result_.position(op.inner)]) * stride;
    });
  }

  Tensor<Kept> operator()(const Merge& op) {
    const auto& parts = operands_[0];
    const std::size_t inner_size = parts.shape->size(op.inner);
    const std::size_t outer_stride = parts.shape->stride(op.outer);
    const std::size_t inner_stride = parts.shape->stride(op.inner);
    return regrouped([&](std::span<const std::size_t> index) {
      const std::size_t at = index[*result_.position(op.axis)];
      return at / inner_size * outer_stride + at % inner_size * inner_stride;
    });
  }

  Tensor<Kept> operator()(const Contract& op) {
    const bool biased = operands_.size() == 3;
    const std::size_t terms = operands_[0].shape->size(op.over);
    const std::size_t step_a = operands_[0].shape->stride(op.over);
    const std::size_t step_b = operands_[1].shape->stride(op.over);
    const std::size_t step_open = open_ ? open_->shape->stride(op.over) : 0;
    const Kept* a = operands_[0].data;
    const Kept* b = operands_[1].data;
    return each([&](const Offsets& at) {
      T sum = 0;
      for (std::size_t i = 0; i < terms; ++i) {
        if (open_ && open_->data[at.back() + i * step_open] == 0) continue;
        const T product = static_cast<T>(a[at[0] + i * step_a]) * static_cast<T>(b[at[1] + i * step_b]);
        sum += product;
      }
      return biased ? sum + read(2, at) : sum;
    });
  }

  Tensor<Kept> operator()(const Combine& op) {
    return each([&](const Offsets& at) {
      if (closed(at)) return T{0};
      T value = read(0, at);
      for (std::size_t i = 1; i < operands_.size(); ++i) value = applied(op.function, value, read(i, at));
      return value;
    });
  }

  Tensor<Kept> operator()(const Map& op) {
    const T parameter = static_cast<T>(op.parameter);
    return each([&](const Offsets& at) { return closed(at) ? T{0} : applied(op.function, read(0, at), parameter); });
  }

  Tensor<Kept> operator()(const Reduce& op) {
    switch (op.function) {
      case Reducer::sum:
        return sums(op.over);
      case Reducer::maximum:
        return maxima(op.over);
    }
    return {};
  }

  Tensor<Kept> operator()(const Close&) {
    const bool biased = operands_.size() == 2;
    return each([&](const Offsets& at) {
      if (closed(at)) return minus_infinity();
      return biased ? read(0, at) + read(1, at) : read(0, at);
    });
  }

  Tensor<Kept> operator()(const Softmax& op) {
    switch (op.part) {
      case Softmax::Part::maximum:
        return maxima(op.over);
      case Softmax::Part::exponentials:
        return each([&](const Offsets& at) {
          const T maximum = read(1, at);
          // A row without an open score has no maximum to subtract.
          if (closed(at) || maximum == minus_infinity()) return T{0};
          return exp(read(0, at) - maximum);
        });
      case Softmax::Part::sum:
        return sums(op.over);
      case Softmax::Part::weights:
        return each([&](const Offsets& at) {
          const T sum = read(1, at);
          return closed(at) || sum == 0 ? T{0} : read(0, at) / sum;
        });
    }
    return {};
  }

 private:
  static T minus_infinity() { return T(-std::numeric_limits<double>::infinity()); }

  T read(std::size_t operand, const Offsets& at) const { return static_cast<T>(operands_[operand].data[at[operand]]); }

  bool closed(const Offsets& at) const { return open_ && open_->data[at.back()] == 0; }

  // The tensor whose cells `make` gives.
  template <class Make>
  Tensor<Kept> each(Make make) const {
    Tensor<Kept> result(result_);
    walk_.each([&](std::size_t at, const Offsets& offsets) { result[at] = static_cast<Kept>(make(offsets)); });
    return result;
  }

  Tensor<Kept> copied() const {
    return each([&](const Offsets& at) { return read(0, at); });
  }

  // The operand's numbers, where `extra(index)` adds what no shared axis name says.
  template <class Extra>
  Tensor<Kept> regrouped(Extra extra) const {
    Tensor<Kept> result(result_);
    std::vector<std::size_t> index(result_.rank(), 0);
    walk_.each([&](std::size_t at, const Offsets& offsets) {
      result[at] = operands_[0].data[offsets[0] + extra(index)];
      for (std::size_t axis = index.size(); axis-- > 0;) {
        if (++index[axis] < result_[axis].size) break;
        index[axis] = 0;
      }
    });
    return result;
  }

  Tensor<Kept> sums(const Axis& over) const {
    const std::size_t terms = operands_[0].shape->size(over);
    const std::size_t step = operands_[0].shape->stride(over);
    return each([&](const Offsets& at) {
      T sum = 0;
      for (std::size_t i = 0; i < terms; ++i) sum += static_cast<T>(operands_[0].data[at[0] + i * step]);
      return sum;
    });
  }

  // The largest open number of each row; a NaN among them is the answer.
  Tensor<Kept> maxima(const Axis& over) const {
    const std::size_t terms = operands_[0].shape->size(over);
    const std::size_t step = operands_[0].shape->stride(over);
    const std::size_t step_open = open_ ? open_->shape->stride(over) : 0;
    return each([&](const Offsets& at) {
      T largest = minus_infinity();
      for (std::size_t i = 0; i < terms; ++i) {
        if (open_ && open_->data[at.back() + i * step_open] == 0) continue;
        const T value = static_cast<T>(operands_[0].data[at[0] + i * step]);
        largest = larger(largest, value);
        if (is_nan(largest)) break;
      }
      return largest;
    });
  }

  std::span<const Cells<Kept>> operands_;
  const Cells<double>* open_;
  const Shape& result_;
  const Walk& walk_;
};

}  // namespace attn
