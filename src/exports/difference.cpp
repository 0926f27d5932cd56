#include <cmath>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/numbers.h"
#include "exports/json.h"
#include "exports/json_text.h"

namespace attn {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(shortest(value)); }

constexpr std::string_view kinds[] = {"problem", "trace", "tensors"};

class Writer {
 public:
  explicit Writer(const DiffReport& report) : report_(report), is_turned_(report.first.letter != "A") {}

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
    all["keys"] = Json::array();
    for (const KeyDifference& key : report_.keys) {
      all["keys"].push_back({{"key", key.where}, {"A", text_or_null(key.first)}, {"B", text_or_null(key.second)}});
    }
    if (report_.relation) all["relation"] = relation(*report_.relation);
    all["rounding"] = !report_.is_equal() && report_.is_rounding;
    all["explanations"] = Json::array();
    for (const LikelyCause& one : report_.explanations) all["explanations"].push_back(explanation(one));
    return all;
  }

 private:
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

}  // namespace

std::string difference_json(const DiffReport& report) { return indented(Writer(report).written()); }

}  // namespace attn
