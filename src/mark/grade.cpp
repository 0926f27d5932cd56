#include "mark/grade.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/numbers.h"
#include "base/rounding.h"
#include "mark/graded_class.h"

namespace attn {
namespace {

// Grids of more cells are no picture any more.
constexpr std::size_t most_cells_of_step = 4096;

// How many cells of a step somebody is asked for: all but those of padding. 0 where the
// problem has no such step.
std::size_t cells_asked(const Trace& trace, const std::string& id) {
  const Step* step = trace.find(id);
  if (!step) return 0;
  const Shape& shape = step->result.shape();
  const std::size_t sequences = shape.has("batch") ? shape.size("batch") : 1;
  std::size_t asked = 0;
  for (std::size_t sequence = 0; sequence < sequences; ++sequence) {
    std::size_t cells = 1;
    for (const Dim& dim : shape.dims()) {
      if (dim.axis != "batch") cells *= own_size(trace, *step, dim, sequence);
    }
    asked += cells;
  }
  return asked;
}

std::size_t order_of(const Trace& trace, const std::string& id) {
  const auto found = std::ranges::find(trace.steps, id, [](const Step& step) { return step.heading.id; });
  return static_cast<std::size_t>(found - trace.steps.begin());
}

bool has_wrong(const MarkedStep& step) { return step.count(CellState::wrong) > 0 || !step.given_shape.empty(); }

// What so many of all cells come to.
double share(double of, std::size_t counted, std::size_t cells, Scheme::Per per) {
  if (cells == 0 || counted >= cells) return cells == 0 ? 0 : of;
  return per == Scheme::Per::step ? 0 : of * static_cast<double>(counted) / static_cast<double>(cells);
}

}  // namespace

double rounded_points(double sum, double of, const Scheme& scheme) {
  // Whoever has everything has it whether or not it is a multiple; sums of thirds are not exact.
  constexpr double nearly = 1e-9;
  if (sum >= of - nearly) return of;
  if (scheme.round_to <= 0) return std::max(sum, 0.0);
  const double steps = rounded(sum / scheme.round_to, {0, RoundingMode::half_up});
  const double points = rounded(steps * scheme.round_to, {most_rounded_decimals, RoundingMode::half_up});
  return std::clamp(points, 0.0, of);
}

std::string spelled_points(double points) {
  const double thousandths = rounded(points, {3, RoundingMode::half_up});
  constexpr double nearly = 1e-9;
  return shortest(std::abs(points - thousandths) <= nearly ? thousandths : rounded(points, {2, RoundingMode::half_up}));
}

double Grade::percent() const {
  if (of <= 0) return 0;
  return points >= of ? 100 : rounded(100 * points / of, {9, RoundingMode::half_up});
}

StepGrade Grader::graded(const MarkedStep* marked, const std::string& id, double of) const {
  StepGrade grade{.id = id, .handed_in = marked != nullptr, .of = of};
  grade.cells = cells_asked(trace_, id);
  if (!marked) {
    grade.missing = grade.cells;
    return grade;
  }
  grade.other_shape = !marked->given_shape.empty();
  if (grade.other_shape) {
    grade.wrong = grade.cells = std::max<std::size_t>(grade.cells, 1);
    return grade;
  }
  // Who writes single cells of a step has not written the others.
  grade.cells = std::max({grade.cells, marked->asked, marked->cells.size()});
  grade.missing = grade.cells - marked->cells.size();
  grade.right = marked->count(CellState::right);
  grade.consistent = marked->count(CellState::consistent);
  grade.too_coarse = marked->count(CellState::too_coarse);
  grade.wrong = marked->count(CellState::wrong);
  grade.blank = marked->count(CellState::blank);
  grade.counted = grade.right + (scheme_.follow_through ? grade.consistent : 0) +
                  (scheme_.too_coarse == Scheme::TooCoarse::right ? grade.too_coarse : 0);
  grade.earned = share(of, grade.counted, grade.cells, scheme_.per);
  if (scheme_.too_coarse == Scheme::TooCoarse::ask)
    grade.undecided = share(of, grade.counted + grade.too_coarse, grade.cells, scheme_.per) - grade.earned;
  return grade;
}

// Where a diagnosis takes points off: the step where it was made; else, where that is not handed in
// or has no points, the first one from there on in which something is wrong; else the first one.
StepGrade* Grader::loses(const Report& report, const Diagnosis& diagnosis, std::size_t made_at, Grade& grade) const {
  StepGrade *first_wrong = nullptr, *first = nullptr;
  for (StepGrade& step : grade.steps) {
    if (!step.handed_in || step.of <= 0) continue;
    if (step.id == diagnosis.step) return &step;
    if (trace_.find(step.id) && order_of(trace_, step.id) < made_at) continue;
    if (!first) first = &step;
    const auto marked = std::ranges::find(report.steps, step.id, &MarkedStep::id);
    if (!first_wrong && has_wrong(*marked)) first_wrong = &step;
  }
  return first_wrong ? first_wrong : first;
}

void Grader::deduct(const Report& report, Grade& grade) const {
  std::size_t made_at = 0;  // diagnoses come in the order of steps, and not every step is one of the problem's
  for (const Diagnosis& diagnosis : report.diagnoses) {
    if (trace_.find(diagnosis.step)) made_at = order_of(trace_, diagnosis.step);
    const Scheme::Deduction* deduction = deduction_for(diagnosis.mistake, scheme_);
    if (!deduction || deduction->points <= 0) continue;
    StepGrade* const at = loses(report, diagnosis, made_at, grade);
    if (!at) continue;
    const double taken = std::min(deduction->points, at->points());
    at->deducted += taken;
    grade.deductions.push_back({diagnosis.mistake, at->id, deduction->points, taken});
  }
}

Grade Grader::grade(const Report& report) const {
  std::vector<std::string> ids;
  for (const MarkedStep& step : report.steps) ids.push_back(step.id);
  for (const Scheme::StepPoints& asked : scheme_.points) {
    if (!trace_.find(asked.step) || std::ranges::count(ids, asked.step) > 0) continue;
    const std::size_t order = order_of(trace_, asked.step);
    const auto behind = std::ranges::find_if(
        ids, [&](const std::string& id) { return trace_.find(id) && order_of(trace_, id) > order; });
    ids.insert(behind, asked.step);
  }

  Grade grade;
  for (const std::string& id : ids) {
    const auto marked = std::ranges::find(report.steps, id, &MarkedStep::id);
    const auto asked = std::ranges::find(scheme_.points, id, &Scheme::StepPoints::step);
    const double of = asked != scheme_.points.end() ? asked->points : scheme_.points.empty() ? 1 : 0;
    grade.steps.push_back(graded(marked == report.steps.end() ? nullptr : &*marked, id, of));
  }
  deduct(report, grade);
  for (const StepGrade& step : grade.steps) {
    grade.sum += step.points();
    grade.of += step.of;
  }
  grade.points = rounded_points(grade.sum, grade.of, scheme_);
  if (scheme_.too_coarse != Scheme::TooCoarse::ask) return grade;
  for (const MarkedStep& step : report.steps) {
    for (const MarkedCell& cell : step.cells) {
      if (cell.state == CellState::too_coarse) grade.undecided.push_back({step.id, cell.index, cell.given});
    }
  }
  return grade;
}

void ClassSummary::add(const Report& report, const Grade& grade, const Trace& trace) {
  std::set<std::pair<std::string, std::string>> own;
  for (const Diagnosis& diagnosis : report.diagnoses) {
    if (diagnosis.kind != MistakeKind::note) own.emplace(diagnosis.mistake, diagnosis.step);
  }
  for (const auto& one : own) ++made_[one];
  if (grade.of > 0) percents_.push_back(grade.percent());
  for (const MarkedStep& marked : report.steps) {
    const Step* step = trace.find(marked.id);
    StepOfClass& told = of_class(marked.id, step ? step->result.shape().sizes() : std::vector<std::size_t>(), trace);
    ++told.people;
    if (!has_wrong(marked)) continue;
    ++told.wrong;
    if (!marked.given_shape.empty() || told.cells.empty()) continue;
    for (const MarkedCell& cell : marked.cells) {
      if (cell.state == CellState::wrong) ++told.cells[step->result.shape().offset(cell.index, step->result.shape())];
    }
  }
}

ClassSummary::StepOfClass& ClassSummary::of_class(const std::string& id, const std::vector<std::size_t>& shape,
                                                  const Trace& trace) {
  const auto same =
      std::ranges::find_if(steps_, [&](const StepOfClass& one) { return one.id == id && one.shape == shape; });
  if (same != steps_.end()) return *same;
  StepOfClass made;
  made.id = id;
  made.shape = shape;
  made.order = order_of(trace, id);
  std::size_t cells = shape.empty() ? 0 : 1;
  for (const std::size_t size : shape) cells *= size;
  if (cells <= most_cells_of_step) made.cells.resize(cells);
  const auto behind = std::ranges::find_if(steps_, [&](const StepOfClass& one) { return one.order > made.order; });
  return *steps_.insert(behind, std::move(made));
}

std::array<std::size_t, 11> ClassSummary::distribution() const {
  std::array<std::size_t, 11> counts = {};
  for (const double percent : percents_) ++counts[static_cast<std::size_t>(std::clamp(percent, 0.0, 100.0) / 10)];
  return counts;
}

double ClassSummary::mean_percent() const {
  double sum = 0;
  for (const double percent : percents_) sum += percent;
  return percents_.empty() ? 0 : sum / static_cast<double>(percents_.size());
}

double ClassSummary::median_percent() const {
  if (percents_.empty()) return 0;
  std::vector<double> sorted = percents_;
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

std::vector<ClassSummary::Made> ClassSummary::mistakes() const {
  std::vector<Made> all;
  for (const auto& one : made_) {
    const auto rarer = std::ranges::find_if(all, [&](const Made& other) { return other.people < one.second; });
    all.insert(rarer, {one.first.first, one.first.second, one.second});
  }
  return all;
}

std::vector<GradedHandIn::Finding> findings_of(const Report& report) {
  std::vector<GradedHandIn::Finding> found;
  for (const Diagnosis& one : report.diagnoses) {
    found.push_back({one.mistake, one.step, one.kind, one.ties, one.message});
  }
  return found;
}

}  // namespace attn
