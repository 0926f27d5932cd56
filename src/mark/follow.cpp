#include "mark/follow.h"

#include <cmath>
#include <list>
#include <memory>
#include <utility>

#include "mark/allowance.h"
#include "mark/comparison.h"
#include "mark/some_people.h"
#include "tensor/dtype.h"
#include "trace/enclosure.h"
#include "trace/rounding.h"

namespace attn {
namespace {

// But for what arithmetic loses.
bool is_integer(const Interval& number) { return with_slack(std::round(number.low)).contains(number); }

// Whether what the line reads are the very same numbers as there, in the same lines or
// in those that are the same.
template <class Number>
bool reads_the_same(const Recipe& recipe, std::size_t line, const Values<Number>& carried,
                    const Evaluation<Number>& other, const std::vector<std::optional<std::size_t>>* same) {
  const auto is_same = [&](std::size_t operand) {
    const std::optional<std::size_t> there = same ? (*same)[operand] : operand;
    return there && *there < other.carried.size() && carried[operand] == other.carried[*there];
  };
  const auto open = recipe.open(line);
  return std::ranges::all_of(recipe.operands(line), is_same) && (!open || is_same(*open));
}

// Whoever works a recipe out and hands some of it in.
template <class Number>
class Worker : public Policy<Number> {
 public:
  explicit Worker(const Task& task) : task_(task), matched_(task.sheet.steps.size()) {}

  bool is_wanted(std::size_t line) const final { return task_.places.is_above[line]; }

  Followed<Number> work(const Original<Number>* original = nullptr) {
    Followed<Number> result{evaluate(task_.recipe, *this, original), {}};
    result.matched = std::move(matched_);
    // Steps of the sheet that a rewritten computation does not have at all match nowhere.
    for (std::size_t i = 0; i < result.matched.size() && !result.stopped; ++i) {
      if (!result.matched[i].empty()) continue;
      result.matched[i].assign(std::max<std::size_t>(task_.sheet.steps[i].cells.size(), 1), false);
    }
    return result;
  }

  std::optional<Tensor<Number>> carry(std::size_t line, const Tensor<Number>& computed,
                                      const Values<Number>& before) final {
    const bool rounded = rounds(line);
    const auto place = task_.places[line];
    if (!rounded && !place) return std::nullopt;
    Tensor<Number> carried = computed;
    if (rounded) round(line, before, carried);
    if (place) {
      const HandedStep& step = task_.sheet.steps[*place];
      matched_[*place] = write(line, step, computed, before, carried);
      const auto* online = std::get_if<Online>(&task_.recipe.instruction(line).op);
      if (online && online->carries_on()) follow_blocks(line, *online, step, before, carried, matched_[*place]);
    }
    if (task_.early && task_.early->line == line) round_early(computed, carried);
    return carried;
  }

 private:
  // Block after block: what was handed in of one is carried on to the next. Each time round
  // one block more stands as whoever wrote it had it.
  void follow_blocks(std::size_t line, const Online& online, const HandedStep& step, const Values<Number>& before,
                     Tensor<Number>& carried, std::vector<bool>& matched) const {
    const std::size_t blocks = carried.shape().size(online.blocks);
    for (std::size_t block = 1; block < blocks && !all_true(matched); ++block) {
      const Tensor<Number> after = run_line_after(task_.recipe, line, before, carried);
      Tensor<Number> next = after;
      matched = write(line, step, after, before, next);
      if (std::ranges::equal(next.data(), carried.data())) return;
      carried = std::move(next);
    }
  }

 protected:
  // Whether they drop decimals of what the line makes where they do not hand it
  // in, and how.
  virtual bool rounds(std::size_t line) const = 0;
  virtual void round(std::size_t line, const Values<Number>& before, Tensor<Number>& carried) const = 0;

  // The same to fewer decimals.
  virtual void round_early(const Tensor<Number>& computed, Tensor<Number>& carried) const = 0;

