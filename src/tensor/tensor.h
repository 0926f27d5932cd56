#pragma once

#include <cassert>
#include <span>
#include <utility>
#include <vector>

#include "tensor/shape.h"

namespace attn {

// Numbers under named axes, row-major, owned.
template <class T>
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(Shape shape) : shape_(std::move(shape)), data_(shape_.count()) {}

  // REQUIRES: data.size() == shape.count().
  Tensor(Shape shape, std::vector<T> data) : shape_(std::move(shape)), data_(std::move(data)) {
    assert(data_.size() == shape_.count());
  }

  // A shape whose numbers are yet to come: none of them may be asked for.
  static Tensor without_numbers(Shape shape) {
    Tensor tensor;
    tensor.shape_ = std::move(shape);
    tensor.data_.clear();
    return tensor;
  }

  const Shape& shape() const { return shape_; }
  std::span<const T> data() const& { return data_; }
  std::span<T> data() & { return data_; }
  std::span<const T> data() const&& = delete;  // it would outlive its tensor
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& operator[](std::size_t i) { return data_[i]; }
  std::size_t size() const { return data_.size(); }

  bool operator==(const Tensor&) const = default;

 private:
  Shape shape_;
  std::vector<T> data_ = std::vector<T>(1);
};

}  // namespace attn
