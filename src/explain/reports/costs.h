#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/document.h"
#include "tensor/dtype.h"
#include "trace/cost.h"

namespace attn {

// What a computation costs, and other layers that could stand in its place.
struct CostReport {
  struct OfStep {
    std::string id;
    Cost cost, all_open;
    std::string part = {};  // of a block: "layer1.self"
  };
  std::string title;
  Dtype dtype = Dtype::f64;
  std::vector<OfStep> steps;  // those that compute something, or move numbers
  std::optional<NextToken> next;
  double tokens = 1, width = 1, kernel = 3, neighbours = 64;

  Cost total() const;
  Cost saved() const;  // by closed cells
  std::vector<LayerCost> layers() const { return layer_costs(tokens, width, kernel, neighbours); }
};

// "self-attention", and how its operations are counted: "n²·d".
std::string name(LayerCost::Kind kind);
std::string formula(LayerCost::Kind kind);

Document told_costs(const CostReport& report);

}  // namespace attn
