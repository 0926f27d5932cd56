#include "exports/listing.h"

#include <nlohmann/json.hpp>

#include "exports/json_text.h"

namespace attn {

std::string listings_json(std::span<const Listing> listings) {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  for (const Listing& listing : listings) {
    auto& rows = all[listing.name] = nlohmann::ordered_json::array();
    for (const Listed& row : listing.rows) rows.push_back({{"name", row.name}, {"summary", row.summary}});
  }
  return indented(all);
}

}  // namespace attn