  // Puts what was handed in in the place of what was computed; returns which cells match.
  virtual std::vector<bool> write(std::size_t line, const HandedStep& step, const Tensor<Number>& computed,
                                  const Values<Number>& before, Tensor<Number>& carried) const = 0;

  // To how many they round what they do not write: in a step that they hand in to those of that step.
  int decimals_of(std::size_t line) const {
    const auto place = task_.places[line];
    return place ? task_.sheet.steps[*place].decimals : task_.sheet.decimals;
  }

  // What was subtracted in the exponentials that the line makes.
  const Tensor<Number>* maxima(std::size_t line, const Values<Number>& before) const {
    const auto* softmax = std::get_if<Softmax>(&task_.recipe.instruction(line).op);
    const bool has_maxima = softmax && softmax->part == Softmax::Part::exponentials;
    return has_maxima ? before[task_.recipe.operands(line)[1]] : nullptr;
  }

  const Task task_;
  Flags matched_;
};

// A person of one manner.
class Person final : public Worker<double> {
 public:
  Person(const Task& task, const FollowOptions& options) : Worker(task), options_(options) {}

  bool is_touched(std::size_t line) const override {
    return std::ranges::find(options_.patches, line, &Patch::line) != options_.patches.end();
  }

  Tensor<double> compute(const Recipe& recipe, std::size_t line, const Values<double>& carried) override {
    const Tensor<double>* known = known_line(recipe, line, carried);
    Tensor<double> made = known ? *known : run_line(recipe, line, carried);
    for (const Patch& patch : options_.patches) {
      if (patch.line == line) made[patch.cell] = patch.value;
    }
    if (options_.lots) lose_by_lot(recipe, line, carried, made);
    return made;
  }

  bool go_on(std::size_t line, const Evaluation<double>&, bool reused) override {
    const auto step = task_.places[line];
    if (!step) return true;
    if (reused) matched_[*step] = options_.original->matched[*step];
    return reused || *step >= options_.must_match || all_true(matched_[*step]);
  }

 private:
  // The numbers of the line where they are known to come out so; else null.
  const Tensor<double>* known_line(const Recipe& recipe, std::size_t line, const Values<double>& carried) const {
    if (const auto* known = options_.known; known && reads_the_same(recipe, line, carried, *known, nullptr)) {
      return known->computed[line];
    }
    const auto* original = options_.original;
    if (!original || !(*options_.same)[line]) return nullptr;
    const bool is_known = reads_the_same(recipe, line, carried, *original, options_.same);
    return is_known ? original->computed[*(*options_.same)[line]] : nullptr;
  }

  // Moves each number up or down by all that rounding may lose there.
  void lose_by_lot(const Recipe& recipe, std::size_t line, const Values<double>& carried, Tensor<double>& made) {
    read_.resize(recipe.size());
    std::list<Tensor<Interval>> points;
    const std::vector<std::size_t> operands = lines_read_by(recipe, line);
    for (const std::size_t operand : operands) read_[operand] = &points.emplace_back(points_of(*carried[operand]));
    Tensor<Interval> widened = points_of(made);
    widen_to_single(recipe, line, read_, widened);
    for (const std::size_t operand : operands) read_[operand] = nullptr;
    constexpr double double_to_single = 0x1p-29;
    const double part = is_from_machine(task_.sheet, task_.rule) ? 1 : double_to_single;
    for (std::size_t at = 0; at < made.size(); ++at) {
      if (widened[at].is_point()) continue;
      const double lost = part * (widened[at].width() / 2);
      made[at] += options_.lots->bits() % 2 == 0 ? lost : -lost;
    }
  }

  // What is no number could be any.
  static Tensor<Interval> points_of(const Tensor<double>& numbers) {
    Tensor<Interval> points(numbers.shape());
    std::ranges::transform(numbers.data(), points.data().begin(), [](double number) {
      return std::isnan(number) ? Interval(-infinity, infinity) : Interval(number);
    });
    return points;
  }

  bool is_exact(std::size_t line) const {
    return options_.manner.sums_in_full && task_.recipe.instruction(line).heading.role == Role::weighted_value;
  }

