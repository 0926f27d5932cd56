#include "reading/names/step_names.h"

#include <algorithm>
#include <iterator>

#include "base/suggest.h"
#include "base/text.h"
#include "problem/faults.h"

namespace attn {
namespace {

// What people and textbooks call a step, without case and signs.
struct StepAliases {
  std::string_view id, names;
};

constexpr StepAliases aliases[] = {
    {"inputs", "x input embeddings"},
    {"position_encoding", "pe positionalencoding"},
    {"queries", "q query"},
    {"keys", "k key"},
    {"values", "v value"},
    {"scores", "s qkt qk logits dotproducts attentionscores similarities rawscores"},
    {"scaled_scores", "scaled scaledattentionscores scaleddotproducts"},
    {"masked_scores", "masked"},
    {"row_maximum", "max maximum rowmax"},
    {"exponentials", "exp exps exponents"},
    {"exponential_sums", "sum sums rowsums expsums"},
    {"attention_weights", "a w p alpha softmax weights attention attentions attnweights attentionmatrix probabilities"},
    {"weighted_values", "weighted"},
    {"context", "c z contextvectors attentionoutput attentionoutputs heads"},
    {"concat", "concatenated concatenation multihead"},
    {"output", "o y out outputs projection"},
};

}  // namespace

std::string plain_step_name(std::string_view name) {
  return plain_name(name, [](char c) { return !is_ascii_alnum(c); });
}

std::optional<std::string> alias_of_step(std::string_view name) {
  const std::string plain = plain_step_name(name);
  const auto found = std::ranges::find_if(aliases, [&](const StepAliases& one) { return has_word(one.names, plain); });
  return found == std::end(aliases) ? std::nullopt : std::optional(std::string(found->id));
}

bool KnownSteps::has(std::string_view id) const {
  return std::ranges::count(own_, id) > 0 || std::ranges::count(possible_(), id) > 0;
}

KnownSteps KnownSteps::of(const Recipe& recipe, const Ids& (*possible)()) {
  KnownSteps known(recipe.steps(), possible);
  known.names_ = step_names(recipe);
  return known;
}

KnownSteps::Ids KnownSteps::called(std::string_view name) const {
  if (name == "result") return own_.empty() ? Ids() : Ids{own_.back()};
  if (has(name)) return {std::string(name)};
  return steps_called(name, names_);
}

std::optional<std::string> KnownSteps::meant_by(std::string_view name) const {
  if (name.size() > 64) return std::nullopt;
  if (auto alias = alias_of_step(name); alias && has(*alias)) return alias;
  Ids all = possible_();
  std::ranges::copy_if(own_, std::back_inserter(all),
                       [&](const std::string& id) { return !std::ranges::count(all, id); });
  return closest(name, all);
}

std::string symbol_of_several(std::string_view name, const KnownSteps::Ids& ids) {
  return "\"" + shown(name) + "\" is the symbol of several steps: " + listed(ids);
}

std::string help_for_step(std::string_view name, const KnownSteps& known) {
  const auto meant = known.meant_by(name);
  if (meant) return "did you mean " + *meant + "?";
  return "the usual ones are queries, keys, values, scores, scaled_scores, attention_weights, context, output";
}

Result<std::string> named_step(std::string_view name, const KnownSteps& known) {
  const KnownSteps::Ids ids = known.called(name);
  if (ids.size() == 1) return ids.front();
  if (!ids.empty()) return Diagnostic{"ambiguous-step", "", symbol_of_several(name, ids), write_the_id};
  return Diagnostic{.code = "unknown-step",
                    .where = "",
                    .message = "no step is called \"" + shown(name) + "\"",
                    .help = help_for_step(name, known)};
}

}  // namespace attn
