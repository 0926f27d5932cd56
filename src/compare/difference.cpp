#include "compare/difference.h"

#include <algorithm>
#include <memory>

#include "compare/conventions/convention.h"
#include "mistakes/mistake.h"
#include "trace/evaluate.h"
#include "trace/trace.h"

namespace attn {
namespace {

bool is_convention(const std::string& id) {
  return std::ranges::find(conventions(), id, &Convention::id) != conventions().end();
}

// Whether the two cannot stand on top of each other: mistakes of one family would get in each other's way.
bool exclude_each_other(const LikelyCause& one, const LikelyCause& other) {
  if (one.part != other.part) return false;
  const std::string family = one.id.substr(0, one.id.find('.'));
  if (one.id == other.id) return true;
  if (is_convention(one.id) || is_convention(other.id)) return false;
  return family == other.id.substr(0, other.id.find('.')) && family != "projection" && family != "scale";
}

// So many readings at most stand on top of each other.
constexpr std::size_t most_readings = 4;

// Two at once are tried where all steps together have no more cells than this, and until the recipes that were made
// have so many lines, which takes two seconds.
constexpr std::size_t most_cells_for_two = 20'000;
constexpr std::size_t most_lines_for_two = 1'000'000;

bool agree(const Tensor<double>& ours, const TheirStep& theirs) {
  return ours.shape() == theirs.value->shape() && all_accepted(ours, *theirs.value, theirs.tolerance);
}

// How much of most_work_for_readings a line takes.
std::size_t work_of(const Recipe& recipe, std::size_t line) {
  const LaidOut& layout = recipe.layout(line);
  const auto* sum = std::get_if<Contract>(&recipe.instruction(line).op);
  return layout.shape.count() * (16 + (sum ? layout.read[0].size(sum->over) : 0));
}

// A recipe worked out, as far as their steps go.
struct WorkedOut {
  Evaluation<double> evaluation;
  std::size_t agreeing = 0;  // their first so many steps
  std::size_t work = 0;      // of the lines that were not taken over
};

// Looks at each of their steps as it is made. Stops behind the last one, and
// where one of the first `must` does not agree.
class Agreement final : public Policy<double> {
 public:
  Agreement(const Recipe& recipe, std::span<const TheirStep> theirs, std::size_t must)
      : recipe_(recipe), theirs_(theirs), must_(must), agrees_(theirs.size(), 0), left_(theirs.size()) {}

  bool go_on(std::size_t line, const Evaluation<double>& evaluation, bool reused) override {
    if (!reused) work_ += work_of(recipe_, line);
    for (std::size_t i = 0; i < theirs_.size(); ++i) {
      if (theirs_[i].id != recipe_.instruction(line).id()) continue;
      --left_;
      agrees_[i] = agree(evaluation.result(line), theirs_[i]) ? 1 : 0;
      if (agrees_[i] == 0 && i < must_) {
        failed_ = true;
        return false;
      }
    }
    return left_ > 0;
  }

  std::size_t work() const { return work_; }

  std::size_t agreeing() const {
    return failed_ ? 0 : static_cast<std::size_t>(std::ranges::find(agrees_, 0) - agrees_.begin());
  }

