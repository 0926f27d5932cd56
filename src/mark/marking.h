#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mark/check.h"
#include "mark/follow.h"
#include "mark/honest.h"
#include "mark/probe.h"
#include "mark/report.h"
#include "mark/sheet.h"

namespace attn {

// A known mistake made in a recipe, ready to be followed.
struct Candidate {
  const Mistake* mistake;
  Rewrite rewrite;
  std::vector<std::optional<std::size_t>> same;  // same_lines() as the right recipe
  std::vector<bool> differs;                     // lines in which the mistake shows, from where it was made on

  // Whether the step comes out otherwise.
  bool reaches(std::string_view step) const {
    const auto line = rewrite.recipe.line(step);
    return !line || differs[*line];
  }
};

// A recipe with every mistake that can be made in it: what can be prepared once
// for all hand-ins.
struct Ground {
  explicit Ground(Recipe right);

  Recipe recipe;
  std::vector<std::optional<std::size_t>> same;  // each line as itself
  bool loses_digits = false;                     // whether what is computed may be far from the exact numbers
  std::size_t cells = 1;                         // of all lines
  std::vector<Candidate> candidates;
  std::vector<Candidate> roundings;  // of numbers that the problem gives: no mistakes
};

// One hand-in being marked: what is known of it, and what the person is believed
// to have done. Whoever finds that out (blame/) tells it here.
class Marking {
 public:
  // REQUIRES: the rule outlives the marking.
  Marking(Sheet sheet, const MarkingRule& rule, std::shared_ptr<const Ground> right);

  // Whether everything could follow honestly; how many numbers could not.
  bool accepted() const { return mismatches_ == 0; }
  std::size_t mismatches() const { return mismatches_; }

  Report mark();

  // The report names the numbers of this recipe, which has the steps of the sheet too,
  // as those that are asked, in place of those of the right one; but powers and their sums are told as they are read,
  // so that what is told and what is right beside it belong together.
  void expect(const Recipe& asked);

  const Sheet& sheet() const { return sheet_; }
  const MarkingRule& rule() const { return rule_; }
  const Ground& right() const { return *right_; }
  std::size_t line_of(std::size_t step) const { return *right_->recipe.line(sheet_.steps[step].id); }

  // What people do to numbers, the most usual first; the habit that explains most.
  const std::vector<Manner>& manners() const { return manners_; }
  RoundingMode habit() const { return habit_; }

  // That one, and the others that somebody may have who does something else.
  std::vector<RoundingMode> possible_habits() const;

  // The right recipe, or a candidate's, to be followed on the sheet.
  Task task(const Recipe& recipe);

  // What comes of the computation as now believed, in one manner. REQUIRES: of manners().
  const Followed<double>& base(const Manner& manner);

  // In a large problem, rows of a step that are wrong; null elsewhere, and where slips
  // on the way are known, of which rows alone know nothing.
  Probe* probe(std::size_t step);

  // Whether there is time to work a whole recipe out once more in looking for what
  // explains the steps of a large problem, or of a long one. If so, it is spent.
  bool may_work_out(const Recipe& recipe);

  // Of what might explain a step this was not tried: there is too much of it.
  void leave_untried(const std::string& what);

  // Whether a cell, of a step of the sheet, is explained by nothing known so far.
  bool is_wrong(std::size_t step, std::size_t cell) const { return !right_flags_[step][cell] && !person_[step][cell]; }
  std::size_t count_wrong(std::size_t step) const;

  // The first step from this one on with such a cell; how many there are if none has.
  std::size_t next_wrong(std::size_t from) const;

  // Whether what was written in a cell could stand for the number that comes of nobody's rounding.
  // REQUIRES: there is one, in a step that fits.
  bool is_exact(std::size_t step, std::size_t cell) const;

  // The indices of the wrong cells of a step; none where all of it is wrong.
  std::vector<std::vector<std::size_t>> wrong_cells(std::size_t step) const;

  // The cells of a step that the right computation explains.
  const std::vector<bool>& right_cells(std::size_t step) const { return right_flags_[step]; }

