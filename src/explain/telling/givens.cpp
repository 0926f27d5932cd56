#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/each_once.h"
#include "base/text.h"
#include "explain/place.h"
#include "explain/provenance.h"
#include "explain/telling/closing.h"
#include "explain/telling/matrices.h"
#include "explain/telling/parts.h"
#include "words/language.h"

namespace attn {

bool is_told(std::size_t part, const ExplainOptions& options) {
  return options.parts.empty() || std::ranges::find(options.parts, part) != options.parts.end();
}

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

// Whether these are the scores of an attention, and nothing scales them.
bool is_left_unscaled(const Trace& trace, const std::string& step) {
  return std::ranges::any_of(trace.recipe.parts(), [&](const RecipePart& part) {
    return part.attention && step == part.attention->scores && !trace.find(part.attention->scaled);
  });
}

// The parts told that have scores.
std::vector<std::size_t> parts_with_scores(const Trace& trace, const ExplainOptions& options) {
  const std::vector<RecipePart>& parts = trace.recipe.parts();
  std::vector<std::size_t> found;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const bool has_scores = parts[part].attention && trace.find(parts[part].attention->scores);
    if (is_told(part, options) && has_scores) found.push_back(part);
  }
  return found;
}

// The formulas of its scores, up to the mask: "S = Q·Kᵀ", "S′ = S / √3".
Inline score_words(const Trace& trace, std::size_t first, const Numerals& numerals) {
  const TellingWords& said = language().telling;
  Inline told;
  for (const Step& step : trace.steps) {
    const bool is_score = step.heading.role == Role::score && step.part == first;
    if (!is_score || std::holds_alternative<Close>(step.op)) continue;
    if (!told.empty()) told.emplace_back(said.then);
    told.emplace_back(step.heading.formula.text(), step.heading.role);
    const auto* map = std::get_if<Map>(&step.op);
    if (map && !map->spelling.empty()) {
      told.emplace_back(said.here(map->spelling));
    } else if (map && map->function == Unary::softcap) {
      told.emplace_back(said.with_c(numerals.in_line(map->parameter)));
    } else if (map && map->function == Unary::multiply) {
      told.emplace_back(said.here(numerals.in_line(map->parameter)));
    }
    if (is_left_unscaled(trace, step.heading.id)) told.emplace_back(said.not_scaled);
  }
  return told;
}

// The same, where all attentions told have them; nothing where they differ.
Inline common_score_words(const Trace& trace, const ExplainOptions& options, const Numerals& numerals) {
  Inline common;
  for (const std::size_t part : parts_with_scores(trace, options)) {
    Inline words = score_words(trace, part, numerals);
    if (!common.empty() && plain(common) != plain(words)) return {};
    common = std::move(words);
  }
  return common;
}

// "ε = 1", of the normalizations told; empty where there are none.
std::string norm_words(const Trace& trace, const ExplainOptions& options, const Numerals& numerals) {
  for (const Step& step : trace.steps) {
    const auto* norm = std::get_if<Normalize>(&step.op);
    if (norm && norm->part == Normalize::Part::normalized && is_told(step.part, options)) {
      return language().telling.with_eps(numerals.in_line(norm->eps));
    }
  }
  return "";
}

// " (Layer 1 · self-attention, …)": which of the attentions told have a mask; empty where all have.
std::string whose_mask(const Trace& trace, const ExplainOptions& options) {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> masked;
  const std::vector<std::size_t> parts = parts_with_scores(trace, options);
  for (const std::size_t part : parts) {
    const RecipePart& one = trace.recipe.parts()[part];
    if (trace.find(one.attention->mask)) masked.push_back(one.title);
  }
  if (masked.size() == parts.size()) return "";
  if (masked.size() > most_named) {
    masked.resize(most_named);
    masked.emplace_back("…");
  }
  return " (" + listed(masked) + ")";
}

Inline mask_words(const Trace& trace, const ExplainOptions& options) {
  EachOnce reasons;
  for (const std::string& mask : masks_read(trace)) {
    const auto line = trace.recipe.line(mask);
    if (line && !is_told(trace.recipe.instruction(*line).part, options)) continue;
    for (ClosingRule& rule : closing_rules(trace, mask)) reasons.add(std::move(rule.reason));
  }
  Inline words;
  for (const std::string& reason : reasons.texts()) words.emplace_back((words.empty() ? "" : "; ") + reason);
  return words;
}

