#include "compare/difference.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>

#include "compare/conventions/convention.h"
#include "compare/relation.h"
#include "mark/follow.h"
#include "mistakes/mistake.h"

namespace attn {
namespace {

// Families whose rewrites cannot stand on top of each other: their lines would get in each other's way.
bool exclude_each_other(const std::string& id, const std::string& other) {
  const std::string family = id.substr(0, id.find('.'));
  if (id == other) return true;
  return family == other.substr(0, other.find('.')) && family != "projection" && family != "scale";
}

// So many readings at most stand on top of each other.
constexpr std::size_t most_readings = 4;

// Two at once are tried where all steps together have no more cells than this.
constexpr std::size_t most_cells_for_two = 20'000;

bool agree(const Tensor<double>& ours, const TheirStep& theirs) {
  if (ours.shape() != theirs.value->shape()) return false;
  for (std::size_t cell = 0; cell < ours.size(); ++cell) {
    if (!theirs.tolerance.accepts(ours[cell], (*theirs.value)[cell])) return false;
  }
  return true;
}

// A recipe worked out, as far as their steps go.
struct WorkedOut {
  std::vector<const Tensor<double>*> made;  // by line; null behind the last that is needed
  std::deque<Tensor<double>> kept;
  std::size_t agreeing = 0;  // their first so many steps
};

// `original` is what the recipe was rewritten from. Stops where one of their
// first `must` steps does not agree.
WorkedOut worked_out(const Course& course, std::span<const TheirStep> theirs, const WorkedOut* original,
                     std::size_t must) {
  const Replay& replay = course.replay();
  WorkedOut result;
  std::vector<char> agrees(theirs.size(), 0);
  std::vector<bool> reused(replay.size());
  std::size_t left = theirs.size();
  for (std::size_t line = 0; line < replay.size() && left > 0; ++line) {
    const auto same = original ? course.same_as(line) : std::nullopt;
    reused[line] = same && *same < original->made.size() &&
                   std::ranges::all_of(replay.operands(line), [&](std::size_t i) { return reused[i]; }) &&
                   (!replay.open(line) || reused[*replay.open(line)]);
    if (replay.is_given(line)) {
      result.made.push_back(course.given(line, 0.0));
    } else if (reused[line]) {
      result.made.push_back(original->made[*same]);
    } else {
      result.kept.push_back(replay.run(line, result.made));
      result.made.push_back(&result.kept.back());
    }
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      if (theirs[i].id != replay.instruction(line).id) continue;
      --left;
      agrees[i] = agree(*result.made.back(), theirs[i]) ? 1 : 0;
      if (agrees[i] == 0 && i < must) return result;
    }
  }
  while (result.agreeing < theirs.size() && agrees[result.agreeing] != 0) ++result.agreeing;
  return result;
}

struct TriedReading {
  LikelyCause told;
  std::shared_ptr<const Recipe> recipe;
};

// Those that can stand on top of the ones that were taken.
std::vector<TriedReading> readings(const Recipe& recipe, const std::vector<std::string>& taken) {
  std::vector<TriedReading> all;
  const auto is_free = [&](const std::string& id) {
    return std::ranges::none_of(taken, [&](const std::string& other) { return exclude_each_other(id, other); });
  };
  const auto add = [&](const std::string& id, const std::string& what, std::vector<Rewrite> rewrites) {
    for (Rewrite& rewrite : rewrites) {
      if (!rewrite.recipe.fits()) continue;
      all.push_back({{.id = id, .what = what, .variant = rewrite.variant, .step = ""},
                     std::make_shared<const Recipe>(std::move(rewrite.recipe))});
    }
  };
  for (const Family& family : families()) {
    for (const Mistake& mistake : family.mistakes) {
      if (mistake.rewrites && is_free(mistake.id)) add(mistake.id, mistake.what, mistake.rewrites(recipe));
    }
  }
  for (const Convention& convention : conventions()) {
    if (is_free(convention.id)) add(convention.id, convention.what, convention.rewrites(recipe));
  }
  return all;
}

// Whether every line reads lines that are there: some traces leave one out.
bool is_whole(const Recipe& recipe) {
  std::vector<std::string> above;
  for (const Instruction& line : recipe.instructions()) {
    for (const Operand& operand : line.operands) {
      if (std::ranges::find(above, operand.id) == above.end()) return false;
    }
    above.push_back(line.id);
  }
  return true;
}

std::size_t cells_of(const WorkedOut& worked) {
  std::size_t cells = 0;
  for (const Tensor<double>* made : worked.made) cells += made->size();
  return cells;
}

class Search {
 public:
  Search(const Recipe& recipe, std::span<const TheirStep> theirs) : theirs_(theirs) {
    recipe_ = std::make_shared<const Recipe>(recipe);
    settle();
  }

  std::vector<LikelyCause> run() {
    while (found_.size() < most_readings && base_.agreeing < theirs_.size()) {
      if (!take_one() && !(found_.empty() && take_two())) break;
    }
    return std::move(found_);
  }

 private:
  void settle() {
    course_ = std::make_unique<Course>(*recipe_);
    base_ = worked_out(*course_, theirs_, nullptr, 0);
  }

  std::vector<std::string> taken() const {
    std::vector<std::string> ids;
    for (const LikelyCause& one : found_) ids.push_back(one.id);
    return ids;
  }

  std::size_t reach(const TriedReading& reading, std::size_t must) const {
    const Course course(*reading.recipe, course_.get());
    return worked_out(course, theirs_, &base_, must).agreeing;
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
    for (TriedReading& reading : readings(*recipe_, taken())) {
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
    for (TriedReading& one : readings(*recipe_, {})) {
      for (TriedReading& other : readings(*one.recipe, {one.told.id})) {
        const std::size_t agreeing = reach(other, from + 1);
        if (agreeing <= from) continue;
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
  std::shared_ptr<const Recipe> recipe_;
  std::unique_ptr<Course> course_;
  WorkedOut base_;
  std::vector<LikelyCause> found_;
};

}  // namespace

std::vector<LikelyCause> explanations(const Trace& trace, std::span<const TheirStep> theirs) {
  const Recipe recipe(trace);
  if (!is_whole(recipe)) return {};
  std::vector<TheirStep> in_order;
  for (const Step& step : trace.steps) {
    for (const TheirStep& one : theirs) {
      if (one.id == step.heading.id && one.value->shape() == step.result.shape()) in_order.push_back(one);
    }
  }
  return Search(recipe, in_order).run();
}

void explain_difference(DiffReport& report, const Trace* trace) {
  if (!report.sides.different) return;
  const StepPair& different = report.sides.steps[*report.sides.different];
  if (different.verdict == StepPair::Verdict::differs) report.relation = relation(different, trace);
  const Closeness loose = usual_closeness(report.first.dtype, report.second.dtype);
  report.is_rounding = std::ranges::all_of(report.sides.steps, [&](const StepPair& pair) {
    return pair.verdict == StepPair::Verdict::same ||
           (pair.verdict == StepPair::Verdict::differs &&
            agree(pair.first, {pair.id, &pair.second, tolerance_of(pair.first, loose)}));
  });
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
    Tolerance tolerance = tolerance_of(pair.first, loose);
    tolerance.absolute = std::max(tolerance.absolute, pair.tolerance.absolute);
    tolerance.relative = std::max(tolerance.relative, pair.tolerance.relative);
    theirs.push_back({pair.id, &pair.second, tolerance});
  }
  report.explanations = explanations(*trace, theirs);
}

}  // namespace attn
