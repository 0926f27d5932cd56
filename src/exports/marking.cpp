#include "exports/marking.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "base/numbers.h"
#include "exports/json_text.h"

namespace attn {
namespace {

using Json = nlohmann::ordered_json;

// On one line, with the spaces that people put.
std::string on_one_line(const Json& json) {
  if (!json.is_structured()) return compact(json);
  std::string text;
  for (const auto& [name, value] : json.items()) {
    text += text.empty() ? "" : ", ";
    if (json.is_object()) text += quoted(name) + ": ";
    text += on_one_line(value);
  }
  return json.is_object() ? "{" + text + "}" : "[" + text + "]";
}

// A whole number without a point; JSON has no spelling of an infinity or NaN.
Json number(double value) {
  if (!std::isfinite(value)) return shortest(value);
  constexpr double most = 1e15;
  if (value == std::floor(value) && std::abs(value) < most) return static_cast<long long>(value);
  return value;
}

Json from_one(const std::vector<std::size_t>& index) {
  Json json = Json::array();
  for (const std::size_t i : index) json.push_back(i + 1);
  return json;
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

// A list, an item a line.
template <class List, class Write>
std::string lines(const List& list, const std::string& indent, Write write) {
  std::string text;
  for (const auto& item : list) text += (text.empty() ? "\n" : ",\n") + indent + "  " + on_one_line(write(item));
  return "[" + text + (text.empty() ? "]" : "\n" + indent + "]");
}

std::string object(const Report& report, Reveal reveal, const std::string* file, const std::string& indent) {
  const auto member = [&](const std::string& name, const std::string& value) {
    return ",\n" + indent + "  \"" + name + "\": " + value;
  };
  std::string text = indent + "{\n" + indent + "  \"schema\": \"attn/report/1\"";
  if (file) text += member("file", on_one_line(*file));
  text += member("verdict", on_one_line(name(report.verdict)));
  text += member("first_wrong", on_one_line(report.first_wrong.empty() ? Json() : Json(report.first_wrong)));
  text += member("rounding", on_one_line(report.rounding.empty() ? Json() : Json(report.rounding)));
  text +=
      member("steps", lines(report.steps, indent + "  ", [&](const MarkedStep& s) { return step_json(s, reveal); }));
  if (reveal >= Reveal::hint) text += member("diagnoses", lines(report.diagnoses, indent + "  ", diagnosis_json));
  text += member("notes", lines(report.notes, indent + "  ", [](const std::string& note) { return Json(note); }));
  return text + "\n" + indent + "}";
}

}  // namespace

std::string report_json(const Report& report, Reveal reveal) { return object(report, reveal, nullptr, "") + "\n"; }

std::string reports_json(std::span<const MarkedFile> files, Reveal reveal) {
  std::string text;
  for (const MarkedFile& one : files) {
    text += text.empty() ? "[\n" : ",\n";
    text += one.report ? object(*one.report, reveal, &one.file, "  ")
                       : "  " + on_one_line({{"file", one.file}, {"error", one.error}});
  }
  return text + (text.empty() ? "[]\n" : "\n]\n");
}

}  // namespace attn
