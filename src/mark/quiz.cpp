#include "mark/quiz.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <variant>

#include "base/math.h"

namespace attn {
namespace {

// Rows of more numbers are asked number by number.
constexpr std::size_t most_in_a_row = 8;

// More questions than this are too many.
constexpr std::size_t most_questions = 40;

// How much of each step is asked.
enum class Amount { all, one_query, one_question };

// The axis along which numbers are asked together: features of one token, or the
// keys of one query.
std::optional<std::size_t> axis_of_rows(const Shape& shape) {
  if (shape.rank() == 0) return std::nullopt;
  const std::size_t last = shape.rank() - 1;
  if (last == 0) return last;
  const bool are_columns =
      is_position(shape[last].axis) && !is_position(shape[last - 1].axis) && !is_outer(shape[last - 1].axis);
  return are_columns ? last - 1 : last;
}

// The cells of a mask that are open, of each query of a sequence; the query that sees most.
std::size_t widest_query(const Trace& trace, std::size_t part, std::size_t sequence) {
  const auto& attention = trace.recipe.parts()[part].attention;
  const Step* mask = attention ? trace.find(attention->mask) : nullptr;
  if (!mask || !mask->result.shape().has("query")) return 0;
  const Shape& shape = mask->result.shape();
  std::map<std::size_t, std::size_t> open;
  for (std::size_t at = 0; at < shape.count(); ++at) {
    const std::vector<std::size_t> index = shape.index(at);
    if (shape.has("batch") && index[*shape.position("batch")] != sequence) continue;
    const std::size_t query = *shape.position("query");
    if (index[query] >= own_size(trace, *mask, shape[query], sequence)) continue;
    open[index[query]] += mask->result[at] != 0 ? 1 : 0;
  }
  const auto most = std::ranges::max_element(open, {}, [](const auto& one) { return one.second; });
  return most == open.end() ? 0 : most->first;
}

class Planner {
 public:
  Planner(const Trace& trace, std::size_t sequence) : trace_(trace), sequence_(sequence) {}

  std::vector<QuizQuestion> plan(const std::vector<std::string>& steps, Amount amount) const {
    std::vector<QuizQuestion> questions;
    for (const Step& step : trace_.steps) {
      if (std::ranges::count(steps, step.heading.id) > 0) add(step, amount, questions);
    }
    return questions;
  }

 private:
  void add(const Step& step, Amount amount, std::vector<QuizQuestion>& questions) const {
    const Shape& shape = step.result.shape();
    const auto along = axis_of_rows(shape);
    const std::size_t own = along ? own_size(trace_, step, shape[*along], sequence_) : 1;
    // Of a row with padding each number is asked for by itself: it is no whole row.
    const bool by_number = !along || shape[*along].size > most_in_a_row || own < shape[*along].size;
    const std::size_t query = amount == Amount::all ? 0 : widest_query(trace_, step.part, sequence_);
    for (std::size_t at = 0; at < shape.count(); ++at) {
      const std::vector<std::size_t> index = shape.index(at);
      if (along && index[*along] >= own) continue;
      if (along && index[*along] > 0 && (!by_number || amount != Amount::all)) continue;
      if (!is_asked(step, index, along, amount, query)) continue;
      QuizQuestion question{step.heading.id, index};
      if (!by_number) {
        question.along = along;
        question.count = shape[*along].size;
      }
      questions.push_back(std::move(question));
      if (amount == Amount::one_question) return;
    }
  }

  bool is_asked(const Step& step, const std::vector<std::size_t>& index, std::optional<std::size_t> along,
                Amount amount, std::size_t query) const {
    const Shape& shape = step.result.shape();
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      const Axis& name = shape[axis].axis;
      if (name == "batch" && index[axis] != sequence_) return false;
      if (axis != along && index[axis] >= own_size(trace_, step, shape[axis], sequence_)) return false;
      if (amount == Amount::all || axis == along || is_outer(name)) continue;
      if (index[axis] != (name == "query" ? query : 0)) return false;
    }
    return true;
  }

