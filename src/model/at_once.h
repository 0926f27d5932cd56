#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/masks/mask.h"
#include "model/projections.h"
#include "model/softmaxes/softmax_kind.h"
#include "problem/attention.h"
#include "trace/compute.h"
#include "trace/recipe_builder.h"

namespace attn {

// Whether the context can be computed at once, with no score, weight or sum
// kept: scores are dot products, softmax goes by exponentials, positions add
// nothing to scores before they are scaled nor to the context, and no step
// between is rounded, by hand or to half precision.
bool has_fused_form(const Attention& attention, const Arithmetic& arithmetic);

// What the computation reads: ids of steps and given tensors.
struct ReadAtOnce {
  std::string queries, keys, values;
  std::optional<std::string> open = std::nullopt, bias = std::nullopt, sinks = std::nullopt;
  bool bias_of_distance = false;  // `bias` has a number a distance, not one a cell
  Window sees = {};
  bool by_length = false;
  Exponentials exponentials = {};
  std::string context = {};  // what it makes
};

// Writes down the step "context", made at once from the queries, all keys and all
// values, whose heads need not be repeated. REQUIRES: has_fused_form().
ReadAtOnce record_context_at_once(RecipeBuilder& work, const Attention& attention, const Projected& all);

// How many bytes working that step out takes beside the recipe's own numbers: for
// copies of what it reads and makes, as the backend wants them. REQUIRES: read is
// of the recipe, whose bytes are far from saturation.
std::size_t bytes_copied_at_once(const Recipe& recipe, const ReadAtOnce& read, Dtype dtype);

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
