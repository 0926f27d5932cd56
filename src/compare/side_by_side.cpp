#include "compare/side_by_side.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <list>
#include <map>
#include <set>
#include <string_view>

#include "base/numbers.h"
#include "compare/arrangement.h"
#include "trace/trace.h"
#include "words/language.h"

namespace attn {
namespace {

// How a second side writes a number of ours.
struct Spelling {
  double minus_infinity = 0;                   // what stands for it; 0 where −∞ does
  bool may_close_any = false;                  // cells, those too that are open in ours
  double closed = practically_minus_infinity;  // stands for −∞ where ours has that, and what is less
  bool is_ours_foreign = false;
  enum class Mask { open_is_1, open_is_0, added, added_in_ours } mask = Mask::open_is_1;

  double read(double first, double second) const {
    if (mask == Mask::open_is_0) return 1 - second;
    if (mask == Mask::added) return second == 0 ? 1 : second <= practically_minus_infinity ? 0 : second;
    if (mask == Mask::added_in_ours) {
      const double closing = first <= practically_minus_infinity ? first : -infinity;
      return second == 1 ? 0 : second == 0 ? closing : second;
    }
    if (is_ours_foreign && first <= closed && is_closed(second)) return first;
    if (first == -infinity) return minus_infinity != 0 && second <= closed ? -infinity : second;
    const bool may_be_closed = may_close_any && first > practically_minus_infinity;
    return may_be_closed && minus_infinity != 0 && second <= practically_minus_infinity ? -infinity : second;
  }

 private:
  bool is_closed(double second) const { return second == -infinity || (may_close_any && second <= closed); }
};

// Whether the step of that id is this in any of the attentions.
bool is(const std::string& id, StepId Anatomy::*what, const std::vector<Anatomy>& attentions) {
  return std::ranges::find(attentions, id, what) != attentions.end();
}

class Comparison {
 public:
  Comparison(const ComparedSide& first, const ComparedSide& second, const Closeness& closeness)
      : closeness_(closeness),
        usual_(usual_closeness(first.dtype, second.dtype)),
        is_first_foreign_(first.is_foreign),
        is_foreign_(first.is_foreign || second.is_foreign),
        attentions_(first.attentions) {}

  // `as_it_stands`: where that fits, no other order is looked for.
  StepPair pair(const std::string& id, const SideStep& first, const SideStep& second, bool as_it_stands = false) const {
    StepPair made{.verdict = StepPair::Verdict::other_shape,
                  .id = id,
                  .name = second.name == first.name ? "" : second.name,
                  .second_name = second.name,
                  .first_sizes = spelled_sizes(first.value.shape().sizes()),
                  .second_sizes = spelled_sizes(second.value.shape().sizes()),
                  .usual = usual_};
    for (const SideStep* step : {&first, &second}) {
      const Closeness own = usual_closeness(step->dtype, step->dtype);
      if (own.relative <= made.usual.relative) continue;
      made.usual = own;
      (step == &first ? made.first_remarks : made.remarks).push_back(step->dtype);
    }
    made.tolerance = tolerance_of(first.value, closeness_.typical != 0 ? made.usual : closeness_);
    std::vector<Arrangement> orders = possible(id, first, second);
    if (orders.empty()) {
      if (!is_foreign_ || !is(id, &Anatomy::weights, attentions_)) return made;
      if (const auto order = mean_of_heads(first, second, made)) {
        made.verdict = StepPair::Verdict::same;
        made.stored = language().differences.mean_of_heads.text() + (order->words.empty() ? "" : ", " + order->words);
      }
      return made;
    }
    if (as_it_stands) orders.resize(1);

    const std::vector<Spelling> spellings = possible_spellings(id, second);
    const Arrangement* order = &orders.front();
    const Spelling* spelling = &spellings.front();
    made.verdict = StepPair::Verdict::differs;
    std::size_t left = most_to_look_at(first.value.size() * spellings.size());
    for (const Arrangement& one : orders) {
      if (left == 0) {
        made.orders_left = true;
        break;
      }
      const auto way = std::ranges::find_if(spellings, [&](const Spelling& spelled) {
        return are_same(first.value, second.value, one, spelled, made.tolerance, left);
      });
      if (way == spellings.end()) continue;
      made.verdict = StepPair::Verdict::same;
      order = &one;
      spelling = &*way;
      break;
    }
    made.stored = order->words;
    made.is_turned = order != &orders.front() && have_same_sizes(first.value.shape(), second.value.shape());
    made.second = arranged(first.value.shape(), second.value.data(), *order);
    read_as(*spelling, first.value, made);
    measure(first.value, made);
    return made;
  }

