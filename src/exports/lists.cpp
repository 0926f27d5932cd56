#include <nlohmann/json.hpp>

#include "exports/json.h"
#include "exports/json_text.h"

namespace attn {
namespace {

using Json = nlohmann::ordered_json;

Json object(const Mistake& mistake) {
  return {{"id", mistake.id},
          {"kind", name(mistake.kind)},
          {"what", mistake.words.what.text()},
          {"hint", mistake.words.hint.text()},
          {"example", mistake.words.example.text()}};
}

}  // namespace

std::string listings_json(std::span<const Listing> listings) {
  Json all = Json::object();
  for (const Listing& listing : listings) {
    Json& rows = all[listing.name] = Json::array();
    for (const Listed& row : listing.rows) rows.push_back({{"name", row.name}, {"summary", row.summary}});
  }
  return indented(all);
}

std::string catalogue_json() {
  Json all = Json::array();
  for (const Mistake* mistake : all_mistakes()) all.push_back(object(*mistake));
  return indented(all);
}

std::string mistake_json(const Mistake& mistake) { return indented(object(mistake)); }

}  // namespace attn
