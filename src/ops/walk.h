#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tensor/shape.h"

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

}  // namespace attn