 private:
  std::vector<Arrangement> possible(const std::string& id, const SideStep& first, const SideStep& second) const {
    const Shape& ours = first.value.shape();
    const Shape& theirs = second.value.shape();
    if (first.has_axes && second.has_axes) return by_axes(ours, theirs);
    const std::vector<std::size_t> sizes = theirs.sizes();
    std::vector<Arrangement> all = arrangements(ours, sizes);
    if (all.empty() && (is(id, &Anatomy::mask, attentions_) || is(id, &Anatomy::bias, attentions_)))
      all = broadcast(ours, sizes);
    // A mask of keys, [batch, key]: the same for all heads and queries.
    if (is(id, &Anatomy::mask, attentions_) && sizes.size() == 2 && ours.rank() > 2 && ours.has("batch")) {
      std::vector<std::size_t> of_keys(ours.rank(), 1);
      of_keys.front() = sizes.front();
      of_keys.back() = sizes.back();
      std::ranges::move(broadcast(ours, of_keys), std::back_inserter(all));
    }
    return all;
  }

  // Those of the axes that have more than one element.
  static bool have_same_sizes(const Shape& first, const Shape& second) {
    const auto of_more_than_one = [](const Shape& shape) {
      std::vector<std::size_t> sizes = shape.sizes();
      std::erase(sizes, std::size_t{1});
      return sizes;
    };
    return of_more_than_one(first) == of_more_than_one(second);
  }

  // How the second stores the mean of all heads, as torch.nn.MultiheadAttention gives its weights; nothing where it
  // does not.
  static std::optional<Arrangement> mean_of_heads(const SideStep& first, const SideStep& second, StepPair& made) {
    const Shape& shape = first.value.shape();
    if (!first.has_axes || !shape.has("head") || second.value.size() * shape.size("head") != first.value.size()) {
      return std::nullopt;
    }
    Shape without;
    for (const Dim& dim : shape.dims()) {
      if (dim.axis != "head") without.append(dim);
    }
    const std::size_t heads = shape.size("head"), inner = shape.stride("head");
    Tensor<double> mean(without);
    for (std::size_t cell = 0; cell < mean.size(); ++cell) {
      const std::size_t start = cell / inner * inner * heads + cell % inner;
      for (std::size_t head = 0; head < heads; ++head) mean[cell] += first.value[start + head * inner];
      mean[cell] /= static_cast<double>(heads);
    }
    std::size_t left = most_to_look_at(mean.size());
    for (Arrangement& order : arrangements(without, second.value.shape().sizes())) {
      made.orders_left = left == 0;
      if (made.orders_left) break;
      if (are_same(mean, second.value, order, {}, made.tolerance, left)) return std::move(order);
    }
    return std::nullopt;
  }

  std::vector<Spelling> possible_spellings(const std::string& id, const SideStep& second) const {
    std::vector<Spelling> all(1);
    if (!is_foreign_) return all;
    all[0].is_ours_foreign = is_first_foreign_;
    if (is(id, &Anatomy::masked, attentions_) || is(id, &Anatomy::maximum, attentions_)) {
      all[0].may_close_any = true;
      // Only our own −∞ says which cells are closed; a score may be as small.
      if (!is_first_foreign_) all[0].closed = practically_minus_infinity_beside_a_score;
    }
    const bool is_added_by_others = is_first_foreign_ && is(id, &Anatomy::mask, attentions_);
    if (is(id, &Anatomy::bias, attentions_) || is_added_by_others) all[0].may_close_any = true;
    for (const double number : second.value.data()) {
      if (std::isfinite(number) && number <= all[0].closed) all[0].minus_infinity = number;
    }
    if (is(id, &Anatomy::mask, attentions_)) {
      const auto adds_to_scores = [](double number) { return number == 0 || number <= practically_minus_infinity; };
      const auto numbers = second.value.data();
      const bool is_added = std::ranges::all_of(numbers, adds_to_scores) &&
                            std::ranges::any_of(numbers, [](double number) { return number < 0; });
      // Ours have 1 and 0; those of others may have any of them.
      if (is_added && !is_first_foreign_) return {{.mask = Spelling::Mask::added}};
      if (std::ranges::none_of(numbers, [](double number) { return number > 0; })) {
        all.push_back({.mask = Spelling::Mask::added});
      }
      all.push_back({.mask = Spelling::Mask::open_is_0});
      if (is_first_foreign_) all.push_back({.mask = Spelling::Mask::added_in_ours});
    }
    return all;
  }

