#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "mark/blame/blame.h"
#include "mark/slips.h"
#include "trace/rounding.h"

namespace attn {
namespace {

void add_slip(const Slip& slip, const std::string& step, const Shape& shape, Report& report) {
  Diagnosis diagnosis = diagnosis_of(slip.mistake, step);
  diagnosis.variant = slip.variant;
  diagnosis.evidence = slip.evidence;
  for (const std::size_t cell : slip.cells) diagnosis.cells.push_back(shape.index(cell));
  report.diagnoses.push_back(std::move(diagnosis));
}

// Indices along an axis.
struct Lying {
  Axis axis;
  std::set<std::size_t> indices;
};

// Along which axes, and at which indices of them, the wrong cells of a step lie.
// What happens in one sequence, in one head, to one query or in one column of
// values stays there, where the person otherwise computes what is asked for.
std::vector<Lying> where_wrong(const Marking& marking, std::size_t step) {
  std::vector<Lying> lying;
  if (marking.believes_something()) return lying;
  const Shape& shape = marking.right().recipe.shape(marking.line_of(step));
  for (const char* axis : {"batch", "head", "query", "d_v"}) {
    if (!shape.has(axis)) continue;
    Lying along{axis, {}};
    for (std::size_t cell = 0; cell < marking.right_cells(step).size(); ++cell) {
      if (marking.is_wrong(step, cell)) along.indices.insert(cell / shape.stride(axis) % shape.size(axis));
    }
    lying.push_back(std::move(along));
  }
  return lying;
}

// Whether every wrong cell can come from the slip.
bool reaches(const Slip& slip, const Shape& made, const std::vector<Lying>& lying) {
  return std::ranges::all_of(lying, [&](const Lying& along) {
    if (!made.has(along.axis)) return true;
    return std::ranges::all_of(along.indices, [&](std::size_t index) {
      return std::ranges::any_of(slip.cells, [&](std::size_t cell) {
        return cell / made.stride(along.axis) % made.size(along.axis) == index;
      });
    });
  });
}

// Whether every wrong cell is one of the slip's own.
bool covers(const Marking& marking, const Slip& slip, std::size_t step) {
  for (std::size_t cell = 0; cell < marking.right_cells(step).size(); ++cell) {
    if (marking.is_wrong(step, cell) && std::ranges::find(slip.cells, cell) == slip.cells.end()) return false;
  }
  return true;
}

// The lines that stand between what was handed in before and the line `last`,
// which comes first.
std::vector<std::size_t> lines_behind_what_was_handed_in(const Recipe& recipe, const Sheet& sheet, std::size_t last) {
  std::vector<bool> above(recipe.size());
  above[last] = true;
  std::vector<std::size_t> lines = {last};
  for (std::size_t line = last + 1; line-- > 0;) {
    const Instruction& instruction = recipe.instruction(line);
    if (!above[line] || (line != last && sheet.find(instruction.id()))) continue;
    if (line != last && !instruction.given) lines.push_back(line);
    for (const std::size_t operand : recipe.operands(line)) above[operand] = true;
  }
  return lines;
}

// A slip from which every wrong cell of a step follows, and every one up to
// another step of the sheet.
struct FoundSlip {
  Slip slip;
  std::size_t line;
  std::size_t until;
  Manner manner;
};

// Every slip that explains a step, in the first manner of working in which there are any.
class SlipSearch {
 public:
  SlipSearch(Marking& marking, std::size_t step)
      : marking_(marking),
        step_(step),
        last_(marking.line_of(step)),
        lying_(where_wrong(marking, step)),
        // A large problem has more slips than anybody waits for.
        most_tries_(std::clamp<std::size_t>(6'000'000 / marking.right().cells, 100, 20'000)) {}

  std::vector<FoundSlip> run() {
    const std::vector<std::size_t> lines =
        lines_behind_what_was_handed_in(marking_.right().recipe, marking_.sheet(), last_);
    for (const Manner& manner : marking_.manners()) {
      // The rare ways of rounding are left out: slips are many, and each is tried in each.
      if (habit_of(manner.writing) != marking_.habit()) continue;
      if (manner.writing == RoundingMode::half_even || manner.inner_as_written) continue;
      for (const std::size_t line : lines) look_at(line, manner);
      if (!found_.empty()) break;
    }
    return std::move(found_);
  }

 private:
  void look_at(std::size_t line, const Manner& manner) {
    const Recipe& recipe = marking_.right().recipe;
    const Instruction& instruction = recipe.instruction(line);
    if (line != last_ && !is_rounded_by_hand(instruction.op, instruction.operands.size())) return;
    const Followed<double>& original = marking_.base(manner);
    any_slip(recipe, line, original.carried, original.result(line), marking_.writing(manner), [&](const Slip& slip) {
      if (++seen_ > most_slips) return true;
      const bool may_be = line == last_ ? covers(marking_, slip, step_) : reaches(slip, recipe.shape(line), lying_);
      if (!may_be) return false;
      if (++tried_ > most_tries_) return true;
      try_out(slip, line, manner, original);
      return false;
    });
  }

  void try_out(const Slip& slip, std::size_t line, const Manner& manner, const Followed<double>& original) {
    std::vector<Patch> patches = marking_.slips();
    patches.insert(patches.end(), slip.patches.begin(), slip.patches.end());
    const FollowedOriginal from{original, marking_.right().same};
    const FollowOptions options{.manner = manner, .patches = patches, .must_match = step_ + 1};
    const Followed<double> followed = follow(marking_.task(marking_.right().recipe), options, &from);
    if (!followed.stopped && all_true(followed.matched[step_]))
      found_.push_back({slip, line, followed.mismatch_from(step_), manner});
  }

  static constexpr std::size_t most_slips = 400'000;

  Marking& marking_;
  std::size_t step_, last_;
  std::vector<Lying> lying_;
  std::size_t most_tries_;
  std::size_t tried_ = 0, seen_ = 0;
  std::vector<FoundSlip> found_;
};

}  // namespace

bool blame_slip(Marking& marking, std::size_t step, Report& report) {
  if (!marking.sheet().steps[step].fits) return false;
  const std::vector<FoundSlip> found = SlipSearch(marking, step).run();
  if (found.empty()) return false;

  // Whatever explains most; and of those the one nearest to where it shows.
  const FoundSlip& chosen = *std::ranges::max_element(found, {}, &FoundSlip::until);
  const Recipe& recipe = marking.right().recipe;
  add_slip(chosen.slip, recipe.instruction(chosen.line).id(), recipe.shape(chosen.line), report);
  std::vector<std::string>& ties = report.diagnoses.back().ties;
  for (const FoundSlip& other : found) {
    if (other.until < chosen.until || other.slip.mistake == chosen.slip.mistake) continue;
    if (std::ranges::find(ties, other.slip.mistake) == ties.end()) ties.push_back(other.slip.mistake);
  }
  const bool is_on_the_way = chosen.line != marking.line_of(step);
  marking.believe(is_on_the_way ? chosen.slip.patches : std::vector<Patch>(), chosen.manner);
  return true;
}

bool blame_slips_in_place(Marking& marking, std::size_t step, Report& report) {
  const HandedStep& handed = marking.sheet().steps[step];
  if (!handed.fits) return false;
  const Followed<double>& original = marking.base(marking.manners().front());
  const std::size_t line = marking.line_of(step);
  const Tensor<double>& computed = *original.computed[line];
  std::map<std::size_t, Slip> by_cell;
  any_slip(marking.right().recipe, line, original.carried, computed, marking.writing(marking.manners().front()),
           [&](const Slip& slip) {
             for (const Patch& patch : slip.patches) {
               const HandedCell& cell = handed.cells[patch.cell];
               if (!cell.is_number()) return false;
               if (!meet(with_slack(stands_for(cell, marking.habit(), marking.rule())), with_slack(patch.value)))
                 return false;
             }
             for (const std::size_t cell : slip.cells) {
               if (marking.is_wrong(step, cell)) by_cell.emplace(cell, slip);
             }
             return false;
           });
  const std::size_t wrong = marking.count_wrong(step);
  if (by_cell.size() < wrong || wrong > 4) return false;
  std::vector<std::vector<std::size_t>> told;
  for (const auto& [cell, slip] : by_cell) {
    if (std::ranges::find(told, slip.cells) != told.end()) continue;
    told.push_back(slip.cells);
    add_slip(slip, handed.id, computed.shape(), report);
  }
  return true;
}

}  // namespace attn
