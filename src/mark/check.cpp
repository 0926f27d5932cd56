#include "mark/check.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <utility>

#include "mark/evidence.h"
#include "mark/follow.h"
#include "mark/sheet.h"
#include "mark/slips.h"
#include "trace/rounding.h"

namespace attn {
namespace {

using Flags = std::vector<std::vector<bool>>;

// A known mistake made in a recipe, ready to be followed.
struct Candidate {
  const Mistake* mistake;
  Rewrite rewrite;
  Course course;
};

// A recipe with every mistake that can be made in it.
struct Ground {
  explicit Ground(Recipe computation)
      : recipe(std::move(computation)), course(recipe), exact(follow(course, {}, {}, {})) {
    for (std::size_t line = 0; line < course.replay().size(); ++line) cells += course.replay().shape(line).count();
    for (const Family& family : families()) {
      for (const Mistake& mistake : family.mistakes) {
        if (!mistake.rewrites) continue;
        for (Rewrite& rewrite : mistake.rewrites(recipe)) {
          // Nobody can have gone on with numbers that the next step cannot read.
          if (!rewrite.recipe.fits()) continue;
          Course rewritten(rewrite.recipe, &course);
          candidates.push_back({&mistake, std::move(rewrite), std::move(rewritten)});
        }
      }
    }
  }

  Recipe recipe;
  Course course;
  Followed<double> exact;  // what nobody's numbers go into
  std::size_t cells = 1;   // of all lines
  std::deque<Candidate> candidates;
};

// What people do to numbers, the most usual first.
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

const Mistake* mistake_named(std::string_view id) {
  for (const Family& family : families()) {
    for (const Mistake& mistake : family.mistakes) {
      if (mistake.id == id) return &mistake;
    }
  }
  return nullptr;
}

// Says what happened and what to do about it, in the catalogue's words.
void tell(Diagnosis& diagnosis, const Mistake* mistake, const char* where = " ") {
  if (!mistake) return;
  diagnosis.message = std::string("It looks as if") + where + mistake->what + ".";
  diagnosis.hint = mistake->hint;
}

std::size_t count_false(const Flags& flags) {
  std::size_t count = 0;
  for (const auto& cells : flags) count += static_cast<std::size_t>(std::ranges::count(cells, false));
  return count;
}

bool all_true(const std::vector<bool>& flags) { return std::ranges::find(flags, false) == flags.end(); }

void merge(Flags& flags, const Flags& more) {
  for (std::size_t i = 0; i < flags.size(); ++i) {
    for (std::size_t at = 0; at < flags[i].size() && at < more[i].size(); ++at) {
      flags[i][at] = flags[i][at] || more[i][at];
    }
  }
}

// A mistake that explains a step, and how much after it.
struct Explanation {
  const Candidate* candidate = nullptr;
  std::size_t explains_until = 0;  // the first step of the sheet, from the step itself on, that it leaves wrong
  const Manner* manner = nullptr;
  std::vector<bool> explained;  // cells of the step
};

// One hand-in being marked.
class Marking {
 public:
  Marking(const Sheet& sheet, const MarkingRule& rule, std::shared_ptr<const Ground> right)
      : sheet_(sheet), rule_(rule), manners_(manners(rule)), right_(std::move(right)) {
    fill_in_allowances(sheet_, rule_);
    choose_habit();
  }

  // Whether everything could follow honestly.
  bool accepted() const { return mismatches_ == 0; }
  std::size_t mismatches() const { return mismatches_; }
  Habit habit() const { return habit_; }

  // Whether one manner of working, kept up throughout, gives exactly what was written.
  const Manner* honest_manner() {
    for (const Manner& manner : manners_) {
      if (base(manner).all_match()) return &manner;
    }
    return nullptr;
  }

  // The same for every choice of the steps at which the person rounds; true,
  // too, where there are too many to try.
  bool some_honest_way();

  Report mark();

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  void choose_habit() {
    mismatches_ = none;
    for (const Habit habit : {Habit::to_nearest, Habit::cut_off, Habit::keep_sum}) {
      Followed<Interval> followed = enclose(right_->course, sheet_, rule_, habit, true);
      const std::size_t wrong = count_false(followed.matched);
      if (wrong < mismatches_) {
        mismatches_ = wrong;
        habit_ = habit;
        person_ = followed.matched;
      }
      if (wrong == 0 || rule_.kind != MarkingRule::Kind::honest_rounding) break;
    }
    honest_ = enclose(right_->course, sheet_, rule_, habit_, false);
    right_flags_ = honest_.matched;
  }