  const Trace& trace_;
  std::size_t sequence_;
};

// Whether somebody who has it also has said what was subtracted before the exponential.
bool says_how_powers_are_taken(const Op& op) {
  const auto* softmax = std::get_if<Softmax>(&op);
  using enum Softmax::Part;
  return softmax && (softmax->part == maximum || softmax->part == exponentials || softmax->part == sum);
}

// What is said of the question's numbers in a report.
struct Marks {
  std::vector<std::size_t> wrong;
  bool follows = false, is_coarse = false;
  std::size_t wrong_elsewhere = 0;
};

Marks marks_of(const Report& report, const QuizQuestion& question) {
  Marks marks;
  for (const MarkedStep& step : report.steps) {
    for (const MarkedCell& cell : step.cells) {
      std::size_t which = 0;
      while (which < question.count && (step.id != question.step || cell.index != question.cell(which))) ++which;
      if (which == question.count) {
        marks.wrong_elsewhere += cell.state == CellState::wrong ? 1 : 0;
      } else if (cell.state == CellState::wrong) {
        marks.wrong.push_back(which);
      }
      if (which == question.count) continue;
      marks.follows = marks.follows || cell.state == CellState::consistent;
      marks.is_coarse = marks.is_coarse || cell.state == CellState::too_coarse;
    }
  }
  return marks;
}

// What probably happened, as far as a hint should say so: where half the catalogue
// would explain the numbers it says nothing.
std::optional<Diagnosis> telling_diagnosis(const Report& report) {
  constexpr std::size_t most_ties = 2;
  const auto found = std::ranges::find_if(report.diagnoses, [](const Diagnosis& one) {
    return one.kind == MistakeKind::error && one.mistake != "unexplained" && one.ties.size() <= most_ties;
  });
  return found == report.diagnoses.end() ? std::nullopt : std::optional(*found);
}

// The right numbers where all of what is written stands for them: powers that nothing was subtracted from do not.
std::vector<AnsweredStep::Cell> unrounded(const std::vector<AnsweredStep::Cell>& written,
                                          const std::vector<double>& right) {
  std::vector<AnsweredStep::Cell> exact = written;
  for (std::size_t which = 0; which < right.size(); ++which) {
    WrittenNumber& number = *exact[which];
    const double was = std::exchange(number.value, right[which]);
    const double unit = number.decimals ? pow(10.0, -*number.decimals) : 0;
    number.decimals.reset();
    if (was != number.value && !(std::abs(was - number.value) <= unit)) return written;
  }
  return exact;
}

// What is written for a question, behind what there is of its step.
void add_answer(const QuizQuestion& question, const std::vector<AnsweredStep::Cell>& written, Answers& answers) {
  if (answers.steps.empty() || answers.steps.back().id != question.step) {
    answers.steps.push_back({.id = question.step, .by_cell = true});
  }
  for (std::size_t which = 0; which < question.count; ++which) {
    answers.steps.back().placed.push_back({question.cell(which), written[which]});
  }
}

}  // namespace

std::vector<std::size_t> QuizQuestion::cell(std::size_t which) const {
  std::vector<std::size_t> at = index;
  if (along) at[*along] += which;
  return at;
}

QuizPlan quiz_plan(const Trace& trace, const std::vector<std::string>& steps, std::size_t sequence) {
  const Planner planner(trace, sequence);
  QuizPlan plan{planner.plan(steps, Amount::all)};
  for (const Amount less : {Amount::one_query, Amount::one_question}) {
    if (plan.questions.size() <= most_questions) break;
    plan = {planner.plan(steps, less), true};
  }
  for (const std::string& step : steps) plan.sizes.emplace(step, trace.find(step)->result.shape().sizes());
  for (QuizQuestion& question : plan.questions) {
    const Step& step = *trace.find(question.step);
    if (!says_how_powers_are_taken(step.op)) continue;
    const Shape& shape = step.result.shape();
    for (std::size_t which = 0; which < question.count; ++which) {
      question.powers.push_back(step.result[shape.offset(question.cell(which), shape)]);
    }
  }
  return plan;
}

Quiz::Quiz(const Checker& checker, QuizPlan plan, std::size_t tries)
    : checker_(checker), plan_(std::move(plan)), tries_(tries), records_(plan_.questions.size()) {}

QuizHelp Quiz::next_help() const { return records_[at_].help == QuizHelp::none ? QuizHelp::hint : QuizHelp::stronger; }

