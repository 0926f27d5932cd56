#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "tensor/tensor.h"

namespace attn {

// A tensor whose shape is known, and whose numbers are made when somebody first
// asks for them. Copies share the numbers; any number of threads may ask.
template <class T>
class LateTensor {
 public:
  // `make` is called at most once, and must return a tensor of that shape; what
  // it refers to has to live until it was.
  LateTensor(Shape shape, std::function<Tensor<T>()> make)
      : kept_(std::make_shared<Kept>(std::move(shape), std::move(make))) {}

  explicit LateTensor(Tensor<T> numbers) : kept_(std::make_shared<Kept>(numbers.shape(), nullptr)) {
    std::call_once(kept_->made, [&] { kept_->numbers = std::move(numbers); });
  }

  const Shape& shape() const { return kept_->shape; }

  const Tensor<T>& numbers() const {
    std::call_once(kept_->made, [this] {
      kept_->numbers = kept_->make();
      kept_->make = nullptr;
    });
    return kept_->numbers;
  }

  // The same, kept alive by whoever holds it.
  std::shared_ptr<const Tensor<T>> shared() const { return {kept_, &numbers()}; }

  // The same numbers in the same place: copies of each other.
  bool is(const LateTensor& other) const { return kept_ == other.kept_; }

 private:
  struct Kept {
    Kept(Shape of, std::function<Tensor<T>()> how) : shape(std::move(of)), make(std::move(how)) {}

    Shape shape;
    std::function<Tensor<T>()> make;
    std::once_flag made;
    Tensor<T> numbers;
  };

  std::shared_ptr<Kept> kept_;
};

}  // namespace attn
