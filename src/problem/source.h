#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "tensor/late_tensor.h"

namespace attn {

// A tensor of a problem: its shape is known, its numbers are made when somebody
// asks for them first. Copies share them.
class Source : public LateTensor<double> {
 public:
  Source(Tensor<double> tensor) : LateTensor(std::move(tensor)) {}  // NOLINT(google-explicit-constructor)

  // `make` is called once, and returns as many numbers as the shape has.
  Source(const Shape& shape, std::function<std::vector<double>()> make)
      : LateTensor(shape, [shape, make = std::move(make)] { return Tensor<double>(shape, make()); }) {}
};

}  // namespace attn