QuizReaction Quiz::answer(std::vector<AnsweredStep::Cell> cells) {
  QuizRecord& record = records_[at_];
  QuizReaction reaction{.tries_left = tries_ - record.tries};
  const bool is_complete = std::ranges::all_of(cells, &AnsweredStep::Cell::has_value);
  if (!is_complete) {
    reaction.kind = QuizReaction::Kind::incomplete;
    return reaction;
  }
  std::vector<AnsweredStep::Cell> before = std::exchange(record.written, std::move(cells));

  // Beside what was right so far; what follows from other numbers, beside those.
  const Report report = checker_.mark(answers_so_far(true));
  Marks marks = marks_of(report, question());
  bool is_right = marks.wrong.empty() && marks.wrong_elsewhere == 0;
  const bool has_wrong_before = std::ranges::any_of(
      records_, [&](const QuizRecord& one) { return &one != &record && !one.is_right && !one.written.empty(); });
  if (!is_right && has_wrong_before) {
    const Marks beside_all = marks_of(checker_.mark(answers_so_far(false)), question());
    is_right = beside_all.wrong.empty();
    if (is_right) marks = beside_all;
  }
  // One way of rounding need not explain all answers, but one of taking powers does: what is right beside those is
  // right.
  for (const bool exactly : {true, false}) {
    if (is_right) break;
    const Marks beside_powers = marks_of(checker_.mark(answer_beside_powers(exactly)), question());
    is_right = beside_powers.wrong.empty() && beside_powers.wrong_elsewhere == 0;
    if (is_right) marks = beside_powers;
  }
  if (is_right && marks.is_coarse) {
    record.written = std::move(before);
    reaction.kind = QuizReaction::Kind::too_coarse;
    return reaction;
  }
  if (is_right) {
    record.is_right = record.was_right = true;
    record.follows = marks.follows;
    reaction.kind = marks.follows ? QuizReaction::Kind::follows : QuizReaction::Kind::right;
    return reaction;
  }
  record.was_right = false;
  reaction.kind = QuizReaction::Kind::wrong;
  reaction.wrong = std::move(marks.wrong);
  // Powers that would be right by themselves are no mistake, but taken in another way than before: the formula says so.
  const bool is_otherwise =
      !question().powers.empty() && marks_of(checker_.mark(answer_alone()), question()).wrong.empty();
  if (!is_otherwise) reaction.diagnosis = telling_diagnosis(report);
  if (reaction.diagnosis) {
    const auto known = std::ranges::find(mistakes_, reaction.diagnosis->mistake, &QuizMistake::mistake);
    if (known == mistakes_.end()) {
      mistakes_.push_back({reaction.diagnosis->mistake});
    } else {
      ++known->times;
    }
  }
  ++record.tries;
  reaction.tries_left = tries_ - record.tries;
  reaction.is_given_again = reaction.tries_left > 0 && record.help == QuizHelp::stronger;
  reaction.help = reaction.tries_left == 0 ? QuizHelp::answer : next_help();
  record.help = reaction.help;
  return reaction;
}

QuizReaction Quiz::hint() {
  QuizRecord& record = records_[at_];
  const bool again = record.help == QuizHelp::stronger;
  record.help = next_help();
  return {.kind = QuizReaction::Kind::hint,
          .help = record.help,
          .is_given_again = again,
          .tries_left = tries_ - record.tries};
}

QuizReaction Quiz::give_up() {
  QuizRecord& record = records_[at_];
  record.is_given_up = true;
  record.help = QuizHelp::answer;
  record.written.clear();
  return {.kind = QuizReaction::Kind::given_up, .help = QuizHelp::answer};
}

void Quiz::on() {
  while (!is_over() && records_[at_].is_settled()) ++at_;
}

bool Quiz::back() {
  if (at_ == 0 || records_[at_ - 1].help == QuizHelp::answer) return false;
  records_[--at_].is_right = false;
  return true;
}

Answers Quiz::answers_so_far(bool only_right) const {
  Answers answers;
  for (std::size_t i = 0; i < plan_.questions.size(); ++i) {
    const QuizQuestion& question = plan_.questions[i];
    const QuizRecord& record = records_[i];
    const bool is_left_out = only_right && i != at_ && !record.is_right;
    const bool is_blank = record.written.empty() || is_left_out;
    if (is_blank && !record.is_given_up && i != at_ && !is_left_out) continue;
    add_answer(question, is_blank ? std::vector<AnsweredStep::Cell>(question.count) : record.written, answers);
  }
  return answers;
}

Answers Quiz::answer_alone() const {
  Answers answers;
  add_answer(question(), records_[at_].written, answers);
  return answers;
}

// The answer, and how powers were taken before: as it was written, or as it would be without any rounding.
Answers Quiz::answer_beside_powers(bool exactly) const {
  Answers answers;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const QuizQuestion& question = plan_.questions[i];
    const QuizRecord& record = records_[i];
    const bool is_beside = !question.powers.empty() && record.is_right && !record.follows;
    if (i != at_ && !is_beside) continue;
    const bool is_exact = i != at_ && exactly;
    add_answer(question, is_exact ? unrounded(record.written, question.powers) : record.written, answers);
  }
  return answers;
}

bool Quiz::has_wrong() const {
  return std::ranges::any_of(records_, [](const QuizRecord& one) { return !one.written.empty() && !one.was_right; });
}

Answers Quiz::answers() const {
  Answers answers = answers_so_far(false);
  for (AnsweredStep& step : answers.steps) {
    const std::vector<std::size_t>& sizes = plan_.sizes.at(step.id);
    std::size_t all = 1;
    for (const std::size_t size : sizes) all *= size;
    if (step.placed.size() != all) continue;
    std::ranges::sort(step.placed, {}, &AnsweredStep::Placed::index);
    for (AnsweredStep::Placed& one : step.placed) step.cells.push_back(std::move(one.number));
    step.placed.clear();
    step.by_cell = false;
    step.shape = sizes;
  }
  return answers;
}

Report Quiz::report() const { return checker_.mark(answers()); }

}  // namespace attn