Table options_table(const Trace& trace, const ExplainOptions& options, const Numerals& numerals) {
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
  row(said.the_score, common_score_words(trace, options, numerals));
  particulars(false);
  Inline masks = mask_words(trace, options);
  if (!masks.empty()) masks.emplace_back(whose_mask(trace, options));
  row(said.the_mask, std::move(masks));
  row(said.the_norm, {norm_words(trace, options, numerals)});
  const std::string precision = said.precision(name(trace.arithmetic.dtype));
  const bool rounds_once = rounds_once_a_step(trace.arithmetic.dtype);
  const auto& by_hand = trace.arithmetic.hand_rounding;
  row(said.numbers, {said.arithmetic(precision, significant_digits(trace.arithmetic.dtype), rounds_once,
                                     by_hand ? words_of_rounding(*by_hand) : "")});
  row(said.shown, {said.approximate(numerals.precision(), by_hand.has_value(), rounds_once ? precision : "")});
  return table;
}

// Every matrix of one tensor, or as many as a person looks at.
void add_matrices(const Trace& trace, const std::string& id, const ExplainOptions& options, const Numerals& numerals,
                  Document& document) {
  if (options.head_alone && !trace.value(id).shape().has("head")) return;
  std::vector<Place> places =
      outer_places(trace.value(id).shape(), options.batch.value_or(0), head_of(trace, id, options.head.value_or(0)));
  if (!options.full && places.size() > most_places) places.resize(most_places);
  for (const Place& place : places) {
    for (Matrix& matrix : matrices_at(trace, numerals, id, place)) document.add(std::move(matrix));
  }
}

void add_given_tensors(const Trace& trace, std::size_t part, const ExplainOptions& options, const Numerals& numerals,
                       Document& document) {
  const std::size_t first = document.blocks.size();
  for (const GivenTensor& given : trace.givens) {
    // The mask is told in words.
    if (given.part == part && given.heading.role != Role::mask) {
      add_matrices(trace, given.heading.id, options, numerals, document);
    }
  }
  for (std::size_t i = first + 1; i < document.blocks.size(); ++i) std::get<Matrix>(document.blocks[i]).beside = true;
}

// Steps of parts that are not told, which those told read; once each.
std::vector<std::string> read_from_elsewhere(const Trace& trace, const ExplainOptions& options) {
  std::vector<std::string> ids;
  for (const Step& step : trace.steps) {
    if (!is_told(step.part, options)) continue;
    for (const Operand& operand : step.operands) {
      const Step* read = trace.find(operand.id);
      const bool is_new = read && !is_told(read->part, options) && std::ranges::count(ids, operand.id) == 0;
      if (is_new) ids.push_back(operand.id);
    }
  }
  return ids;
}

// Whether what a part is given is told where the part is.
bool tells_its_own(const Trace& trace, std::size_t part) { return !trace.recipe.parts()[part].title.empty(); }

}  // namespace

std::string words_of_rounding(const HandRounding& rounding) {
  const TellingWords& said = language().telling;
  const Said ways[] = {said.half_up, said.half_even, said.truncate, said.keep_sum};
  return said.rounded(rounding.decimals) + ways[static_cast<std::size_t>(rounding.mode)].text();
}

void tell_mask(const Trace& trace, std::span<const Step* const> steps, Document& document) {
  const bool is_masked = std::ranges::any_of(steps, [](const Step* step) { return step->open.has_value(); });
  Inline words = is_masked ? mask_words(trace, {}) : Inline();
  if (words.empty()) return;
  Table table;
  table.rows.push_back({{language().telling.the_mask}, std::move(words)});
  document.add(std::move(table));
}

void tell_givens_of_part(const Trace& trace, std::size_t part, const ExplainOptions& options, const Numerals& numerals,
                         Document& document) {
  if (tells_its_own(trace, part)) add_given_tensors(trace, part, options, numerals, document);
}

void tell_givens(const Trace& trace, const ExplainOptions& options, const Numerals& numerals, Document& document) {
  document.add(Headline{2, {language().telling.given}});
  for (const Step& step : trace.steps) {
    if (is_given(step) && is_told(step.part, options)) {
      add_matrices(trace, step.heading.id, options, numerals, document);
    }
  }
  for (const std::string& id : read_from_elsewhere(trace, options)) {
    add_matrices(trace, id, options, numerals, document);
  }
  for (std::size_t part = 0; part < trace.recipe.parts().size(); ++part) {
    if (!tells_its_own(trace, part) && is_told(part, options)) {
      add_given_tensors(trace, part, options, numerals, document);
    }
  }
  document.add(options_table(trace, options, numerals));
}

}  // namespace attn
