#pragma once

#include <string>
#include <vector>

#include "mark/grade.h"
#include "mark/report.h"
#include "mark/scheme.h"

namespace attn {

// What one hand-in comes to, or why it comes to nothing: what is kept of it once it is graded.
struct GradedHandIn {
  enum class What {
    graded,
    nothing,     // somebody of the class handed in nothing
    unreadable,  // none of it can be read
    no_problem   // it belongs to none of the problems
  };

  // What was found in it, without the numbers.
  struct Finding {
    std::string mistake, step;
    MistakeKind kind = MistakeKind::error;
    std::vector<std::string> ties = {};
    std::string message = {};
  };

  What what = What::graded;
  std::string name = {};                 // as the list of the class spells it, where it is there
  std::vector<std::string> files = {};   // none where nothing was handed in
  std::string problem = {};              // the file of its problem; empty where that is not known
  std::string error = {};                // why it was not graded
  std::string help = {};                 // and what whoever handed it in can do
  std::vector<std::string> unread = {};  // of a part of it, why it cannot be read
  Verdict verdict = Verdict::right;      // incomplete, too, where something asked for is missing
  std::string first_wrong = {};
  std::vector<Finding> findings = {};
  std::vector<std::string> remarks = {};  // sentences that a teacher is to read
  Grade grade = {};

  bool is_graded() const { return what == What::graded; }
  bool is_failed() const { return what == What::unreadable || what == What::no_problem; }
};

// All that was handed in, as far as anybody is told of it.
struct GradedClass {
  std::string title = {};  // of the problem, where there is one
  bool has_several_problems = false;
  Scheme scheme = {};
  std::vector<GradedHandIn> hand_ins = {};
  ClassSummary summary = {};
};

// "graded", "nothing", "unreadable", "no_problem", as programs read it.
constexpr std::string_view name(GradedHandIn::What what) {
  constexpr std::string_view names[] = {"graded", "nothing", "unreadable", "no_problem"};
  return names[static_cast<std::size_t>(what)];
}

// What is kept of a report.
std::vector<GradedHandIn::Finding> findings_of(const Report& report);

}  // namespace attn
