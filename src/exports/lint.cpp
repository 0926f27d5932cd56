#include <nlohmann/json.hpp>

#include "exports/json.h"
#include "exports/json_text.h"

namespace attn {

std::string lint_json(const LintReport& report) {
  using Json = nlohmann::ordered_json;
  Json invisible = Json::array(), alike = Json::array();
  for (const Invisible& one : report.lint.invisible) {
    Json found = {{"mistake", one.mistake}, {"from", name(one.from)}};
    if (!one.variants.empty()) found["variants"] = one.variants;
    invisible.push_back(std::move(found));
  }
  for (const Alike& group : report.lint.alike) {
    alike.push_back({{"mistakes", group.mistakes}, {"from", name(group.from)}});
  }
  const Json said = {{"schema", "attn/lint/1"}, {"digits", report.digits}};
  return "{\n" + members(said, "  ") + "  \"invisible\": " + lines(invisible, "  ") +
         ",\n  \"alike\": " + lines(alike, "  ") + ",\n  \"advice\": " + lines(report.advice, "  ") + "\n}\n";
}

}  // namespace attn