  // How many numbers of a tensor of that size are looked at in one order or another.
  static std::size_t most_to_look_at(std::size_t size) { return std::max(most_orders_of_all * size, most_looked_at); }

  // Takes from `left` the numbers that it looks at.
  static bool are_same(const Tensor<double>& first, const Tensor<double>& second, const Arrangement& order,
                       const Spelling& spelling, const Tolerance& tolerance, std::size_t& left) {
    bool same = true;
    std::size_t seen = 0;
    walk(order, first.size(), [&](std::size_t cell, std::size_t place) {
      same = tolerance.accepts(first[cell], spelling.read(first[cell], second[place]));
      ++seen;
      return same;
    });
    left -= std::min(left, seen);
    return same;
  }

  static void read_as(const Spelling& spelling, const Tensor<double>& first, StepPair& made) {
    bool used = false;
    std::optional<double> ours;  // that stands for −∞
    for (std::size_t cell = 0; cell < first.size(); ++cell) {
      const double theirs = made.second[cell], read = spelling.read(first[cell], theirs);
      if (distance(read, theirs) == 0) continue;
      made.second[cell] = read;
      const bool is_as_ours = spelling.is_ours_foreign && read != -infinity;
      if (is_as_ours) ours = read;
      if (!is_as_ours || theirs != -infinity) used = true;
    }
    if (ours) made.first_remarks.push_back(language().mistakes.for_minus_infinity(shortest(*ours)));
    if (!used) return;
    if (spelling.mask == Spelling::Mask::added_in_ours) {
      made.first_remarks.push_back(language().mistakes.zero_where_open);
    }
    if (spelling.mask == Spelling::Mask::open_is_0) made.remarks.push_back(language().mistakes.one_where_cell_closed);
    if (spelling.mask == Spelling::Mask::added) made.remarks.push_back(language().mistakes.zero_where_open);
    if (spelling.mask == Spelling::Mask::open_is_1) {
      made.remarks.push_back(language().mistakes.for_minus_infinity(shortest(spelling.minus_infinity)));
    }
  }

  static void measure(const Tensor<double>& first, StepPair& made) {
    made.cells = first.size();
    made.same_bits = true;
    const auto is_farther = [](double apart, const std::optional<FarthestCell>& cell) {
      return apart > (cell ? cell->apart : 0);
    };
    for (std::size_t cell = 0; cell < made.cells; ++cell) {
      const double a = first[cell], b = made.second[cell];
      const double apart = distance(a, b);
      if (apart == 0) continue;
      made.same_bits = false;
      if (!made.tolerance.accepts(a, b)) ++made.differing;
      if (is_farther(apart, made.absolute)) made.absolute = FarthestCell{first.shape().index(cell), a, b, apart};
      if (!std::isfinite(a) || a == 0) continue;
      const double relative = apart / std::abs(a);
      if (is_farther(relative, made.relative)) made.relative = FarthestCell{first.shape().index(cell), a, b, relative};
    }
  }