 private:
  const Recipe& recipe_;
  std::span<const TheirStep> theirs_;
  std::size_t must_;
  std::vector<char> agrees_;
  std::size_t left_;
  std::size_t work_ = 0;
  bool failed_ = false;
};

WorkedOut worked_out(const Recipe& recipe, std::span<const TheirStep> theirs,
                     const Original<double>* original = nullptr, std::size_t must = 0) {
  Agreement agreement(recipe, theirs, must);
  Evaluation<double> evaluation = evaluate(recipe, agreement, original);
  return {std::move(evaluation), agreement.agreeing(), agreement.work()};
}

struct TriedReading {
  LikelyCause told;
  std::shared_ptr<const Recipe> recipe;
};

// Those that can stand on top of the ones that were taken.
std::vector<TriedReading> readings(const Recipe& recipe, std::span<const LikelyCause> taken) {
  std::vector<TriedReading> all;
  const auto add = [&](const std::string& id, const std::string& what, const Mistake& mistake) {
    for (std::size_t part = 0; part < recipe.parts().size(); ++part) {
      const LikelyCause cause{.id = id, .part = part, .what = what, .variant = "", .step = ""};
      if (std::ranges::any_of(taken, [&](const LikelyCause& other) { return exclude_each_other(cause, other); }))
        continue;
      for (Rewrite& rewrite : rewrites_in_part(recipe, part, mistake)) {
        all.push_back({cause, std::make_shared<const Recipe>(std::move(rewrite.recipe))});
        all.back().told.variant = rewrite.variant;
      }
    }
  };
  for (const Mistake* mistake : all_mistakes()) {
    if (mistake->is_rewrite()) add(mistake->id, mistake->words.what, *mistake);
  }
  for (const Convention& convention : conventions()) {
    add(convention.id, convention.what, {.id = convention.id, .words = {"", "", ""}, .rewrites = convention.rewrites});
  }
  return all;
}

std::size_t cells_of(const WorkedOut& worked) {
  std::size_t cells = 0;
  for (const auto& made : worked.evaluation.computed) cells += made ? made->size() : 0;
  return cells;
}

class Search {
 public:
  Search(const Recipe& recipe, std::span<const TheirStep> theirs, std::size_t most_work)
      : theirs_(theirs), most_work_(most_work) {
    recipe_ = std::make_shared<const Recipe>(recipe);
    settle();
  }

  std::vector<LikelyCause> run() {
    while (found_.size() < most_readings && base_.agreeing < theirs_.size() && !is_spent_) {
      if (!take_one() && !(found_.empty() && !is_spent_ && take_two())) break;
    }
    return std::move(found_);
  }

  bool are_all_tried() const { return !is_spent_; }

 private:
  void settle() { base_ = worked_out(*recipe_, theirs_); }

  // How many of their steps agree with it, one after another.
  std::size_t reach(const TriedReading& reading, std::size_t must) {
    const auto same = same_lines(*reading.recipe, *recipe_);
    const Original<double> original{base_.evaluation, same};
    const WorkedOut made = worked_out(*reading.recipe, theirs_, &original, must);
    work_ += made.work;
    return made.agreeing;
  }

  void tell(TriedReading reading, std::size_t from, std::size_t to) {
    LikelyCause& told = reading.told;
    told.step = theirs_[from].id;
    for (std::size_t i = from + 1; i < to; ++i) told.follow.push_back(theirs_[i].id);
    if (to < theirs_.size()) told.next = theirs_[to].id;
    found_.push_back(std::move(told));
    recipe_ = reading.recipe;
  }

  bool take_one() {
    const std::size_t from = base_.agreeing;
    std::optional<TriedReading> best;
    std::size_t most = from;
    for (TriedReading& reading : readings(*recipe_, found_)) {
      if (work_ >= most_work_) {
        is_spent_ = true;
        break;
      }
      const std::size_t agreeing = reach(reading, from + 1);
      if (agreeing > most) {
        most = agreeing;
        best = std::move(reading);
      } else if (best && agreeing == most && reading.told.id != best->told.id &&
                 std::ranges::find(best->told.also, reading.told.id) == best->told.also.end()) {
        best->told.also.push_back(reading.told.id);
      }
    }
    if (!best) return false;
    tell(std::move(*best), from, most);
    settle();
    return true;
  }

  // Where no single one explains anything: the first step that they have may
  // lie behind two that differ.
  bool take_two() {
    const std::size_t from = base_.agreeing;
    if (cells_of(base_) > most_cells_for_two) return false;
    const std::size_t spent = work_;  // pairs have a bound of their own
    std::size_t lines = 0;
    for (TriedReading& one : readings(*recipe_, {})) {
      if (lines > most_lines_for_two) return false;
      if (reach(one, from) < from) continue;  // no other mends what it spoils
      for (TriedReading& other : readings(*one.recipe, {&one.told, 1})) {
        lines += other.recipe->size();
        const std::size_t agreeing = reach(other, from + 1);
        if (agreeing <= from) continue;
        work_ = spent;
        one.told.step = other.told.step = theirs_[from].id;
        one.told.next = theirs_[from].id;
        found_.push_back(one.told);
        tell(std::move(other), from, agreeing);
        settle();
        return true;
      }
    }
    return false;
  }