  // The person is now believed to have made this mistake, or these slips on the
  // way; what follows from it is explained.
  void believe(const Candidate& candidate, const Manner& manner);
  void believe(const Recipe& other, RoundingMode habit);
  void believe(const std::vector<Patch>& slips, const Manner& manner);
  bool believes_something() const { return believes_; }
  const std::vector<Patch>& slips() const { return slips_; }

 private:
  bool may_be_early_rounding();
  void find_early_rounding();
  bool is_far_from_every_manner();
  bool is_explained_by(Task task, Diagnosis rounding);
  bool is_honest() const { return rule_.kind == MarkingRule::Kind::honest_rounding; }
  void blame(std::size_t step, Report& report);
  void add_steps(Report& report) const;
  MarkedCell marked(std::size_t step, std::size_t cell) const;
  CellState state_of(std::size_t step, std::size_t cell) const;
  bool too_coarse(std::size_t step, std::size_t cell) const;
  std::size_t rounded_early() const;
  void note_rounding(Report& report);
  void note_other_maximum(Report& report) const;

  Sheet sheet_;
  const MarkingRule& rule_;
  const std::vector<Manner> manners_;
  std::shared_ptr<const Ground> right_;
  std::vector<Patch> slips_;  // that the person is believed to have made on the way
  bool believes_ = false;     // that the person computes something else
  RoundingMode habit_ = RoundingMode::half_up;
  std::size_t mismatches_ = 0;
  std::optional<Diagnosis> early_;                 // how the person rounded who otherwise computes what is asked
  std::shared_ptr<const Followed<Interval>> all_;  // honest_ takes numbers over from it
  Followed<Interval> honest_;
  Evaluation<double> exact_;                        // what nobody's numbers go into
  std::map<std::string, Tensor<double>> expected_;  // a step, where it is asked otherwise than it is read
  Flags right_flags_;                               // cells that the right computation explains
  Flags person_;                                    // cells that what the person is believed to compute explains
  std::vector<std::optional<Followed<double>>> bases_;
  std::map<const Recipe*, SheetPlaces> places_;
  std::map<std::size_t, Probe> probes_;
  bool is_large_ = false;
  std::size_t spent_ = 0;             // of most_work
  std::size_t lines_worked_out_ = 0;  // of most_lines
  bool is_doubted_ = false;           // that what is right follows by some way of rounding
  std::vector<std::string> untried_;  // in words, of the step that is being blamed
  std::vector<std::string> missed_;   // of all that nothing explained
  Flags state_wrong_;                 // cells in which a mark is lost
};

// Ways to find out what a person did at a step with wrong cells, the likeliest
// first (blame/). Each adds what it found to the report, tells the marking what
// the person is believed to have done, and returns whether it found anything.

// A mistake of the catalogue that explains every cell of the step; of several
// those that explain most of what follows.
bool blame_mistake(Marking& marking, std::size_t step, Report& report);

// The same for somebody who rounded in any honest way: of a mistake and any choice
// of what is rounded, more come out alike by chance.
bool blame_mistake_rounded_anyhow(Marking& marking, std::size_t step, Report& report);

// One slip, in the step or in one before it that was not handed in, from which
// every wrong cell follows.
bool blame_slip(Marking& marking, std::size_t step, Report& report);

// Several slips in one step, each in a cell of its own.
bool blame_slips_in_place(Marking& marking, std::size_t step, Report& report);

// A mistake made in some rows only: it explains every cell of each row that has
// a wrong one.
bool blame_rows(Marking& marking, std::size_t step, Report& report);

// Two of the mistakes that people make most, one after the other with nothing handed
// in between, which explain every cell of the step.
bool blame_two_mistakes(Marking& marking, std::size_t step, Report& report);

// A mask of the person's own, which shows in what is closed: in the mask, in masked
// scores, in weights that are 0. It explains every cell of the step.
bool blame_own_mask(Marking& marking, std::size_t step, Report& report);

// Nothing known here: names the step, the cells, and what speaks against them.
void blame_unknown(Marking& marking, std::size_t step, Report& report);

// The first step, from this one on, that a mistake of the catalogue leaves wrong
// which explains most.
std::size_t explained_until(Marking& marking, std::size_t step);

// Says that a mistake of the catalogue was made at a step, and what to do about it.
Diagnosis diagnosis_of(std::string_view mistake, std::string step, bool in_some_rows = false);

}  // namespace attn