  bool rounds(std::size_t line) const override {
    const Instruction& instruction = task_.recipe.instruction(line);
    if (options_.lots) {
      return options_.manner.unwritten && is_rounded_by_people(task_, line, *options_.manner.unwritten) &&
             options_.lots->bits() % 2 == 0;
    }
    // Most go on with what they looked up as it stands there.
    return options_.manner.unwritten && !is_exact(line) && !is_looked_up(instruction) &&
           is_rounded_by_people(task_, line, *options_.manner.unwritten) &&
           (options_.manner.inner_as_written || !is_inner(instruction));
  }

  // The mask of a line, where it has the shape of what the line makes.
  const Tensor<double>* mask_of(std::size_t line, const Shape& shape, const Values<double>& before) const {
    const auto open = task_.recipe.open(line);
    return open && before[*open]->shape() == shape ? before[*open] : nullptr;
  }

  void round(std::size_t line, const Values<double>& before, Tensor<double>& carried) const override {
    const Instruction& instruction = task_.recipe.instruction(line);
    const HandRounding rounding = writing_with(decimals_of(line), *options_.manner.unwritten);
    if (makes_weights(instruction) && rounding.mode == RoundingMode::keep_sum) {
      const Tensor<double>* open = mask_of(line, carried.shape(), before);
      round_keeping_sums(carried, sum_axis(instruction, carried.shape()), open, rounding);
    } else {
      for (double& number : carried.data()) number = rounded(number, rounding);
    }
  }

  void round_early(const Tensor<double>& computed, Tensor<double>& carried) const override {
    const HandRounding rounding = writing_with(task_.early->decimals, options_.manner.writing);
    std::ranges::transform(computed.data(), carried.data().begin(), [&](double x) { return rounded(x, rounding); });
  }

  std::vector<bool> write(std::size_t line, const HandedStep& step, const Tensor<double>& computed,
                          const Values<double>& before, Tensor<double>& carried) const override {
    const Instruction& instruction = task_.recipe.instruction(line);
    const Manner& manner = options_.manner;
    const Comparand<double> compared{step, computed, mask_of(line, computed.shape(), before),
                                     sum_axis(instruction, computed.shape()), maxima(line, before)};
    std::vector<bool> matched = matched_cells(compared, manner.writing, task_.rule);
    const bool trusted = options_.trust_mismatches && (all_true(matched) || !makes_the_rest_free(step));
    // The factor of a row of exponentials is in what was written, not in what was computed.
    const bool carries_written =
        options_.lots ? options_.lots->bits() % 2 == 0
        : is_inner(instruction)
            ? manner.inner_as_written || !all_true(matched_cells(compared, manner.writing, task_.rule, false))
            : manner.carries_written && !is_exact(line);
    const std::size_t cells = fits(step, computed.shape()) ? matched.size() : 0;
    for (std::size_t at = 0; at < cells; ++at) {
      if (!step.cells[at].is_number()) continue;
      if (matched[at] && !carries_written) carried[at] = computed[at];
      if (matched[at] ? carries_written : trusted) carried[at] = carried_number(step.cells[at], computed[at]);
    }
    return matched;
  }

  const FollowOptions& options_;
  Values<Interval> read_;  // null but for what the line reads that just loses something
};

// Everybody who works a recipe out honestly, rounding by one habit.
class EverybodyHonest final : public Worker<Interval> {
 public:
  EverybodyHonest(const Task& task, const EncloseOptions& options)
      : Worker(task), options_(options), habit_(options.habit), computed_(task.recipe.size()) {}

  bool is_touched(std::size_t line) const override {
    if (!options_.original) return false;
    const auto step = task_.places[line];
    // The original trusts them.
    const bool has_mismatches = step && !all_true(options_.original->matched[*step]);
    return line == options_.changed || (has_mismatches && !options_.trust_mismatches);
  }

  bool go_on(std::size_t line, const Evaluation<Interval>& evaluation, bool reused) override {
    computed_[line] = evaluation.computed[line];
    const auto step = task_.places[line];
    if (!step) return true;
    if (reused) matched_[*step] = options_.original->matched[*step];
    return *step >= options_.must_match || all_true(matched_[*step]);
  }

