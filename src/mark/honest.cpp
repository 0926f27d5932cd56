#include "mark/honest.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "mark/slice.h"

namespace attn {
namespace {

// One habit, in every choice of the steps that the person rounded without
// handing them in.
class Ways {
 public:
  Ways(const Task& task, RoundingMode habit)
      : task_(task), habit_(habit), same_(same_lines(task.recipe, task.recipe)) {}

  HonestReading read() {
    // What every number by itself could come from: more than any one way gives.
    Followed<Interval> all = enclose(task_, {.habit = habit_, .people = &people_});
    HonestReading reading{habit_, task_.sheet.decimals, all.matched, count_mismatches(all.matched)};
    if (task_.rule.kind != MarkingRule::Kind::honest_rounding) return reading;
    // Where intervals tell nothing, the ways judge every step, the first wrong one too.
    const bool tells_nothing = leaves_sheet_open(task_, all);
    const std::size_t end = tells_nothing ? all.matched.size() : first_mismatch(all.matched);
    find_choices(all);
    const std::optional<Flags> before = explained(all, end);
    reading.is_doubted = is_doubted_;
    reading.all = std::make_shared<const Followed<Interval>>(std::move(all));
    if (!before) return reading;
    for (std::size_t step = 0; step < end; ++step) reading.matched[step] = (*before)[step];
    reading.mismatches = count_mismatches(reading.matched);
    return reading;
  }

 private:
  // Lines at which it makes a difference whether they are rounded.
  void find_choices(const Followed<Interval>& all) {
    for (std::size_t line = 0; line < task_.recipe.size(); ++line) {
      if (!task_.places.is_above[line] || task_.places[line]) continue;
      if (!is_rounded_by_people(task_, line, habit_)) continue;
      const bool is_known = std::ranges::all_of(all.computed[line]->data(), &Interval::is_point);
      if (!is_known || *all.carried[line] != *all.computed[line]) choices_.push_back(line);
    }
  }

  // What the ways say of the first `end` steps; nothing where one of them, or what
  // they say together, explains those whole, or where they are too many to try.
  std::optional<Flags> explained(const Followed<Interval>& all, std::size_t end) {
    if (end == 0 || (choices_.empty() && !task_.early)) return std::nullopt;
    end_ = end;
    for (const bool rounds : {false, true}) {
      std::vector<bool> rounded(task_.recipe.size());
      for (const std::size_t line : choices_) rounded[line] = rounds;
      EncloseOptions options{habit_, true, &rounded};
      options.known = &all;
      options.people = &people_;
      if (add(enclose(task_, options).matched)) return std::nullopt;
    }
    // Beyond so much work the person has the benefit of the doubt, unless that would be one of anything, or one on
    // top of a guess.
    is_doubted_ = work() > 6'000'000;
    if (is_doubted_) return task_.is_guess || leaves_sheet_open(task_, all) ? usual_ways() : std::nullopt;
    bool met_tie = false;
    for (const Ties ties : all_ties) {
      if (ties != all_ties.front() && !met_tie) break;
      std::vector<bool> rounded(task_.recipe.size());
      const EncloseOptions options{
          .habit = habit_, .rounded = &rounded, .ties = ties, .met_tie = &met_tie, .same = &same_, .people = &people_};
      const Followed<Interval> none = enclose(task_, options);
      if (add(none.matched) || any_way(0, none, options, rounded)) return std::nullopt;
    }
    return together();
  }

  // Softmax is one step to most, who round its weights alone, and some add weighted values up in full. Who works
  // through many steps rounds all alike, or from some step on, or until then, of which a few are tried.
  std::optional<Flags> usual_ways() {
    std::vector<std::size_t> outer, but_sums;
    for (const std::size_t line : choices_) {
      const Instruction& instruction = task_.recipe.instruction(line);
      if (is_inner(instruction)) continue;
      outer.push_back(line);
      if (instruction.heading.role != Role::weighted_value) but_sums.push_back(line);
    }
    is_doubted_ = !(rounds_all(outer) || (but_sums != outer && rounds_all(but_sums)) || rounds_some(outer) ||
                    (outer != choices_ && (rounds_all(choices_) || rounds_some(choices_))));
    return is_doubted_ ? together() : std::nullopt;
  }

