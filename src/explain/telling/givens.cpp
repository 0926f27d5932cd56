#include <algorithm>
#include <string>
#include <utility>

#include "explain/place.h"
#include "explain/provenance.h"
#include "explain/telling/closing.h"
#include "explain/telling/matrices.h"
#include "explain/telling/parts.h"
#include "words/language.h"

namespace attn {
namespace {

// 0 where no step has such an axis.
std::size_t size_of(const Trace& trace, const Axis& axis) {
  for (const Step& step : trace.steps) {
    if (step.result.shape().has(axis)) return step.result.shape().size(axis);
  }
  return 0;
}

// "8", or "8 of queries, 2 of keys and values"; empty where there are none.
std::string heads_words(const Trace& trace) {
  const auto heads_of = [&](StepId Anatomy::*part) -> std::size_t {
    const Step* step = trace.attention() ? trace.find(trace.attention()->*part) : nullptr;
    return step && step->result.shape().has("head") ? step->result.shape().size("head") : 0;
  };
  const std::size_t queries = heads_of(&Anatomy::queries), keys = heads_of(&Anatomy::keys);
  if (queries > 0 && keys > 0 && keys != queries) return language().telling.shared_heads(queries, keys);
  const std::size_t heads = queries > 0 ? queries : size_of(trace, "head");
  return heads > 0 ? std::to_string(heads) : "";
}

std::string words_of_rounding(const HandRounding& rounding) {
  const TellingWords& said = language().telling;
  const Said ways[] = {said.half_up, said.half_even, said.truncate, said.keep_sum};
  return said.rounded(rounding.decimals) + ways[static_cast<std::size_t>(rounding.mode)].text();
}

// Whether these are the scores of an attention, and nothing scales them.
bool is_left_unscaled(const Trace& trace, const std::string& step) {
  return std::ranges::any_of(trace.recipe.parts(), [&](const RecipePart& part) {
    return part.attention && step == part.attention->scores && !trace.find(part.attention->scaled);
  });
}

// The formulas of the scores, up to the mask: "S = Q·Kᵀ", "S′ = S / √3".
Inline score_words(const Trace& trace, const Numerals& numerals) {
  const TellingWords& said = language().telling;
  Inline told;
  for (const Step& step : trace.steps) {
    if (step.heading.role != Role::score || std::holds_alternative<Close>(step.op)) continue;
    if (!told.empty()) told.emplace_back(said.then);
    told.emplace_back(step.heading.formula.text(), step.heading.role);
    const auto* map = std::get_if<Map>(&step.op);
    if (map && !map->spelling.empty()) {
      told.emplace_back(said.here(map->spelling));
    } else if (map && map->function == Unary::softcap) {
      told.emplace_back(said.with_c(numerals.in_line(map->parameter)));
    }
    if (is_left_unscaled(trace, step.heading.id)) told.emplace_back(said.not_scaled);
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
  const TellingWords& said = language().telling;
  Table table;
  const auto row = [&](const std::string& what, Inline told) {
    if (!plain(told).empty()) table.rows.push_back({{what}, std::move(told)});
  };
  const auto particulars = [&](bool before_scores) {
    for (const Particular& one : trace.particulars) {
      if (one.before_scores == before_scores) table.rows.push_back({{one.what}, {one.words}});
    }
  };
  if (const std::size_t sequences = size_of(trace, "batch")) row(said.sequences, {std::to_string(sequences)});
  row(said.heads, {heads_words(trace)});
  particulars(true);
  if (trace.attention() && trace.find(trace.attention()->scores)) row(said.the_score, score_words(trace, numerals));
  particulars(false);
  row(said.the_mask, mask_words(trace));
  const std::string_view dtype = name(trace.arithmetic.dtype);
  const bool rounds_once = rounds_once_a_step(trace.arithmetic.dtype);
  const auto& by_hand = trace.arithmetic.hand_rounding;
  row(said.numbers, {said.arithmetic(dtype, significant_digits(trace.arithmetic.dtype), rounds_once,
                                     by_hand ? words_of_rounding(*by_hand) : "")});
  row(said.shown, {said.approximate(numerals.precision(), by_hand.has_value(), rounds_once ? dtype : "")});
  return table;
}

}  // namespace

void tell_givens(const Trace& trace, const ExplainOptions& options, const Numerals& numerals, Document& document) {
  document.add(Headline{2, {language().telling.given}});
  const auto add = [&](const std::string& id) {
    std::vector<Place> places =
        outer_places(trace.value(id).shape(), options.batch.value_or(0), options.head.value_or(0));
    if (!options.full && places.size() > most_places) places.resize(most_places);
    for (const Place& place : places) {
      for (Matrix& matrix : matrices_at(trace, numerals, id, place)) document.add(std::move(matrix));
    }
  };
  for (const Step& step : trace.steps) {
    if (is_given(step)) add(step.heading.id);
  }
  const std::size_t first = document.blocks.size();
  for (const GivenTensor& given : trace.givens) {
    if (given.heading.role != Role::mask) add(given.heading.id);  // the mask is told in words
  }
  for (std::size_t i = first + 1; i < document.blocks.size(); ++i) std::get<Matrix>(document.blocks[i]).beside = true;
  document.add(options_table(trace, numerals));
}

}  // namespace attn
