#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/text.h"
#include "explain/document.h"
#include "exports/export.h"
#include "exports/json_text.h"
#include "exports/numbers.h"
#include "exports/numpy/numpy_code.h"
#include "formats/markdown/text.h"
#include "trace/trace.h"
#include "words/files.h"
#include "words/language.h"

namespace attn {
namespace {

constexpr std::size_t most_in_notebook = 1'000'000;
const std::string notebook_name = "ipynb";
const MarkdownStyle notebook_style = {.math = MathStyle::dollar};

constexpr std::string_view behind_cells = R"(
 ],
 "metadata": {
  "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
  "language_info": {"name": "python"}
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
)";

// The lines of a text, each with its end, as a list of JSON.
std::string source_lines(const std::string& text) {
  std::string all;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    all += (all.empty() ? "\n    " : ",\n    ") + quoted(text.substr(begin, end - begin));
    begin = end;
  }
  return "[" + all + "]";
}

// Puts a notebook together, cell by cell (nbformat 4.5).
class NotebookWriter {
 public:
  explicit NotebookWriter(const Trace& trace) : trace_(trace), code_(trace) {}

  std::string write() {
    const FileWords& said = language().files;
    std::vector<std::string> steps;
    for (const Step& step : trace_.steps) steps.push_back(code_.of(step));

    const std::string title = trace_.title.empty() ? "" : "# " + words_of(trace_.title, notebook_style) + "\n\n";
    std::string opening = title;
    for (const std::string& line : trace_.remarks) opening += words_of(line, notebook_style) + "\n\n";
    opening += words_of(said.what_notebooks_are.text(), notebook_style);
    for (const Note& note : trace_.notes) opening += "\n\n> " + words_of(note.message, notebook_style);
    add_text("title", opening);
    add_code("numpy", code_.head());

    add_text("given", "## " + said.given.text() + "\n\n" + words_of(said.given_told.text(), notebook_style));
    // What follows from other given numbers stands behind them.
    for (const bool follows : {false, true}) {
      for (const GivenTensor& given : trace_.givens) {
        if (given.rule.has_value() == follows) add_given(given.heading, given.value.shape(), code_.of(given));
      }
    }
    add_text("steps", "## " + said.worked_out.text());
    for (std::size_t i = 0; i < steps.size(); ++i) add_step(trace_.steps[i], steps[i]);

    add_text("checked", "## " + said.checked.text() + "\n\n" + words_of(said.checked_told.text(), notebook_style));
    add_checks();
    return "{\n \"cells\": [\n" + cells_ + std::string(behind_cells);
  }

 private:
  // Letters, digits, - and _, at most 64 of them, and each once.
  std::string cell_id(const std::string& wanted) {
    std::string id = wanted.substr(0, 56);
    std::ranges::replace_if(
        id, [](char c) { return !is_ascii_alnum(c) && c != '-'; }, '_');
    const std::string plain = id;
    for (std::size_t i = 2; !ids_.insert(id).second; ++i) id = plain + "-" + std::to_string(i);
    return id;
  }

  void add_text(const std::string& id, const std::string& markdown) { add_cell(R"("markdown")", id, markdown); }

  void add_code(const std::string& id, const std::string& code) {
    add_cell(R"("code", "execution_count": null, "outputs": [])", id, code);
  }

  // `kind` is the type of the cell, and what else belongs to one of it.
  void add_cell(const char* kind, const std::string& id, const std::string& source) {
    cells_ += cells_.empty() ? "" : ",\n";
    cells_ += "  {\"cell_type\": ";
    cells_ += kind;
    cells_ += ", \"id\": \"" + cell_id(id) + "\", \"metadata\": {},\n   \"source\": " + source_lines(source) + "}";
  }

  // "**Scores: each query times each key**" and below it "S = Q·Kᵀ", and what its axes are.
  std::string told(const Heading& heading, const Shape& shape) const {
    const Formula& formula = heading.formula.empty() ? heading.symbol : heading.formula;
    std::string text = emphasised(words_of(heading.title, notebook_style), "**");
    text += "\n\n" + inline_math({Span(formula, heading.role)}, notebook_style);
    std::string axes;
    for (const Dim& dim : shape.dims()) {
      axes += (axes.empty() ? "" : " × ") + std::to_string(dim.size) + " " + dim.axis;
    }
    return text + (axes.empty() ? "" : " \\\n" + code_span(axes));
  }