  // Whether it explains all that each of these is rounded, wherever ties go.
  bool rounds_all(const std::vector<std::size_t>& lines) {
    std::vector<bool> rounded(task_.recipe.size());
    for (const std::size_t line : lines) rounded[line] = true;
    bool met_tie = false;
    for (const Ties ties : all_ties) {
      if (ties != all_ties.front() && !met_tie) break;
      if (add(enclose(task_,
                      {.habit = habit_, .rounded = &rounded, .ties = ties, .met_tie = &met_tie, .people = &people_})
                  .matched))
        return true;
    }
    return false;
  }

  // Whether it does that those before one of them are, or those behind it.
  bool rounds_some(const std::vector<std::size_t>& lines) {
    constexpr std::size_t most_turns = 6;
    const std::size_t stride = lines.size() / most_turns + 1;
    std::vector<bool> until(task_.recipe.size()), from(task_.recipe.size());
    for (const std::size_t line : lines) from[line] = true;
    for (std::size_t choice = 0; choice < lines.size(); ++choice) {
      until[lines[choice]] = true;
      from[lines[choice]] = false;
      if (choice % stride != 0) continue;
      for (const std::vector<bool>* rounded : {&until, &from}) {
        if (add(enclose(task_, {.habit = habit_, .rounded = rounded, .people = &people_}).matched)) return true;
      }
    }
    return false;
  }

  // Whether it explains all that it should.
  bool add(const Flags& way) {
    ways_.push_back(way);
    return first_mismatch(way) >= end_;
  }

  // Goes on from a way in which no choice from this one on is rounded: what is
  // above the next one that is stays as it was.
  bool any_way(std::size_t choice, const Followed<Interval>& way, EncloseOptions options, std::vector<bool>& rounded) {
    for (; choice < choices_.size(); ++choice) {
      rounded[choices_[choice]] = true;
      options.original = &way;
      options.changed = choices_[choice];
      const Followed<Interval> other = enclose(task_, options);
      if (add(other.matched) || any_way(choice + 1, other, options, rounded)) return true;
      rounded[choices_[choice]] = false;
    }
    return false;
  }

  // How many numbers are worked out to try every way.
  std::size_t work() const {
    constexpr std::size_t most_choices = 20;
    if (choices_.size() > most_choices) return static_cast<std::size_t>(-1);
    std::size_t work = 0;
    for (std::size_t choice = 0; choice < choices_.size(); ++choice) {
      std::size_t cells = 0;
      for (std::size_t line = choices_[choice]; line < task_.recipe.size(); ++line)
        cells += task_.places.is_above[line] ? task_.recipe.shape(line).count() : 0;
      work += cells << choice;
    }
    return work;
  }

  // An expression is worked out by itself, from numbers in full: it may come about in
  // another way than what stands beside it.
  void let_expressions_be() {
    for (std::size_t step = 0; step < end_; ++step) {
      const std::vector<HandedCell>& cells = task_.sheet.steps[step].cells;
      for (std::size_t at = 0; at < cells.size(); ++at) {
        if (!cells[at].is_number() || cells[at].number.decimals) continue;
        const bool comes_about = std::ranges::any_of(ways_, [&](const Flags& way) { return way[step][at]; });
        for (Flags& way : ways_) way[step][at] = comes_about;
      }
    }
  }

  // Step by step the ways that explain all so far; where none explains all of a
  // step, the one of them that explains most of it.
  std::optional<Flags> together() {
    let_expressions_be();
    std::vector<const Flags*> alive;
    for (const Flags& way : ways_) alive.push_back(&way);
    Flags said;
    for (std::size_t step = 0; step < end_; ++step) {
      const auto explains = [&](const Flags* way) { return std::ranges::count((*way)[step], true); };
      said.push_back((**std::ranges::max_element(alive, {}, explains))[step]);
      if (all_true(said.back())) std::erase_if(alive, [&](const Flags* way) { return !all_true((*way)[step]); });
    }
    return first_mismatch(said) == said.size() ? std::nullopt : std::optional(std::move(said));
  }

