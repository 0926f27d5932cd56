#include "exports/course_questions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/numbers.h"
#include "base/rounding.h"
#include "base/text.h"
#include "explain/arithmetic/lines.h"
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

// So many numbers of a step are looked at for them: those of which anything could be written are no boxes.
constexpr std::size_t most_looked_at = 10 * most_boxes;

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

// A matrix, and how many of its first rows are looked at.
struct LookedAt {
  Matrix matrix;
  std::size_t rows = 0;
};

bool may_be_asked(const Matrix& matrix, std::size_t row, std::size_t column) {
  return std::isfinite(matrix.number(row, column)) && !matrix.is_closed(row, column);
}

// The first matrices of a step; its cells that may be asked for are added to `cells`.
std::vector<LookedAt> first_matrices(const Trace& trace, const Numerals& numerals, const std::string& id,
                                     std::vector<std::size_t>& cells) {
  std::vector<LookedAt> all;
  for (const Place& place : outer_places(trace.value(id).shape(), 0, 0)) {
    for (Matrix& matrix : matrices_at(trace, numerals, id, place)) {
      std::size_t rows = 0;
      for (; rows < matrix.rows(); ++rows) {
        if (!cells.empty() && cells.size() + matrix.columns() > most_looked_at) break;
        for (std::size_t column = 0; column < matrix.columns(); ++column) {
          if (may_be_asked(matrix, rows, column)) cells.push_back(matrix.place_of(rows, column));
        }
      }
      const bool is_last = rows < matrix.rows();
      if (rows > 0) all.push_back({std::move(matrix), rows});
      if (is_last) return all;
    }
  }
  return all;
}

// The rows of a matrix that are asked for, while there is room for boxes.
CourseTable table_of(LookedAt looked, const std::map<std::size_t, Leeway>& leeways, std::size_t& boxes) {
  CourseTable table{.matrix = std::move(looked.matrix), .asked = {}, .is_cut = false};
  const Matrix& all = table.matrix;
  table.is_cut = looked.rows < all.rows();
  for (std::size_t row = 0; row < looked.rows; ++row) {
    if (boxes > 0 && boxes + all.columns() > most_boxes) {
      table.is_cut = true;
      break;
    }
    for (std::size_t column = 0; column < all.columns(); ++column) {
      const auto found = may_be_asked(all, row, column) ? leeways.find(all.place_of(row, column)) : leeways.end();
      const bool is_asked = found != leeways.end() && found->second.is_asked;
      table.asked.push_back(is_asked ? &found->second : nullptr);
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
    : trace_(with_all_steps(trace)), decimals_(decimals_of(trace)), longest_given_(longest_given), names_(trace_) {
  const std::vector<std::string> steps = asked_steps(trace);
  const Numerals numerals = numerals_for(trace_, decimals_);
  std::map<std::string, std::vector<LookedAt>> looked_at;
  AskedCells cells;
  for (const std::string& id : steps) looked_at[id] = first_matrices(trace_, numerals, id, cells[id]);
  leeways_ = leeways(trace_, cells, decimals_);
  Document to_all;
  tell_givens(trace_, {}, numerals, to_all);
  given_ = html_of_given(std::move(to_all));
  for (const std::string& id : steps) {
    const Step& step = *trace_.find(id);
    CourseQuestion question{.step = &step, .title = dotted(part_title(trace_, step), step.heading.title)};
    std::size_t boxes = 0;
    for (LookedAt& looked : looked_at.at(id)) {
      CourseTable table = table_of(std::move(looked), leeways_[id], boxes);
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
  Document of_part;
  tell_givens_of_part(trace_, question.step->part, {}, numerals_for(trace_, decimals_), of_part);
  std::string given = given_ + html_of_given(std::move(of_part));
  (given.size() > longest_given_ ? question.described : question.given) = std::move(given);
}

std::string CourseQuestions::html_of_given(Document document) const {
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
  return names_.of({question.step->heading.id, place, 0, 1}).text;
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

std::size_t bytes_for_questions(const Trace& trace) { return bytes_for_leeways(trace, asked_steps(trace)); }

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
