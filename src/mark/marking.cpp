#include "mark/marking.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/rounding.h"
#include "base/text.h"
#include "mark/comparison.h"
#include "mark/honest.h"
#include "mark/slice.h"
#include "trace/bounds.h"
#include "trace/numbers_in.h"
#include "trace/rounding.h"
#include "words/language.h"

namespace attn {
namespace {

void merge(Flags& flags, const Flags& more) {
  for (std::size_t i = 0; i < flags.size(); ++i) {
    assert(flags[i].size() == more[i].size());
    for (std::size_t at = 0; at < flags[i].size(); ++at) {
      flags[i][at] = flags[i][at] || more[i][at];
    }
  }
}

Verdict verdict_of(const Report& report) {
  bool wrong = false;
  bool open = report.steps.empty();
  for (const MarkedStep& step : report.steps) {
    open = open || step.cells.empty();
    wrong = wrong || step.count(CellState::wrong) > 0 || !step.given_shape.empty();
    open = open || step.count(CellState::blank) > 0 || step.count(CellState::too_coarse) > 0;
  }
  return wrong ? Verdict::wrong : open ? Verdict::incomplete : Verdict::right;
}

// Whether some weight could be nearly anything, so that whatever follows from it
// proves nothing: where exponentials may be cut off to 0.
bool leaves_weights_open(const Recipe& recipe, const Followed<Interval>& all) {
  const std::vector<RecipePart>& parts = recipe.parts();
  return std::ranges::any_of(parts, [&](const RecipePart& part) {
    const auto line = part.attention ? recipe.line(part.attention->weights) : std::nullopt;
    return line && all.computed[*line] &&
           std::ranges::any_of(all.result(*line).data(), [](const Interval& weight) { return weight.width() > 0.5; });
  });
}

// Works out what is asked, and what it follows from.
class Asked final : public Policy<double> {
 public:
  explicit Asked(const SheetPlaces& places) : places_(places) {}
  bool is_wanted(std::size_t line) const override { return places_.is_above[line]; }

