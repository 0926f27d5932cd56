#include <algorithm>
#include <cmath>

#include "compare/difference.h"
#include "trace/trace.h"

namespace attn {
namespace {

std::optional<Relation> multiple(const StepPair& pair, const Tolerance& tolerance) {
  std::optional<std::size_t> largest;
  bool differ = false;
  for (std::size_t cell = 0; cell < pair.first.size(); ++cell) {
    const double number = pair.first[cell];
    if (!std::isfinite(number) || number == 0) continue;
    differ = differ || (largest && number != pair.first[*largest]);
    if (!largest || std::abs(number) > std::abs(pair.first[*largest])) largest = cell;
  }
  if (!largest || !differ) return std::nullopt;
  const double factor = pair.second[*largest] / pair.first[*largest];
  if (!std::isfinite(factor) || factor == 0) return std::nullopt;
  if (!all_accepted(pair.first, pair.second, tolerance, factor)) return std::nullopt;
  return Relation{.kind = Relation::Kind::multiple, .factor = factor};
}

std::optional<Relation> exchanged_heads(const StepPair& pair, const Tolerance& tolerance) {
  const Shape& shape = pair.first.shape();
  const auto axis = shape.position("head");
  if (!axis || shape.size("head") < 2) return std::nullopt;
  const std::size_t heads = shape.size("head"), stride = shape.stride("head");
  // Whether the second's head `to` is the first's head `from`.
  const auto is = [&](std::size_t from, std::size_t to) {
    for (std::size_t cell = 0; cell < pair.first.size(); ++cell) {
      if (cell / stride % heads != from) continue;
      if (!tolerance.accepts(pair.first[cell], pair.second[cell + to * stride - from * stride])) return false;
    }
    return true;
  };
  Relation found{.kind = Relation::Kind::exchanged_heads};
  for (std::size_t to = 0; to < heads; ++to) {
    std::size_t from = 0;
    while (from < heads && (std::ranges::count(found.heads, from) > 0 || !is(from, to))) ++from;
    if (from == heads) return std::nullopt;
    found.heads.push_back(from);
  }
  if (std::ranges::is_sorted(found.heads)) return std::nullopt;
  return found;
}

std::optional<Relation> other_step(const StepPair& pair, const Trace& trace, const Tolerance& tolerance) {
  for (const Step& step : trace.steps) {
    const auto& dims = step.result.shape().dims();
    const bool same_sizes = std::ranges::equal(dims, pair.first.shape().dims(), {}, &Dim::size, &Dim::size);
    if (step.heading.id != pair.id && same_sizes && all_accepted(step.result, pair.second, tolerance)) {
      return Relation{.kind = Relation::Kind::other_step, .step = step.heading.id};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Relation> relation(const StepPair& different, const Trace* trace) {
  const Tolerance& asked = different.tolerance;
  const Tolerance tolerance{std::max(asked.absolute, 1e-12), std::max(asked.relative, 1e-9)};
  if (trace) {
    if (auto found = other_step(different, *trace, tolerance)) return found;
  }
  if (auto found = exchanged_heads(different, tolerance)) return found;
  return multiple(different, tolerance);
}

}  // namespace attn