  Closeness closeness_, usual_;
  bool is_first_foreign_, is_foreign_;
  const std::vector<Anatomy>& attentions_;
};

// Which step of the first side each name of the second stands for: what both call
// by one name first, then ids, then other names that agree with one, then the rest.
class Matching {
 public:
  Matching(const ComparedSide& first, const ComparedSide& second, const Comparison& comparison)
      : comparison_(comparison) {
    std::map<std::string_view, const SideStep*> named;
    for (const SideStep& step : first.steps) {
      first_.emplace(step.id(), &step);
      named.emplace(step.name, &step);
    }
    std::set<std::string_view> shared;
    for (const SideStep& step : second.steps) {
      const auto ours = named.find(step.name);
      if (ours == named.end() || !shared.insert(step.name).second) continue;
      const std::string& id = ours->second->id();
      pairs.emplace(id, comparison.pair(id, *ours->second, step));
    }
    std::vector<const SideStep*> others;
    for (const SideStep& step : second.steps) {
      if (shared.contains(step.name)) continue;
      if (step.is_called_by_id()) {
        match(step, false);
      } else {
        others.push_back(&step);
      }
    }
    std::erase_if(others, [&](const SideStep* step) { return match(*step, true); });
    for (const SideStep* step : others) match(*step, false);
  }

  std::map<std::string, StepPair> pairs;  // by the id of the first side's step

 private:
  // Whether it stands for one. Where one of those it may mean has another name already,
  // it stands for one that it does not agree with only if that is stored in this very shape.
  bool match(const SideStep& step, bool must_agree) {
    std::optional<StepPair> best;
    bool any_taken = false;
    const std::vector<std::string> own_name = {step.name};
    for (const std::string& id : step.ids.empty() ? own_name : step.ids) {
      const auto ours = first_.find(id);
      if (ours == first_.end()) continue;
      if (pairs.contains(id)) {
        any_taken = true;
        continue;
      }
      StepPair pair = comparison_.pair(id, *ours->second, step);
      if (!best || is_better(pair, *best)) best = std::move(pair);
      if (best->verdict == StepPair::Verdict::same) break;
    }
    if (!best) return false;
    const bool may_differ = !must_agree && (!any_taken || has_shape(*best));
    if (best->verdict != StepPair::Verdict::same && !may_differ) return false;
    std::string id = best->id;
    pairs.emplace(std::move(id), std::move(*best));
    return true;
  }

  static bool has_shape(const StepPair& pair) {
    return pair.verdict != StepPair::Verdict::other_shape && pair.stored.empty();
  }

  static bool is_better(const StepPair& one, const StepPair& than) {
    return one.verdict != than.verdict ? one.verdict < than.verdict : has_shape(one) && !has_shape(than);
  }

