#include "exports/blank_answers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/expression.h"
#include "base/numbers.h"
#include "base/text.h"
#include "explain/place.h"
#include "exports/csv_text.h"
#include "trace/rounding.h"
#include "trace/step_name.h"
#include "words/language.h"

namespace attn {
namespace {

// What of a step whoever works by hand has to work out: what only puts numbers in
// another order, as much as of the numbers.
enum class Work { none, of_operands, all };

Work work_of(const Op& op, std::size_t operands) {
  return std::visit(Overloaded{
                        [](const Given&) { return Work::none; },
                        [](const Join&) { return Work::none; },
                        [](const Repeat&) { return Work::none; },
                        [](const Copy&) { return Work::of_operands; },
                        [](const Split&) { return Work::of_operands; },
                        [](const Merge&) { return Work::of_operands; },
                        [](const Pick&) { return Work::of_operands; },
                        // Sines and cosines of a rotation are looked up.
                        [&](const Waves&) { return is_rounded_by_hand(op, operands) ? Work::all : Work::none; },
                        [](const auto&) { return Work::all; },
                    },
                    op);
}

// Every index along the axes before the last two, in order.
std::vector<Place> outer_places_of(const Shape& shape) {
  std::vector<Place> places(1);
  for (std::size_t axis = 0; axis + 2 < shape.rank(); ++axis) {
    std::vector<Place> longer;
    for (const Place& place : places) {
      for (std::size_t i = 0; i < shape[axis].size; ++i) longer.push_back(with(place, shape[axis].axis, i));
    }
    places = std::move(longer);
  }
  return places;
}

// A comma before a digit stands for a point where commas separate nothing, and between quotation marks.
bool is_number_somewhere(std::string label) {
  if (is_spelled_number(label)) return true;
  for (std::size_t at = 0; at + 1 < label.size(); ++at) {
    if (label[at] == ',' && is_ascii_digit(label[at + 1])) label[at] = '.';
  }
  return is_spelled_number(label);
}

// A label that no reader takes for a number, or for several fields: what a spreadsheet that separates by commas saves
// has no quotes about the separators of others.
std::string safe_label(const Trace& trace, const Step& step, const Dim& dim, const Place& place, std::size_t index) {
  std::string label = axis_label(trace, step.heading, dim, place, index);
  const bool is_blank = label.find_first_not_of(" \t") == std::string::npos;
  const bool separates = label.find_first_of(";\t") != std::string::npos;
  return is_blank || separates || is_number_somewhere(label) ? dim.axis + " " + std::to_string(index + 1) : label;
}

std::string words_of_place(const Step& step, const Place& place) {
  std::string words = place_words(step.result.shape(), place);
  for (const auto& [axis, index] : place) {
    if (!is_outer(axis)) words = dotted(words, axis + " " + std::to_string(index + 1));
  }
  return words;
}

// --- JSON -------------------------------------------------------------------

void append_nulls(const Shape& shape, std::size_t axis, const std::string& indent, std::string& text) {
  if (axis == shape.rank()) {
    text += "null";
    return;
  }
  const bool is_row = axis + 1 == shape.rank();
  const std::string line = is_row ? "" : "\n" + indent + "  ";
  text += '[';
  for (std::size_t i = 0; i < shape[axis].size; ++i) {
    text += (i == 0 ? "" : is_row ? ", " : ",") + line;
    append_nulls(shape, axis + 1, indent + "  ", text);
  }
  text += (is_row ? "" : "\n" + indent) + "]";
}

std::string json_template(const Trace& trace, const std::vector<std::string>& ids) {
  std::string text = "{\n  \"schema\": \"attn/answers/1\",\n  \"name\": \"\",\n  \"steps\": {";
  for (const std::string& id : ids) {
    text += (id == ids.front() ? "\n    \"" : ",\n    \"") + id + "\": ";
    append_nulls(trace.find(id)->result.shape(), 0, "    ", text);
  }
  return text + "\n  }\n}\n";
}

// --- CSV --------------------------------------------------------------------

void append_table(const Trace& trace, const Step& step, std::string& text) {
  const Shape& shape = step.result.shape();
  const std::vector<Place> places = outer_places_of(shape);
  text += csv_cell(step.heading.id);
  const std::size_t columns = shape.rank() == 0 ? 1 : shape.back().size;
  for (std::size_t column = 0; column < columns; ++column) {
    text += ',';
    if (shape.rank() > 0) text += csv_cell(safe_label(trace, step, shape.back(), places.front(), column));
  }
  text += '\n';
  const std::string blanks(columns, ',');
  for (const Place& place : places) {
    if (shape.rank() < 2) {
      text += csv_cell(step.heading.symbol.text()) + blanks + "\n";
      continue;
    }
    const Dim& rows = shape[shape.rank() - 2];
    for (std::size_t row = 0; row < rows.size; ++row) {
      text += csv_cell(dotted(words_of_place(step, place), safe_label(trace, step, rows, place, row))) + blanks + "\n";
    }
  }
}

std::string csv_template(const Trace& trace, const std::vector<std::string>& ids) {
  std::string text;
  for (const std::string& id : ids) {
    if (!text.empty()) text += '\n';
    append_table(trace, *trace.find(id), text);
  }
  return text;
}

// --- text -------------------------------------------------------------------

// The symbol of the step, where that is its own and can be typed before an equals sign.
std::string typed_name(const Heading& heading, const std::vector<StepName>& names) {
  const std::string symbol = heading.symbol.text();
  const bool can_be_typed = symbol.find_first_of("[](){}=#:,; \t") == std::string::npos && !symbol.empty();
  return can_be_typed && steps_called(symbol, names) == std::vector{heading.id} ? symbol : heading.id;
}

// What stands in the places of a step's numbers: blanks, or with decimals the numbers.
class Places {
 public:
  explicit Places(std::optional<int> decimals) : decimals_(decimals) {}

