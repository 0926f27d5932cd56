#pragma once

#include <string>
#include <vector>

#include "explain/document.h"
#include "mark/graded_class.h"
#include "mark/report.h"
#include "trace/trace.h"

namespace attn {

// A graded hand-in, told to the person whose work it is: the points of each step and how
// they come about, then what `attn check` says.
Document feedback(const GradedHandIn& graded, const Report& report, const Trace& trace, const Scheme& scheme);

// The same of one that was not graded: why.
Document feedback_without_grade(const GradedHandIn& one);

// A class, told to its teacher.
Document told_class(const GradedClass& graded);

// What the reports have in common, in words.

// "8 of 9 right, 1 wrong"; "not handed in".
std::string how_graded(const StepGrade& step);

// "3·8/9 + 4 − 1"
std::string spelled_sum(const Grade& grade);

// A share of the points: whole percents.
std::string spelled_percent(double percent);

// How points are given, a sentence each.
std::vector<std::string> told_scheme(const Scheme& scheme);

// What a mistake of the catalogue is, with its id.
std::string told_mistake(const std::string& id);

// "right", "not read"; and "scale.none or scale.by_n", where anything was found.
std::string verdict_of(const GradedHandIn& one);
std::string likely_of(const GradedHandIn& one);

// What a teacher is to look at: in which hand-in, and what; and who handed in nothing, "Müller, Hans; J. Smith.",
// for names may have commas.
struct Remarked {
  std::string name, remark;
};
std::vector<Remarked> to_look_at(const GradedClass& graded);
std::string who_handed_in_nothing(const GradedClass& graded);

// How many of each kind there are, and what they have on average.
std::vector<std::string> told_overview(const GradedClass& graded);

// Whether some have more points to win than others.
bool has_different_points(const GradedClass& graded);

// The people by whom each cell of a matrix of a step is wrong; of matrices in which any is.
struct WrongCells {
  std::string place;  // "[2,·,·]"; empty where the step is one matrix
  std::size_t rows = 0, columns = 0;
  std::vector<std::size_t> people;  // row-major
};
std::vector<WrongCells> wrong_cells(const ClassSummary::StepOfClass& step);

}  // namespace attn
