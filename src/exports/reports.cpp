#include <algorithm>
#include <cmath>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/numbers.h"
#include "exports/json.h"
#include "exports/json_text.h"

// What was marked, what two files differ in, and what there is.

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

// Where a report says what it is of: the file, or several, and whose they are.
Json origin(const std::vector<std::string>& files, const std::string& name) {
  Json said = {{"schema", "attn/report/1"}};
  if (!files.empty()) said["file"] = files.front();
  if (files.size() > 1) said["files"] = files;
  if (!name.empty()) said["name"] = name;
  return said;
}

std::string object(const Report& report, Reveal reveal, Json said, const std::string& indent) {
  const std::string inner = indent + "  ";
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

constexpr std::string_view kinds[] = {"problem", "trace", "tensors"};

// Writes what was found of two files, A before B.
class DifferenceWriter {
 public:
  explicit DifferenceWriter(const DiffReport& report) : report_(report), is_turned_(report.first.letter != "A") {}

  Json written() const {
    Json all = {{"schema", "attn/diff/1"},
                {"A", file(is_turned_ ? report_.second : report_.first)},
                {"B", file(is_turned_ ? report_.first : report_.second)},
                {"equal", report_.is_equal()}};
    all["first_different"] =
        report_.is_equal() ? Json(nullptr) : Json(report_.sides.steps[*report_.sides.different].id);
    all["tolerance"] = {{"relative", report_.closeness.relative},
                        {"absolute", report_.closeness.absolute},
                        {"of_largest_in_row", report_.closeness.typical}};
    all["steps"] = Json::array();
    for (const StepPair& pair : report_.sides.steps) all["steps"].push_back(step(pair));
    all["unknown"] = report_.sides.unknown;
    all["unread"] = Json::array();
    const auto add_unread = [&](const char* file, const std::vector<UnreadTensor>& unread) {
      for (const UnreadTensor& one : unread)
        all["unread"].push_back({{"file", file}, {"name", one.name}, {"why", one.why}});
    };
    add_unread("A", is_turned_ ? report_.sides.second_unread : report_.sides.first_unread);
    add_unread("B", is_turned_ ? report_.sides.first_unread : report_.sides.second_unread);
    all["keys"] = Json::array();
    for (const KeyDifference& key : report_.keys) {
      all["keys"].push_back({{"key", key.where}, {"A", text_or_null(key.first)}, {"B", text_or_null(key.second)}});
    }
    all["relation"] = report_.relation ? relation(*report_.relation) : Json();
    all["rounding"] = !report_.is_equal() && report_.is_rounding;
    all["explanations"] = Json::array();
    for (const LikelyCause& one : report_.explanations) all["explanations"].push_back(explanation(one));
    all["all_tried"] = report_.all_tried;
    return all;
  }

 private:
  static Json number(double value) { return std::isfinite(value) ? Json(value) : Json(shortest(value)); }

  static Json file(const ComparedFile& file) {
    return {{"file", file.file}, {"kind", kinds[static_cast<std::size_t>(file.kind)]}, {"dtype", file.dtype}};
  }

  std::string_view verdict(StepPair::Verdict verdict) const {
    constexpr std::string_view words[] = {"same", "differs", "other_shape", "only_A", "only_B"};
    if (is_turned_ && verdict == StepPair::Verdict::only_first) return "only_B";
    if (is_turned_ && verdict == StepPair::Verdict::only_second) return "only_A";
    return words[static_cast<std::size_t>(verdict)];
  }

  Json cell(const FarthestCell& cell) const {
    return {{"index", from_one(cell.index)},
            {"A", number(is_turned_ ? cell.second : cell.first)},
            {"B", number(is_turned_ ? cell.first : cell.second)},
            {"apart", number(cell.apart)}};
  }

  Json step(const StepPair& pair) const {
    Json made = {{"id", pair.id}, {"verdict", verdict(pair.verdict)}};
    if (!pair.name.empty()) made["name"] = pair.name;
    if (!pair.stored.empty()) made["stored"] = pair.stored;
    if (!pair.remarks.empty()) made["remarks"] = pair.remarks;
    if (pair.orders_left) made["orders_left"] = true;
    if (pair.verdict == StepPair::Verdict::other_shape) {
      made["A"] = is_turned_ ? pair.second_sizes : pair.first_sizes;
      made["B"] = is_turned_ ? pair.first_sizes : pair.second_sizes;
    }
    if (pair.cells == 0) return made;
    made["cells"] = pair.cells;
    made["differing"] = pair.differing;
    made["same_bits"] = pair.same_bits;
    if (pair.absolute) made["largest_absolute"] = cell(*pair.absolute);
    if (pair.relative) made["largest_relative"] = cell(*pair.relative);
    return made;
  }

  static Json relation(const Relation& relation) {
    switch (relation.kind) {
      case Relation::Kind::multiple:
        return {{"factor", number(relation.factor)}};
      case Relation::Kind::exchanged_heads:
        return {{"heads", from_one(relation.heads)}};
      case Relation::Kind::other_step:
        return {{"step", relation.step}};
    }
    return nullptr;
  }

  static Json explanation(const LikelyCause& one) {
    return {{"id", one.id},     {"what", one.what},    {"variant", one.variant},
            {"step", one.step}, {"agree", one.follow}, {"next", text_or_null(one.next)},
            {"also", one.also}};
  }

  const DiffReport& report_;
  bool is_turned_;
};

Json error_object(const PlacedFault& one, const std::string& file) {
  const bool has_place = one.line > 0;
  // A place that is no value's has no pointer; the whole of a file's is "".
  const bool has_pointer = !one.fault.where.empty() || (has_place && !one.fault.range);
  return {{"file", text_or_null(file)},
          {"line", has_place ? Json(one.line) : Json()},
          {"column", has_place ? Json(one.column) : Json()},
          {"pointer", has_pointer ? Json(one.fault.where) : Json()},
          {"message", one.fault.message},
          {"help", one.fault.help.text()}};
}

Json mistake_object(const Mistake& mistake) {
  return {{"id", mistake.id},
          {"kind", name(mistake.kind)},
          {"what", mistake.words.what.text()},
          {"hint", mistake.words.hint.text()},
          {"example", mistake.words.example.text()}};
}

}  // namespace

