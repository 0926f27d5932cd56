#include "explain/telling/givens.h"

#include <algorithm>
#include <string>
#include <utility>

#include "explain/provenance.h"
#include "explain/telling/axes.h"
#include "explain/telling/masks.h"

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
  const Step* queries = trace.find("queries");
  const Step* keys = trace.find("keys");
  if (!queries || !queries->result.shape().has("head")) {
    return has_axis(trace, "head") ? std::optional(std::to_string(size_of(trace, "head"))) : std::nullopt;
  }
  const std::size_t heads = queries->result.shape().size("head");
  const bool shares = keys && keys->result.shape().has("head") && keys->result.shape().size("head") != heads;
  if (!shares) return std::to_string(heads);
  return std::to_string(heads) + " of queries, " + std::to_string(keys->result.shape().size("head")) +
         " of keys and values";
}

std::string rounding_words(const HandRounding& rounding) {
  std::string words = "every step is rounded to " + std::to_string(rounding.decimals) +
                      (rounding.decimals == 1 ? " decimal" : " decimals");
  switch (rounding.mode) {
    case RoundingMode::half_up:
      return words + ", ties away from zero";
    case RoundingMode::half_even:
      return words + ", ties to the even digit";
    case RoundingMode::truncate:
      return words + " by cutting off the rest";
    case RoundingMode::keep_sum:
      return words + ", the weights so that each row still sums to 1";
  }
  return words;
}

// The formulas of the scores, up to the mask: "S = Q·Kᵀ", "S′ = S / √3".
Inline score_words(const Trace& trace, const Numerals& numerals) {
  Inline words;
  for (const Step& step : trace.steps) {
    if (step.heading.role != Role::score || std::holds_alternative<Close>(step.op)) continue;
    if (!words.empty()) words.emplace_back(", then ");
    words.emplace_back(step.heading.formula.text(), step.heading.role);
    if (const auto* map = std::get_if<Map>(&step.op); map && !map->spelling.empty()) {
      words.emplace_back(", here " + map->spelling);
    } else if (map && map->function == Unary::softcap) {
      words.emplace_back(" with c = " + numerals.in_line(map->parameter));
    }
    if (step.heading.id == "scores" && !trace.find("scaled_scores")) words.emplace_back(", not scaled");
  }
  return words;
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
  const auto row = [&](const char* what, Inline words) { table.rows.push_back({{what}, std::move(words)}); };
  if (has_axis(trace, "batch")) row("Sequences", {std::to_string(size_of(trace, "batch"))});
  if (const auto heads = heads_words(trace)) row("Heads", {*heads});
  const auto particulars = [&](bool before_scores) {
    for (const Particular& one : trace.particulars) {
      if (one.before_scores == before_scores) row(one.what.c_str(), {one.words});
    }
  };
  particulars(true);
  if (trace.find("scores")) row("Score", score_words(trace, numerals));
  particulars(false);
  if (Inline mask = mask_words(trace); !mask.empty()) row("Mask", std::move(mask));
  std::string numbers = std::string(name(trace.arithmetic.dtype));
  numbers += ", about " + std::to_string(significant_digits(trace.arithmetic.dtype)) + " digits";
  const bool rounds_once = rounds_once_a_step(trace.arithmetic.dtype);
  if (rounds_once) numbers += "; each step is computed in f64 and rounded once";
  if (trace.arithmetic.hand_rounding) numbers += "; by hand: " + rounding_words(*trace.arithmetic.hand_rounding);
  row("Numbers", {numbers});
  const std::string decimals = "to " + std::to_string(numerals.precision()) + " decimals";
  const std::string by = trace.arithmetic.hand_rounding ? "by hand"
                         : rounds_once                  ? "to " + std::string(name(trace.arithmetic.dtype))
                                                        : "";
  row("Shown", {by.empty() ? "≈ marks what is rounded for the eye, " + decimals + "; every step is computed in full"
                           : "≈ marks what is rounded, " + by + " or, " + decimals + ", for the eye"});
  return table;
}

}  // namespace

void tell_givens(const Trace& trace, const ExplainOptions& options, const Numerals& numerals, Document& document) {
  document.blocks.push_back(Headline{2, {"What is given"}});
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