  Tensor<Interval> compute(const Recipe& recipe, std::size_t line, const Values<Interval>& carried) override {
    if (const auto* known = options_.known; known && reads_the_same(recipe, line, carried, *known, nullptr)) {
      return *known->computed[line];
    }
    std::optional<Tensor<Interval>> points;
    if (!task_.loses_digits) points = made_of_points(recipe, line, carried);
    Tensor<Interval> made = points ? std::move(*points) : enclosed(recipe, line, computed_, carried);
    if (is_from_machine(task_.sheet, task_.rule)) widen_to_single(recipe, line, carried, made);
    if (tells_little(task_, made)) {
      std::shared_ptr<const SomePeople>& people = options_.people ? *options_.people : people_;
      if (!people) people = std::make_shared<const SomePeople>(task_, habit_, options_.asks_few);
      people->narrow(line, made);
    }
    return made;
  }

 private:
  bool rounds(std::size_t line) const override {
    return task_.rule.kind == MarkingRule::Kind::honest_rounding && is_rounded_by_people(task_, line, habit_) &&
           (is_open(line) || (*options_.rounded)[line]);
  }

  // Whether each of its numbers may be rounded or not; in a step that was handed
  // in, those left blank.
  bool is_open(std::size_t line) const { return !options_.rounded || task_.places[line]; }

  void round(std::size_t line, const Values<Interval>& before, Tensor<Interval>& carried) const override {
    const bool are_weights = makes_weights(task_.recipe.instruction(line));
    const bool nearest = habit_ != RoundingMode::truncate;
    if (!is_open(line) && nearest && are_points(carried) && !rounds_once_a_step(task_.recipe.dtype())) {
      if (are_weights && habit_ == RoundingMode::keep_sum) return keep_sums(line, before, carried);
      return round_points(task_.sheet.decimals, carried);
    }
    // What is left blank in a step may have been rounded as the rest of it is, too.
    const int decimals = decimals_of(line);
    const HandedStep* step = decimals == task_.sheet.decimals ? nullptr : &task_.sheet.steps[*task_.places[line]];
    if (step && !fits(*step, carried.shape())) step = nullptr;
    for (std::size_t at = 0; at < carried.size(); ++at) {
      const Interval made = carried[at];
      const Interval rounded = held_too(rounded_unwritten(made, habit_, task_.sheet.decimals, are_weights));
      carried[at] = is_open(line) ? hull(made, rounded) : rounded;
      if (!step || step->cells[at].is_number()) continue;
      carried[at] = hull(carried[at], held_too(rounded_unwritten(made, habit_, decimals, are_weights)));
    }
  }

  void round_early(const Tensor<Interval>& computed, Tensor<Interval>& carried) const override {
    const int decimals = task_.early->decimals;
    carried = computed;
    if (options_.rounded && habit_ != RoundingMode::truncate && are_points(carried))
      return round_points(decimals, carried);
    for (Interval& value : carried.data()) value = rounded_unwritten(value, habit_, decimals, false);
  }

  // What is rounded by hand and goes on in a dtype of few digits is what that one makes of it.
  Interval held_too(const Interval& rounded) const {
    const Dtype dtype = task_.recipe.dtype();
    if (!rounds_once_a_step(dtype)) return rounded;
    return hull(rounded, {stored(rounded.low, dtype), stored(rounded.high, dtype)});
  }

  static bool are_points(const Tensor<Interval>& tensor) {
    return std::ranges::all_of(tensor.data(), [](const Interval& number) { return number.width() < 1e-9; });
  }

  void round_points(int decimals, Tensor<Interval>& carried) const {
    for (Interval& value : carried.data()) {
      const double number = (value.low + value.high) / 2;
      value = rounded_to_nearest(number, decimals, options_.ties);
      if (!options_.met_tie || *options_.met_tie) continue;
      *options_.met_tie = std::ranges::any_of(
          all_ties, [&](Ties ties) { return rounded_to_nearest(number, decimals, ties) != value.low; });
    }
  }