  // What comes of the computation as now believed, in one manner.
  const Followed<double>& base(const Manner& manner) {
    const auto at = static_cast<std::size_t>(&manner - manners_.data());
    if (bases_.size() <= at) bases_.resize(manners_.size());
    if (!bases_[at]) bases_[at] = follow(right_->course, sheet_, rule_, {.manner = manner, .patches = patches_});
    return *bases_[at];
  }

  // What the person is now believed to have done explains cells too: what comes
  // of a course, or of the right one with the slips that were found.
  void believe(const Course& course, const Manner& manner) {
    const bool slipped = &course == &right_->course && !patches_.empty();
    const std::span<const Patch> patches = slipped ? std::span<const Patch>(patches_) : std::span<const Patch>();
    merge(person_, follow(course, sheet_, rule_, {.manner = manner, .patches = patches}).matched);
    if (!slipped) merge(person_, enclose(course, sheet_, rule_, habit_, true).matched);
    believes_ = true;
  }

  bool be_strict();
  std::size_t next_wrong(std::size_t from) const;
  std::vector<Explanation> explanations(std::size_t step, bool whole_file);
  Diagnosis diagnosis_of(const std::vector<Explanation>& found, std::size_t step) const;
  bool blame_mistake(std::size_t step, Report& report);
  bool blame_slip(std::size_t step, Report& report);
  bool covers(const Slip& slip, std::size_t step) const;
  struct Lying {
    Axis axis;
    std::set<std::size_t> indices;
  };
  std::vector<Lying> where_wrong(std::size_t step) const;
  bool reaches(const Slip& slip, const Shape& made, const std::vector<Lying>& lying) const;
  bool blame_slips_in_place(std::size_t step, Report& report);
  void blame_unknown(std::size_t step, Report& report);
  bool blame_rows(std::size_t step, Report& report);
  void add_slip(const Slip& slip, const std::string& step, const Shape& shape, Report& report);
  std::vector<std::vector<std::size_t>> wrong_cells(std::size_t step) const;
  bool is_wrong(std::size_t step, std::size_t cell) const { return !right_flags_[step][cell] && !person_[step][cell]; }
  void add_steps(Report& report) const;
  void note_rounding(Report& report);
  bool too_coarse(std::size_t step, std::size_t cell) const;
  std::size_t line_of(std::size_t step) const { return *right_->course.replay().line(sheet_.steps[step].id); }

