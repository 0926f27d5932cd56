#include "exports/answers.h"

#include <nlohmann/json.hpp>

#include "exports/json_text.h"
#include "tensor/shape.h"

namespace attn {
namespace {

using Json = nlohmann::ordered_json;

Json as_written(const AnsweredStep::Cell& cell) { return cell ? Json(cell->text) : Json(); }

// The cells from `at` on as lists of these sizes.
std::string lists(const AnsweredStep& step, std::size_t axis, std::size_t& at, const std::string& indent) {
  if (axis == step.shape.size()) return compact(as_written(step.cells[at++]));
  const bool is_row = axis + 1 == step.shape.size();
  const std::string line = is_row ? "" : "\n" + indent + "  ";
  std::string text = "[";
  for (std::size_t i = 0; i < step.shape[axis]; ++i) {
    text += (i == 0 ? "" : is_row ? ", " : ",") + line + lists(step, axis + 1, at, indent + "  ");
  }
  return text + (is_row ? "]" : "\n" + indent + "]");
}

std::string by_cell(const AnsweredStep& step) {
  Json cells = Json::object();
  for (const AnsweredStep::Placed& placed : step.placed) {
    std::string index = spelled_index(placed.index);
    cells[index.substr(1, index.size() - 2)] = as_written(placed.number);
  }
  return spaced(cells);
}

}  // namespace

std::string answers_json(const Answers& answers) {
  std::string text = "{\n  \"schema\": \"attn/answers/1\",\n  \"steps\": {";
  for (const AnsweredStep& step : answers.steps) {
    std::size_t at = 0;
    text += (&step == &answers.steps.front() ? "\n    " : ",\n    ") + quoted(step.id) + ": ";
    text += step.by_cell ? by_cell(step) : lists(step, 0, at, "    ");
  }
  return text + "\n  }\n}\n";
}

}  // namespace attn
