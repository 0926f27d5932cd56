#pragma once

#include <string>

#include "mark/graded_class.h"

// A graded class, for programs, and as a page for its teacher.

namespace attn {

// A hand-in a line, for a gradebook: name, problem, points, of, percent, verdict, first_wrong,
// mistakes, file. What was not graded has no points; what was not handed in has 0.
std::string grades_csv(const GradedClass& graded);

// The object with the schema "attn/grades/1" that docs/grading.md describes.
std::string grades_json(const GradedClass& graded);

// JUnit XML: a testsuite a hand-in, a testcase a step.
std::string grades_junit(const GradedClass& graded);

// One page without a script: who has how many points, which mistakes were made how often,
// and which numbers of each step are wrong the most.
std::string grades_html(const GradedClass& graded);

// A hand-in as Gradescope's results.json has it, a test a step. `output` is what the person
// is told of all of it.
std::string gradescope_json(const GradedHandIn& one, const std::string& output);

}  // namespace attn