  std::map<std::string_view, const SideStep*> first_;  // the first of each id
  const Comparison& comparison_;
};

// Where files of others have several names for one step, only one of them is called by its id: the one that has it for
// a name, else the first. What both files call by one name keeps that.
void tell_apart(ComparedSide& first, const ComparedSide& second) {
  std::map<std::string, int> claims;
  std::set<std::string> taken, shared;
  for (const SideStep& step : first.steps) {
    ++claims[step.id()];
    if (step.is_called_by_id()) taken.insert(step.name);
  }
  for (const SideStep& step : second.steps) {
    shared.insert(step.name);
    if (step.is_called_by_id()) ++claims[step.name];
  }
  for (SideStep& step : first.steps) {
    if (step.is_called_by_id()) continue;
    const bool has_own_name = shared.contains(step.name) && claims[step.id()] > 1;
    if (has_own_name || !taken.insert(step.id()).second) step.ids.clear();
  }
}

// The steps of the first side in its order, and those of the second alone, each
// behind the one that stands before it there; what is no step of the first goes
// to `unknown`.
std::vector<StepPair> pairs_in_order(ComparedSide& first, const ComparedSide& second, Matching& matching,
                                     std::vector<std::string>& unknown) {
  std::list<StepPair> steps;
  std::set<std::string> ids;  // and names, which are ids of no other step
  for (const SideStep& step : second.steps) ids.insert(step.name);
  std::map<std::string, std::list<StepPair>::iterator> by_second_name;
  for (SideStep& step : first.steps) {
    ids.insert(step.id());
    auto found = matching.pairs.extract(step.id());
    if (found.empty()) {
      steps.push_back({.verdict = StepPair::Verdict::only_first, .id = step.id()});
      continue;
    }
    StepPair& pair = found.mapped();
    if (pair.cells > 0) pair.first = std::move(step.value);
    steps.push_back(std::move(pair));
    by_second_name.emplace(steps.back().second_name, std::prev(steps.end()));
  }
  auto behind = steps.begin();
  for (const SideStep& step : second.steps) {
    if (const auto before = by_second_name.find(step.name); before != by_second_name.end()) {
      behind = std::next(before->second);
    } else if (step.is_called_by_id() || first.is_foreign) {
      const std::string& id = ids.insert(step.id()).second ? step.id() : step.name;
      steps.insert(behind,
                   {.verdict = StepPair::Verdict::only_second, .id = id, .name = step.name == id ? "" : step.name});
    } else {
      unknown.push_back(step.name);
    }
  }
  return {std::move_iterator(steps.begin()), std::move_iterator(steps.end())};
}

// "layer1.self."
std::string prefix_of(const Anatomy& attention) { return attention.mask.substr(0, attention.mask.rfind('.') + 1); }

// Whether a step behind the mask of an attention follows from it: scores from the mask on, and what the rest of
// its stack makes of them. What other attentions have need not.
bool is_made_with_mask(const std::string& id, const Anatomy& attention, const std::vector<Anatomy>& attentions) {
  const StepId made[] = {attention.masked,  attention.maximum, attention.exponentials,
                         attention.sums,    attention.weights, attention.weighted_values,
                         attention.context, attention.concat,  attention.output};
  if (std::ranges::find(made, id) != std::end(made)) return true;
  const std::string prefix = prefix_of(attention);
  return id.starts_with(prefix.substr(0, prefix.find("layer"))) &&
         std::ranges::none_of(attentions, [&](const Anatomy& other) { return id.starts_with(prefix_of(other)); });
}

// A mask of ones where closed is another way of writing, and no difference,
// where what follows from it is the same.
void settle_polarity(SideBySide& result, const Anatomy& attention, const std::vector<Anatomy>& attentions) {
  const auto mask = std::ranges::find(result.steps, attention.mask, &StepPair::id);
  if (mask == result.steps.end()) return;
  const auto remark = std::ranges::find(mask->remarks, language().mistakes.one_where_cell_closed.text());
  if (remark == mask->remarks.end()) return;
  const bool follows = std::any_of(mask + 1, result.steps.end(), [&](const StepPair& pair) {
    return pair.verdict == StepPair::Verdict::same && is_made_with_mask(pair.id, attention, attentions);
  });
  if (follows) return;
  mask->verdict = StepPair::Verdict::differs;
  *remark = language().mistakes.ones_exchanged;
  for (double& cell : mask->second.data()) cell = 1 - cell;
  mask->differing = mask->cells;
  mask->same_bits = false;
  mask->absolute = FarthestCell{mask->first.shape().index(0), mask->first[0], mask->second[0], 1};
}

// What one side alone has is not what cannot be read of the other.
void set_unread_aside(SideBySide& result, const ComparedSide& first, const ComparedSide& second) {
  result.first_unread = first.unread;
  result.second_unread = second.unread;
  const auto names_of_unread = [](const ComparedSide& side) {
    std::set<std::string_view> names;
    for (const UnreadTensor& one : side.unread) names.insert(one.name);
    return names;
  };
  const std::set<std::string_view> of_first = names_of_unread(first), of_second = names_of_unread(second);
  std::erase_if(result.unknown, [&](const std::string& name) { return of_first.contains(name); });
  std::erase_if(result.steps, [&](const StepPair& pair) {
    return (pair.verdict == StepPair::Verdict::only_first && of_second.contains(pair.id)) ||
           (pair.verdict == StepPair::Verdict::only_second && of_first.contains(pair.id));
  });
}

// The same numbers, their axes in our order.
StepPair as_it_stands(StepPair pair, const ComparedSide& second, const Comparison& comparison) {
  const auto theirs = std::ranges::find(second.steps, pair.second_name, &SideStep::name);
  const SideStep ours{.name = pair.id, .ids = {pair.id}, .value = std::move(pair.first)};
  StepPair made = comparison.pair(ours.name, ours, *theirs, true);
  made.name = std::move(pair.name);
  made.first = ours.value;
  return made;
}

// Where something differs before it, a step is not believed to have its axes in another order that
// no size tells apart, unless one before it has.
void doubt_orders(SideBySide& result, const ComparedSide& second, const Comparison& comparison) {
  bool any_differs = false, any_turned = false;
  for (StepPair& pair : result.steps) {
    const bool was_turned = pair.is_turned;
    if (any_differs && !any_turned && was_turned && pair.verdict == StepPair::Verdict::same) {
      pair = as_it_stands(std::move(pair), second, comparison);
    }
    any_turned = any_turned || (was_turned && pair.verdict == StepPair::Verdict::same);
    any_differs = any_differs || pair.verdict == StepPair::Verdict::differs;
  }
}

}  // namespace

ComparedSide side_of(const Trace& trace) {
  ComparedSide side{.dtype = std::string(name(trace.arithmetic.dtype))};
  for (const Step& step : trace.steps) side.steps.push_back({step.heading.id, {step.heading.id}, step.result});
  for (const RecipePart& part : trace.recipe.parts()) {
    if (part.attention) side.attentions.push_back(*part.attention);
  }
  return side;
}

std::vector<StepName> names_of_both(const Trace* trace, const ComparedSide& first, const ComparedSide& second) {
  std::vector<StepName> names;
  if (trace) names = step_names(*trace);
  std::set<std::string> named;
  for (const StepName& name : names) named.insert(name.id);
  for (const ComparedSide* side : {&first, &second}) {
    for (const SideStep& step : side->steps) {
      for (const std::string& one : {step.id(), step.name}) {
        if (named.insert(one).second) names.push_back({one, ""});
      }
    }
  }
  return names;
}

SideBySide side_by_side(ComparedSide first, const ComparedSide& second, const Closeness& closeness,
                        const std::vector<std::string>& only) {
  if (first.is_foreign) tell_apart(first, second);
  const Comparison comparison(first, second, closeness);
  Matching matching(first, second, comparison);
  const bool is_foreign = first.is_foreign || second.is_foreign;

  SideBySide result;
  result.steps = pairs_in_order(first, second, matching, result.unknown);
  // What stands behind a step says how it is to be read, whether it is asked for or not.
  for (const Anatomy& attention : first.attentions) {
    if (is_foreign) settle_polarity(result, attention, first.attentions);
  }
  if (is_foreign) doubt_orders(result, second, comparison);
  set_unread_aside(result, first, second);
  for (const StepPair& pair : result.steps) {
    if (!pair.is_alone()) result.common.push_back(pair.id);
  }
  if (!only.empty()) {
    const auto is_asked = [&](const std::string& name) { return std::ranges::find(only, name) != only.end(); };
    std::erase_if(result.steps,
                  [&](const StepPair& pair) { return !is_asked(pair.id) && !is_asked(pair.second_name); });
    std::erase_if(result.unknown, [&](const std::string& name) { return !is_asked(name); });
    for (auto* unread : {&result.first_unread, &result.second_unread})
      std::erase_if(*unread, [&](const UnreadTensor& one) { return !is_asked(one.name); });
  }
  const auto different = std::ranges::find_if(result.steps, [&](const StepPair& pair) {
    return pair.verdict != StepPair::Verdict::same && !(pair.is_alone() && is_foreign);
  });
  if (different == result.steps.end()) return result;
  result.different = static_cast<std::size_t>(different - result.steps.begin());
  for (const StepPair& pair : result.steps) {
    if (is_foreign && pair.verdict == StepPair::Verdict::same && pair.is_turned)
      result.unturned.push_back(as_it_stands(pair, second, comparison));
  }
  return result;
}

SideBySide left_unturned(SideBySide sides) {
  for (StepPair& one : sides.unturned) {
    const auto pair = std::ranges::find(sides.steps, one.id, &StepPair::id);
    *pair = std::move(one);
    if (pair->verdict == StepPair::Verdict::differs) {
      sides.different = std::min(*sides.different, static_cast<std::size_t>(pair - sides.steps.begin()));
    }
  }
  sides.unturned.clear();
  return sides;
}

}  // namespace attn
