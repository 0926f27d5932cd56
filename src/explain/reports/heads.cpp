#include "explain/reports/heads.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "explain/numerals.h"
#include "words/language.h"

namespace attn {
namespace {

constexpr std::size_t most_keys_in_map = 60;

std::string name_of(Look look, const HeadsReport& report) {
  const HeadsWords& said = language().heads;
  switch (look) {
    case Look::itself:
      return said.itself;
    case Look::previous:
      return said.previous;
    case Look::next:
      return said.next;
    case Look::first:
      return said.first;
    case Look::pair:
      return said.from_to(report.pair->tokens[report.pair->query], report.pair->tokens[report.pair->key]);
  }
  return "";
}

std::string head_name(const HeadLooks& head) { return language().heads.head_of(head.part, head.head); }

// A character a weight: its tenths.
std::string tenth(double weight) {
  if (std::isnan(weight)) return "?";
  const auto tenths = static_cast<int>(std::clamp(weight * 10 + 0.5, 0.0, 9.0));
  return tenths == 0 ? "·" : std::to_string(tenths);
}

bool is_drawn(const HeadLooks& head) { return head.past + head.tokens.size() <= most_keys_in_map; }

Table map_of(const Trace& trace, const HeadLooks& head, std::size_t sequence) {
  const HeadsWords& said = language().heads;
  Table map{.caption = {head_name(head)}, .header = {{said.query}, {said.keys}}, .rows = {}};
  for (std::size_t query = 0; query < head.tokens.size(); ++query) {
    std::string row;
    for (std::size_t key = 0; key < head.past + head.tokens.size(); ++key) {
      row += tenth(weight_of(trace, head, sequence, query, key));
    }
    map.rows.push_back({{head.tokens[query]}, {row}});
  }
  return map;
}

}  // namespace

Document told_heads(const Trace& trace, const HeadsReport& report, const HeadsTold& told) {
  const HeadsWords& said = language().heads;
  Document document{{Headline{1, {said.title}}}};
  document.add(Prose{{said.how_ranked}});
  if (std::ranges::any_of(report.heads, is_drawn)) document.add(Prose{{said.tenths}});
  for (const Look look : {Look::pair, Look::previous, Look::next, Look::itself, Look::first}) {
    if ((look == Look::pair && !report.pair) || (told.by && *told.by != look)) continue;
    const std::vector<std::size_t> order = report.ranked(look);
    if (order.empty() && !told.by) continue;
    document.add(Headline{2, {name_of(look, report)}});
    if (order.empty()) {
      document.add(Prose{{said.no_neighbour}});
      continue;
    }
    Table table{.caption = {}, .header = {{said.head}, {said.share}}, .rows = {}, .numbers = true};
    for (std::size_t i = 0; i < std::min(told.top, order.size()); ++i) {
      table.rows.push_back({{head_name(report.heads[order[i]])}, {written(report.share(order[i], look), {3})}});
    }
    document.add(std::move(table));
    const HeadLooks& first = report.heads[order.front()];
    if (is_drawn(first)) document.add(map_of(trace, first, told.sequence));
  }
  return document;
}

}  // namespace attn