  Sheet sheet_;
  const MarkingRule& rule_;
  const std::vector<Manner> manners_;
  std::shared_ptr<const Ground> right_;
  std::vector<Patch> patches_;  // slips that the person is believed to have made on the way
  bool believes_ = false;       // that the person computes something else
  Habit habit_ = Habit::to_nearest;
  std::size_t mismatches_ = 0;
  Followed<Interval> honest_;
  Flags right_flags_;  // cells that the right computation explains
  Flags person_;       // cells that what the person is believed to compute explains
  std::vector<std::optional<Followed<double>>> bases_;
  Flags state_wrong_;  // cells in which a mark is lost
};

std::size_t Marking::next_wrong(std::size_t from) const {
  for (std::size_t step = from; step < sheet_.steps.size(); ++step) {
    for (std::size_t cell = 0; cell < right_flags_[step].size(); ++cell) {
      if (is_wrong(step, cell)) return step;
    }
  }
  return sheet_.steps.size();
}

// Every cell lies within what honest rounding can give, but no one manner of
// working gives all of them. Where some mistake gives exactly these numbers, and
// no honest choice of where to round does, the numbers have told.
bool Marking::be_strict() {
  if (rule_.kind != MarkingRule::Kind::honest_rounding || explanations(0, true).empty() || some_honest_way())
    return false;
  // The manner that explains the longest beginning.
  const Manner* closest = &manners_.front();
  const auto length = [&](const Manner& manner) { return base(manner).mismatch_from(0); };
  for (const Manner& manner : manners_) {
    const bool fewer = count_false(base(manner).matched) < count_false(base(*closest).matched);
    if (length(manner) > length(*closest) || (length(manner) == length(*closest) && fewer)) closest = &manner;
  }
  person_ = base(*closest).matched;
  right_flags_ = follow(right_->course, sheet_, rule_, {.manner = *closest, .trust_mismatches = false}).matched;
  habit_ = habit_of(closest->writing);
  return true;
}

// Tries every choice of steps at which the person rounds, or carries on what
// they wrote, rather than the number in full.
bool Marking::some_honest_way() {
  const Replay& replay = right_->course.replay();
  const std::size_t last = *replay.line(sheet_.steps.back().id);
  std::vector<std::size_t> choices;
  for (std::size_t line = 0; line < last; ++line) {
    const Instruction& instruction = replay.instruction(line);
    const bool rounded = !replay.is_given(line) && is_rounded_by_hand(instruction.op, instruction.operands.size());
    if (rounded || sheet_.find(instruction.id)) choices.push_back(line);
  }
  // With more than these to try, the person has the benefit of the doubt; so
  // much is handed in then that little is in doubt.
  constexpr std::size_t most_choices = 11;
  if (choices.size() > most_choices || last >= 64) return true;
  if ((right_->cells << choices.size()) > 4'000'000) return true;
  for (const Manner& manner : manners_) {
    if (!manner.unwritten || !manner.carries_written) continue;
    for (std::uint64_t choice = 1; choice < std::uint64_t{1} << choices.size(); ++choice) {
      std::uint64_t exact = 0;
      for (std::size_t i = 0; i < choices.size(); ++i) {
        if (choice >> i & 1) exact |= std::uint64_t{1} << choices[i];
      }
      const auto followed = follow(right_->course, sheet_, rule_,
                                   {.manner = manner, .exact_lines = exact, .must_match = sheet_.steps.size()});
      if (!followed.stopped) return true;
    }
  }
  return false;
}

// The mistakes that explain every cell of a step (or of all steps), those that
// explain most of what follows, each mistake once, in the order of the catalogue.
std::vector<Explanation> Marking::explanations(std::size_t step, bool whole_file) {
  std::vector<Explanation> found;
  std::size_t farthest = 0;
  const std::size_t must_match = whole_file ? sheet_.steps.size() : step + 1;
  for (const Candidate& candidate : right_->candidates) {
    const auto of_same = [&](const Explanation& other) { return other.candidate->mistake == candidate.mistake; };
    for (const Manner& manner : manners_) {
      const Followed<double> followed = follow(
          candidate.course, sheet_, rule_, {.manner = manner, .patches = {}, .must_match = must_match}, &base(manner));
      if (followed.stopped || !all_true(followed.matched[step])) continue;
      const std::size_t until = followed.mismatch_from(step);
      if (whole_file && until < sheet_.steps.size()) continue;
      const auto known = std::ranges::find_if(found, of_same);
      if (known != found.end() && known->explains_until >= until) continue;
      if (known != found.end()) found.erase(known);
      found.push_back({&candidate, until, &manner, followed.matched[step]});
      farthest = std::max(farthest, until);
      if (until == sheet_.steps.size()) break;
    }
  }
  std::erase_if(found, [&](const Explanation& e) { return e.explains_until < farthest; });
  return found;
}

std::vector<std::vector<std::size_t>> Marking::wrong_cells(std::size_t step) const {
  std::vector<std::vector<std::size_t>> cells;
  const HandedStep& handed = sheet_.steps[step];
  if (!handed.fits) return cells;
  const Shape shape = right_->recipe.shape(handed.id);
  for (std::size_t at = 0; at < handed.cells.size(); ++at) {
    if (is_wrong(step, at)) cells.push_back(shape.index(at));
  }
  const auto all =
      static_cast<std::size_t>(std::ranges::count(handed.cells, HandedCell::Kind::number, &HandedCell::kind));
  return cells.size() == all ? std::vector<std::vector<std::size_t>>() : cells;
}

// The first of them, the others as ties. REQUIRES: there is one.
Diagnosis Marking::diagnosis_of(const std::vector<Explanation>& found, std::size_t step) const {
  const Candidate& first = *found.front().candidate;
  Diagnosis diagnosis{.mistake = first.mistake->id,
                      .kind = first.mistake->kind,
                      .step = first.rewrite.step,
                      .cells = wrong_cells(step),
                      .variant = first.rewrite.variant};
  for (std::size_t i = 1; i < found.size(); ++i) diagnosis.ties.push_back(found[i].candidate->mistake->id);
  return diagnosis;
}

bool Marking::blame_mistake(std::size_t step, Report& report) {
  const std::vector<Explanation> found = explanations(step, false);
  if (found.empty()) return false;

  const Candidate& first = *found.front().candidate;
  Diagnosis diagnosis = diagnosis_of(found, step);
  const Tensor<double>* computed = base(*found.front().manner).computed[line_of(step)];
  diagnosis.evidence =
      evidence_for(sheet_.steps[step], *computed, right_flags_[step], found.front().explained, habit_, rule_);
  tell(diagnosis, first.mistake);
  report.diagnoses.push_back(std::move(diagnosis));

  believe(first.course, *found.front().manner);
  return true;
}

void Marking::add_slip(const Slip& slip, const std::string& step, const Shape& shape, Report& report) {
  const Mistake* mistake = mistake_named(slip.mistake);
  Diagnosis diagnosis{.mistake = slip.mistake, .step = step, .variant = slip.variant, .evidence = slip.evidence};
  for (const std::size_t cell : slip.cells) diagnosis.cells.push_back(shape.index(cell));
  tell(diagnosis, mistake);
  report.diagnoses.push_back(std::move(diagnosis));
}

// Along which axes, and at which indices of them, the wrong cells of a step lie.
// What happens in one sequence, in one head, to one query or in one column of
// values stays there, where the person otherwise computes what is asked for.
std::vector<Marking::Lying> Marking::where_wrong(std::size_t step) const {
  std::vector<Lying> lying;
  if (believes_) return lying;
  const Shape& shape = right_->course.replay().shape(line_of(step));
  for (const char* axis : {"batch", "head", "query", "d_v"}) {
    if (!shape.has(axis)) continue;
    Lying along{axis, {}};
    for (std::size_t cell = 0; cell < right_flags_[step].size(); ++cell) {
      if (is_wrong(step, cell)) along.indices.insert(cell / shape.stride(axis) % shape.size(axis));
    }
    lying.push_back(std::move(along));
  }
  return lying;
}

// Whether every wrong cell can come from the slip.
bool Marking::reaches(const Slip& slip, const Shape& made, const std::vector<Lying>& lying) const {
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
bool Marking::covers(const Slip& slip, std::size_t step) const {
  for (std::size_t cell = 0; cell < right_flags_[step].size(); ++cell) {
    if (is_wrong(step, cell) && std::ranges::find(slip.cells, cell) == slip.cells.end()) return false;
  }
  return true;
}

// One slip, in the step or in one before it that was not handed in, from which
// every wrong cell follows.
bool Marking::blame_slip(std::size_t step, Report& report) {
  if (!sheet_.steps[step].fits) return false;
  const Replay& replay = right_->course.replay();
  const std::size_t last = line_of(step);

  // The lines that stand between what was handed in before and this step.
  std::vector<bool> above(replay.size());
  above[last] = true;
  std::vector<std::size_t> lines = {last};
  for (std::size_t line = last + 1; line-- > 0;) {
    if (!above[line] || (line != last && sheet_.find(replay.instruction(line).id))) continue;
    if (line != last && !replay.is_given(line)) lines.push_back(line);
    for (const std::size_t operand : replay.operands(line)) above[operand] = true;
  }

  struct Found {
    Slip slip;
    std::size_t line;
    std::size_t until;
    Manner manner;
  };
  std::vector<Found> found;
  const std::vector<Lying> lying = where_wrong(step);
  // A large problem has more slips than anybody waits for.
  const std::size_t most_tries = std::clamp<std::size_t>(6'000'000 / right_->cells, 100, 20'000);
  constexpr std::size_t most_slips = 400'000;
  std::size_t tried = 0;
  std::size_t seen = 0;
  for (const Manner& manner : manners_) {
    // The rare ways of rounding are left out: slips are many, and each is tried in each.
    if (habit_of(manner.writing) != habit_ || manner.writing == RoundingMode::half_even || manner.inner_as_written)
      continue;
    const Followed<double>& original = base(manner);
    for (const std::size_t line : lines) {
      const Instruction& instruction = replay.instruction(line);
      const bool worked_out = is_rounded_by_hand(instruction.op, instruction.operands.size());
      if (line != last && !worked_out) continue;
      any_slip(replay, line, original.carried, *original.computed[line],
               {std::min(sheet_.decimals, 12), manner.writing}, [&](const Slip& slip) {
                 if (++seen > most_slips) return true;
                 if (line == last ? !covers(slip, step) : !reaches(slip, replay.shape(line), lying)) return false;
                 if (++tried > most_tries) return true;
                 std::vector<Patch> patches = patches_;
                 patches.insert(patches.end(), slip.patches.begin(), slip.patches.end());
                 const auto followed =
                     follow(right_->course, sheet_, rule_,
                            {.manner = manner, .patches = patches, .must_match = step + 1}, &original);
                 if (followed.stopped || !all_true(followed.matched[step])) return false;
                 found.push_back({slip, line, followed.mismatch_from(step), manner});
                 return false;
               });
    }
    if (!found.empty()) break;
  }
  if (found.empty()) return false;

  // Whatever explains most; and of those the one nearest to where it shows.
  const auto best = std::ranges::max_element(found, {}, &Found::until);
  const Found chosen = *best;
  add_slip(chosen.slip, replay.instruction(chosen.line).id, replay.shape(chosen.line), report);
  for (const Found& other : found) {
    std::vector<std::string>& ties = report.diagnoses.back().ties;
    if (other.until < chosen.until || other.slip.mistake == chosen.slip.mistake) continue;
    if (std::ranges::find(ties, other.slip.mistake) == ties.end()) ties.push_back(other.slip.mistake);
  }
  if (chosen.line != last) {
    patches_.insert(patches_.end(), chosen.slip.patches.begin(), chosen.slip.patches.end());
    bases_.clear();
  }
  believe(right_->course, chosen.manner);
  return true;
}

// Several slips in one step, each in a cell of its own.
bool Marking::blame_slips_in_place(std::size_t step, Report& report) {
  const HandedStep& handed = sheet_.steps[step];
  if (!handed.fits) return false;
  const Followed<double>& original = base(manners_.front());
  const std::size_t line = line_of(step);
  const Tensor<double>& computed = *original.computed[line];
  std::map<std::size_t, Slip> by_cell;
  any_slip(right_->course.replay(), line, original.carried, computed,
           {std::min(sheet_.decimals, 12), manners_.front().writing}, [&](const Slip& slip) {
             for (const Patch& patch : slip.patches) {
               const HandedCell& cell = handed.cells[patch.cell];
               if (cell.kind != HandedCell::Kind::number) return false;
               if (!meet(with_slack(stands_for(cell, habit_, rule_)), with_slack(patch.value))) return false;
             }
             for (const std::size_t cell : slip.cells) {
               if (is_wrong(step, cell)) by_cell.emplace(cell, slip);
             }
             return false;
           });
  std::size_t wrong = 0;
  for (std::size_t cell = 0; cell < handed.cells.size(); ++cell) wrong += is_wrong(step, cell) ? 1 : 0;
  if (by_cell.size() < wrong || wrong > 4) return false;
  std::vector<std::vector<std::size_t>> told;
  for (const auto& [cell, slip] : by_cell) {
    if (std::ranges::find(told, slip.cells) != told.end()) continue;
    told.push_back(slip.cells);
    add_slip(slip, handed.id, computed.shape(), report);
  }
  return true;
}

// A mistake made in some rows only: it explains every cell of each row that has
// a wrong one.
bool Marking::blame_rows(std::size_t step, Report& report) {
  const HandedStep& handed = sheet_.steps[step];
  if (!handed.fits || handed.shape.empty()) return false;
  const std::size_t width = handed.shape.back();
  std::vector<Explanation> found;
  for (const Candidate& candidate : right_->candidates) {
    for (const Manner& manner : manners_) {
      const Followed<double> followed =
          follow(candidate.course, sheet_, rule_, {.manner = manner, .must_match = step}, &base(manner));
      if (followed.stopped || followed.matched[step].size() != handed.cells.size()) continue;
      bool explains = true;
      std::size_t wrong_in_a_row = 0;
      for (std::size_t start = 0; explains && start < handed.cells.size(); start += width) {
        std::size_t wrong = 0;
        bool whole = true;
        for (std::size_t i = start; i < start + width; ++i) {
          wrong += is_wrong(step, i) ? 1 : 0;
          whole = whole && followed.matched[step][i];
        }
        explains = wrong == 0 || whole;
        wrong_in_a_row = std::max(wrong_in_a_row, wrong);
      }
      if (!explains || wrong_in_a_row < 2) continue;
      const bool known = std::ranges::any_of(found, [&](auto& e) { return e.candidate->mistake == candidate.mistake; });
      if (!known) found.push_back({&candidate, 0, &manner, followed.matched[step]});
      break;
    }
  }
  if (found.empty()) return false;
  Diagnosis diagnosis = diagnosis_of(found, step);
  diagnosis.evidence = "in some rows every number comes out this way, in the others the way the problem asks for";
  tell(diagnosis, found.front().candidate->mistake, ", in some rows, ");
  report.diagnoses.push_back(std::move(diagnosis));
  return true;
}

void Marking::blame_unknown(std::size_t step, Report& report) {
  const HandedStep& handed = sheet_.steps[step];
  Diagnosis diagnosis{.mistake = "unexplained", .step = handed.id, .cells = wrong_cells(step)};
  if (!handed.fits) {
    diagnosis.message = "What you wrote for " + in_words(handed.id) + " has another shape than this step.";
    diagnosis.hint = "Check what its rows and its columns stand for.";
  } else {
    std::size_t wrong = 0;
    for (std::size_t cell = 0; cell < handed.cells.size(); ++cell) wrong += is_wrong(step, cell) ? 1 : 0;
    diagnosis.message = "No mistake known here gives " + std::string(wrong == 1 ? "this number" : "these numbers") +
                        " for " + in_words(handed.id) + ".";
    const std::vector<const Tensor<double>*>& carried = base(manners_.front()).carried;
    const auto values = right_->course.replay().line("values");
    if (handed.id == "attention_weights") diagnosis.evidence = impossible_weights(handed);
    if (handed.id == "context" && values) {
      diagnosis.evidence = impossible_context(handed, right_->recipe.shape(handed.id), *carried[*values]);
    }
    diagnosis.hint =
        "Work " + std::string(wrong == 1 ? "this cell" : "one of these cells") + " out again, term by term.";
  }
  report.diagnoses.push_back(std::move(diagnosis));
}

// Where so few digits are written, or so few before it, that the right value, 0,
// 1 and an even share could all stand behind a number, it tells nothing.
bool Marking::too_coarse(std::size_t step, std::size_t cell) const {
  const HandedStep& handed = sheet_.steps[step];
  const HandedCell& written = handed.cells[cell];
  if (written.kind != HandedCell::Kind::number || !written.number.decimals) return false;
  if (rule_.kind != MarkingRule::Kind::honest_rounding) return false;
  const Interval& right = (*honest_.computed[*right_->course.replay().line(handed.id)])[cell];
  if (right.is_point() && right.low == written.number.value) return false;
  if (right.width() < 1e-9 && std::abs(right.low - written.number.value) < 1e-9) return false;
  if (std::isinf(right.low) || std::isinf(right.high)) return false;
  const Interval stands = stands_for(written, Habit::to_nearest, rule_);
  const Interval cut = stands_for(written, Habit::cut_off, rule_);
  const Interval both = hull(stands, cut);
  const double reach = right.width() / 2;
  const Interval could = {both.low - reach, both.high + reach};
  const bool is_weight = handed.id == "attention_weights";
  if (!is_weight && written.number.value != 0) return false;
  return could.contains(0) && could.contains(1) && could.contains(1.0 / static_cast<double>(handed.shape.back()));
}

void Marking::add_steps(Report& report) const {
  for (std::size_t i = 0; i < sheet_.steps.size(); ++i) {
    const HandedStep& handed = sheet_.steps[i];
    MarkedStep marked{.id = handed.id, .cells = {}};
    if (!handed.fits) marked.given_shape = handed.shape;
    const Shape shape = right_->recipe.shape(handed.id);
    const std::size_t line = *right_->course.replay().line(handed.id);
    const Tensor<Interval>& right = *honest_.computed[line];
    const Tensor<double>& exact = *right_->exact.computed[line];
    for (std::size_t at = 0; at < handed.cells.size(); ++at) {
      const HandedCell& cell = handed.cells[at];
      if (cell.kind == HandedCell::Kind::not_asked) continue;
      MarkedCell mark{.index = {}, .given = cell.number.text};
      if (handed.fits) {
        mark.index = shape.index(at);
        mark.accepted = right[at];
        mark.expected = exact[at];
        if (std::isfinite(right[at].width())) marked.width = std::max(marked.width, right[at].width());
      } else {
        std::size_t rest = at;
        mark.index.assign(handed.shape.size(), 0);
        for (std::size_t axis = handed.shape.size(); axis-- > 0; rest /= handed.shape[axis]) {
          mark.index[axis] = rest % handed.shape[axis];
        }
      }
      mark.state = cell.kind == HandedCell::Kind::blank ? CellState::blank
                   : state_wrong_[i][at]                ? CellState::wrong
                   : !right_flags_[i][at]               ? CellState::consistent
                   : handed.fits && too_coarse(i, at)   ? CellState::too_coarse
                                                        : CellState::right;
      marked.cells.push_back(std::move(mark));
    }
    report.steps.push_back(std::move(marked));
  }
}

// How the person rounded, where it shows.
void Marking::note_rounding(Report& report) {
  if (rule_.kind != MarkingRule::Kind::honest_rounding) return;
  const auto fits = [&](const auto& wanted) {
    return std::ranges::any_of(manners_,
                               [&](const Manner& manner) { return wanted(manner) && base(manner).all_match(); });
  };
  const auto nearest = [](const Manner& m) { return habit_of(m.writing) == Habit::to_nearest; };
  const auto note = [&](const char* id) {
    const Mistake* mistake = mistake_named(id);
    Diagnosis diagnosis{.mistake = id, .kind = MistakeKind::note, .step = sheet_.steps.front().id};
    tell(diagnosis, mistake);
    report.diagnoses.push_back(std::move(diagnosis));
  };
  if (fits([&](const Manner& m) { return nearest(m) && !m.unwritten; })) return;
  if (fits([&](const Manner& m) { return nearest(m); })) {
    report.rounding = "half-up";
    note("rounding.early");
  } else if (habit_ == Habit::cut_off || fits([&](const Manner& m) { return m.writing == RoundingMode::truncate; })) {
    report.rounding = "truncate";
    note("rounding.truncated");
  } else if (habit_ == Habit::keep_sum || fits([&](const Manner& m) { return m.writing == RoundingMode::keep_sum; })) {
    report.rounding = "keep-sum";
    report.notes.push_back("the weights are rounded so that each row adds up to 1");
  }
}

Report Marking::mark() {
  Report report;
  const Manner* honest = accepted() ? honest_manner() : nullptr;
  const bool strict = accepted() && !honest && be_strict();
  for (const HandedStep& step : sheet_.steps) {
    state_wrong_.emplace_back(std::max<std::size_t>(step.cells.size(), 1), false);
  }
  if (!accepted() || strict) {
    for (std::size_t step = next_wrong(0); step < sheet_.steps.size(); step = next_wrong(step + 1)) {
      if (report.first_wrong.empty()) report.first_wrong = sheet_.steps[step].id;
      for (std::size_t cell = 0; cell < right_flags_[step].size(); ++cell) {
        state_wrong_[step][cell] = is_wrong(step, cell);
      }
      if (!blame_mistake(step, report) && !blame_slip(step, report) && !blame_slips_in_place(step, report) &&
          !blame_rows(step, report)) {
        blame_unknown(step, report);
      }
    }
  }
  add_steps(report);
  if (accepted() && !strict) note_rounding(report);

  bool wrong = false;
  bool open = report.steps.empty();
  for (const MarkedStep& step : report.steps) {
    open = open || step.cells.empty();
    wrong = wrong || step.count(CellState::wrong) > 0 || !step.given_shape.empty();
    open = open || step.count(CellState::blank) > 0 || step.count(CellState::too_coarse) > 0;
  }
  report.verdict = wrong ? Verdict::wrong : open ? Verdict::incomplete : Verdict::right;
  return report;
}

// What a hand-in is taken to mean.
struct Meaning {
  Sheet sheet;
  std::string name;  // of the right recipe
  Recipe right;
  std::vector<std::string> turned;  // steps read with rows and columns exchanged
};

// Which steps of the sheet may be meant with rows and columns exchanged: all
// that can be, all but those on scores, and each alone.
std::vector<std::vector<std::size_t>> turns(const Meaning& reading) {
  std::vector<std::size_t> all, vectors;
  for (std::size_t i = 0; i < reading.sheet.steps.size(); ++i) {
    const HandedStep& step = reading.sheet.steps[i];
    const Shape shape = reading.right.shape(step.id);
    if (!turned(step, shape)) continue;
    all.push_back(i);
    if (!(shape.has("query") && shape.has("key"))) vectors.push_back(i);
  }
  std::vector<std::vector<std::size_t>> choices;
  const auto add = [&](std::vector<std::size_t> choice) {
    if (!choice.empty() && std::ranges::find(choices, choice) == choices.end()) choices.push_back(std::move(choice));
  };
  add(all);
  add(vectors);
  for (const std::size_t i : all) add({i});
  return choices;
}

Diagnosis turned_diagnosis(const Meaning& reading) {
  const Mistake* mistake = mistake_named("layout.transposed_answer");
  Diagnosis diagnosis{
      .mistake = "layout.transposed_answer", .kind = MistakeKind::convention, .step = reading.turned.front()};
  std::string steps;
  for (const std::string& step : reading.turned) steps += (steps.empty() ? "" : ", ") + in_words(step);
  diagnosis.evidence = "read with rows and columns exchanged: " + steps;
  tell(diagnosis, mistake);
  return diagnosis;
}

// e^score for e^(score − maximum), a sink's too.
void take_plain_powers(Recipe& recipe) {
  recipe.give("~zero", Tensor<double>(Shape{}, {0}));
  const Instruction powers = *recipe.find("exponentials");
  recipe.replace("exponentials", powers.op, {powers.operands[0], "~zero"}, powers.open);
  const Instruction* sums = recipe.find("exponential_sums");
  if (!sums || sums->operands.size() < 3) return;
  const Instruction with_sink = *sums;
  recipe.replace("exponential_sums", with_sink.op, {with_sink.operands[0], with_sink.operands[1], "~zero"});
}

}  // namespace

class Checker::Impl {
 public:
  Impl(const Trace& trace, MarkingRule rule) : trace_(trace), rule_(rule), recipe_(trace) {}

  Report mark(const Answers& answers) const;

 private:
  Meaning read_as_meant(const Sheet& sheet, const std::string& name, const Recipe& right) const;

  std::shared_ptr<const Ground> ground(const std::string& name, const Recipe& recipe) const {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = grounds_.find(name); found != grounds_.end()) return found->second;
    }
    auto made = std::make_shared<const Ground>(recipe);
    const std::lock_guard lock(mutex_);
    return grounds_.emplace(name, std::move(made)).first->second;
  }

