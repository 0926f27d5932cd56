#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mark/report.h"
#include "mark/scheme.h"
#include "trace/trace.h"

namespace attn {

// The points of one step, and how they come about: points = earned − deducted.
struct StepGrade {
  std::string id;
  bool handed_in = true;
  bool other_shape = false;  // than the step has: no cell of it counts

  // Cells of the step, each in one of these; what was neither given nor left blank is missing.
  std::size_t cells = 0, right = 0, consistent = 0, too_coarse = 0, wrong = 0, blank = 0, missing = 0;
  std::size_t counted = 0;  // so many of them count as right

  double of = 0;         // what the step is worth
  double earned = 0;     // of · counted / cells, or all or nothing
  double deducted = 0;   // of that
  double undecided = 0;  // what there would be more if numbers with too few digits were right
  double points() const { return earned - deducted; }
};

// What a diagnosis took off a step.
struct Deducted {
  std::string mistake, step;
  double asked = 0, taken = 0;  // as the scheme has it; and as much of it as there was
};

// A number with too few digits to tell, which a teacher is to look at.
struct UndecidedCell {
  std::string step;
  std::vector<std::size_t> index;  // from 0
  std::string given;
};

// A graded hand-in, with its arithmetic.
struct Grade {
  std::vector<StepGrade> steps;  // those asked for, in the order of the computation, then others handed in
  std::vector<Deducted> deductions;
  std::vector<UndecidedCell> undecided;  // only where the scheme says that they are asked about
  double sum = 0;                        // of the steps' points, not rounded
  double points = 0, of = 0;             // points are rounded, of is not

  // To nine decimals: a whole number of percent is one, which 100 · points / of need not be.
  double percent() const;
};

// Gives points for hand-ins to one problem. Nothing of it depends on other hand-ins.
class Grader {
 public:
  // The trace must outlive it.
  Grader(const Scheme& scheme, const Trace& trace) : scheme_(scheme), trace_(trace) {}

  // 0 <= points <= of, of the whole and of every step.
  Grade grade(const Report& report) const;

  // The grade of somebody who handed in nothing.
  Grade nothing() const { return grade({}); }

 private:
  StepGrade graded(const MarkedStep* marked, const std::string& id, double of) const;
  StepGrade* loses(const Report& report, const Diagnosis& diagnosis, std::size_t made_at, Grade& grade) const;
  void deduct(const Report& report, Grade& grade) const;

  const Scheme& scheme_;
  const Trace& trace_;
};

// The points of a whole hand-in rounded as the scheme has it; what is everything stays so.
double rounded_points(double sum, double of, const Scheme& scheme);

// A number of points as people read it: two decimals at most.
std::string spelled_points(double points);

// What a class did, gathered hand-in by hand-in: it takes the room of a step's cells and of
// the names of mistakes, however many there are.
class ClassSummary {
 public:
  // A mistake that several made at one step.
  struct Made {
    std::string mistake, step;
    std::size_t people = 0;  // hand-ins with it
  };

  // A step as all who handed it in have it.
  struct StepOfClass {
    std::string id;
    std::vector<std::size_t> shape;     // of the step; empty where the problem has none of that name
    std::size_t order = 0;              // in the computation
    std::size_t people = 0, wrong = 0;  // who handed it in; of these with something wrong in it
    std::vector<std::size_t> cells;     // by how many each is wrong; empty where there are too many to show
  };

  void add(const Report& report, const Grade& grade, const Trace& trace);

  // The commonest first.
  std::vector<Made> mistakes() const;

  const std::vector<StepOfClass>& steps() const { return steps_; }  // in the order of the computation

  // Of hand-ins with points to have: how many have 0 to 9 percent, 10 to 19, …, 90 to 99, 100.
  std::array<std::size_t, 11> distribution() const;
  std::size_t hand_ins() const { return percents_.size(); }
  double mean_percent() const;
  double median_percent() const;  // both are 0 where there are no hand-ins

 private:
  StepOfClass& of_class(const std::string& id, const std::vector<std::size_t>& shape, const Trace& trace);

  std::map<std::pair<std::string, std::string>, std::size_t> made_;  // by mistake and step
  std::vector<StepOfClass> steps_;
  std::vector<double> percents_;
};

}  // namespace attn