 private:
  const SheetPlaces& places_;
};

std::vector<bool> lines_that_differ(const Recipe& rewrite, const std::vector<std::optional<std::size_t>>& same) {
  std::vector<bool> differs(rewrite.size());
  for (std::size_t line = 0; line < rewrite.size(); ++line) {
    const auto reads_other = [&](std::size_t operand) { return bool{differs[operand]}; };
    const auto open = rewrite.open(line);
    differs[line] = !same[line] || std::ranges::any_of(rewrite.operands(line), reads_other) || (open && differs[*open]);
  }
  return differs;
}

// Whether rounding to so many decimals makes other numbers of some of these.
bool changes_something(const Tensor<double>& numbers, int decimals) {
  return std::ranges::any_of(numbers.data(), [&](double number) {
    return std::isfinite(number) && rounded(number, {decimals, RoundingMode::half_up}) != number;
  });
}

// Whether of numbers of which the largest is 1 anything but 0 and 1 is left. Who drops all but the largest has
// not rounded.
bool leaves_some_between(const Tensor<double>& numbers, int decimals) {
  const double unit = unit_of_last(decimals);
  return std::ranges::any_of(numbers.data(), [&](double number) { return number >= unit && number <= 1 - unit; });
}

// Whether what is computed may be farther from the exact numbers than is forgiven: where large
// numbers cancel. Of so much work nobody waits for an answer.
bool may_lose_digits(const Recipe& recipe) {
  constexpr std::size_t much = 100'000'000;
  if (work_of(recipe) > much) return false;
  const Evaluation<Interval> exact = worked_out_exactly(recipe);
  return std::ranges::any_of(exact.computed, [](const Tensor<Interval>* numbers) {
    return std::ranges::any_of(numbers->data(), [](const Interval& number) {
      return !with_slack(number.low).contains(number) && !with_slack(number.high).contains(number);
    });
  });
}

}  // namespace

Ground::Ground(Recipe right)
    : recipe(std::move(right)), same(same_lines(recipe, recipe)), loses_digits(may_lose_digits(recipe)) {
  cells += numbers_in(recipe);
  // In a model of many layers not every mistake can be kept in every layer.
  constexpr std::size_t most_lines = 1'000'000;
  std::size_t lines = 0;
  for (const Mistake* mistake : all_mistakes()) {
    // Part by part: what one mistake makes of all of them may be too much, too.
    for (std::size_t part = 0; part < recipe.parts().size() && lines <= most_lines; ++part) {
      for (Rewrite& rewrite : rewrites_in_part(recipe, part, *mistake)) {
        lines += rewrite.recipe.size();
        auto twins = same_lines(rewrite.recipe, recipe);
        std::vector<Candidate>& known = mistake->kind == MistakeKind::note ? roundings : candidates;
        std::vector<bool> differs = lines_that_differ(rewrite.recipe, twins);
        known.push_back({mistake, std::move(rewrite), std::move(twins), std::move(differs)});
      }
    }
  }
}

Diagnosis diagnosis_of(std::string_view mistake, std::string step, bool in_some_rows) {
  const Mistake& known = *mistake_named(mistake);
  return {.mistake = known.id,
          .kind = known.kind,
          .step = std::move(step),
          .message = language().verdicts.looks_as_if(known.words.what, in_some_rows),
          .hint = known.words.hint};
}

Marking::Marking(Sheet sheet, const MarkingRule& rule, std::shared_ptr<const Ground> right)
    : sheet_(std::move(sheet)), rule_(rule), manners_(attn::manners(rule)), right_(std::move(right)) {
  fill_in_allowances(sheet_, rule_);
  const HonestReading reading = read_honestly(task(right_->recipe));
  habit_ = reading.habit;
  sheet_.decimals = reading.decimals;
  is_doubted_ = reading.is_doubted;
  is_large_ = is_worth_slicing(right_->recipe);
  mismatches_ = reading.mismatches;
  person_ = right_flags_ = reading.matched;
  Asked asked(task(right_->recipe).places);
  exact_ = evaluate(right_->recipe, asked);
  if (may_be_early_rounding()) find_early_rounding();
  EncloseOptions options{.habit = habit_, .trust_mismatches = false};
  if (reading.all && reading.habit == habit_) {
    // Above the first step with a mismatch the same came of it.
    options.original = reading.all.get();
    options.known = reading.all.get();
    options.same = &right_->same;
    options.changed = right_->recipe.size();
    all_ = reading.all;
  }
  honest_ = enclose(task(right_->recipe), options);
  // Behind the first wrong step it is right what follows from what should stand
  // there, and consistent what follows from what does.
  const std::size_t first = first_mismatch(person_);
  for (std::size_t step = first + 1; step < person_.size(); ++step) right_flags_[step] = honest_.matched[step];
  // A step that carries on from block to block has blocks behind the first wrong number.
  if (first == person_.size()) return;
  const auto* online = std::get_if<Online>(&right_->recipe.find(sheet_.steps[first].id)->op);
  if (!online || !online->carries_on()) return;
  for (std::size_t cell = 0; cell < right_flags_[first].size(); ++cell)
    right_flags_[first][cell] = right_flags_[first][cell] || honest_.matched[first][cell];
}

void Marking::expect(const Recipe& asked) {
  const SheetPlaces places = places_on_sheet(asked, sheet_);
  Asked only(places);
  const Evaluation<double> exact = evaluate(asked, only);
  using enum HandedStep::What;
  for (const HandedStep& step : sheet_.steps) {
    if (step.what == exponentials || step.what == exponential_sums) continue;
    expected_.insert_or_assign(step.id, exact.result(*asked.line(step.id)));
  }
}

// Whether nobody who rounds all alike comes near to what was written.
bool Marking::is_far_from_every_manner() {
  constexpr std::size_t far = 3;
  return !is_large_ && std::ranges::all_of(manners_, [&](const Manner& manner) {
    return count_mismatches(base(manner).matched) >= far;
  });
}

// Few numbers that fit prove nothing: among many roundings one comes close by chance.
constexpr std::size_t enough_mismatches = 2;

bool Marking::may_be_early_rounding() {
  return mismatches_ >= enough_mismatches || (mismatches_ > 0 && is_far_from_every_manner());
}

void Marking::find_early_rounding() {
  const Recipe& recipe = right_->recipe;
  // A dtype of few digits leaves too much open by itself.
  if (!is_honest() || sheet_.has_expressions || rounds_once_a_step(recipe.dtype())) return;
  for (const RecipePart& part : recipe.parts()) {
    if (!part.attention) continue;
    const Anatomy& at = *part.attention;
    // To no decimals numbers between 0 and 1 would all be one or the other.
    struct Early {
      const StepId& step;
      const char* rounding;
      int least_decimals;
    };
    for (const Early& early : {Early{at.weights, "rounding.early", 1},
                               {at.exponentials, "rounding.early", 1},
                               {at.scaled, "rounding.scores_rounded", 0},
                               {at.scores, "rounding.scores_rounded", 0}}) {
      Task rounded = task(recipe);
      const auto line = recipe.line(early.step);
      if (!line || !rounded.places.is_above[*line]) continue;
      // Weights that were handed in show the decimals that were carried on, unless much speaks for fewer.
      if (rounded.places[*line] && early.least_decimals > 0 && mismatches_ <= enough_mismatches) continue;
      const int most = std::min(sheet_.decimals - 1, most_rounded_decimals);
      for (int decimals = most; decimals >= early.least_decimals; --decimals) {
        if (!changes_something(exact_.result(*line), decimals)) break;
        if (early.least_decimals > 0 && !leaves_some_between(exact_.result(*line), decimals)) break;
        rounded.early = EarlyRounding{*line, decimals};
        if (is_explained_by(rounded, diagnosis_of(early.rounding, early.step))) return;
      }
    }
  }
  for (const Candidate& candidate : right_->roundings) {
    // Powers that were handed in, or sums of them, say themselves what was subtracted.
    const auto says_it = [](const HandedStep& step) {
      return step.what == HandedStep::What::exponentials || step.what == HandedStep::What::exponential_sums;
    };
    const auto* softmax = std::get_if<Softmax>(&candidate.rewrite.recipe.find(candidate.rewrite.step)->op);
    if (softmax && std::ranges::any_of(sheet_.steps, says_it)) continue;
    Diagnosis diagnosis = diagnosis_of(candidate.mistake->id, candidate.rewrite.step);
    diagnosis.variant = candidate.rewrite.variant;
    if (is_explained_by(task(candidate.rewrite.recipe), std::move(diagnosis))) return;
  }
}

// Then nothing is wrong, and that is why.
bool Marking::is_explained_by(Task task, Diagnosis rounding) {
  task.is_guess = true;
  for (const RoundingMode habit : habits) {
    if (Probe* rows = probe(first_mismatch(person_)); rows && !rows->may_be_honest(task, habit)) continue;
    const std::size_t steps = sheet_.steps.size();
    if (!may_explain(task, habit, steps, true) || !may_explain(task, habit, steps)) continue;
    const std::vector<bool> no_other(task.recipe.size());
    std::shared_ptr<const SomePeople> people;
    const EncloseOptions each{.habit = habit, .people = &people};
    EncloseOptions alone = each;
    alone.rounded = &no_other;
    if (leaves_weights_open(task.recipe, enclose(task, alone)) || leaves_sheet_open(task, enclose(task, each)))
      continue;
    HonestReading reading = read_honestly(task, habit);
    if (reading.mismatches > 0) continue;
    habit_ = habit;
    mismatches_ = 0;
    is_doubted_ = reading.is_doubted;
    person_ = right_flags_ = std::move(reading.matched);
    early_ = std::move(rounding);
    return true;
  }
  return false;
}

Task Marking::task(const Recipe& recipe) {
  auto found = places_.find(&recipe);
  if (found == places_.end()) found = places_.emplace(&recipe, places_on_sheet(recipe, sheet_)).first;
  return {
      .recipe = recipe, .sheet = sheet_, .rule = rule_, .places = found->second, .loses_digits = right_->loses_digits};
}

const Followed<double>& Marking::base(const Manner& manner) {
  const auto at = static_cast<std::size_t>(&manner - manners_.data());
  if (bases_.size() <= at) bases_.resize(manners_.size());
  if (!bases_[at]) {
    FollowOptions options{.manner = manner, .patches = slips_};
    options.known = &exact_;
    bases_[at] = follow(task(right_->recipe), options);
  }
  return *bases_[at];
}

std::vector<RoundingMode> Marking::possible_habits() const {
  std::vector<RoundingMode> possible = {habit_};
  for (const RoundingMode habit : habits) {
    if (is_honest() && habit != habit_) possible.push_back(habit);
  }
  return possible;
}

Probe* Marking::probe(std::size_t step) {
  if (!is_large_ || !slips_.empty() || step >= sheet_.steps.size() || !sheet_.steps[step].fits) return nullptr;
  const auto known = probes_.find(step);
  if (known != probes_.end()) return &known->second;
  std::vector<bool> matched(right_flags_[step].size());
  for (std::size_t cell = 0; cell < matched.size(); ++cell) matched[cell] = !is_wrong(step, cell);
  return &probes_.try_emplace(step, right_->recipe, sheet_, rule_, step, matched).first->second;
}

bool Marking::may_work_out(const Recipe& recipe) {
  // In a model of many small layers it is the lines that take time, and not their numbers.
  constexpr std::size_t most_lines = 8'000'000, most_work = 3'000'000'000;
  if (lines_worked_out_ < most_lines && spent_ < most_work) {
    lines_worked_out_ += recipe.size();
    if (is_large_) spent_ += work_of(recipe);
    return true;
  }
  leave_untried(language().verdicts.rarer_mistakes);
  return false;
}

void Marking::leave_untried(const std::string& what) {
  if (std::ranges::find(untried_, what) == untried_.end()) untried_.push_back(what);
}

void Marking::believe(const Candidate& candidate, const Manner& manner) {
  const Recipe& recipe = candidate.rewrite.recipe;
  merge(person_, follow(task(recipe), {.manner = manner}).matched);
  merge(person_, enclose(task(recipe), {habit_of(manner.writing)}).matched);
  believes_ = true;
}

void Marking::believe(const Recipe& other, RoundingMode habit) {
  const SheetPlaces places = places_on_sheet(other, sheet_);
  merge(person_, enclose({other, sheet_, rule_, places}, {habit}).matched);
  believes_ = true;
}

void Marking::believe(const std::vector<Patch>& slips, const Manner& manner) {
  if (!slips.empty()) {
    slips_.insert(slips_.end(), slips.begin(), slips.end());
    bases_.clear();
  }
  merge(person_, follow(task(right_->recipe), {.manner = manner, .patches = slips_}).matched);
  if (slips_.empty()) merge(person_, enclose(task(right_->recipe), {habit_}).matched);
  believes_ = true;
}

std::size_t Marking::count_wrong(std::size_t step) const {
  std::size_t wrong = 0;
  for (std::size_t cell = 0; cell < right_flags_[step].size(); ++cell) wrong += is_wrong(step, cell) ? 1 : 0;
  return wrong;
}

std::size_t Marking::next_wrong(std::size_t from) const {
  std::size_t step = from;
  while (step < sheet_.steps.size() && count_wrong(step) == 0) ++step;
  return step;
}

bool Marking::is_exact(std::size_t step, std::size_t cell) const {
  return sheet_.steps[step].cells[cell].stands_as(habit_).contains(exact_.result(line_of(step))[cell]);
}

std::vector<std::vector<std::size_t>> Marking::wrong_cells(std::size_t step) const {
  std::vector<std::vector<std::size_t>> cells;
  const HandedStep& handed = sheet_.steps[step];
  if (!handed.fits) return cells;
  const Shape& shape = right_->recipe.shape(handed.id);
  for (std::size_t at = 0; at < handed.cells.size(); ++at) {
    if (is_wrong(step, at)) cells.push_back(shape.index(at));
  }
  return cells.size() == handed.numbers() ? std::vector<std::vector<std::size_t>>() : cells;
}

// Where so few digits are written, or so few before it, that the right value, 0,
// 1 and so an even share could all stand behind a number, it tells nothing; but
// nobody owes digits to a problem of whole numbers. REQUIRES: there is one in the cell.
bool Marking::too_coarse(std::size_t step, std::size_t cell) const {
  const HandedStep& handed = sheet_.steps[step];
  const HandedCell& written = handed.cells[cell];
  if (!written.number.decimals || !is_honest()) return false;
  if (rule_.problem_rounding && rule_.problem_rounding->decimals == 0 && sheet_.decimals == 0) return false;
  if (handed.what != HandedStep::What::weights && written.number.value != 0) return false;
  const Interval& right = honest_.result(line_of(step))[cell];
  if (right.width() < 1e-9 && std::abs(right.low - written.number.value) < 1e-9) return false;
  if (std::isinf(right.low) || std::isinf(right.high)) return false;
  const Interval both =
      hull(stands_for(written, RoundingMode::half_up, rule_), stands_for(written, RoundingMode::truncate, rule_));
  const double reach = right.width() / 2;
  const Interval could = {both.low - reach, both.high + reach};
  return could.contains(0) && could.contains(1);
}

CellState Marking::state_of(std::size_t step, std::size_t cell) const {
  const HandedStep& handed = sheet_.steps[step];
  return handed.cells[cell].kind == HandedCell::Kind::blank ? CellState::blank
         : state_wrong_[step][cell]                         ? CellState::wrong
         : !right_flags_[step][cell]                        ? CellState::consistent
         : handed.fits && too_coarse(step, cell)            ? CellState::too_coarse
                                                            : CellState::right;
}

MarkedCell Marking::marked(std::size_t step, std::size_t cell) const {
  const HandedStep& handed = sheet_.steps[step];
  MarkedCell mark{.state = state_of(step, cell), .given = handed.cells[cell].number.text};
  if (handed.fits) {
    const std::size_t line = line_of(step);
    mark.index = right_->recipe.shape(line).index(cell);
    mark.accepted = honest_.result(line)[cell];
    const auto asked = expected_.find(handed.id);
    mark.expected = asked == expected_.end() ? exact_.result(line)[cell] : asked->second[cell];
    return mark;
  }
  std::size_t rest = cell;
  mark.index.assign(handed.shape.size(), 0);
  for (std::size_t axis = handed.shape.size(); axis-- > 0; rest /= handed.shape[axis]) {
    mark.index[axis] = rest % handed.shape[axis];
  }
  return mark;
}

void Marking::add_steps(Report& report) const {
  for (std::size_t step = 0; step < sheet_.steps.size(); ++step) {
    const HandedStep& handed = sheet_.steps[step];
    MarkedStep told{.id = handed.id, .cells = {}, .asked = handed.asked};
    if (!handed.fits) told.given_shape = handed.shape;
    for (std::size_t cell = 0; cell < handed.cells.size(); ++cell) {
      if (handed.cells[cell].kind == HandedCell::Kind::not_asked) continue;
      told.cells.push_back(marked(step, cell));
      const double width = told.cells.back().accepted.width();
      if (handed.fits && std::isfinite(width)) told.width = std::max(told.width, width);
    }
    report.steps.push_back(std::move(told));
  }
}

// The first step of which fewer decimals were written than later, although it has
// more; how many steps there are if there is none.
std::size_t Marking::rounded_early() const {
  const auto decimals = [](const HandedStep& step) {
    int most = 0;
    for (const HandedCell& cell : step.cells)
      most = std::max(most, cell.is_number() ? cell.number.decimals.value_or(0) : 0);
    return most;
  };
  for (std::size_t step = 0; step < sheet_.steps.size(); ++step) {
    const HandedStep& handed = sheet_.steps[step];
    const int written = decimals(handed);
    const bool later = std::ranges::any_of(sheet_.steps.begin() + static_cast<std::ptrdiff_t>(step), sheet_.steps.end(),
                                           [&](const HandedStep& other) { return decimals(other) > written; });
    if (!later || !handed.fits) continue;
    const Tensor<double>& exact = exact_.result(line_of(step));
    for (std::size_t at = 0; at < handed.cells.size(); ++at) {
      const WrittenNumber& number = handed.cells[at].number;
      const bool is_rounded = handed.cells[at].is_number() && number.decimals;
      if (is_rounded && std::isfinite(exact[at]) && std::abs(exact[at] - number.value) > 1e-9) return step;
    }
  }
  return sheet_.steps.size();
}

// How the person rounded, where it shows.
void Marking::note_rounding(Report& report) {
  if (!is_honest()) return;
  if (early_) return report.diagnoses.push_back(*early_);
  if (const std::size_t step = rounded_early(); step < sheet_.steps.size()) {
    const HandedStep& handed = sheet_.steps[step];
    const auto& attention = right_->recipe.parts()[right_->recipe.instruction(line_of(step)).part].attention;
    const bool are_scores = attention && (handed.id == attention->scores || handed.id == attention->scaled);
    report.diagnoses.push_back(diagnosis_of(are_scores ? "rounding.scores_rounded" : "rounding.early", handed.id));
    return;
  }
  const auto fits = [&](const auto& wanted) {
    return std::ranges::any_of(manners_,
                               [&](const Manner& manner) { return wanted(manner) && base(manner).all_match(); });
  };
  if (!is_large_ && !fits([](const Manner&) { return true; })) {
    // Right only because each number may have come about in its own way: one way with
    // fewer decimals tells more.
    find_early_rounding();
    if (early_) return report.diagnoses.push_back(*early_);
  }
  const auto nearest = [](const Manner& m) { return habit_of(m.writing) == RoundingMode::half_up; };
  const auto note = [&](const char* id) { report.diagnoses.push_back(diagnosis_of(id, sheet_.steps.front().id)); };
  if (fits([&](const Manner& m) { return nearest(m) && !m.unwritten; })) return;
  if (fits([&](const Manner& m) { return nearest(m); })) {
    report.rounding = "half-up";
    note("rounding.early");
  } else if (habit_ == RoundingMode::truncate ||
             fits([&](const Manner& m) { return m.writing == RoundingMode::truncate; })) {
    report.rounding = "truncate";
    note("rounding.truncated");
  } else if (habit_ == RoundingMode::keep_sum ||
             fits([&](const Manner& m) { return m.writing == RoundingMode::keep_sum; })) {
    report.rounding = "keep-sum";
    report.notes.push_back(language().verdicts.weights_rounded);
  } else if (!is_from_machine(sheet_, rule_) && !rounds_once_a_step(right_->recipe.dtype())) {
    // Some were rounded, and others not.
    note("rounding.early");
  }
}

// Whether something was subtracted before e^x that nobody would expect.
void Marking::note_other_maximum(Report& report) const {
  for (std::size_t step = 0; step < sheet_.steps.size(); ++step) {
    const HandedStep& handed = sheet_.steps[step];
    if (handed.what != HandedStep::What::exponentials) continue;
    const std::size_t line = line_of(step);
    const Tensor<Interval>* maxima = honest_.carried[right_->recipe.operands(line)[1]];
    const Comparand<Interval> compared{handed, honest_.result(line), nullptr, Axis(), maxima, false};
    if (!all_true(matched_cells(compared, habit_, rule_))) report.notes.push_back(language().verdicts.other_maximum);
  }
}

void Marking::blame(std::size_t step, Report& report) {
  if (report.first_wrong.empty()) report.first_wrong = sheet_.steps[step].id;
  for (std::size_t cell = 0; cell < right_flags_[step].size(); ++cell) {
    state_wrong_[step][cell] = is_wrong(step, cell);
  }
  untried_.clear();
  if (blame_mistake(*this, step, report) || blame_own_mask(*this, step, report)) return;
  if (blame_slip(*this, step, report)) return;
  if (blame_slips_in_place(*this, step, report) || blame_rows(*this, step, report)) return;
  if (blame_mistake_rounded_anyhow(*this, step, report) || blame_two_mistakes(*this, step, report)) return;
  blame_unknown(*this, step, report);
  std::ranges::copy_if(untried_, std::back_inserter(missed_),
                       [&](const std::string& what) { return std::ranges::count(missed_, what) == 0; });
}

Report Marking::mark() {
  Report report;
  for (const std::vector<bool>& cells : right_flags_) state_wrong_.emplace_back(cells.size(), false);
  for (std::size_t step = next_wrong(0); step < sheet_.steps.size(); step = next_wrong(step + 1)) blame(step, report);
  if (!missed_.empty()) report.notes.push_back(language().verdicts.not_tried(listed(missed_)));
  add_steps(report);
  if (accepted()) {
    note_rounding(report);
    note_other_maximum(report);
  }
  if (is_doubted_ && accepted()) report.notes.push_back(language().verdicts.roundings_not_tried);
  report.verdict = verdict_of(report);
  return report;
}

}  // namespace attn