  std::span<const TheirStep> theirs_;
  std::size_t most_work_, work_ = 0;
  bool is_spent_ = false;  // before every reading was tried
  std::shared_ptr<const Recipe> recipe_;
  WorkedOut base_;
  std::vector<LikelyCause> found_;
};

// Fills in what explains the first difference, given the trace of the first side
// where that is a problem.
void explain_difference(DiffReport& report, const Trace* trace) {
  if (!report.sides.different) return;
  const StepPair& different = report.sides.steps[*report.sides.different];
  report.inputs.clear();
  report.is_rounding = std::ranges::all_of(report.sides.steps, [&](const StepPair& pair) {
    return pair.verdict == StepPair::Verdict::same || (pair.is_alone() && report.has_dump()) ||
           (pair.verdict == StepPair::Verdict::differs &&
            agree(pair.first, {pair.id, &pair.second, tolerance_of(pair.first, pair.usual)}));
  });
  const bool may_be_related = different.verdict == StepPair::Verdict::differs && !report.is_rounding;
  report.relation = may_be_related ? relation(different, trace) : std::nullopt;
  // What rounds by hand is not worked out anew.
  report.could_explain = trace && !trace->arithmetic.hand_rounding && !report.is_rounding;
  if (!trace) return;

  if (const Step* step = trace->find(different.id)) {
    for (const Operand& operand : step->operands) {
      const auto pair = std::ranges::find(report.sides.steps, operand.id, &StepPair::id);
      if (pair == report.sides.steps.end() || pair->cells == 0) continue;
      report.inputs.emplace_back(operand.id, pair->verdict == StepPair::Verdict::same);
    }
  }

  if (!report.could_explain) return;

  std::vector<TheirStep> theirs;
  for (const StepPair& pair : report.sides.steps) {
    if (pair.cells == 0) continue;
    Tolerance tolerance = tolerance_of(pair.first, pair.usual);
    tolerance.absolute = std::max(tolerance.absolute, pair.tolerance.absolute);
    tolerance.relative = std::max(tolerance.relative, pair.tolerance.relative);
    theirs.push_back({pair.id, &pair.second, tolerance});
  }
  report.explanations = explanations(*trace, theirs, &report.all_tried);
}

// Whether what was found makes that step agree.
bool explains(const DiffReport& report, const std::string& id) {
  if (report.explanations.empty()) return false;
  const auto agrees = [&](const LikelyCause& one) {
    return one.next.empty() || (one.step == id && one.next != id) ||
           std::ranges::find(one.follow, id) != one.follow.end();
  };
  return std::ranges::any_of(report.explanations, agrees);
}

}  // namespace

std::vector<LikelyCause> explanations(const Trace& trace, std::span<const TheirStep> theirs, bool* are_all_tried,
                                      std::size_t most_work) {
  std::vector<TheirStep> in_order;
  for (const Step& step : trace.steps) {
    for (const TheirStep& one : theirs) {
      if (one.id == step.heading.id && one.value->shape() == step.result.shape()) in_order.push_back(one);
    }
  }
  Search search(trace.recipe, in_order, most_work);
  std::vector<LikelyCause> found = search.run();
  if (are_all_tried) *are_all_tried = search.are_all_tried();
  return found;
}

DiffReport compared(Subject first, const Subject& second, const std::optional<Closeness>& asked,
                    const std::vector<std::string>& only) {
  DiffReport report;
  report.is_usual = !asked;
  report.first = std::move(first.file);
  report.second = second.file;
  report.first.dtype = first.side.dtype;
  report.second.dtype = second.side.dtype;
  const bool are_known = !first.side.is_foreign && !second.side.is_foreign;
  if (asked) {
    report.closeness = *asked;
  } else if (!are_known || first.side.dtype != second.side.dtype) {
    report.closeness = usual_closeness(first.side.dtype, second.side.dtype);
  }
  report.sides = side_by_side(std::move(first.side), second.side, report.closeness, only);
  if (report.compares_nothing()) return report;
  explain_difference(report, first.trace);
  if (!report.could_explain || !report.explanations.empty() || report.sides.unturned.empty()) return report;

  // What looks like another layout may be a mistake: one that makes the first difference agree.
  DiffReport unturned = report;
  unturned.sides = left_unturned(std::move(unturned.sides));
  explain_difference(unturned, first.trace);
  return explains(unturned, report.sides.steps[*report.sides.different].id) ? unturned : report;
}

}  // namespace attn