  void add_given(const Heading& heading, const Shape& shape, const std::string& code) {
    add_text("about-" + heading.id, told(heading, shape));
    add_code(heading.id, code);
  }

  void add_step(const Step& step, const std::string& code) {
    const std::string part = part_title(trace_, step);
    if (part != part_) add_text("part", "### " + words_of(part, notebook_style));
    part_ = part;
    add_text("about-" + step.heading.id, told(step.heading, step.result.shape()));
    add_code(step.heading.id, code + "\n" + NumpyCode::variable(step.heading.id));
  }

  // Of products that are added up and nearly cancel, how large they may be.
  std::string products_of(const Step& step) const {
    std::string largest;
    double size = 1;
    for (const Operand& operand : step.operands) {
      if (!trace_.find(operand.id) && !trace_.find_given(operand.id)) return "";
      size *= largest_of(trace_.value(operand.id));
      largest += (largest.empty() ? "" : " * ") + ("largest_of(" + NumpyCode::variable(operand.id) + ")");
    }
    return largest_of(step.result) < 1e-3 * size ? ", " + largest : "";
  }

  static double largest_of(const Tensor<double>& tensor) {
    double largest = 0;
    for (const double number : tensor.data()) {
      if (std::isfinite(number)) largest = std::max(largest, std::abs(number));
    }
    return largest;
  }

  // What was added up, of a sum or mean, where it is a step: terms may cancel, but for their own rounding.
  std::string terms_of(const Step& step) const {
    const auto* contract = std::get_if<Contract>(&step.op);
    if (contract && contract->then == Contract::Then::add) return products_of(step);
    const auto* reduce = std::get_if<Reduce>(&step.op);
    const auto* normalize = std::get_if<Normalize>(&step.op);
    const bool is_sum = reduce && reduce->function == Reducer::sum;
    const bool is_mean =
        normalize && (normalize->part == Normalize::Part::mean || normalize->part == Normalize::Part::normalized);
    if (!is_sum && !is_mean) return "";
    const std::string& terms = step.operands[0].id;
    return trace_.find(terms) ? ", " + NumpyCode::variable(terms) : "";
  }

  void add_checks() {
    add_code("check", R"(def largest_of(numbers):
    numbers = np.array(numbers, dtype=float)
    return np.abs(numbers[np.isfinite(numbers)]).max(initial=0)

def check(name, here, of_attn, terms=0):
    of_attn = np.array(of_attn, dtype=float)
    largest = max(largest_of(of_attn), largest_of(terms))
    assert np.allclose(here, of_attn, rtol=1e-12, atol=1e-12 * largest, equal_nan=True), name + " is another"
    print(name, "agrees"))");
    for (const Step& step : trace_.steps) {
      if (std::holds_alternative<Given>(step.op)) continue;
      const std::string& id = step.heading.id;
      const std::string start = "check(\"" + id + "\", " + NumpyCode::variable(id) + ", ";
      add_code("check-" + id, start + NumpyCode::literal(step.result, start.size()) + terms_of(step) + ")");
    }
  }

  const Trace& trace_;
  NumpyCode code_;
  std::string cells_;
  std::set<std::string> ids_;
  std::string part_;
};

std::optional<Unwritable> against_notebook(const Trace& trace) {
  const FileWords& said = language().files;
  if (trace.arithmetic.dtype != Dtype::f64)
    return Unwritable{said.other_dtype(notebook_name, std::string(name(trace.arithmetic.dtype))), said.say_f64};
  if (const std::size_t numbers = count_of_numbers(trace); numbers > most_in_notebook)
    return Unwritable{said.too_many_numbers(notebook_name, numbers, most_in_notebook), said.smaller};
  return std::nullopt;
}

}  // namespace

Export ipynb_export() {
  return {.name = notebook_name,
          .ending = ".ipynb",
          .summary = "a notebook that computes every step with numpy, to edit and run",
          .write = [](const Trace& trace, Sink& sink) { sink.write(NotebookWriter(trace).write()); },
          .expected_bytes = [](const Trace& trace) { return 24 * count_of_numbers(trace); },
          .most_numbers = most_in_notebook,
          .wants_every_step = true,
          .unwritable = against_notebook};
}

}  // namespace attn
