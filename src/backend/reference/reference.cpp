#include "backend/reference/reference.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/math.h"
#include "ops/functions.h"

namespace attn {
namespace {

// Where each operand stands, and after them the mask, if there is one.
using Offsets = std::vector<std::size_t>;

// Walks the cells of `shape` in row-major order; where each operand stands at
// that cell follows by its strides. An operand without an axis stays in place
// along it.
class Walk {
 public:
  Walk(const Shape& shape, std::span<const View> operands, const View* open)
      : sizes_(shape.dims()), count_(shape.count()), tensors_(operands.size() + (open ? 1 : 0)) {
    for (const Dim& dim : sizes_) {
      Offsets steps;
      for (const View& operand : operands) steps.push_back(operand.shape.stride(dim.axis));
      if (open) steps.push_back(open->shape.stride(dim.axis));
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
      if (++index[axis] < sizes_[axis].size) {
        for (std::size_t i = 0; i < tensors_; ++i) offsets[i] += step[i];
        return;
      }
      for (std::size_t i = 0; i < tensors_; ++i) offsets[i] -= step[i] * (sizes_[axis].size - 1);
      index[axis] = 0;
    }
  }

  std::vector<Dim> sizes_;
  std::size_t count_;
  std::size_t tensors_;
  std::vector<Offsets> steps_;
};

// One operation on numbers of type T, each product, partial sum and function
// result rounded to it.
template <class T>
class Run {
 public:
  Run(std::span<const View> operands, const View* open, const Shape& result)
      : operands_(operands), open_(open), result_(result), walk_(result, operands, open) {}

  Tensor<double> operator()(const Given&) { return copied(); }
  Tensor<double> operator()(const Copy&) { return copied(); }

  Tensor<double> operator()(const Split& op) {
    // Seen from the result, the split axis is one stride for each of its parts.
    const View& whole = operands_[0];
    const std::size_t inner_size = result_.size(op.inner);
    const std::size_t stride = whole.shape.stride(op.axis);
    return regrouped([&](std::span<const std::size_t> index) {
      return (index[*result_.position(op.outer)] * inner_size + index[*result_.position(op.inner)]) * stride;
    });
  }

  Tensor<double> operator()(const Merge& op) {
    const View& parts = operands_[0];
    const std::size_t inner_size = parts.shape.size(op.inner);
    const std::size_t outer_stride = parts.shape.stride(op.outer);
    const std::size_t inner_stride = parts.shape.stride(op.inner);
    return regrouped([&](std::span<const std::size_t> index) {
      const std::size_t at = index[*result_.position(op.axis)];
      return at / inner_size * outer_stride + at % inner_size * inner_stride;
    });
  }

  Tensor<double> operator()(const Contract& op) {
    const bool biased = operands_.size() == 3;
    const std::size_t terms = operands_[0].shape.size(op.over);
    const std::size_t step_a = operands_[0].shape.stride(op.over);
    const std::size_t step_b = operands_[1].shape.stride(op.over);
    const std::size_t step_open = open_ ? open_->shape.stride(op.over) : 0;
    const double* a = operands_[0].data.data();
    const double* b = operands_[1].data.data();
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

  Tensor<double> operator()(const Combine& op) {
    return each([&](const Offsets& at) {
      if (closed(at)) return T{0};
      T value = read(0, at);
      for (std::size_t i = 1; i < operands_.size(); ++i) value = applied(op.function, value, read(i, at));
      return value;
    });
  }

  Tensor<double> operator()(const Map& op) {
    const T parameter = static_cast<T>(op.parameter);
    return each([&](const Offsets& at) { return closed(at) ? T{0} : applied(op.function, read(0, at), parameter); });
  }

  Tensor<double> operator()(const Reduce& op) {
    switch (op.function) {
      case Reducer::sum:
        return sums(op.over);
      case Reducer::maximum:
        return maxima(op.over);
    }
    return {};
  }

  Tensor<double> operator()(const Close&) {
    const bool biased = operands_.size() == 2;
    return each([&](const Offsets& at) {
      if (closed(at)) return -infinity;
      return biased ? read(0, at) + read(1, at) : read(0, at);
    });
  }

  Tensor<double> operator()(const Softmax& op) {
    switch (op.part) {
      case Softmax::Part::maximum:
        return maxima(op.over);
      case Softmax::Part::exponentials:
        return each([&](const Offsets& at) {
          const T maximum = read(1, at);
          // A row without an open score has no maximum to subtract.
          if (closed(at) || maximum == -infinity) return T{0};
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
  static constexpr T infinity = std::numeric_limits<T>::infinity();

  T read(std::size_t operand, const Offsets& at) const { return static_cast<T>(operands_[operand].data[at[operand]]); }

  bool closed(const Offsets& at) const { return open_ && open_->data[at.back()] == 0; }

  // The tensor whose cells `make` gives.
  template <class Make>
  Tensor<double> each(Make make) const {
    Tensor<double> result(result_);
    walk_.each([&](std::size_t at, const Offsets& offsets) { result[at] = static_cast<double>(make(offsets)); });
    return result;
  }

  Tensor<double> copied() const {
    return each([&](const Offsets& at) { return read(0, at); });
  }

  // The operand's numbers, where `extra(index)` adds what no shared axis name says.
  template <class Extra>
  Tensor<double> regrouped(Extra extra) const {
    Tensor<double> result(result_);
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

  Tensor<double> sums(const Axis& over) const {
    const std::size_t terms = operands_[0].shape.size(over);
    const std::size_t step = operands_[0].shape.stride(over);
    return each([&](const Offsets& at) {
      T sum = 0;
      for (std::size_t i = 0; i < terms; ++i) sum += static_cast<T>(operands_[0].data[at[0] + i * step]);
      return sum;
    });
  }

  // The largest open number of each row; a NaN among them is the answer.
  Tensor<double> maxima(const Axis& over) const {
    const std::size_t terms = operands_[0].shape.size(over);
    const std::size_t step = operands_[0].shape.stride(over);
    const std::size_t step_open = open_ ? open_->shape.stride(over) : 0;
    return each([&](const Offsets& at) {
      T largest = -infinity;
      for (std::size_t i = 0; i < terms; ++i) {
        if (open_ && open_->data[at.back() + i * step_open] == 0) continue;
        const T value = static_cast<T>(operands_[0].data[at[0] + i * step]);
        if (value > largest || std::isnan(value)) largest = value;
        if (std::isnan(largest)) break;
      }
      return largest;
    });
  }

  std::span<const View> operands_;
  const View* open_;
  const Shape& result_;
  Walk walk_;
};

}  // namespace

Tensor<double> ReferenceBackend::run(const Op& op, std::span<const View> operands, const View* open,
                                     const Shape& result, Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return std::visit(Run<double>(operands, open, result), op);
    case Dtype::f32:
      return std::visit(Run<float>(operands, open, result), op);
  }
  return {};
}

}  // namespace attn