std::string report_json(const Report& report, Reveal reveal, const std::string& name) {
  return object(report, reveal, origin({}, name), "") + "\n";
}

std::string reports_json(std::span<const MarkedFile> files, Reveal reveal) {
  std::string text;
  for (const MarkedFile& one : files) {
    text += text.empty() ? "[\n" : ",\n";
    text += one.report ? object(*one.report, reveal, origin(one.files, one.name), "  ")
                       : "  " + spaced({{"file", one.files.front()}, {"error", one.error}});
  }
  return text + (text.empty() ? "[]\n" : "\n]\n");
}

std::string difference_json(const DiffReport& report) { return indented(DifferenceWriter(report).written()); }

std::string errors_json(const Complaint& complaint) {
  Json said = {{"schema", "attn/error/1"}, {"errors", Json::array()}};
  for (const PlacedFault& one : complaint.faults) said["errors"].push_back(error_object(one, complaint.file));
  if (complaint.unkept > 0) said["unkept"] = complaint.unkept;
  return spaced(said) + "\n";
}

std::string listings_json(std::span<const Listing> listings) {
  Json all = Json::object();
  for (const Listing& listing : listings) {
    Json& rows = all[listing.name] = Json::array();
    for (const Listed& row : listing.rows) rows.push_back({{"name", row.name}, {"summary", row.summary}});
  }
  return indented(all);
}

std::string catalogue_json(std::span<const Mistake* const> mistakes) {
  Json all = Json::array();
  for (const Mistake* mistake : mistakes) all.push_back(mistake_object(*mistake));
  return indented(all);
}

std::string mistake_json(const Mistake& mistake) { return indented(mistake_object(mistake)); }

}  // namespace attn