  // Which numbers of a row are rounded up is known where the row is.
  void keep_sums(std::size_t line, const Values<Interval>& before, Tensor<Interval>& carried) const {
    const auto middle = [](const Interval& number) { return (number.low + number.high) / 2; };
    Tensor<double> weights(carried.shape()), open;
    std::ranges::transform(carried.data(), weights.data().begin(), middle);
    const auto mask = task_.recipe.open(line);
    const bool is_masked = mask && before[*mask]->shape() == carried.shape();
    if (is_masked) {
      open = Tensor<double>(carried.shape());
      std::ranges::transform(before[*mask]->data(), open.data().begin(), middle);
    }
    round_keeping_sums(weights, sum_axis(task_.recipe.instruction(line), carried.shape()), is_masked ? &open : nullptr,
                       writing_with(task_.sheet.decimals, RoundingMode::keep_sum));
    std::ranges::copy(weights.data(), carried.data().begin());
  }

  std::vector<bool> write(std::size_t line, const HandedStep& step, const Tensor<Interval>& computed,
                          const Values<Interval>& before, Tensor<Interval>& carried) const override {
    const Comparand<Interval> compared{step, computed, nullptr, Axis(), maxima(line, before)};
    std::vector<bool> matched = matched_cells(compared, habit_, task_.rule);
    if (!fits(step, computed.shape())) return matched;
    const bool all_match = all_true(matched);
    const bool trusted = options_.trust_mismatches && (all_match || !makes_the_rest_free(step));
    const bool is_of_integers = trusted && !all_match && makes_integers(line, before);
    for (std::size_t at = 0; at < matched.size(); ++at) {
      const HandedCell& cell = step.cells[at];
      if (!cell.is_number()) continue;
      if (cell.may_have_factor && all_match) {
        // The factor of the row is in what was written, not in what was computed.
        carried[at] = hull(cell.number.value, stands_for(cell, habit_, task_.rule));
      } else if (matched[at]) {
        carried[at] = matching(cell, step.decimals, computed[at]);
      } else if (trusted) {
        const double written = carried_number(cell, computed[at].high);
        const bool was_never_rounded = is_of_integers && cell.number.decimals == 0 && !cell.held;
        const bool is_exact = std::isinf(written) || was_never_rounded;
        carried[at] = is_exact ? Interval(written) : hull(written, stands_for(cell, habit_, task_.rule));
      }
    }
    return matched;
  }

  // Sums of products of integers: whoever makes a mistake in them has nothing to round.
  bool makes_integers(std::size_t line, const Values<Interval>& before) const {
    const auto* contract = std::get_if<Contract>(&task_.recipe.instruction(line).op);
    return task_.rule.kind == MarkingRule::Kind::honest_rounding && contract && contract->then == Contract::Then::add &&
           std::ranges::all_of(task_.recipe.operands(line), [&](std::size_t operand) {
             return std::ranges::all_of(before[operand]->data(), is_integer);
           });
  }

  // People carry on either: what they wrote, or what they had when they wrote it;
  // of an expression also what it is rounded to.
  Interval matching(const HandedCell& cell, int decimals, const Interval& computed) const {
    const double number = carried_number(cell, computed.high);
    if (!cell.number.decimals && decimals == 0) return number;
    if (!cell.number.decimals && std::isfinite(number)) {
      return hull(number, rounded_unwritten(number, habit_, decimals, false));
    }
    const Interval& stands = cell.stands_as(habit_);
    if (std::isinf(number)) return number;
    const Interval had = {std::max(stands.low, computed.low), std::min(stands.high, computed.high)};
    const Interval written = hull(number, cell.held.value_or(number));
    // What lies next to a whole unit may be written so and yet lie outside.
    return hull(written, had.low <= had.high ? had : Interval(had.low == computed.low ? computed.low : computed.high));
  }

