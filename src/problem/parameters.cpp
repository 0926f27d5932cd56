#include "problem/parameters.h"

#include <map>
#include <utility>

namespace attn {
namespace {

// A size that an axis must have, and what says so.
struct Fixed {
  std::size_t size;
  std::string because;
};

class Parameters {
 public:
  Parameters(const Widths& widths, Vectors vectors, Budget& budget, Faults& faults)
      : vectors_(vectors), budget_(budget), faults_(faults) {
    if (widths.query) sizes_.insert({"d_q", {*widths.query, "queries have " + std::to_string(*widths.query)}});
    if (widths.key) sizes_.insert({"d_k", {*widths.key, "keys have " + std::to_string(*widths.key)}});
    if (!widths.query) unknown_.push_back("d_q");
    if (!widths.key) unknown_.push_back("d_k");
  }

  std::optional<Tensor<double>> tensor(RawTensor raw, std::vector<Axis> axes) {
    std::optional<Regular> found = regular(std::move(raw), budget_, faults_);
    if (!found) return std::nullopt;
    if (vectors_ == Vectors::columns && axes.size() >= 2) std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
    if (found->rank() != axes.size()) {
      faults_.add("wrong-rank", found->where,
                  shown(found->where) + " is " +
                      (found->rank() == 0 ? "one number" : "nested " + std::to_string(found->rank()) + " deep") + "; " +
                      std::to_string(axes.size()) + " deep is wanted: " + spelled(axes));
      return std::nullopt;
    }
    Shape shape;
    bool fits = true;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      fits = check_axis(*found, i, axes) && fits;
      shape.append({axes[i], found->shape[i]});
    }
    if (!fits) return std::nullopt;
    return Tensor<double>(shape, std::move(found->values));
  }

 private:
  static std::string spelled(const std::vector<Axis>& axes) {
    std::string text;
    for (const Axis& axis : axes) text += "[" + axis + "]";
    return text;
  }

  bool check_axis(const Regular& found, std::size_t i, const std::vector<Axis>& axes) {
    for (const Axis& axis : unknown_) {
      if (axis == axes[i]) return true;
    }
    const auto [fixed, is_new] =
        sizes_.insert({axes[i], {found.shape[i], shown(found.where) + " has " + std::to_string(found.shape[i])}});
    if (fixed->second.size == found.shape[i]) return true;
    faults_.add("shape-mismatch", found.where,
                shown(found.where) + " is " + spelled_sizes(found.shape) + ", " + spelled(axes) + ", and " +
                    fixed->second.because + " for " + axes[i]);
    return false;
  }

  Vectors vectors_;
  Budget& budget_;
  Faults& faults_;
  std::map<Axis, Fixed> sizes_;
  std::vector<Axis> unknown_;
};

}  // namespace

Choice chosen(RawScore raw, const ChoiceSpec& spec, const Widths& widths, Vectors vectors, Budget& budget,
              Faults& faults) {
  Choice choice{.name = spec.name, .numbers = {}, .tensors = {}};
  Parameters parameters(widths, vectors, budget, faults);
  for (const Parameter& parameter : spec.parameters) {
    if (parameter.axes.empty()) {
      const auto number = raw.numbers.find(parameter.name);
      if (number != raw.numbers.end() && number->second) choice.numbers[parameter.name] = *number->second;
      continue;
    }
    const auto given = raw.tensors.find(parameter.name);
    if (given == raw.tensors.end() || !given->second) continue;
    auto tensor = parameters.tensor(std::move(*given->second), parameter.axes);
    if (tensor) choice.tensors.emplace(parameter.name, std::move(*tensor));
  }
  return choice;
}

}  // namespace attn
