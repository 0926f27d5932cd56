#include "compare/side_by_side.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <set>
#include <string_view>

#include "base/numbers.h"
#include "compare/arrangement.h"

namespace attn {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

using Sizes = std::vector<std::size_t>;

Sizes sizes_of(const Shape& shape) {
  Sizes sizes;
  for (const Dim& dim : shape.dims()) sizes.push_back(dim.size);
  return sizes;
}

double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double apart = std::abs(a - b);
  return std::isnan(apart) ? infinity : apart;
}

// How a second side writes a number of ours.
struct Spelling {
  double minus_infinity = 0;  // what stands for it; 0 where −∞ does
  enum class Mask { open_is_1, open_is_0, added } mask = Mask::open_is_1;

  double read(double first, double second) const {
    if (mask == Mask::open_is_0) return 1 - second;
    if (mask == Mask::added) return second == 0 ? 1 : second <= practically_minus_infinity ? 0 : second;
    return first == -infinity && minus_infinity != 0 && second <= practically_minus_infinity ? -infinity : second;
  }
};

// Whether the step of that id is this in any of the attentions.
bool is(const std::string& id, StepId Anatomy::*what, const std::vector<Anatomy>& attentions) {
  return std::ranges::find(attentions, id, what) != attentions.end();
}

class Comparison {
 public:
  Comparison(const ComparedSide& first, const ComparedSide& second, const Closeness& closeness)
      : closeness_(closeness), is_foreign_(first.is_foreign || second.is_foreign), attentions_(first.attentions) {}

  StepPair pair(const std::string& id, const SideStep& first, const SideStep& second) const {
    StepPair made{.verdict = StepPair::Verdict::other_shape,
                  .id = id,
                  .name = second.name == first.name ? "" : second.name,
                  .first_sizes = spelled_sizes(sizes_of(first.value.shape())),
                  .second_sizes = spelled_sizes(sizes_of(second.value.shape())),
                  .tolerance = tolerance_of(first.value, closeness_)};
    const std::vector<Arrangement> orders = possible(id, first, second);
    if (orders.empty()) return made;

    const std::vector<Spelling> spellings = possible_spellings(id, second);
    const Arrangement* order = &orders.front();
    const Spelling* spelling = &spellings.front();
    const bool found = std::ranges::any_of(orders, [&](const Arrangement& one) {
      const auto fits = std::ranges::find_if(spellings, [&](const Spelling& way) {
        return are_same(first.value, second.value, one, way, made.tolerance);
      });
      if (fits == spellings.end()) return false;
      order = &one;
      spelling = &*fits;
      return true;
    });
    made.stored = order->words;
    made.verdict = found ? StepPair::Verdict::same : StepPair::Verdict::differs;
    made.second = arranged(first.value.shape(), second.value.data(), *order);
    read_as(*spelling, first.value, made);
    measure(first.value, made);
    return made;
  }

 private:
  std::vector<Arrangement> possible(const std::string& id, const SideStep& first, const SideStep& second) const {
    const Shape& ours = first.value.shape();
    const Shape& theirs = second.value.shape();
    if (first.has_axes && second.has_axes) {
      // Both say which axis is which: only their order may differ.
      Arrangement order{sizes_of(ours), {}, ""};
      if (ours.rank() != theirs.rank()) return {};
      std::string names;
      for (const Dim& dim : theirs.dims()) names += (names.empty() ? "" : ", ") + dim.axis;
      for (const Dim& dim : ours.dims()) {
        if (!theirs.has(dim.axis) || theirs.size(dim.axis) != dim.size) return {};
        order.strides.push_back(theirs.stride(dim.axis));
      }
      if (ours != theirs) order.words = "[" + names + "]";
      return {order};
    }
    const Sizes sizes = sizes_of(theirs);
    std::vector<Arrangement> all = arrangements(ours, sizes);
    if (all.empty() && (is(id, &Anatomy::mask, attentions_) || is(id, &Anatomy::bias, attentions_)))
      all = broadcast(ours, sizes);
    return all;
  }

  std::vector<Spelling> possible_spellings(const std::string& id, const SideStep& second) const {
    std::vector<Spelling> all(1);
    if (!is_foreign_) return all;
    for (const double number : second.value.data()) {
      if (std::isfinite(number) && number <= practically_minus_infinity) all[0].minus_infinity = number;
    }
    if (is(id, &Anatomy::mask, attentions_)) {
      all.push_back({0, Spelling::Mask::added});
      all.push_back({0, Spelling::Mask::open_is_0});
    }
    return all;
  }

  static bool are_same(const Tensor<double>& first, const Tensor<double>& second, const Arrangement& order,
                       const Spelling& spelling, const Tolerance& tolerance) {
    bool same = true;
    walk(order, first.size(), [&](std::size_t cell, std::size_t place) {
      same = tolerance.accepts(first[cell], spelling.read(first[cell], second[place]));
      return same;
    });
    return same;
  }