  const EncloseOptions& options_;
  const RoundingMode habit_;
  Values<Interval> computed_;
  std::shared_ptr<const SomePeople> people_;  // once they are asked
};

}  // namespace

std::vector<Manner> manners(const MarkingRule& rule) {
  using enum RoundingMode;
  if (rule.kind != MarkingRule::Kind::honest_rounding) return {{{}, half_up, true}, {{}, half_up, false}};
  std::vector<Manner> all;
  const auto add = [&](std::optional<RoundingMode> unwritten, RoundingMode writing) {
    all.push_back({unwritten, writing, true, false});
    all.push_back({unwritten, writing, true, true});
    all.push_back({unwritten, writing, false, false});
    if (unwritten) all.push_back({unwritten, writing, false, true});
  };
  for (const RoundingMode mode : {half_up, truncate, keep_sum}) {
    add(mode, mode);
    add({}, mode);
  }
  add(half_even, half_even);
  all.push_back({half_up, half_up, true, false, true});
  all.push_back({half_up, half_up, true, true, true});
  return all;
}

SheetPlaces places_on_sheet(const Recipe& recipe, const Sheet& sheet) {
  SheetPlaces places{std::vector<std::optional<std::size_t>>(recipe.size()), std::vector<bool>(recipe.size())};
  for (std::size_t i = 0; i < sheet.steps.size(); ++i) {
    if (const auto line = recipe.line(sheet.steps[i].id)) places.step[*line] = i;
  }
  for (std::size_t line = recipe.size(); line-- > 0;) {
    places.is_above[line] = places.is_above[line] || places.step[line];
    if (!places.is_above[line]) continue;
    for (const std::size_t operand : recipe.operands(line)) places.is_above[operand] = true;
    if (const auto open = recipe.open(line)) places.is_above[*open] = true;
  }
  return places;
}

Followed<double> follow(const Task& task, const FollowOptions& options) {
  Person person(task, options);
  if (!options.original) return person.work();
  const Original<double> original{*options.original, *options.same};
  return person.work(&original);
}

Followed<Interval> enclose(const Task& task, const EncloseOptions& options) {
  EverybodyHonest everybody(task, options);
  if (!options.original) return everybody.work();
  const Original<Interval> original{*options.original, *options.same};
  return everybody.work(&original);
}

bool is_inner(const Instruction& instruction) {
  const auto* softmax = std::get_if<Softmax>(&instruction.op);
  const auto* online = std::get_if<Online>(&instruction.op);
  if (online) return online->part != Online::Part::result;
  return softmax && softmax->part != Softmax::Part::weights && softmax->part != Softmax::Part::shares;
}

bool is_looked_up(const Instruction& instruction) {
  const auto* waves = std::get_if<Waves>(&instruction.op);
  return waves && waves->kind != Waves::Kind::alternating;
}

bool makes_weights(const Instruction& instruction) {
  const auto* softmax = std::get_if<Softmax>(&instruction.op);
  return instruction.heading.role == Role::attention_weight || (softmax && softmax->part == Softmax::Part::weights);
}

bool is_rounded_by_people(const Task& task, std::size_t line, RoundingMode mode) {
  const Instruction& instruction = task.recipe.instruction(line);
  // Nobody makes whole numbers of what lies between 0 and 1, but where the problem says so: of weights, and as it
  // says. Whoever cuts them off has nothing left.
  const auto* softmax = std::get_if<Softmax>(&instruction.op);
  const auto& asked = task.rule.problem_rounding;
  const bool says_so = asked && asked->decimals == 0 && habit_of(asked->mode) == habit_of(mode);
  if (task.sheet.decimals == 0 && softmax && (!says_so || is_inner(instruction))) return false;
  // Nor of cosines; a program looks them up, and people round them as they do the rest.
  if (is_looked_up(instruction)) return task.sheet.decimals > 0;
  // The maximum is one of the scores, with the digits that they were carried on with.
  if (softmax && softmax->part == Softmax::Part::maximum) return false;
  return !instruction.given && instruction.kind != Instruction::Kind::between &&
         (is_inner(instruction) || is_rounded_by_hand(instruction.op, instruction.operands.size()));
}

}  // namespace attn
