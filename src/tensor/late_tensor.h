#pragma once

#include <atomic>
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

  // `make` is called until it returns, which must be a tensor of that shape; what it
  // refers to has to live until then.
  LateTensor(Shape shape, std::function<Tensor<T>()> make)
      : LateTensor(
            std::move(shape), [make = std::move(make)] { return std::make_shared<const Tensor<T>>(make()); },
            Making::once) {}

  explicit LateTensor(Tensor<T> numbers) : kept_(std::make_shared<Kept>(numbers.shape(), nullptr, Making::once)) {
    kept_->numbers = std::make_shared<const Tensor<T>>(std::move(numbers));
    kept_->is_made = true;
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
    if (!kept_->is_made.load(std::memory_order_acquire)) make();
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
    std::mutex being_made;
    std::atomic<bool> is_made = false;
    Shared numbers;
  };

  // No std::call_once: what `make` throws would have to pass through the C library, and the
  // program has an unwinder of its own where it is linked with one.
  void make() const {
    const std::lock_guard lock(kept_->being_made);
    if (kept_->is_made.load(std::memory_order_relaxed)) return;
    kept_->numbers = kept_->make();
    if (kept_->making == Making::once) kept_->make = nullptr;
    kept_->is_made.store(true, std::memory_order_release);
  }

  LateTensor(Shape shape, std::function<Shared()> make, Making making)
      : kept_(std::make_shared<Kept>(std::move(shape), std::move(make), making)) {}

  std::shared_ptr<Kept> kept_;
};

}  // namespace attn
