#include "explain/telling/closing.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/each_once.h"
#include "words/language.h"

namespace attn {
namespace {

// The title of a rule begins with its name: "causal: a query sees …".
ClosingRule rule_of(const GivenTensor& given, Shape shape) {
  const std::string& title = given.heading.title;
  return {given.heading.id, title.substr(0, title.find(':')), title, &given.value, std::move(shape)};
}

// Rules that are called the same have their symbols, too: "mask M_1", "mask M_2".
void tell_apart(std::vector<ClosingRule>& rules, const Trace& trace) {
  std::map<std::string, int> count;
  for (const ClosingRule& rule : rules) ++count[rule.name];
  for (ClosingRule& rule : rules) {
    if (count[rule.name] == 1) continue;
    const std::string told = rule.name + " " + trace.find_given(rule.id)->heading.symbol.text();
    rule.reason.replace(0, rule.name.size(), told);
    rule.name = told;
  }
}

}  // namespace

std::vector<ClosingRule> closing_rules(const Trace& trace, const std::string& mask) {
  const Step* step = trace.find(mask);
  if (!step) {
    const GivenTensor& given = *trace.find_given(mask);
    return {rule_of(given, given.value.shape())};
  }
  std::vector<ClosingRule> rules;
  for (const Operand& operand : step->operands) {
    const GivenTensor* given = trace.find_given(operand.id);
    if (given) rules.push_back(rule_of(*given, shape_as_read(operand, given->value.shape())));
  }
  tell_apart(rules, trace);
  return rules;
}

std::vector<std::string> masks_read(const Trace& trace) {
  EachOnce masks;
  for (const Step& step : trace.steps) {
    if (!step.open || (!trace.find(step.open->id) && !trace.find_given(step.open->id))) continue;
    masks.add(step.open->id);
  }
  return masks.texts();
}

std::vector<std::string> rules_that_close(const Trace& trace, const std::string& mask,
                                          const std::vector<std::size_t>& cells) {
  const Shape& shape = trace.value(mask).shape();
  EachOnce names;
  for (const ClosingRule& rule : closing_rules(trace, mask)) {
    const auto is_closed = [&](std::size_t cell) {
      return (*rule.open)[rule.shape.offset(shape.index(cell), shape)] == 0;
    };
    const bool closes_nothing = std::ranges::find(rule.open->data(), 0.0) == rule.open->data().end();
    if (closes_nothing || names.has(rule.name)) continue;
    if (std::ranges::any_of(cells, is_closed)) names.add(rule.name);
  }
  return names.texts();
}

std::string closed_by(const Trace& trace, const Slice& mask_cells) {
  std::vector<std::size_t> cells;
  for (std::size_t i = 0; i < mask_cells.count; ++i) cells.push_back(mask_cells.cell(i));
  return language().telling.closed_by(rules_that_close(trace, mask_cells.tensor, cells));
}

}  // namespace attn
