#include "exports/course_questions.h"

#include <algorithm>
#include <utility>

#include "base/numbers.h"
#include "base/rounding.h"
#include "base/text.h"
#include "explain/arithmetic/lines.h"
#include "explain/place.h"
#include "explain/provenance.h"
#include "explain/reports/worksheet.h"
#include "explain/telling/matrices.h"
#include "explain/telling/parts.h"
#include "exports/blank_answers.h"
#include "ops/regroups.h"
#include "problem/problem.h"
#include "trace/evaluate.h"
#include "words/language.h"

namespace attn {
namespace {

// Nobody fills in more boxes than that at once.
constexpr std::size_t most_boxes = 100;

int decimals_of(const Trace& trace) {
  if (trace.arithmetic.hand_rounding) return trace.arithmetic.hand_rounding->decimals;
  return std::min(trace.digits.value_or(digits_unless_said), 12);
}

// The trace with the steps, and what is given, that it was left without where only some
// steps are asked for: questions say what those follow from.
Trace with_all_steps(Trace trace) {
  const std::vector<Step> known = std::move(trace.steps);
  trace.steps.clear();
  trace.givens.clear();
  Policy<double> everything;
  const Evaluation<double> made = evaluate(trace.recipe, everything);
  for (std::size_t line = 0; line < trace.recipe.size(); ++line) {
    const Instruction& instruction = trace.recipe.instruction(line);
    if (instruction.kind == Instruction::Kind::given) trace.givens.emplace_back(trace.recipe.shared(line));
    if (instruction.kind != Instruction::Kind::step) continue;
    const auto is_it = [&](const Step& step) { return step.heading.id == instruction.id(); };
    const auto found = std::ranges::find_if(known, is_it);
    if (found != known.end()) {
      trace.steps.push_back(*found);
    } else {
      trace.steps.emplace_back(instruction, made.result(line));
    }
  }
  return trace;
}

// The steps of a trace that take working out.
std::vector<std::string> asked_steps(const Trace& trace) {
  std::vector<std::string> ids = steps_to_work_out(trace);
  std::erase_if(ids, [&](const std::string& id) { return regroups(trace.find(id)->op); });
  return ids;
}

std::string html_of(const Block& block) {
  if (const auto* headline = std::get_if<Headline>(&block)) {
    return "<p><b>" + html_text(plain(headline->text)) + "</b></p>";
  }
  if (const auto* prose = std::get_if<Prose>(&block)) return "<p>" + html_text(plain(prose->text)) + "</p>";
  if (const auto* matrix = std::get_if<Matrix>(&block)) {
    return html_table(*matrix, matrix->rows(),
                      [&](std::size_t row, std::size_t column) { return html_text(matrix->cell(row, column)); });
  }
  const auto* table = std::get_if<Table>(&block);
  if (!table) return "";
  std::string html;
  for (const std::vector<Inline>& row : table->rows) {
    html += "<tr>";
    for (const Inline& cell : row) html += "<td>" + html_text(plain(cell)) + "</td>";
    html += "</tr>";
  }
  return html.empty() ? "" : "<table>" + html + "</table>";
}

// "0.5" of "0.500".
std::string without_zeros(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.ends_with('.')) number.pop_back();
  return number;
}

// How numbers are computed and shown is nothing to whoever works by hand, unless they are to round so.
Table without_arithmetic(Table table, const Trace& trace) {
  const TellingWords& said = language().telling;
  std::erase_if(table.rows, [&](const std::vector<Inline>& row) {
    const std::string what = plain(row.front());
    return what == said.shown.text() || (what == said.numbers.text() && !trace.arithmetic.hand_rounding);
  });
  return table;
}

Numerals numerals_for(const Trace& trace, int decimals) { return Numerals(std::max(6, decimals + 3), trace); }

// The rows of a matrix that are asked for, while there is room for boxes.
CourseTable table_of(Matrix matrix, const std::vector<Leeway>& leeways, std::size_t& boxes) {
  CourseTable table{.matrix = std::move(matrix), .asked = {}};
  const Matrix& all = table.matrix;
  for (std::size_t row = 0; row < all.rows(); ++row) {
    if (boxes > 0 && boxes + all.columns() > most_boxes) {
      table.is_cut = true;
      break;
    }
    for (std::size_t column = 0; column < all.columns(); ++column) {
      const Leeway& leeway = leeways[all.place_of(row, column)];
      const bool is_asked = leeway.is_asked && !all.is_closed(row, column);
      table.asked.push_back(is_asked ? &leeway : nullptr);
      boxes += is_asked ? 1 : 0;
    }
  }
  return table;
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string html;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '{':
        html += "&#123;";
        break;
      case '}':
        html += "&#125;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

CourseQuestions::CourseQuestions(const Trace& trace, std::size_t longest_given)
    : trace_(with_all_steps(trace)), decimals_(decimals_of(trace)), longest_given_(longest_given) {
  const std::vector<std::string> steps = asked_steps(trace);
  leeways_ = leeways(trace_, steps, decimals_);
  const Numerals numerals = numerals_for(trace_, decimals_);
  for (const std::string& id : steps) {
    const Step& step = *trace_.find(id);
    CourseQuestion question{.step = &step, .title = dotted(part_title(trace_, step), step.heading.title)};
    std::size_t boxes = 0;
    for (Matrix& matrix : matrices_of(trace_, numerals, id)) {
      CourseTable table = table_of(std::move(matrix), leeways_.at(id), boxes);
      const bool is_empty = std::ranges::count(table.asked, nullptr) == std::ssize(table.asked);
      const bool has_closed = std::ranges::count(table.matrix.closed, true) > 0;
      question.has_closed = question.has_closed || has_closed;
      if (!is_empty) question.tables.push_back(std::move(table));
    }
    if (question.tables.empty()) continue;
    add_given(question);
    questions_.push_back(std::move(question));
  }
  if (trace_.remarks.empty()) return;
  const WorksheetOptions options{.digits = decimals_, .to_work_out = steps};
  const Worksheet sheet(trace_, options);
  for (const std::string& line : trace_.remarks) notes_ += "<p>" + html_text(sheet.without_answers(line)) + "</p>";
}

// In each question, or once for a part, where it is long.
void CourseQuestions::add_given(CourseQuestion& question) const {
  const bool is_same_part = !questions_.empty() && questions_.back().step->part == question.step->part;
  if (is_same_part) {
    question.given = questions_.back().given;
    return;
  }
  std::string given = given_of(question.step->part);
  (given.size() > longest_given_ ? question.described : question.given) = std::move(given);
}

std::string CourseQuestions::given_of(std::size_t part) const {
  const Numerals numerals = numerals_for(trace_, decimals_);
  Document document;
  tell_givens(trace_, {}, numerals, document);
  tell_givens_of_part(trace_, part, {}, numerals, document);
  std::string html;
  for (Block& block : document.blocks) {
    if (const auto* table = std::get_if<Table>(&block)) block = without_arithmetic(*table, trace_);
    html += html_of(block);
  }
  return html;
}

std::string CourseQuestions::answer(const Leeway& leeway, std::string_view between) const {
  const double value = leeway.value == 0 ? 0 : leeway.value;
  if (leeway.is_exact) return shortest(value) + ":0";
  const double unit = unit_of_last(decimals_);
  const auto within = [&](double middle, double units) {
    return without_zeros(fixed(middle, decimals_ + 1)) + ":" +
           without_zeros(fixed((units + 0.5) * unit, decimals_ + 2));
  };
  const double below = static_cast<double>(leeway.below), above = static_cast<double>(leeway.above);
  const std::string right = within(value, std::min(below, above));
  if (leeway.below == leeway.above) return right;
  // The first is what is shown as right; the other is what is accepted.
  return right + std::string(between) + within(value + (above - below) / 2 * unit, (below + above) / 2);
}

std::string CourseQuestions::name(const CourseQuestion& question, const CourseTable& table, std::size_t cell) const {
  const std::size_t columns = table.matrix.columns();
  const std::size_t place = table.matrix.place_of(cell / columns, cell % columns);
  return CellNames(trace_).of({question.step->heading.id, place, 0, 1}).text;
}

std::string CourseQuestions::formula(const CourseQuestion& question) {
  return language().courses.formula.text() + html_text(question.step->heading.formula.text());
}

std::string CourseQuestions::category() const {
  std::string text;
  for (const char c : printable(trace_.title.empty() ? std::string("attn") : trace_.title)) {
    text += c == '/' ? "//" : std::string(1, c);
  }
  return "$course$/top/" + text;
}

ExpectedQuestions::ExpectedQuestions(const Trace& trace) {
  constexpr std::size_t of_cell = 45;
  for (const Step& step : trace.steps) {
    if (is_given(step)) {
      given += of_cell * step.result.size();
    } else {
      numbers += std::min(step.result.size(), most_boxes);
    }
  }
  for (const GivenTensor& one : trace.givens) given += of_cell * one.value.size();
}

}  // namespace attn