  const Task& task_;
  const RoundingMode habit_;
  const std::vector<std::optional<std::size_t>> same_;
  std::shared_ptr<const SomePeople> people_;
  std::vector<std::size_t> choices_;
  std::size_t end_ = 0;
  std::vector<Flags> ways_;
  bool is_doubted_ = false;
};

// What goes wrong later is nearer to what the person did; then what goes wrong less.
bool explains_more(const HonestReading& one, const HonestReading& other) {
  const std::size_t until = first_mismatch(one.matched), others = first_mismatch(other.matched);
  return until != others ? until > others : one.mismatches < other.mismatches;
}

// In a large problem, a habit is tried on a few of the rows that the first one leaves wrong.
class OtherHabits {
 public:
  // REQUIRES: the first one leaves something wrong.
  OtherHabits(const Task& task, const HonestReading& first) : rule_(task.rule) {
    if (task.early || !is_worth_slicing(task.recipe)) return;
    const std::size_t step = first_mismatch(first.matched);
    Slicer slicer(task.sheet, step, task.recipe.shape(task.sheet.steps[step].id), first.matched[step]);
    rows_ = slicer.of(task.recipe);
    if (rows_) first_ = read_rows(first.habit);
  }

  // By chance another habit always explains a few numbers more.
  bool may_explain_more(RoundingMode habit) const {
    // Rows are read as if each number could be rounded by itself: of what only no one way explains they tell nothing.
    if (!rows_ || first_.mismatches == 0) return true;
    const HonestReading other = read_rows(habit);
    return explains_more(other, first_) && 2 * other.mismatches <= first_.mismatches;
  }

 private:
  HonestReading read_rows(RoundingMode habit) const {
    HonestReading reading{.habit = habit, .matched = enclose(rows_->task(rule_), {.habit = habit}).matched};
    reading.mismatches = count_mismatches(reading.matched);
    return reading;
  }

  const MarkingRule& rule_;
  std::optional<StepSlice> rows_;
  HonestReading first_;
};

// What else the person may work with: the decimals of their expressions, or those that the problem rounds to, where
// some of it is not rounded and so was written with more.
std::vector<int> other_decimals(const Task& task) {
  std::vector<int> others;
  if (task.sheet.decimals_within > task.sheet.decimals) others.push_back(task.sheet.decimals_within);
  const auto& asked = task.rule.problem_rounding;
  if (asked && asked->decimals < task.sheet.decimals) others.push_back(asked->decimals);
  return others;
}

}  // namespace

bool leaves_sheet_open(const Task& task, const Followed<Interval>& all) {
  for (std::size_t line = 0; line < task.recipe.size(); ++line) {
    if (!task.places[line] || !all.computed[line]) continue;
    double most = 0, widest = 0;
    for (const Interval& number : all.result(line).data()) {
      const double middle = std::abs(number.low / 2 + number.high / 2);
      if (std::isfinite(middle)) most = std::max(most, middle);
      if (number != Interval(-infinity)) widest = std::max(widest, number.width());
    }
    if (2 * widest > most && widest > 1) return true;
  }
  return false;
}

HonestReading read_honestly(const Task& task, RoundingMode habit) { return Ways(task, habit).read(); }

HonestReading read_honestly(const Task& task) {
  HonestReading best = read_honestly(task, habits.front());
  if (best.mismatches == 0 || task.rule.kind != MarkingRule::Kind::honest_rounding) return best;
  const OtherHabits others(task, best);
  const auto read = [&](const Task& other, RoundingMode habit) {
    HonestReading reading = read_honestly(other, habit);
    if (explains_more(reading, best)) best = std::move(reading);
  };
  for (const RoundingMode habit : habits) {
    if (best.mismatches > 0 && habit != habits.front() && others.may_explain_more(habit)) read(task, habit);
  }
  for (const int decimals : other_decimals(task)) {
    Sheet sheet = task.sheet;
    sheet.decimals = decimals;
    const Task other{task.recipe, sheet, task.rule, task.places, task.early, false, task.loses_digits};
    for (const RoundingMode habit : habits) {
      if (best.mismatches > 0) read(other, habit);
    }
  }
  return best;
}

}  // namespace attn
