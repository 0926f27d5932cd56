#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers.h"
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

// What is said of parts of a computation, each once, and of which parts.
class SaidOfParts {
 public:
  void add(const std::string& words, std::size_t part) {
    auto said = std::ranges::find(said_, words, &Entry::words);
    if (said == said_.end()) said = said_.insert(said_.end(), {words, {}});
    if (std::ranges::count(said->parts, part) == 0) said->parts.push_back(part);
  }

  // "with ε = 1 (Layer 1 · …, Layer 2 · …); with ε = 0.1 (Layer 3 · …)": which parts where it does not hold for all,
  // of so many that it could be said of.
  std::string told(const Trace& trace, std::size_t all) const {
    constexpr std::size_t most_named = 3;
    std::string text;
    for (const auto& [words, parts] : said_) {
      text += (text.empty() ? "" : "; ") + words;
      if (parts.size() == all) continue;
      std::vector<std::string> titles;
      for (const std::size_t part : std::span(parts).first(std::min(parts.size(), most_named))) {
        titles.push_back(trace.recipe.parts()[part].title);
      }
      if (parts.size() > most_named) titles.emplace_back("…");
      text += " (" + listed(titles) + ")";
    }
    return text;
  }

 private:
  struct Entry {
    std::string words;
    std::vector<std::size_t> parts;
  };
  std::vector<Entry> said_;
};

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

// "8", or "8 of queries, 2 of keys and values"; empty where there are none.
std::string heads_of_part(const Trace& trace, std::size_t part) {
  const auto heads_of = [](const Step* step) -> std::size_t {
    return step && step->result.shape().has("head") ? step->result.shape().size("head") : 0;
  };
  const Anatomy& attention = *trace.recipe.parts()[part].attention;
  const std::size_t queries = heads_of(trace.find(attention.queries)), keys = heads_of(trace.find(attention.keys));
  if (queries > 0 && keys > 0 && keys != queries) return language().telling.shared_heads(queries, keys);
  const std::size_t heads = queries > 0 ? queries : heads_of(trace.find(attention.scores));
  return heads > 0 ? std::to_string(heads) : "";
}

std::string heads_words(const Trace& trace, const ExplainOptions& options) {
  const std::vector<std::size_t> parts = parts_with_scores(trace, options);
  SaidOfParts said;
  for (const std::size_t part : parts) {
    if (const std::string heads = heads_of_part(trace, part); !heads.empty()) said.add(heads, part);
  }
  return said.told(trace, parts.size());
}

// A number that is chosen, as it was written: of a small one no digit may be missing.
std::string in_full(double number) { return (number < 0 ? "−" : "") + shortest(std::abs(number)); }

// Whether these are the scores of an attention, and nothing scales them.
bool is_left_unscaled(const Trace& trace, const std::string& step) {
  return std::ranges::any_of(trace.recipe.parts(), [&](const RecipePart& part) {
    return part.attention && step == part.attention->scores && !trace.find(part.attention->scaled);
  });
}

// The formulas of its scores, up to the mask: "S = Q·Kᵀ", "S′ = S / √3".
Inline score_words(const Trace& trace, std::size_t first) {
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
      told.emplace_back(said.with_c(in_full(map->parameter)));
    } else if (map && map->function == Unary::multiply) {
      told.emplace_back(said.here(in_full(map->parameter)));
    }
    if (is_left_unscaled(trace, step.heading.id)) told.emplace_back(said.not_scaled);
  }
  return told;
}

// The same, where all attentions told have them; nothing where they differ.
Inline common_score_words(const Trace& trace, const ExplainOptions& options) {
  Inline common;
  for (const std::size_t part : parts_with_scores(trace, options)) {
    Inline words = score_words(trace, part);
    if (!common.empty() && plain(common) != plain(words)) return {};
    common = std::move(words);
  }
  return common;
}

// "ε = 1", of the normalizations told; empty where there are none.
std::string norm_words(const Trace& trace, const ExplainOptions& options) {
  SaidOfParts said;
  std::set<std::size_t> parts;
  for (const Step& step : trace.steps) {
    const auto* norm = std::get_if<Normalize>(&step.op);
    if (!norm || norm->part != Normalize::Part::normalized || !is_told(step.part, options)) continue;
    said.add(language().telling.with_eps(in_full(norm->eps)), step.part);
    parts.insert(step.part);
  }
  return said.told(trace, parts.size());
}

// Which rules close cells of these steps.
std::string mask_words(const Trace& trace, std::span<const Step* const> steps) {
  SaidOfParts said;
  std::set<std::size_t> attentions;
  for (const Step* step : steps) {
    if (trace.recipe.parts()[step->part].attention) attentions.insert(step->part);
    if (!step->open || (!trace.find(step->open->id) && !trace.find_given(step->open->id))) continue;
    for (const ClosingRule& rule : closing_rules(trace, step->open->id)) said.add(rule.reason, step->part);
  }
  return said.told(trace, attentions.size());
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
  row(said.heads, {heads_words(trace, options)});
  particulars(true);
  row(said.the_score, common_score_words(trace, options));
  particulars(false);
  std::vector<const Step*> told;
  for (const Step& step : trace.steps) {
    if (is_told(step.part, options)) told.push_back(&step);
  }
  row(said.the_mask, {mask_words(trace, told)});
  row(said.the_norm, {norm_words(trace, options)});
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
  const std::string words = mask_words(trace, steps);
  if (words.empty()) return;
  Table table;
  table.rows.push_back({{language().telling.the_mask}, {words}});
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
