#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "trace/evaluate.h"
#include "trace/trace.h"

namespace attn {

// These lines and all that they follow from.
std::vector<bool> needed_for(const Recipe& recipe, std::vector<bool> lines);

// How a recipe is worked out for people to see: by a backend, and between two
// steps rounded by hand where the arithmetic asks for that. A step that computes
// is then rounded once; one that only regroups given numbers, and the inner lines
// of softmax, are not.
class ComputingPolicy : public Policy<double> {
 public:
  // `told` is called with the id of each line before it is computed.
  // REQUIRES: the backend outlives the policy.
  ComputingPolicy(Backend& backend, Arithmetic arithmetic, std::function<void(std::string_view)> told = {});

  // Only these lines are kept, and only what they follow from is computed.
  void keep_only(const Recipe& recipe, const std::vector<std::size_t>& lines);

  bool is_wanted(std::size_t line) const override { return wanted_.empty() || wanted_[line]; }
  bool is_kept(std::size_t line) const override { return kept_.empty() || kept_[line]; }
  SharedTensor<double> make(const Recipe& recipe, std::size_t line, const Values<double>& carried) override;
  Tensor<double> compute(const Recipe& recipe, std::size_t line, const Values<double>& carried) override;

 private:
  std::vector<bool> wanted_, kept_;  // empty: all
  Backend& backend_;
  Arithmetic arithmetic_;
  std::function<void(std::string_view)> told_;
};

// Works the recipe out, and keeps in the trace what people are shown of it; with bounds, if
// they are wanted. REQUIRES: then the policy keeps every line.
void compute(Recipe recipe, Policy<double>& policy, Trace& trace, bool wants_bounds = false);

}  // namespace attn
