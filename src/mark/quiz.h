#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mark/answers.h"
#include "mark/check.h"
#include "mark/report.h"
#include "trace/trace.h"

// A quiz on a problem: which questions there are, and what becomes of answers. It
// knows no words; explain/reports/quiz.h tells it.

namespace attn {

// One question: a row of a step, or one number of it.
struct QuizQuestion {
  std::string step;
  std::vector<std::size_t> index;         // of its first number, an index an axis, from 0
  std::optional<std::size_t> along = {};  // the axis that the row lies along; none of one number
  std::size_t count = 1;                  // of numbers
  std::vector<double> powers = {};        // its right numbers, where they say how powers are taken

  // The index of one of its numbers. REQUIRES: which < count.
  std::vector<std::size_t> cell(std::size_t which) const;

  bool operator==(const QuizQuestion&) const = default;
};

// The questions of a quiz, in the order of the computation.
struct QuizPlan {
  std::vector<QuizQuestion> questions;
  bool is_selection = false;                                   // there would be too many for all of the steps
  std::map<std::string, std::vector<std::size_t>> sizes = {};  // of the steps
};

// Asks about these steps, of one sequence of a batch: a row a question, or where rows are
// long a number; of a large problem about one query and about a few numbers. Padded
// queries are not asked.
// REQUIRES: the trace has the steps; the sequence is one of the batch.
QuizPlan quiz_plan(const Trace& trace, const std::vector<std::string>& steps, std::size_t sequence = 0);

// What helps with a question, each more than the one before it.
enum class QuizHelp { none, hint, stronger, answer };

// What became of one question.
struct QuizRecord {
  bool is_right = false, is_given_up = false;
  bool was_right = false;                        // the last answer, which was taken back to give another
  bool follows = false;                          // it was right beside numbers that are not
  std::size_t tries = 0;                         // wrong ones
  QuizHelp help = QuizHelp::none;                // the most that was given
  std::vector<AnsweredStep::Cell> written = {};  // the last answer; empty where there is none

  bool is_settled() const { return is_right || is_given_up || help == QuizHelp::answer; }
  bool is_right_at_first() const { return is_right && tries == 0 && help == QuizHelp::none; }
};

// What is to be said about an answer, or in place of one.
struct QuizReaction {
  enum class Kind {
    right,
    follows,  // from the person's own earlier numbers
    wrong,
    too_coarse,  // too few digits to tell; no try
    incomplete,  // some numbers are blank; no try
    given_up,
    hint,  // somebody asked for one
  };
  Kind kind = Kind::right;
  QuizHelp help = QuizHelp::none;           // that is given now
  bool is_given_again = false;              // for want of a stronger one
  std::optional<Diagnosis> diagnosis = {};  // what probably happened, where a hint can say so
  std::vector<std::size_t> wrong = {};      // which of the numbers
  std::size_t tries_left = 0;
};

// Something that probably happened, and in how many questions.
struct QuizMistake {
  std::string mistake;  // id
  std::size_t times = 1;
};

class Quiz {
 public:
  // REQUIRES: the checker outlives it; there are questions, and a try at least.
  Quiz(const Checker& checker, QuizPlan plan, std::size_t tries);

  const QuizPlan& plan() const { return plan_; }
  const std::vector<QuizRecord>& records() const { return records_; }
  const std::vector<QuizMistake>& mistakes() const { return mistakes_; }

  // The question at hand; all have been asked once it is over.
  bool is_over() const { return at_ == plan_.questions.size(); }
  std::size_t at() const { return at_; }
  const QuizQuestion& question() const { return plan_.questions[at_]; }

  // Each REQUIRES: it is not over. The question stays at hand until on() goes to the next
  // one that is not settled. An answer has as many cells as the question.
  QuizReaction answer(std::vector<AnsweredStep::Cell> cells);
  QuizReaction hint();
  QuizReaction give_up();
  void on();

  // Goes back to the question before, to be answered again; false where there is none, or its answer was shown.
  bool back();

  // All that was written, as an answers file has it: a step that was asked whole as a
  // whole, of any other its cells; what was given up is blank.
  Answers answers() const;

  // That, marked.
  Report report() const;

  // Whether some answer that was written last is not right: of right ones each may have been rounded in its own way.
  bool has_wrong() const;

 private:
  Answers answers_so_far(bool only_right) const;
  Answers answer_alone() const;
  Answers answer_beside_powers(bool exactly) const;
  QuizHelp next_help() const;

  const Checker& checker_;
  QuizPlan plan_;
  std::size_t tries_;
  std::size_t at_ = 0;
  std::vector<QuizRecord> records_;
  std::vector<QuizMistake> mistakes_;
};

}  // namespace attn
