#include <cmath>

#include <nlohmann/json.hpp>

#include "base/numbers.h"
#include "exports/json.h"
#include "exports/json_text.h"

namespace attn {
namespace {

using Json = nlohmann::ordered_json;

// A whole number without a point; JSON has no spelling of an infinity or NaN.
Json number(double value) {
  if (!std::isfinite(value)) return shortest(value);
  constexpr double most = 1e15;
  if (value == std::floor(value) && std::abs(value) < most) return static_cast<long long>(value);
  return value;
}

Json cell_json(const MarkedCell& cell, Reveal reveal) {
  Json json = {{"index", from_one(cell.index)}, {"state", name(cell.state)}};
  if (cell.state != CellState::blank) json["given"] = cell.given;
  if (reveal >= Reveal::value) json["expected"] = number(cell.expected);
  return json;
}

Json step_json(const MarkedStep& step, Reveal reveal) {
  Json json = {{"id", step.id}};
  for (const CellState state :
       {CellState::right, CellState::wrong, CellState::blank, CellState::consistent, CellState::too_coarse}) {
    json[std::string(name(state))] = step.count(state);
  }
  // What only floating-point arithmetic leaves open is no room for rounding.
  json["width"] = number(step.width < 1e-9 ? 0 : step.width);
  if (!step.given_shape.empty()) json["given_shape"] = step.given_shape;
  if (reveal < Reveal::cell) return json;
  json["cells"] = Json::array();
  for (const MarkedCell& cell : step.cells) {
    // What stands in a matrix of another shape has no place in this one.
    const Reveal of_cell = step.given_shape.empty() ? reveal : std::min(reveal, Reveal::hint);
    if (cell.state != CellState::right) json["cells"].push_back(cell_json(cell, of_cell));
  }
  return json;
}

Json diagnosis_json(const Diagnosis& diagnosis) {
  Json cells = Json::array();
  for (const auto& index : diagnosis.cells) cells.push_back(from_one(index));
  return {{"mistake", diagnosis.mistake},   {"kind", name(diagnosis.kind)}, {"step", diagnosis.step},
          {"cells", std::move(cells)},      {"variant", diagnosis.variant}, {"ties", diagnosis.ties},
          {"evidence", diagnosis.evidence}, {"message", diagnosis.message}, {"hint", diagnosis.hint}};
}

std::string object(const Report& report, Reveal reveal, const std::string* file, const std::string& indent) {
  const std::string inner = indent + "  ";
  Json said = {{"schema", "attn/report/1"}};
  if (file) said["file"] = *file;
  said["verdict"] = name(report.verdict);
  said["first_wrong"] = text_or_null(report.first_wrong);
  said["rounding"] = text_or_null(report.rounding);
  Json steps = Json::array(), diagnoses = Json::array();
  for (const MarkedStep& step : report.steps) steps.push_back(step_json(step, reveal));
  for (const Diagnosis& diagnosis : report.diagnoses) diagnoses.push_back(diagnosis_json(diagnosis));
  std::string text = indent + "{\n" + members(said, inner) + inner + "\"steps\": " + lines(steps, inner) + ",\n";
  if (reveal >= Reveal::hint) text += inner + "\"diagnoses\": " + lines(diagnoses, inner) + ",\n";
  return text + inner + "\"notes\": " + lines(report.notes, inner) + "\n" + indent + "}";
}

}  // namespace

std::string report_json(const Report& report, Reveal reveal) { return object(report, reveal, nullptr, "") + "\n"; }

std::string reports_json(std::span<const MarkedFile> files, Reveal reveal) {
  std::string text;
  for (const MarkedFile& one : files) {
    text += text.empty() ? "[\n" : ",\n";
    text += one.report ? object(*one.report, reveal, &one.file, "  ")
                       : "  " + spaced({{"file", one.file}, {"error", one.error}});
  }
  return text + (text.empty() ? "[]\n" : "\n]\n");
}

}  // namespace attn