  // The cells of the next row, in row-major order.
  std::string next(const Step& step, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : " ") + cell(step, at_++);
    return text;
  }
  void begin(const Step& step) {
    at_ = 0;
    const auto is_whole = [](double number) { return number == std::floor(number); };
    // Of weights that are 0 and 1 nobody could tell how they came about.
    const bool is_share = step.heading.role == Role::attention_weight || step.heading.role == Role::softmax;
    all_whole_ = !is_share && std::ranges::all_of(step.result.data(), is_whole);
  }

 private:
  std::string cell(const Step& step, std::size_t at) const {
    if (!decimals_) return "_";
    const double number = step.result.data()[at];
    return std::isfinite(number) ? fixed(number, all_whole_ ? 0 : *decimals_) : shortest(number);
  }

  std::optional<int> decimals_;
  std::size_t at_ = 0;
  bool all_whole_ = false;
};

void append_matrix(const Trace& trace, const Step& step, const Place& place, Places& places, std::string& text) {
  const Shape& shape = step.result.shape();
  if (shape.rank() < 2) {
    text += shape.rank() == 0 ? places.next(step, 1) + "\n" : "[" + places.next(step, shape[0].size) + "]\n";
    return;
  }
  text += "[\n";
  const Dim& rows = shape[shape.rank() - 2];
  for (std::size_t row = 0; row < rows.size; ++row) {
    text += "  " + places.next(step, shape.back().size) + "   # " +
            printable(axis_label(trace, step.heading, rows, place, row)) + "\n";
  }
  text += "]\n";
}

std::string answers_text(const Trace& trace, const std::vector<std::string>& ids, std::optional<int> decimals) {
  const std::vector<StepName> names = step_names(trace);
  std::string text;
  if (!trace.title.empty()) text += "# " + printable(trace.title) + "\n";
  if (!decimals) text += "# " + language().verdicts.how_to_fill_in.text() + "\n\nname:\n";
  Places places(decimals);
  for (const std::string& id : ids) {
    const Step& step = *trace.find(id);
    const Shape& shape = step.result.shape();
    places.begin(step);
    std::string axes;
    for (const Dim& dim : shape.dims()) axes += (axes.empty() ? ": " : " × ") + language().telling.axis(dim.axis);
    text += "\n# " + id + axes + "\n";
    for (const Place& place : outer_places_of(shape)) {
      std::string part;
      for (const auto& [axis, index] : place) part += std::to_string(index + 1) + ",";
      text += typed_name(step.heading, names) + (part.empty() ? "" : "[" + part + ":,:]") + " = ";
      append_matrix(trace, step, place, places, text);
    }
  }
  return text;
}

std::string text_template(const Trace& trace, const std::vector<std::string>& ids) {
  return answers_text(trace, ids, std::nullopt);
}

constexpr AnswersTemplate templates[] = {
    {"json", ".json", json_template},
    {"csv", ".csv", csv_template},
    {"text", ".txt", text_template},
};

}  // namespace

std::span<const AnswersTemplate> answers_templates() { return templates; }

std::string worked_answers(const Trace& trace, const std::vector<std::string>& ids, int decimals) {
  return answers_text(trace, ids, decimals);
}

std::vector<std::string> steps_to_work_out(const Trace& trace) {
  std::set<std::string, std::less<>> worked_out;
  for (const RecipePart& part : trace.recipe.parts()) {
    if (part.attention) worked_out.insert(part.attention->mask);
  }
  for (std::size_t line = 0; line < trace.recipe.size(); ++line) {
    const Instruction& made = trace.recipe.instruction(line);
    const Work work = work_of(made.op, made.operands.size());
    const auto is_worked_out = [&](const Operand& operand) { return worked_out.contains(operand.id); };
    const bool is_own =
        work == Work::all || (work == Work::of_operands && std::ranges::any_of(made.operands, is_worked_out));
    if (is_own) worked_out.insert(made.id());
  }
  std::vector<std::string> ids;
  for (const Step& step : trace.steps) {
    if (worked_out.contains(step.heading.id)) ids.push_back(step.heading.id);
  }
  return ids;
}

}  // namespace attn