  const Trace trace_;
  const MarkingRule rule_;
  const Recipe recipe_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<const Ground>> grounds_;
};

// A hand-in may be meant in another convention than the problem's: without
// subtracting the maximum before the exponential, or with vectors as columns.
// Such a reading is taken where it leaves nothing wrong, or mends a shape.
Meaning Checker::Impl::read_as_meant(const Sheet& sheet, const std::string& name, const Recipe& right) const {
  const auto mismatches = [&](const Meaning& reading) {
    return Marking(reading.sheet, rule_, ground(reading.name, reading.right)).mismatches();
  };
  Meaning best{sheet, name, right, {}};
  std::size_t fewest = mismatches(best);
  if (fewest == 0) return best;

  if (right.has("exponentials") && (sheet.find("exponentials") || sheet.find("exponential_sums"))) {
    Meaning plain = best;
    take_plain_powers(plain.right);
    plain.name += "e^s,";
    if (const std::size_t wrong = mismatches(plain); wrong < fewest) {
      fewest = wrong;
      best = std::move(plain);
    }
    if (fewest == 0) return best;
  }

  const Meaning straight = best;
  for (const std::vector<std::size_t>& which : turns(straight)) {
    Meaning other = straight;
    bool mends_a_shape = false;
    for (const std::size_t step : which) {
      mends_a_shape = mends_a_shape || !sheet.steps[step].fits;
      other.sheet.steps[step] = *turned(sheet.steps[step], right.shape(sheet.steps[step].id));
      other.turned.push_back(sheet.steps[step].id);
    }
    Marking marking(other.sheet, rule_, ground(other.name, other.right));
    // A single step exchanged could be chance where few digits are written.
    const bool sure = mends_a_shape || which.size() > 1 || marking.honest_manner() || marking.some_honest_way();
    if ((marking.accepted() && sure) || (mends_a_shape && marking.mismatches() < fewest)) {
      fewest = marking.mismatches();
      best = std::move(other);
      if (fewest == 0) break;
    }
  }
  return best;
}

Report Checker::Impl::mark(const Answers& answers) const {
  Recipe right = recipe_;
  std::vector<std::string> unknown;
  const Sheet sheet = laid_out(answers, trace_, right, unknown);
  std::string name;
  for (const HandedStep& step : sheet.steps) {
    if (!recipe_.has(step.id)) name += step.id + ",";
  }

  const Meaning meaning = read_as_meant(sheet, name, right);
  Marking marking(meaning.sheet, rule_, ground(meaning.name, meaning.right));
  Report report = marking.mark();
  if (!meaning.turned.empty()) report.diagnoses.insert(report.diagnoses.begin(), turned_diagnosis(meaning));
  for (const std::string& id : unknown) report.notes.push_back("this problem has no " + in_words(id) + ": not marked");
  return report;
}

std::size_t MarkedStep::count(CellState state) const {
  return static_cast<std::size_t>(std::ranges::count(cells, state, &MarkedCell::state));
}

Checker::Checker(const Trace& trace, MarkingRule rule) : impl_(std::make_unique<const Impl>(trace, rule)) {}
Checker::~Checker() = default;

Report Checker::mark(const Answers& answers) const { return impl_->mark(answers); }

}  // namespace attn
