#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "explain/document.h"
#include "explain/place.h"
#include "mark/quiz.h"
#include "trace/trace.h"

namespace attn {

// Tells a quiz to the person who takes it. No number that is yet to be answered is in
// anything but the answer itself.
class QuizTeller {
 public:
  // `precision`: decimals; by default 4, fewer where a number needs fewer.
  // REQUIRES: trace and quiz outlive it; the trace is not rounded by hand.
  QuizTeller(const Trace& trace, const Quiz& quiz, std::optional<int> precision);

  // What is given, and how to answer.
  Document opening() const;

  // What is given that the question at hand needs: that of the problem, and of its part.
  Document given() const;

  // The question at hand. What stands before its step and was not asked is shown the first
  // time; in a block, what its part is given.
  Document question();

  // What became of an answer. REQUIRES: the question is still at hand.
  Document reaction(const QuizReaction& reaction) const;

  // How it went and what to practise; at its end commands for that are announced, where there are some.
  Document summary(bool has_commands) const;

 private:
  const Step& step() const { return *trace_.find(quiz_.question().step); }
  Derivation worked(bool with_result) const;
  Inline called(const QuizQuestion& question) const;
  bool is_known(const std::string& id) const;
  bool is_shown(const std::string& id) const;
  void add_givens(Document& document) const;
  void add_unknown(const Step& step, Document& document);
  void tell_help(const QuizReaction& reaction, Document& document) const;

  const Trace& trace_;
  const Quiz& quiz_;
  const Numerals numerals_, given_;                     // what is given is worked with, and shown closer
  std::optional<std::size_t> part_ = {};                // of which the givens were told
  std::set<std::pair<std::string, Place>> shown_ = {};  // steps, and of which sequence and head
};

// The steps of which a quiz asks, where nobody names any: those that take some
// working out, but for each weighted value.
std::vector<std::string> steps_of_quiz(const Trace& trace, const std::vector<std::string>& to_work_out);

}  // namespace attn
