#include "model/scores/score.h"
#include "words/language.h"

namespace attn {
namespace {

void compose(RecipeBuilder& work, const Choice&, const Compared& from) {
  const auto norms = [&](const std::string& of, const std::string& id, const std::string& what, Role role) {
    return work.step({id, "‖" + work.symbol(of).text() + "‖", language().steps.length_of_each(what),
                      language().steps.root_of_squares(what), role},
                     Reduce{Reducer::norm, "d_k"}, {of});
  };
  const std::string of_queries = norms(from.queries, "query_norms", "query", Role::query);
  std::string of_keys = norms(from.own_keys, "key_norms", "key", Role::key);
  if (from.sharing > 1) {
    of_keys = work.step({"repeated_key_norms", work.symbol(of_keys).text() + "_rep",
                         language().steps.repeated("key lengths", from.sharing),
                         language().steps.repeated_formula(from.sharing), Role::key},
                        Repeat{"head", from.sharing, false}, {of_keys});
  }
  record_last(work, from, {.title = language().steps.cosine_scores, .formula = written_products(work) + " / ({2}·{3})"},
              Contract{"d_k", Contract::Then::divide}, {from.queries, from.keys, of_queries, of_keys});
}

}  // namespace

Score cosine_score() {
  return {.spec = {.name = "cosine",
                   .summary = "q · k / (‖q‖ · ‖k‖), the cosine of the angle; 0 with a zero vector (Graves et al. 2014, "
                              "equation 6)",
                   .score_terms = true},
          .compose = compose};
}

}  // namespace attn