  static void read_as(const Spelling& spelling, const Tensor<double>& first, StepPair& made) {
    bool used = false;
    for (std::size_t cell = 0; cell < first.size(); ++cell) {
      const double read = spelling.read(first[cell], made.second[cell]);
      used = used || distance(read, made.second[cell]) != 0;
      made.second[cell] = read;
    }
    if (!used) return;
    if (spelling.mask == Spelling::Mask::open_is_0) made.remarks.emplace_back("1 where closed");
    if (spelling.mask == Spelling::Mask::added) made.remarks.emplace_back("0 where open, added");
    if (spelling.mask == Spelling::Mask::open_is_1) {
      made.remarks.push_back(shortest(spelling.minus_infinity) + " for −∞");
    }
  }

  static void measure(const Tensor<double>& first, StepPair& made) {
    made.cells = first.size();
    made.same_bits = true;
    double most = 0, most_relative = 0;
    for (std::size_t cell = 0; cell < made.cells; ++cell) {
      const double a = first[cell], b = made.second[cell];
      const double apart = distance(a, b);
      if (apart == 0) continue;
      made.same_bits = false;
      if (!made.tolerance.accepts(a, b)) ++made.differing;
      const double size = std::isfinite(a) && a != 0 ? std::abs(a) : 0;
      const double relative = size == 0 ? infinity : apart / size;
      if (apart > most) {
        most = apart;
        made.absolute = FarthestCell{first.shape().index(cell), a, b, apart};
      }
      if (relative > most_relative && size != 0) {
        most_relative = relative;
        made.relative = FarthestCell{first.shape().index(cell), a, b, relative};
      }
    }
  }

  Closeness closeness_;
  bool is_foreign_;
  const std::vector<Anatomy>& attentions_;
};

// The first step of each id.
std::map<std::string_view, const SideStep*> steps_by_id(const ComparedSide& side) {
  std::map<std::string_view, const SideStep*> steps;
  for (const SideStep& step : side.steps) steps.emplace(step.id(), &step);
  return steps;
}

bool is_better(const StepPair& one, const StepPair& other) {
  const auto rank = [](const StepPair& pair) {
    return pair.verdict == StepPair::Verdict::same ? 0 : pair.verdict == StepPair::Verdict::differs ? 1 : 2;
  };
  return rank(one) < rank(other);
}

// Which step of the first side each name of the second stands for: ids first,
// then other names that agree with one, then the rest.
class Matching {
 public:
  Matching(const ComparedSide& first, const ComparedSide& second, const Comparison& comparison)
      : first_(steps_by_id(first)), comparison_(comparison) {
    std::vector<const SideStep*> others;
    for (const SideStep& step : second.steps) {
      if (step.is_called_by_id()) {
        match(step, false);
      } else {
        others.push_back(&step);
      }
    }
    std::erase_if(others, [&](const SideStep* step) { return match(*step, true); });
    for (const SideStep* step : others) {
      if (!match(*step, false)) left.push_back(step);
    }
    for (const SideStep& step : second.steps) {
      if (step.is_called_by_id() && !first_.contains(step.id())) left.push_back(&step);
    }
  }

  std::map<std::string, StepPair> pairs;  // by the id of the first side's step
  std::vector<const SideStep*> left;      // of the second side

 private:
  // Whether it stands for one. Where one of those it may mean has another name
  // already, it stands for none that it does not agree with.
  bool match(const SideStep& step, bool must_agree) {
    std::optional<StepPair> best;
    const std::vector<std::string> own_name = {step.name};
    for (const std::string& id : step.ids.empty() ? own_name : step.ids) {
      const auto ours = first_.find(id);
      if (ours == first_.end()) continue;
      if (pairs.contains(id)) {
        must_agree = true;
        continue;
      }
      StepPair pair = comparison_.pair(id, *ours->second, step);
      if (!best || is_better(pair, *best)) best = std::move(pair);
      if (best->verdict == StepPair::Verdict::same) break;
    }
    if (!best || (must_agree && best->verdict != StepPair::Verdict::same)) return false;
    std::string id = best->id;
    pairs.emplace(std::move(id), std::move(*best));
    return true;
  }

  std::map<std::string_view, const SideStep*> first_;
  const Comparison& comparison_;
};

// The steps of the first side in its order, and those of the second alone, each
// behind the one that stands before it there.
class InOrder {
 public:
  explicit InOrder(const ComparedSide& second) : second_(second) {}

  void append(StepPair pair) { place(steps_.end(), std::move(pair)); }

