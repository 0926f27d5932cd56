#include "explain/reports/quiz.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "explain/arithmetic/lines.h"
#include "explain/place.h"
#include "explain/telling/matrices.h"
#include "explain/telling/parts.h"
#include "ops/regroups.h"
#include "words/language.h"

namespace attn {
namespace {

const QuizWords& quiz_words() { return language().quiz; }

// Decimals of what is given, unless somebody asks for others.
constexpr int least_given = 6;

// The axes that stand still in a question.
Place place_of(const QuizQuestion& question, const Shape& shape) {
  Place place;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (question.along != axis) place.emplace_back(shape[axis].axis, question.index[axis]);
  }
  return place;
}

// The index of the sequence, or the head, that is asked about, from 1; nothing where there is none.
std::optional<std::size_t> outer_index(const QuizQuestion& question, const Shape& shape, std::string_view name) {
  const auto axis = shape.position(name);
  return axis ? std::optional(question.index[*axis] + 1) : std::nullopt;
}

// Takes the result off a line, and whatever else says it.
void hide_result(Equation& line) {
  const auto without_relation = [](const Expression& side) {
    std::string text;
    for (const Inline& term : side.terms) text += plain(term) + " ";
    return text;
  };
  const std::string number = without_relation(line.sides.back());
  line.sides.pop_back();
  const auto says_it = [&](const Expression& side) { return without_relation(side) == number; };
  line.sides.erase(std::find_if(line.sides.begin(), line.sides.end(), says_it), line.sides.end());
  line.remark.clear();
  line.shares.clear();
}

// Rows of counts, but for those of nothing.
Table counts(const std::vector<std::pair<std::string, std::size_t>>& rows) {
  Table table;
  table.numbers = true;
  for (const auto& [what, count] : rows) {
    if (count > 0) table.rows.push_back({{capitalised(what)}, {std::to_string(count)}});
  }
  return table;
}

}  // namespace

std::vector<std::string> steps_of_quiz(const Trace& trace, const std::vector<std::string>& to_work_out) {
  std::vector<std::string> steps;
  for (const std::string& id : to_work_out) {
    const Step& step = *trace.find(id);
    if (!regroups(step.op) && step.heading.role != Role::weighted_value) steps.push_back(id);
  }
  return steps;
}

QuizTeller::QuizTeller(const Trace& trace, const Quiz& quiz, std::optional<int> precision)
    : trace_(trace),
      quiz_(quiz),
      numerals_(decimals_shown(precision), trace, Tiny::two_digits),
      given_(decimals_shown(precision.value_or(least_given)), trace, Tiny::two_digits) {}

Document QuizTeller::opening() const {
  Document document = titled(trace_.title);
  add_givens(document);
  document.add(Prose{{quiz_words().how_to_answer}});
  const QuizPlan& plan = quiz_.plan();
  if (plan.is_selection) document.add(Remark{{quiz_words().a_selection(plan.questions.size())}});
  return document;
}

void QuizTeller::add_givens(Document& document) const {
  const QuizQuestion& first = quiz_.plan().questions.front();
  ExplainOptions options;
  options.batch = outer_index(first, trace_.find(first.step)->result.shape(), "batch");
  tell_givens(trace_, options, given_, document);
}

Document QuizTeller::given() const {
  Document document;
  add_givens(document);
  tell_givens_of_part(trace_, step().part, {}, given_, document);
  return document;
}

// "S[1,2]", "s₁", and whose row that is.
Inline QuizTeller::called(const QuizQuestion& question) const {
  const Step& asked = *trace_.find(question.step);
  const Shape& shape = asked.result.shape();
  const Place place = place_of(question, shape);
  Inline name = {Symbols(trace_).part(asked.heading, shape, place)};
  std::string whose = place_words(shape, place);
  for (const auto& [axis, index] : place) {
    if (!is_position(axis)) continue;
    const std::string label = axis_label(trace_, asked.heading, {axis, shape.size(axis)}, place, index);
    if (!is_numbered(label, index)) whose = dotted(whose, label);
  }
  if (!whose.empty()) name.emplace_back(" (" + whose + ")");
  return name;
}

