#include "reading/names/step_names.h"

#include <algorithm>
#include <iterator>

#include "base/suggest.h"
#include "base/text.h"
#include "problem/faults.h"

namespace attn {
namespace {

// What people and textbooks call a step, without case and signs.
struct StepAlias {
  std::string_view name, id;
};

constexpr StepAlias aliases[] = {
    {"x", "inputs"},
    {"input", "inputs"},
    {"embeddings", "inputs"},
    {"pe", "position_encoding"},
    {"positionalencoding", "position_encoding"},
    {"q", "queries"},
    {"query", "queries"},
    {"k", "keys"},
    {"key", "keys"},
    {"v", "values"},
    {"value", "values"},
    {"s", "scores"},
    {"qkt", "scores"},
    {"qk", "scores"},
    {"logits", "scores"},
    {"dotproducts", "scores"},
    {"attentionscores", "scores"},
    {"similarities", "scores"},
    {"rawscores", "scores"},
    {"scaled", "scaled_scores"},
    {"scaledattentionscores", "scaled_scores"},
    {"scaleddotproducts", "scaled_scores"},
    {"masked", "masked_scores"},
    {"max", "row_maximum"},
    {"maximum", "row_maximum"},
    {"rowmax", "row_maximum"},
    {"exp", "exponentials"},
    {"exps", "exponentials"},
    {"exponents", "exponentials"},
    {"sum", "exponential_sums"},
    {"sums", "exponential_sums"},
    {"rowsums", "exponential_sums"},
    {"expsums", "exponential_sums"},
    {"a", "attention_weights"},
    {"w", "attention_weights"},
    {"p", "attention_weights"},
    {"alpha", "attention_weights"},
    {"softmax", "attention_weights"},
    {"weights", "attention_weights"},
    {"attention", "attention_weights"},
    {"attentions", "attention_weights"},
    {"attnweights", "attention_weights"},
    {"attentionmatrix", "attention_weights"},
    {"probabilities", "attention_weights"},
    {"weighted", "weighted_values"},
    {"c", "context"},
    {"z", "context"},
    {"contextvectors", "context"},
    {"attentionoutput", "context"},
    {"attentionoutputs", "context"},
    {"heads", "context"},
    {"concatenated", "concat"},
    {"concatenation", "concat"},
    {"multihead", "concat"},
    {"o", "output"},
    {"y", "output"},
    {"out", "output"},
    {"outputs", "output"},
    {"projection", "output"},
};

// "keys" where each input has its own: "keys", then "keys.query", …
void add_with_roles(std::vector<std::string>& ids, const std::string& id) {
  ids.push_back(id);
  for (const char* role : {".query", ".key", ".value"}) ids.push_back(id + role);
}

}  // namespace

const std::vector<std::string>& step_ids() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> ids;
    for (const char* id : {"inputs", "position_encoding", "positioned_inputs", "split_inputs"}) add_with_roles(ids, id);
    for (const char* id : {"projected_keys",
                           "projected_queries",
                           "projected_values",
                           "keys",
                           "queries",
                           "values",
                           "rotated_keys",
                           "rotated_queries",
                           "all_keys",
                           "all_values",
                           "query_norms",
                           "key_norms",
                           "score_hidden",
                           "score_tanh",
                           "relative_scores",
                           "scores",
                           "scaled_scores",
                           "capped_scores",
                           "mask",
                           "score_bias",
                           "masked_scores",
                           "row_maximum",
                           "exponentials",
                           "exponential_sums",
                           "attention_weights",
                           "weighted_values",
                           "relative_context",
                           "context",
                           "concat",
                           "output"}) {
      ids.emplace_back(id);
    }
    return ids;
  }();
  return all;
}

std::string plain_step_name(std::string_view name) {
  return plain_name(name, [](char c) { return !is_ascii_alnum(c); });
}

std::optional<std::string> alias_of_step(std::string_view name) {
  const auto alias = std::ranges::find(aliases, plain_step_name(name), &StepAlias::name);
  return alias == std::end(aliases) ? std::nullopt : std::optional(std::string(alias->id));
}

std::optional<std::string> meant_step(std::string_view name, std::span<const std::string> known) {
  if (name.size() > 64) return std::nullopt;
  if (auto alias = alias_of_step(name); alias && std::ranges::count(known, *alias) > 0) return alias;
  return closest(name, known);
}

std::string help_for_step(std::string_view name, const KnownSteps& known) {
  const auto meant = meant_step(name, known.ids);
  if (meant) return "did you mean " + *meant + "?";
  return "the usual ones are queries, keys, values, scores, scaled_scores, attention_weights, context, output";
}

Result<std::string> named_step(std::string_view name, const KnownSteps& known) {
  const std::string id(name == "result" ? std::string_view(known.result) : name);
  if (!id.empty() && std::ranges::count(known.ids, id) > 0) return id;
  return Diagnostic{.code = "unknown-step",
                    .where = "",
                    .message = "no step is called \"" + shown(name) + "\"",
                    .help = help_for_step(name, known)};
}

}  // namespace attn