  // REQUIRES: a step of the second side.
  void insert(const SideStep& step) {
    const auto at = static_cast<std::size_t>(&step - second_.steps.data());
    if (at < passed_) {
      passed_ = 0;
      behind_ = steps_.end();
    }
    for (; passed_ < at; ++passed_) {
      const auto before = by_id_.find(second_.steps[passed_].id());
      if (before != by_id_.end()) behind_ = std::next(before->second);
    }
    place(behind_, {.verdict = StepPair::Verdict::only_second,
                    .id = step.id(),
                    .name = step.name == step.id() ? "" : step.name,
                    .second_sizes = spelled_sizes(sizes_of(step.value.shape()))});
  }

  std::vector<StepPair> take() { return {std::move_iterator(steps_.begin()), std::move_iterator(steps_.end())}; }

 private:
  void place(std::list<StepPair>::iterator before, StepPair pair) {
    const auto placed = steps_.insert(before, std::move(pair));
    by_id_.emplace(placed->id, placed);
  }

  const ComparedSide& second_;
  std::list<StepPair> steps_;
  std::map<std::string, std::list<StepPair>::iterator> by_id_;  // the first of each id
  std::size_t passed_ = 0;                                      // so many steps of the second side lead to this place
  std::list<StepPair>::iterator behind_ = steps_.end();
};

// A mask of ones where closed is another way of writing, and no difference,
// where what follows from it is the same.
void settle_polarity(SideBySide& result, const Anatomy& attention) {
  const auto mask = std::ranges::find(result.steps, attention.mask, &StepPair::id);
  if (mask == result.steps.end() || mask->remarks != std::vector<std::string>{"1 where closed"}) return;
  const bool follows = std::any_of(mask + 1, result.steps.end(), [&](const StepPair& pair) {
    return pair.verdict == StepPair::Verdict::same && pair.id != attention.bias;
  });
  if (follows) return;
  mask->verdict = StepPair::Verdict::differs;
  mask->remarks = {"1 and 0 exchanged"};
  for (double& cell : mask->second.data()) cell = 1 - cell;
  mask->differing = mask->cells;
  mask->same_bits = false;
  mask->absolute = FarthestCell{mask->first.shape().index(0), mask->first[0], mask->second[0], 1};
}

}  // namespace

std::size_t SideBySide::compared() const {
  return static_cast<std::size_t>(std::ranges::count_if(steps, [](const StepPair& pair) {
    return pair.verdict != StepPair::Verdict::only_first && pair.verdict != StepPair::Verdict::only_second;
  }));
}

ComparedSide side_of(const Trace& trace) {
  ComparedSide side{.dtype = std::string(name(trace.arithmetic.dtype))};
  if (trace.arithmetic.hand_rounding) side.hand_rounding = to_string(*trace.arithmetic.hand_rounding);
  for (const Step& step : trace.steps) side.steps.push_back({step.heading.id, {step.heading.id}, step.result});
  for (const RecipePart& part : trace.recipe.parts()) {
    if (part.attention) side.attentions.push_back(*part.attention);
  }
  return side;
}

SideBySide side_by_side(ComparedSide first, const ComparedSide& second, const Closeness& closeness,
                        const std::string& only) {
  if (first.is_foreign) {
    std::set<std::string> taken;
    for (SideStep& step : first.steps) {
      if (!taken.insert(step.id()).second) step.ids.clear();
    }
  }
  const Comparison comparison(first, second, closeness);
  Matching matching(first, second, comparison);
  const bool is_foreign = first.is_foreign || second.is_foreign;

  SideBySide result;
  InOrder steps(second);
  for (SideStep& step : first.steps) {
    const std::string& id = step.id();
    if (const auto pair = matching.pairs.find(id); pair != matching.pairs.end()) {
      if (pair->second.cells > 0) pair->second.first = std::move(step.value);
      steps.append(std::move(pair->second));
    } else {
      steps.append({.verdict = StepPair::Verdict::only_first,
                    .id = id,
                    .first_sizes = spelled_sizes(sizes_of(step.value.shape()))});
    }
  }
  for (const SideStep* step : matching.left) {
    if (step->is_called_by_id() || first.is_foreign) {
      steps.insert(*step);
    } else {
      result.unknown.push_back(step->name);
    }
  }
  result.steps = steps.take();
  if (!only.empty()) std::erase_if(result.steps, [&](const StepPair& pair) { return pair.id != only; });
  for (const Anatomy& attention : first.attentions) {
    if (is_foreign) settle_polarity(result, attention);
  }
  for (std::size_t i = 0; i < result.steps.size() && !result.different; ++i) {
    const auto verdict = result.steps[i].verdict;
    const bool alone = verdict == StepPair::Verdict::only_first || verdict == StepPair::Verdict::only_second;
    if (verdict != StepPair::Verdict::same && !(alone && is_foreign)) result.different = i;
  }
  return result;
}

}  // namespace attn