Document QuizTeller::question() {
  const Step& asked = step();
  Document document;
  if (part_ != asked.part) {
    const std::string title = part_title(trace_, asked);
    if (!title.empty()) document.add(Headline{2, {title}});
    tell_givens_of_part(trace_, asked.part, {}, given_, document);
    part_ = asked.part;
  }
  add_unknown(asked, document);
  const QuizQuestion& question = quiz_.question();
  const std::size_t all = quiz_.plan().questions.size();
  document.add(Headline{3, {quiz_words().question(quiz_.at() + 1, all, asked.heading.title)}});
  Inline text = joined(called(question), {": "});
  if (question.count == 1) {
    text.emplace_back(quiz_words().one_number_wanted);
  } else {
    const Dim& dim = asked.result.shape()[*question.along];
    const Place place = place_of(question, asked.result.shape());
    const bool is_counted = is_position(dim.axis);
    text.emplace_back(quiz_words().numbers_wanted(question.count, is_counted ? language().telling.axis(dim.axis) : ""));
    std::vector<std::string> labels;
    for (std::size_t i = 0; is_counted && i < dim.size; ++i) {
      const std::string label = axis_label(trace_, asked.heading, dim, place, i);
      if (!is_numbered(label, i)) labels.push_back(label);
    }
    if (!labels.empty()) text.emplace_back(" (" + listed(labels) + ")");
  }
  document.add(Prose{std::move(text)});
  return document;
}

// Whether its numbers are given, were asked, all of them, or follow at once from such.
bool QuizTeller::is_known(const std::string& id) const {
  const Step* known = trace_.find(id);
  if (!known || is_given(*known) || is_shown(id)) return true;
  // Single weighted values are on the way to their sums.
  if (regroups(known->op) || known->heading.role == Role::weighted_value) {
    return std::ranges::all_of(known->operands, [&](const Operand& operand) { return is_known(operand.id); });
  }
  const QuizPlan& plan = quiz_.plan();
  if (plan.is_selection) return false;
  return std::ranges::any_of(plan.questions, [&](const QuizQuestion& one) { return one.step == id; });
}

// Whether all of it was.
bool QuizTeller::is_shown(const std::string& id) const {
  return std::ranges::all_of(outer_places(trace_.value(id).shape(), 0, 0), [&](const Place& place) {
    return shown_.contains({id, place});
  });
}

void QuizTeller::add_unknown(const Step& asked, Document& document) {
  const auto outer = [&](std::string_view axis) {
    return outer_index(quiz_.question(), asked.result.shape(), axis).value_or(0);
  };
  bool is_first = true;
  for (const Operand& operand : asked.operands) {
    if (is_known(operand.id)) continue;
    const Shape &shape = trace_.value(operand.id).shape(), &of_asked = asked.result.shape();
    const bool has_fewer_heads =
        shape.has("head") && of_asked.has("head") && shape.size("head") < of_asked.size("head");
    const std::size_t head = has_fewer_heads ? head_of(trace_, operand.id, outer("head")) : outer("head");
    std::vector<Place> places = outer_places(shape, outer("batch"), head);
    if (places.empty()) places = outer_places(shape, outer("batch"), 0);
    if (places.size() > most_places) places.resize(most_places);
    std::erase_if(places, [&](const Place& place) { return !shown_.emplace(operand.id, place).second; });
    if (!places.empty() && std::exchange(is_first, false)) document.add(Prose{{quiz_words().worked_out_already}});
    for (const Place& place : places) {
      for (Matrix& matrix : matrices_at(trace_, given_, operand.id, place)) document.add(std::move(matrix));
    }
  }
}

// The lines of the question, with their results or up to them.
Derivation QuizTeller::worked(bool with_result) const {
  const QuizQuestion& question = quiz_.question();
  const Lines lines(trace_, numerals_, usual_terms);
  Derivation told = lines.cells(step(), place_of(question, step().result.shape()));
  if (with_result) return told;
  for (Equation& line : told.lines) hide_result(line);
  std::erase_if(told.lines, [](const Equation& line) { return line.sides.size() < 2; });
  return told;
}

