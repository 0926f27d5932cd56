#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "backend/backend.h"
#include "problem/problem.h"
#include "trace/evaluate.h"

namespace attn {

// One step of a problem, worked out again and again with nothing kept but what is given.
class Forward {
 public:
  // Random numbers are drawn here, and products with what is given are made ready as the
  // backend has them. REQUIRES: the problem has the step; problem and backend outlive this.
  Forward(const Problem& problem, std::string_view step, Backend& backend);
  ~Forward();

  // The numbers of the step, the same each time.
  SharedTensor<double> run();

  const Shape& shape() const { return recipe_.shape(recipe_.size() - 1); }

  // The most bytes of numbers that run() has at one time beside those that are given.
  std::size_t working_bytes() const;

  // The multiplications and additions of its products.
  double operations() const;

  // The numbers that are given.
  std::size_t given_count() const;

 private:
  class Policy;

  Recipe recipe_;  // no further than the step
  std::unique_ptr<Policy> policy_;
};

}  // namespace attn
