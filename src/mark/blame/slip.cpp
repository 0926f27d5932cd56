#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "mark/marking.h"
#include "mark/slips.h"
#include "trace/rounding.h"
#include "words/language.h"

namespace attn {
namespace {

void add_slip(const Slip& slip, const std::string& step, const Shape& shape, Report& report) {
  Diagnosis diagnosis = diagnosis_of(slip.mistake, step);
  diagnosis.variant = slip.variant;
  diagnosis.evidence = slip.evidence;
  for (const Patch& patch : slip.patches) diagnosis.cells.push_back(shape.index(patch.cell));
  report.diagnoses.push_back(std::move(diagnosis));
}

// Indices along an axis of so many.
struct Lying {
  Axis axis;
  std::size_t size;
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
    Lying along{axis, shape.size(axis), {}};
    for (std::size_t cell = 0; cell < marking.right_cells(step).size(); ++cell) {
      if (marking.is_wrong(step, cell)) along.indices.insert(cell / shape.stride(axis) % shape.size(axis));
    }
    lying.push_back(std::move(along));
  }
  return lying;
}

// Where, along the axes of what the line `above` makes, all that is wrong at the line `shown` comes from. Of other
// parts than its own each query reads all, with all heads. Fewer heads of keys and values are each read by several.
std::vector<Lying> where_from(const Recipe& recipe, std::size_t above, std::size_t shown,
                              const std::vector<Lying>& lying) {
  const Shape& made = recipe.shape(above);
  const bool is_own = recipe.instruction(above).part == recipe.instruction(shown).part;
  std::vector<Lying> from;
  for (const Lying& along : lying) {
    if (!made.has(along.axis) || (!is_own && along.axis != "batch")) continue;
    const std::size_t size = made.size(along.axis);
    Lying& there = from.emplace_back(Lying{along.axis, size, {}});
    for (const std::size_t index : along.indices) there.indices.insert(index * size / along.size);
  }
  return from;
}

// Whether one wrong cell can come from that cell, in what was made.
bool lies_where_wrong(std::size_t cell, const Shape& made, const std::vector<Lying>& from) {
  return std::ranges::all_of(
      from, [&](const Lying& along) { return along.indices.contains(cell / made.stride(along.axis) % along.size); });
}

// How many cells a slip in what was made has to change at least for all that is wrong.
std::size_t cells_needed(const std::vector<Lying>& from) {
  std::size_t most = 1;
  for (const Lying& along : from) most = std::max(most, along.indices.size());
  return most;
}

// Whether every wrong cell can come from the slip.
bool reaches(const Slip& slip, const Shape& made, const std::vector<Lying>& from) {
  return std::ranges::all_of(from, [&](const Lying& along) {
    return std::ranges::all_of(along.indices, [&](std::size_t index) {
      return std::ranges::any_of(
          slip.patches, [&](const Patch& patch) { return patch.cell / made.stride(along.axis) % along.size == index; });
    });
  });
}

// Whether a slip in what was handed in shows there: what was exchanged was written, and
// so were the digits.
bool can_be_seen(const HandedStep& handed, const Slip& slip) {
  return std::ranges::all_of(slip.patches, [&](const Patch& patch) {
    const HandedCell& cell = handed.cells[patch.cell];
    if (slip.mistake == "slip.cells_swapped") return cell.is_number();
    return slip.mistake != "slip.digits_swapped" || std::abs(cell.number.value - patch.value) < 1e-9;
  });
}

// Whether every wrong cell is one of the slip's own.
bool covers(const Marking& marking, const Slip& slip, std::size_t step) {
  if (!can_be_seen(marking.sheet().steps[step], slip)) return false;
  for (std::size_t cell = 0; cell < marking.right_cells(step).size(); ++cell) {
    if (marking.is_wrong(step, cell) && std::ranges::count(slip.patches, cell, &Patch::cell) == 0) return false;
  }
  return true;
}

// Whether what the slip puts in the step could be what was written there, as far as
// that is told cell by cell.
bool may_stand_there(const Marking& marking, const Slip& slip, std::size_t step) {
  const HandedStep& handed = marking.sheet().steps[step];
  if (handed.what == HandedStep::What::exponentials || handed.what == HandedStep::What::weights) return true;
  return std::ranges::all_of(slip.patches, [&](const Patch& patch) {
    const HandedCell& cell = handed.cells[patch.cell];
    if (!cell.is_number() || !std::isfinite(patch.value)) return true;
    return std::ranges::any_of(habits, [&](RoundingMode habit) {
      const Interval& stands = cell.stands_as(habit);
      const double near = 1e-5 * stands.width();
      return meet({stands.low - near, stands.high + near}, with_slack(patch.value));
    });
  });
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
    if (line != last) lines.push_back(line);
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

// The first step of the sheet, from this one on, that the slip leaves wrong;
// nothing where it does not explain the step itself.
std::optional<std::size_t> explained_until(Marking& marking, std::size_t step, const Slip& slip, const Manner& manner) {
  std::vector<Patch> patches = marking.slips();
  patches.insert(patches.end(), slip.patches.begin(), slip.patches.end());
  if (Probe* rows = marking.probe(step); rows && !rows->may_follow(patches, manner)) return std::nullopt;
  const FollowOptions options{.manner = manner,
                              .patches = patches,
                              .must_match = step + 1,
                              .original = &marking.base(manner),
                              .same = &marking.right().same};
  const Followed<double> followed = follow(marking.task(marking.right().recipe), options);
  if (followed.stopped || !all_true(followed.matched[step])) return std::nullopt;
  return followed.mismatch_from(step);
}

// Whether slips are looked for in what somebody of that manner does: who has the habit
// that explains most, or another that explains all before the step and leaves few more
// of its numbers wrong. The rare ways of rounding are left out: slips are many, and each
// is tried in each.
bool is_likely(Marking& marking, std::size_t step, const Manner& manner) {
  if (manner.writing == RoundingMode::half_even || manner.inner_as_written) return false;
  const bool is_usual = habit_of(manner.writing) == marking.habit();
  // In a large problem one who rounds and one who does not stand for all.
  if (marking.probe(step)) return is_usual && manner.carries_written && !manner.sums_in_full;
  if (is_usual) return true;
  const Flags& matched = marking.base(manner).matched;
  return first_mismatch(matched) >= step && count_mismatches(matched[step]) <= 2 * marking.count_wrong(step) + 2;
}

// Whether two manners of writing alike come to the same numbers in every line up to
// this one, so that a slip in one is a slip in the other.
bool come_to_the_same(const Followed<double>& one, const Followed<double>& other, std::size_t last) {
  const auto same = [](const Tensor<double>* a, const Tensor<double>* b) { return a == b || (a && b && *a == *b); };
  for (std::size_t line = 0; line <= last; ++line) {
    if (!same(one.computed[line], other.computed[line]) || !same(one.carried[line], other.carried[line])) return false;
  }
  return true;
}

// Every slip that explains a step, in the first manner of working in which there are any.
std::vector<FoundSlip> explaining_slips(Marking& marking, std::size_t step) {
  const Recipe& recipe = marking.right().recipe;
  const std::size_t last = marking.line_of(step);
  const std::vector<Lying> lying = where_wrong(marking, step);
  const std::size_t wrong = marking.count_wrong(step);
  std::vector<std::size_t> lines = {last};
  // One wrong cell could come from anywhere: it takes several to point to a step that nobody saw.
  if (wrong > 1) lines = lines_behind_what_was_handed_in(recipe, marking.sheet(), last);
  // A large problem has more slips than anybody waits for.
  const std::size_t most_slips = marking.probe(step) ? 50'000 : 400'000;
  const std::size_t much_work = marking.probe(step) ? 60'000'000 : 6'000'000;
  const std::size_t most_tries = std::clamp<std::size_t>(much_work / marking.right().cells, 10, 20'000);
  std::size_t tried = 0, seen = 0;
  bool ended_early = false;
  std::vector<FoundSlip> found;
  std::vector<const Manner*> known;
  for (const Manner& manner : marking.manners()) {
    if (!is_likely(marking, step, manner)) continue;
    const Followed<double>& original = marking.base(manner);
    const bool is_known = std::ranges::any_of(known, [&](const Manner* other) {
      return other->writing == manner.writing && come_to_the_same(original, marking.base(*other), last);
    });
    if (is_known) continue;
    known.push_back(&manner);
    ended_early = ended_early || seen > most_slips || tried > most_tries;
    if (marking.probe(step)) seen = tried = 0;  // each of the two has its share
    for (const std::size_t line : lines) {
      const Instruction& instruction = recipe.instruction(line);
      if (line != last && !is_rounded_by_hand(instruction.op, instruction.operands.size())) continue;
      const Shape& shape = recipe.shape(line);
      const std::vector<Lying> from = where_from(recipe, line, last, lying);
      const int decimals = line == last ? marking.sheet().steps[step].decimals : marking.sheet().decimals;
      SlipPlace place{recipe, line, original, writing_with(decimals, manner.writing)};
      place.least_cells = line == last ? wrong : cells_needed(from);
      place.is_of_use = [&](std::size_t cell) {
        return line == last ? marking.is_wrong(step, cell) : lies_where_wrong(cell, shape, from);
      };
      any_slip(place, [&](const Slip& slip) {
        if (++seen > most_slips) return true;
        const bool may_be = line == last ? covers(marking, slip, step) : reaches(slip, shape, from);
        if (!may_be || (line == last && !may_stand_there(marking, slip, step))) return false;
        if (++tried > most_tries) return true;
        if (const auto until = explained_until(marking, step, slip, manner)) {
          found.push_back({slip, line, *until, manner});
        }
        return false;
      });
    }
    if (!found.empty()) break;
  }
  if (found.empty() && (ended_early || seen > most_slips || tried > most_tries)) {
    marking.leave_untried(language().verdicts.further_slips);
  }
  return found;
}

}  // namespace

bool blame_slip(Marking& marking, std::size_t step, Report& report) {
  if (!marking.sheet().steps[step].fits) return false;
  const std::vector<FoundSlip> found = explaining_slips(marking, step);
  if (found.empty()) return false;

  // Whatever explains most; and of those the one nearest to where it shows.
  const FoundSlip& chosen = *std::ranges::max_element(found, {}, &FoundSlip::until);
  const Recipe& recipe = marking.right().recipe;
  add_slip(chosen.slip, recipe.instruction(chosen.line).id(), recipe.shape(chosen.line), report);
  constexpr std::size_t most_ties = 2;  // more tell nobody anything
  std::vector<std::string>& ties = report.diagnoses.back().ties;
  for (const FoundSlip& other : found) {
    if (other.until < chosen.until || other.slip.mistake == chosen.slip.mistake) continue;
    // Where the step itself explains it, what nobody saw is no better.
    if (chosen.line == marking.line_of(step) && other.line != chosen.line) continue;
    if (ties.size() < most_ties && std::ranges::count(ties, other.slip.mistake) == 0) {
      ties.push_back(other.slip.mistake);
    }
  }
  const bool is_on_the_way = chosen.line != marking.line_of(step);
  marking.believe(is_on_the_way ? chosen.slip.patches : std::vector<Patch>(), chosen.manner);
  return true;
}

bool blame_slips_in_place(Marking& marking, std::size_t step, Report& report) {
  const HandedStep& handed = marking.sheet().steps[step];
  const std::size_t wrong = marking.count_wrong(step);
  if (!handed.fits || wrong > 4) return false;
  const Followed<double>& original = marking.base(marking.manners().front());
  const std::size_t line = marking.line_of(step);
  const HandRounding rounding = writing_with(handed.decimals, marking.manners().front().writing);
  std::map<std::size_t, Slip> by_cell;
  SlipPlace place{marking.right().recipe, line, original, rounding};
  place.is_of_use = [&](std::size_t cell) { return marking.is_wrong(step, cell); };
  any_slip(place, [&](const Slip& slip) {
    const bool fits = can_be_seen(handed, slip) && std::ranges::all_of(slip.patches, [&](const Patch& patch) {
                        const HandedCell& cell = handed.cells[patch.cell];
                        return cell.is_number() && meet(with_slack(stands_for(cell, marking.habit(), marking.rule())),
                                                        with_slack(patch.value));
                      });
    for (std::size_t i = 0; fits && i < slip.patches.size(); ++i) {
      if (marking.is_wrong(step, slip.patches[i].cell)) by_cell.emplace(slip.patches[i].cell, slip);
    }
    return false;
  });
  if (by_cell.size() < wrong) return false;
  std::vector<std::vector<Patch>> told;
  for (const auto& [cell, slip] : by_cell) {
    if (std::ranges::find(told, slip.patches) != told.end()) continue;
    told.push_back(slip.patches);
    add_slip(slip, handed.id, marking.right().recipe.shape(line), report);
  }
  return true;
}

}  // namespace attn
