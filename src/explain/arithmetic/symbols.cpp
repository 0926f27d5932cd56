#include "explain/arithmetic/symbols.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/text.h"

namespace attn {
namespace {

std::optional<std::size_t> index_at(const Place& place, const Axis& axis) {
  const auto found = std::ranges::find(place, axis, &Place::value_type::first);
  if (found == place.end()) return std::nullopt;
  return found->second;
}

bool is_word(char c) { return is_ascii_alnum(c) || c == '_'; }

// One capital letter, perhaps with a prime or star: what has a lower case.
bool is_simple(std::string_view symbol) {
  if (symbol.empty() || !is_ascii_upper(symbol[0])) return false;
  return std::ranges::none_of(symbol.substr(1), is_word);
}

// REQUIRES: is_simple(symbol).
std::string lower(std::string symbol) {
  symbol[0] = static_cast<char>(symbol[0] - 'A' + 'a');
  return symbol;
}

// Whether `symbol` stands there as a whole word: S is not the start of S″.
bool stands_at(std::string_view formula, std::size_t at, std::string_view symbol) {
  if (symbol.empty() || !formula.substr(at).starts_with(symbol)) return false;
  const std::string_view rest = formula.substr(at + symbol.size());
  if (rest.empty()) return true;
  return !is_word(rest[0]) && rest[0] != '*' && !rest.starts_with("′") && !rest.starts_with("″");
}

}  // namespace

bool is_position(const Axis& axis) { return axis == "query" || axis == "key" || axis == "token"; }

bool is_outer(const Axis& axis) { return axis == "batch" || axis == "head"; }

std::string subscript(std::size_t number) {
  static constexpr std::array digits = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
  std::string text;
  for (const char digit : std::to_string(number)) text += digits[static_cast<std::size_t>(digit - '0')];
  return text;
}

Symbols::Symbols(const Trace& trace) : trace_(trace) {
  for (const GivenTensor& given : trace.givens) taken_.push_back(given.heading.symbol);
  for (const Step& step : trace.steps) taken_.push_back(step.heading.symbol);
}

// "k₁". The capital stays where the small letter means something else: e is
// Euler's number, m the maximum.
std::string Symbols::row(const std::string& symbol, std::size_t index) const {
  if (symbol.size() == 1 && is_ascii_lower(symbol[0])) return symbol + subscript(index + 1);
  if (!is_simple(symbol)) return symbol + "[" + std::to_string(index + 1) + "]";
  const std::string small = lower(symbol);
  const bool ambiguous = small == "e" || std::ranges::find(taken_, small) != taken_.end();
  return (ambiguous ? symbol : small) + subscript(index + 1);
}

Span Symbols::part(const Heading& heading, const Shape& shape, const Place& place) const {
  std::vector<std::size_t> indices;
  std::size_t open = 0;
  for (const Dim& dim : shape.dims()) {
    if (is_outer(dim.axis)) continue;
    const auto index = index_at(place, dim.axis);
    if (index) {
      indices.push_back(*index);
    } else {
      ++open;
    }
  }
  if (indices.empty()) return {heading.symbol, heading.role};
  if (indices.size() == 1 && open <= 1) return {row(heading.symbol, indices[0]), heading.role};
  std::string text = heading.symbol;
  for (std::size_t i = 0; i < indices.size(); ++i) text += (i == 0 ? "[" : ",") + std::to_string(indices[i] + 1);
  return {text + "]", heading.role};
}

Inline Symbols::formula(const Step& step, const Place& place) const {
  struct Known {
    std::string symbol;
    Span part;
  };
  std::vector<Known> known;
  const auto add = [&](const Heading& heading, const Shape& shape) {
    const bool is_new = std::ranges::find(known, heading.symbol, &Known::symbol) == known.end();
    if (is_new) known.push_back({heading.symbol, part(heading, shape, place)});
  };
  const auto add_operand = [&](const Operand& operand) {
    if (!trace_.find(operand.id) && !trace_.find_given(operand.id)) return;
    add(trace_.heading(operand.id), shape_as_read(operand, trace_.value(operand.id).shape()));
  };
  // What the step reads comes first: there the axes have the names that it reads them by.
  add(step.heading, step.result.shape());
  for (const Operand& operand : step.operands) add_operand(operand);
  if (step.open) add_operand(*step.open);
  for (const Step& other : trace_.steps) add(other.heading, other.result.shape());
  for (const GivenTensor& given : trace_.givens) add(given.heading, given.value.shape());
  // The longest first: S″ is not S.
  std::ranges::stable_sort(known, std::ranges::greater(), [](const Known& k) { return k.symbol.size(); });

  const std::string_view formula = step.heading.formula;
  Inline text;
  std::string between;
  for (std::size_t at = 0; at < formula.size();) {
    const auto found =
        at > 0 && is_word(formula[at - 1])
            ? known.end()
            : std::ranges::find_if(known, [&](const Known& k) { return stands_at(formula, at, k.symbol); });
    if (found == known.end()) {
      between += formula[at++];
      continue;
    }
    if (!between.empty()) text.emplace_back(std::exchange(between, {}));
    text.push_back(found->part);
    at += found->symbol.size();
  }
  if (!between.empty()) text.emplace_back(std::move(between));
  return text;
}

}  // namespace attn
