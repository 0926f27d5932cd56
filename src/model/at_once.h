#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "model/recipe_at_once.h"
#include "trace/compute.h"

namespace attn {

// Works a recipe out whose context is made at once, by the backend's fused attention.
class AtOncePolicy final : public ComputingPolicy {
 public:
  // REQUIRES: attention and backend outlive the policy.
  AtOncePolicy(const Attention& attention, const Arithmetic& arithmetic, ReadAtOnce read, Backend& backend);

  std::shared_ptr<const Tensor<double>> make(const Recipe& recipe, std::size_t line,
                                             const Values<double>& carried) override;
  bool go_on(std::size_t, const Evaluation<double>&, bool) override { return holds_; }

  // False where the backend has no such computation, where a number of the context is
  // not finite, and where an open score may not be, whose weight could hide that.
  bool holds() const { return holds_; }

  // Rows with every key closed.
  const std::vector<Note>& notes() const { return notes_; }

 private:
  const Attention& attention_;
  Dtype dtype_;
  ReadAtOnce read_;
  Backend& backend_;
  bool holds_ = true;
  std::vector<Note> notes_;
};

}  // namespace attn
