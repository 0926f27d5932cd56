#include "explain/telling/givens.h"

#include <algorithm>
#include <string>
#include <utility>

#include "explain/provenance.h"
#include "explain/telling/axes.h"
#include "explain/telling/closing.h"
#include "words/language.h"

namespace attn {
namespace {

bool has_axis(const Trace& trace, const Axis& axis) {
  return std::ranges::any_of(trace.steps, [&](const Step& step) { return step.result.shape().has(axis); });
}

std::size_t size_of(const Trace& trace, const Axis& axis) {
  for (const Step& step : trace.steps) {
    if (step.result.shape().has(axis)) return step.result.shape().size(axis);
  }
  return 0;
}

// "8", or "8 of queries, 2 of keys and values".
std::optional<std::string> heads_words(const Trace& trace) {
  const Anatomy* attention = trace.attention();
  const Step* queries = attention ? trace.find(attention->queries) : nullptr;
  const Step* keys = attention ? trace.find(attention->keys) : nullptr;
  if (!queries || !queries->result.shape().has("head")) {
    return has_axis(trace, "head") ? std::optional(std::to_string(size_of(trace, "head"))) : std::nullopt;
  }
  const std::size_t heads = queries->result.shape().size("head");
  const bool shares = keys && keys->result.shape().has("head") && keys->result.shape().size("head") != heads;
  if (!shares) return std::to_string(heads);
  return language().telling.shared_heads(heads, keys->result.shape().size("head"));
}

std::string rounding_words(const HandRounding& rounding) {
  const TellingWords& said = language().telling;
  const std::string told = said.rounded(rounding.decimals);
  switch (rounding.mode) {
    case RoundingMode::half_up:
      return told + said.half_up.text();
    case RoundingMode::half_even:
      return told + said.half_even.text();
    case RoundingMode::truncate:
      return told + said.truncate.text();
    case RoundingMode::keep_sum:
      return told + said.keep_sum.text();
  }
  return told;
}

// Whether these are the scores of an attention, and nothing scales them.
bool is_left_unscaled(const Trace& trace, const Step& step) {
  return std::ranges::any_of(trace.recipe.parts(), [&](const RecipePart& part) {
    return part.attention && step.heading.id == part.attention->scores && !trace.find(part.attention->scaled);
  });
}

// The formulas of the scores, up to the mask: "S = Q·Kᵀ", "S′ = S / √3".
Inline score_words(const Trace& trace, const Numerals& numerals) {
  Inline told;
  for (const Step& step : trace.steps) {
    if (step.heading.role != Role::score || std::holds_alternative<Close>(step.op)) continue;
    if (!told.empty()) told.emplace_back(language().telling.then);
    told.emplace_back(step.heading.formula.text(), step.heading.role);
    if (const auto* map = std::get_if<Map>(&step.op); map && !map->spelling.empty()) {
      told.emplace_back(language().telling.here(map->spelling));
    } else if (map && map->function == Unary::softcap) {
      told.emplace_back(language().telling.with_c(numerals.in_line(map->parameter)));
    }
    if (is_left_unscaled(trace, step)) told.emplace_back(language().telling.not_scaled);
  }
  return told;
}

Inline mask_words(const Trace& trace) {
  std::vector<std::string> reasons;
  for (const std::string& mask : masks_read(trace)) {
    for (ClosingRule& rule : closing_rules(trace, mask)) {
      const bool is_new = std::ranges::find(reasons, rule.reason) == reasons.end();
      if (is_new) reasons.push_back(std::move(rule.reason));
    }
  }
  Inline words;
  for (const std::string& reason : reasons) words.emplace_back((words.empty() ? "" : "; ") + reason);
  return words;
}

Table options_table(const Trace& trace, const Numerals& numerals) {
  Table table;
  const auto row = [&](const std::string& what, Inline told) { table.rows.push_back({{what}, std::move(told)}); };
  if (has_axis(trace, "batch")) row(language().telling.sequences, {std::to_string(size_of(trace, "batch"))});
  if (const auto heads = heads_words(trace)) row(language().telling.heads, {*heads});
  const auto particulars = [&](bool before_scores) {
    for (const Particular& one : trace.particulars) {
      if (one.before_scores == before_scores) row(one.what, {one.words});
    }
  };
  particulars(true);
  if (trace.attention() && trace.find(trace.attention()->scores)) {
    row(language().telling.the_score, score_words(trace, numerals));
  }
  particulars(false);
  if (Inline mask = mask_words(trace); !mask.empty()) row(language().telling.the_mask, std::move(mask));
  const std::string_view dtype = name(trace.arithmetic.dtype);
  const bool rounds_once = rounds_once_a_step(trace.arithmetic.dtype);
  const auto& by_hand = trace.arithmetic.hand_rounding;
  row(language().telling.numbers,
      {language().telling.arithmetic(dtype, significant_digits(trace.arithmetic.dtype), rounds_once,
                                     by_hand ? rounding_words(*by_hand) : "")});
  row(language().telling.shown,
      {language().telling.approximate(numerals.precision(), by_hand.has_value(), rounds_once ? dtype : "")});
  return table;
}

}  // namespace

void tell_givens(const Trace& trace, const ExplainOptions& options, const Numerals& numerals, Document& document) {
  document.blocks.push_back(Headline{2, {language().telling.given}});
  const MatrixMaker matrices(trace, numerals);
  const auto places = [&](const Shape& shape) {
    std::vector<Place> all = outer_places(shape, options.batch.value_or(0), options.head.value_or(0));
    if (!options.full && all.size() > most_places) all.resize(most_places);
    return all;
  };
  for (const Step& step : trace.steps) {
    if (!is_given(step)) continue;
    for (const Place& place : places(step.result.shape())) {
      for (Matrix& matrix : matrices.of(step, place)) document.blocks.push_back(std::move(matrix));
    }
  }
  bool beside = false;
  for (const GivenTensor& given : trace.givens) {
    if (given.heading.role == Role::mask) continue;  // told in words
    for (const Place& place : places(given.value.shape())) {
      for (Matrix& matrix : matrices.of(given, place)) {
        matrix.beside = std::exchange(beside, true);
        document.blocks.push_back(std::move(matrix));
      }
    }
  }
  document.blocks.push_back(options_table(trace, numerals));
}

}  // namespace attn
