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
  using Shared = std::shared_ptr<const Tensor<T>>;

  // `make` is called at most once, and must return a tensor of that shape; what it
  // refers to has to live until it was.
  LateTensor(Shape shape, std::function<Tensor<T>()> make)
      : LateTensor(
            std::move(shape), [make = std::move(make)] { return std::make_shared<const Tensor<T>>(make()); },
            Making::once) {}

  explicit LateTensor(Tensor<T> numbers) : kept_(std::make_shared<Kept>(numbers.shape(), nullptr, Making::once)) {
    std::call_once(kept_->made, [&] { kept_->numbers = std::make_shared<const Tensor<T>>(std::move(numbers)); });
  }

  // One whose numbers follow from others, may be those themselves, and are made anew for
  // those who only pass. `make` lives as long as the tensor and its copies.
  static LateTensor following(Shape shape, std::function<Shared()> make) {
    return LateTensor(std::move(shape), std::move(make), Making::again);
  }

  const Shape& shape() const { return kept_->shape; }

  const Tensor<T>& numbers() const { return *shared(); }

  // The same, kept alive by whoever holds it.
  const Shared& shared() const {
    std::call_once(kept_->made, [this] {
      kept_->numbers = kept_->make();
      if (kept_->making == Making::once) kept_->make = nullptr;
    });
    return kept_->numbers;
  }

  // The same for one who is done with them soon: where they can be made again they
  // are, and nobody else keeps them.
  Shared passing() const { return kept_->making == Making::again ? kept_->make() : shared(); }

  // The same numbers in the same place: copies of each other.
  bool is(const LateTensor& other) const { return kept_ == other.kept_; }

 private:
  enum class Making { once, again };

  struct Kept {
    Kept(Shape of, std::function<Shared()> how, Making often)
        : shape(std::move(of)), make(std::move(how)), making(often) {}

    Shape shape;
    std::function<Shared()> make;
    Making making;
    std::once_flag made;
    Shared numbers;
  };

  LateTensor(Shape shape, std::function<Shared()> make, Making making)
      : kept_(std::make_shared<Kept>(std::move(shape), std::move(make), making)) {}

  std::shared_ptr<Kept> kept_;
};

}  // namespace attn
