#include "cli/timed_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "backend/cpu/cpu.h"
#include "cli/options.h"
#include "model/attention.h"
#include "trace/recipe.h"

namespace attn {
namespace {

constexpr std::string_view in_order = "steps", in_any_order = "any-order";

std::string result_of(const Problem& problem) {
  const Recipe recipe = recipe_of(problem);
  return recipe.has("logits") ? "logits" : recipe.steps().back();
}

// What a problem asks for that other libraries are not asked for: the first of it; "" for nothing.
std::string what_is_apart(const Problem& problem) {
  const TransformerBlock& block = *problem.block;
  const Attention& first = problem.attention();
  const auto is_same = [&](const Attention& other) {
    return other.heads == first.heads && other.kv_heads == first.kv_heads && other.key_width == first.key_width &&
           other.options.size() == first.options.size();
  };
  const auto is_whole = [&](const Layer& layer) {
    return layer.self && layer.feed_forward.has_value() == block.layers.front().feed_forward.has_value() &&
           layer.norms[0].has_value();
  };
  if (block.kind == TransformerBlock::Kind::decoder) return "a memory";
  if (!std::ranges::all_of(block.layers, is_whole)) return "layers without attention or norms";
  if (!std::ranges::all_of(problem.sublayers, is_same)) return "layers of several kinds";
  if (block.embedding_norm) return "a norm of the embedding";
  const bool is_usual = first.score.name == catalog().scores.front().name && !first.softmax;
  if (!is_usual) return "scores or a softmax of another kind";
  if (first.positions && first.positions->name != "rope") return "positions of the kind " + first.positions->name;
  for (const auto& [option, value] : first.options) {
    if (option != "causal") return "`" + option + "`";
  }
  return "";
}

Workload workload_of(const Problem& problem, std::string name) {
  const TransformerBlock& block = *problem.block;
  const Attention& attention = problem.attention();
  Workload work{.batch = attention.batch,
                .heads = attention.heads.value_or(1),
                .kv_heads = attention.heads ? attention.heads_of_keys() : 1,
                .queries = attention.query_count,
                .keys = attention.all_key_count(),
                .key_width = attention.key_width,
                .value_width = attention.value_width,
                .causal = attention.options.contains("causal"),
                .dtype = problem.arithmetic.dtype,
                .model_width = problem.inputs.self->shape().size("d_model")};
  ModelSizes& model = work.model.emplace();
  model.name = std::move(name);
  model.layers = block.layers.size();
  model.norm_first = block.norm_first;
  model.ends_with_norm = block.final_norm.has_value();
  model.norm = block.norm;
  model.turned = attention.positions && attention.positions->name == "rope";
  model.apart = what_is_apart(problem);
  if (const auto& network = block.layers.front().feed_forward) {
    model.hidden = network->out.shape().size("d_hidden");
    model.activation = block.activation;
    model.biased = network->out_bias.has_value();
  }
  return work;
}

// How far the farthest number is from the exact one, of the largest; infinitely far
// where one is no finite number and the other another.
double distance(const Tensor<double>& made, const Tensor<double>& exact) {
  double away = 0, largest = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const bool is_same = made[i] == exact[i] || (std::isnan(made[i]) && std::isnan(exact[i]));
    if (is_same) continue;
    if (!std::isfinite(made[i]) || !std::isfinite(exact[i])) return std::numeric_limits<double>::infinity();
    away = std::max(away, std::abs(made[i] - exact[i]));
  }
  for (const double number : exact.data()) {
    if (std::isfinite(number)) largest = std::max(largest, std::abs(number));
  }
  return largest > 0 ? away / largest : away;
}

}  // namespace

const std::vector<MeasurableKernel>& TimedModel::kernels() {
  static const std::vector<MeasurableKernel> all = {
      {std::string(in_order), "every step as people are shown it: the same bits on every machine"},
      {std::string(in_any_order), "sums in any order, and weights packed once for the tiles of fused attention"},
  };
  return all;
}

TimedModel::TimedModel(Problem problem, std::string name, std::size_t threads, const std::vector<std::string>& kernels)
    : problem_(std::move(problem)),
      result_(result_of(problem_)),
      backend_(std::make_unique<CpuBackend>(threads)),
      workload_(workload_of(problem_, std::move(name))) {
  for (const std::string& kernel : kernels) {
    Backend& backend = kernel == in_order ? *backend_ : backend_->in_any_order();
    ways_[kernel].forward = std::make_unique<Forward>(problem_, result_, backend);
  }
  const Forward& any = *ways_.begin()->second.forward;
  ModelSizes& model = *workload_.model;
  model.numbers = static_cast<double>(any.given_count());
  model.operations = any.operations();
  const Shape& result = any.shape();
  if (result_ == "logits") model.vocabulary = result.size("vocabulary");
}

std::vector<std::string> TimedModel::kernels_ready() const {
  std::vector<std::string> all = names_of(kernels());
  std::erase_if(all, [&](const std::string& kernel) { return !ways_.contains(kernel); });
  return all;
}

std::size_t TimedModel::working_bytes(std::string_view kernel) const {
  return ways_.find(kernel)->second.forward->working_bytes();
}

double TimedModel::seconds(std::string_view kernel) {
  Way& way = ways_.find(kernel)->second;
  return way.stopwatch.seconds([&] { made_ = way.forward->run(); });
}

MeasurableRun::Error TimedModel::error() {
  if (!exact_) {
    plain_ = Forward(problem_, result_, *backend_).run();
    Problem in_double = problem_;
    in_double.arithmetic.dtype = Dtype::f64;
    exact_ = Forward(in_double, result_, *backend_).run();
  }
  return {distance(*made_, *exact_), distance(*plain_, *exact_)};
}

}  // namespace attn
