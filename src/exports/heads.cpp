#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/numbers.h"
#include "exports/json.h"
#include "exports/json_text.h"

namespace attn {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, looks> look_names = {"itself", "previous", "next", "first", "pair"};

}  // namespace

std::string heads_json(const HeadsReport& report) {
  Json heads = Json::array();
  for (std::size_t at = 0; at < report.heads.size(); ++at) {
    const HeadLooks& one = report.heads[at];
    Json head = {{"step", one.weights}, {"layer", one.layer}, {"head", one.head}};
    for (std::size_t i = 0; i < looks; ++i) {
      head[look_names[i]] = report.has_share(at, static_cast<Look>(i)) ? Json(one.shares[i]) : Json();
    }
    heads.push_back(std::move(head));
  }
  Json pair;
  if (report.pair) pair = {report.pair->query + 1, report.pair->key + 1};
  const Json made = {{"schema", "attn/heads/1"},
                     {"tokens", report.pair ? report.pair->tokens : report.tokens},
                     {"pair", std::move(pair)},
                     {"heads", std::move(heads)}};
  return indented(made);
}

std::string heads_csv(const HeadsReport& report) {
  std::string text = "step,layer,head,itself,previous,next,first";
  text += report.pair ? ",pair\n" : "\n";
  for (std::size_t at = 0; at < report.heads.size(); ++at) {
    const HeadLooks& one = report.heads[at];
    text += one.weights + "," + std::to_string(one.layer) + "," + std::to_string(one.head);
    for (std::size_t i = 0; i < looks; ++i) {
      if (i == static_cast<std::size_t>(Look::pair) && !report.pair) continue;
      text += ",";
      if (report.has_share(at, static_cast<Look>(i))) text += shortest(one.shares[i]);
    }
    text += "\n";
  }
  return text;
}

}  // namespace attn
