#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "explain/reports/quiz.h"
#include "unit/explain/examples.h"
#include "unit/formats/as_text.h"
#include "unit/model/attentions.h"

namespace attn {
namespace {

using QuizCells = std::vector<AnsweredStep::Cell>;

// A quiz on scores and weights of two tokens: scores are 5 2 and 2 2.
struct QuizToTell {
  QuizToTell()
      : trace(alone(problem_of(R"({"inputs": [[1, 0, 2], [0, 1, 1]], "score": "dot"})"))),
        checker(trace),
        quiz(checker, quiz_plan(trace, {"scores", "attention_weights"}), 2),
        teller(trace, quiz, std::nullopt) {}

  // What is said to these numbers.
  std::string answer(std::vector<double> numbers, int decimals = 0) {
    QuizCells cells;
    for (const double number : numbers) cells.push_back(WrittenNumber{number, decimals, std::to_string(number)});
    const std::string said = as_text(teller.reaction(quiz.answer(std::move(cells))), {.width = 400});
    quiz.on();
    return said;
  }

  Trace trace;
  Checker checker;
  Quiz quiz;
  QuizTeller teller;
};

TEST_CASE("what follows from numbers of one's own that are wrong is right in a quiz, and told so", "[quiz]") {
  QuizToTell one;
  one.answer({5, 3});
  one.answer({5, 3});  // the last try: 5 2 is shown
  CHECK(examples::holds(one.answer({2, 2}), "Right"));
  // e⁻² of 1 + e⁻² is the weight of the second key in a row of 5 and 3.
  const std::string said = one.answer({0.8808, 0.1192}, 4);
  CHECK(examples::holds(said, "Right: it follows from your earlier numbers."));
}

TEST_CASE("a hint without advice says what probably happened and no more", "[quiz]") {
  QuizToTell one;
  QuizReaction reaction{.kind = QuizReaction::Kind::hint, .help = QuizHelp::hint};
  reaction.diagnosis = Diagnosis{.mistake = "slip.sign", .message = "it looks as if a sign was lost", .hint = ""};
  const std::string bare = as_text(one.teller.reaction(reaction), {.width = 400});
  CHECK(examples::holds(bare, "It looks as if a sign was lost"));
  CHECK_FALSE(examples::holds(bare, "What to do"));
  reaction.diagnosis->hint = "look at the signs";
  CHECK(examples::holds(as_text(one.teller.reaction(reaction), {.width = 400}), "What to do: Look at the signs"));
}

TEST_CASE("each head's numbers that are not asked for are shown once, when it is first asked about", "[quiz]") {
  const Trace trace = alone(
      problem_of(R"({"queries": [[1, 0], [0, 1]], "keys": [[1, 2], [0, 1]], "values": [[1, 0], [0, 1]], "heads": 2})"));
  const Checker checker(trace);
  Quiz quiz(checker, quiz_plan(trace, {"attention_weights"}), 1);
  QuizTeller teller(trace, quiz, std::nullopt);
  std::vector<std::string> shown;
  for (; !quiz.is_over(); quiz.on()) {
    const std::string said = as_text(teller.question(), {.width = 400});
    for (const char* head : {"Head 1", "Head 2"}) {
      if (examples::holds(said, std::string("Sum of the exponentials of the row · ") + head)) shown.push_back(head);
    }
    quiz.give_up();
  }
  CHECK(shown == std::vector<std::string>{"Head 1", "Head 2"});
}

TEST_CASE("commands for practice are announced where there are some", "[quiz]") {
  QuizToTell one;
  for (const auto& row : {std::vector<double>{5, 2}, {2, 2}}) one.answer(row);
  const std::string without = as_text(one.teller.summary(false), {.width = 400});
  const std::string with = as_text(one.teller.summary(true), {.width = 400});
  CHECK(examples::holds(without, "Nothing in particular"));
  CHECK_FALSE(examples::holds(without, "Another of this kind:"));
  CHECK(examples::holds(with, "Another of this kind:"));
}

}  // namespace
}  // namespace attn
