#include "explain/arithmetic/symbols.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "explain/telling/axes.h"

namespace attn {
namespace {

// One capital letter, perhaps with a prime or star: what has a lower case.
bool is_simple(const Formula& symbol) {
  const std::vector<FormulaPiece>& pieces = symbol.pieces();
  return pieces.size() == 1 && pieces[0].kind == FormulaPiece::Kind::letter && is_ascii_upper(pieces[0].text[0]);
}

// REQUIRES: is_simple(symbol).
Formula lower(const Formula& symbol) {
  std::string text = symbol.text();
  text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

}  // namespace

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
Formula Symbols::row(const Formula& symbol, std::size_t index) const {
  const std::string text = symbol.text();
  if (text.size() == 1 && is_ascii_lower(text[0])) return symbol + subscript(index + 1);
  if (!is_simple(symbol)) return symbol + ("[" + std::to_string(index + 1) + "]");
  const Formula small = lower(symbol);
  const bool ambiguous = small.text() == "e" || std::ranges::find(taken_, small) != taken_.end();
  return (ambiguous ? symbol : small) + subscript(index + 1);
}

Span Symbols::part(const Heading& heading, const Shape& shape, const Place& place) const {
  std::vector<std::size_t> indices;
  std::size_t open = 0;
  for (const Dim& dim : shape.dims()) {
    if (is_outer(dim.axis)) continue;
    if (const auto index = index_along(place, dim.axis)) {
      indices.push_back(*index);
    } else {
      ++open;
    }
  }
  if (indices.empty()) return {heading.symbol, heading.role};
  if (indices.size() == 1 && open <= 1) return {row(heading.symbol, indices[0]), heading.role};
  std::string at;
  for (const std::size_t index : indices) at += (at.empty() ? "[" : ",") + std::to_string(index + 1);
  return {heading.symbol + (at + "]"), heading.role};
}

Inline Symbols::formula(const Step& step, const Place& place) const {
  // What the step reads has the names there that it reads it by.
  const auto part_of = [&](const std::string& id) {
    const auto read = std::ranges::find(step.operands, id, &Operand::id);
    const Shape& shape = trace_.value(id).shape();
    return part(trace_.heading(id), read == step.operands.end() ? shape : shape_as_read(*read, shape), place);
  };
  const std::vector<FormulaPiece>& pieces = step.heading.formula.pieces();
  Inline text;
  for (auto begin = pieces.begin(); begin != pieces.end();) {
    const std::string& of = begin->of;
    const auto end = std::find_if(begin, pieces.end(), [&](const FormulaPiece& piece) { return piece.of != of; });
    const bool is_known = !of.empty() && (trace_.find(of) || trace_.find_given(of));
    text.push_back(is_known ? part_of(of) : Span(Formula(std::vector(begin, end)), std::nullopt));
    begin = end;
  }
  return text;
}

}  // namespace attn