void QuizTeller::tell_help(const QuizReaction& reaction, Document& document) const {
  switch (reaction.help) {
    case QuizHelp::none:
      return;
    case QuizHelp::hint:
      if (const auto& what = reaction.diagnosis) {
        document.add(Prose{{capitalised(what->message)}});
        if (!what->hint.empty()) document.add(Prose{{language().telling.what_to_do(capitalised(what->hint))}});
      } else {
        document.add(Prose{joined({quiz_words().by_formula}, {Span(step().heading.formula, step().heading.role)})});
      }
      return;
    case QuizHelp::stronger: {
      Derivation lines = worked(false);
      document.add(Prose{{lines.lines.empty() ? quiz_words().nothing_to_put_in : quiz_words().put_in}});
      if (!lines.lines.empty()) document.add(std::move(lines));
      return;
    }
    case QuizHelp::answer:
      document.add(Prose{{quiz_words().answer}});
      document.add(worked(true));
      return;
  }
}

Document QuizTeller::reaction(const QuizReaction& reaction) const {
  using enum QuizReaction::Kind;
  Document document;
  const auto say = [&](std::string text) { document.add(Prose{{std::move(text)}}); };
  switch (reaction.kind) {
    case right:
      say(quiz_words().right);
      break;
    case follows:
      say(quiz_words().follows);
      break;
    case too_coarse:
      say(quiz_words().too_coarse.text() + " " + quiz_words().no_try.text());
      break;
    case incomplete:
      say(quiz_words().some_blank.text() + " " + quiz_words().no_try.text());
      break;
    case given_up:
      say(quiz_words().left_blank);
      break;
    case hint:
      break;
    case wrong: {
      const QuizQuestion& question = quiz_.question();
      std::vector<std::string> where;
      for (const std::size_t which : reaction.wrong) where.push_back(spelled_index(question.cell(which)));
      const bool is_part = !where.empty() && where.size() < question.count;
      std::string text =
          is_part ? quiz_words().wrong_but(question.count - where.size(), question.count, question.step + listed(where))
                  : quiz_words().wrong.text();
      if (reaction.tries_left > 0) text += " " + quiz_words().tries_left(reaction.tries_left);
      say(std::move(text));
    }
  }
  if (reaction.is_given_again) say(quiz_words().no_hint_left);
  tell_help(reaction, document);
  return document;
}

Document QuizTeller::summary(bool has_commands) const {
  std::size_t first = 0, helped = 0, failed = 0, open = 0;
  std::vector<std::pair<std::string, std::pair<std::size_t, std::size_t>>> steps;  // how many of how many
  for (std::size_t i = 0; i < quiz_.records().size(); ++i) {
    const QuizRecord& record = quiz_.records()[i];
    const bool at_first = record.is_right_at_first();
    const bool is_open = !record.is_settled() && record.tries == 0;
    (at_first ? first : record.is_right ? helped : is_open ? open : failed) += 1;
    if (is_open) continue;
    const std::string& id = quiz_.plan().questions[i].step;
    if (steps.empty() || steps.back().first != id) steps.push_back({id, {0, 0}});
    steps.back().second.first += at_first ? 0 : 1;
    ++steps.back().second.second;
  }
  Document document{{Headline{2, {quiz_words().how_it_went}}}};
  document.add(counts({{quiz_words().first_try, first},
                       {quiz_words().with_help, helped},
                       {quiz_words().not_right, failed},
                       {quiz_words().not_asked, open}}));
  if (steps.empty()) return document;
  document.add(Headline{2, {quiz_words().to_practise}});
  Table table;
  for (const auto& [id, part] : steps) {
    if (part.first == 0) continue;
    const Heading& heading = trace_.heading(id);
    table.rows.push_back(
        {{Span(capitalised(in_words(id)), heading.role)}, {quiz_words().so_many(part.first, part.second)}});
  }
  for (const QuizMistake& made : quiz_.mistakes()) {
    const Mistake* known = mistake_named(made.mistake);
    const std::string what = known ? known->words.what : made.mistake;
    table.rows.push_back({{capitalised(quiz_words().mistake)}, {quiz_words().made(what, made.times)}});
  }
  const bool is_all_right = table.rows.empty();
  if (!table.rows.empty()) document.add(std::move(table));
  if (is_all_right) document.add(Prose{{quiz_words().nothing_to_practise}});
  if (has_commands) document.add(Prose{{is_all_right ? quiz_words().another_one : quiz_words().more_like_this}});
  return document;
}

}  // namespace attn
