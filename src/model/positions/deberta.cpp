#include <algorithm>
#include <string>

#include "model/positions/position.h"
#include "words/language.h"

namespace attn {
namespace {

std::optional<Misfit> misfit(const Choice& choice, const ChoiceSetting&) {
  if (!choice.has("key") && !choice.has("query"))
    return Misfit{.message = "has neither a key nor a query weight", .help = "give one of them at least"};
  const std::size_t rows = choice.tensors.at("embeddings").shape().size("distance");
  if (rows % 2 == 0) return std::nullopt;
  return Misfit{.parameter = "embeddings",
                .message = "has " + std::to_string(rows) + " vectors; an even number is wanted",
                .help = "2k of them: for the distances −k, …, k − 1"};
}

// δ(i, j): equation 3.
Rows rows(const Attention& attention, bool from_key) {
  const auto k = static_cast<std::int64_t>(attention.positions->tensors.at("embeddings").shape().size("distance") / 2);
  return rows_by_distance(attention, [=](std::int64_t i, std::int64_t j) {
    return std::clamp<std::int64_t>((from_key ? j - i : i - j) + k, 0, 2 * k - 1);
  });
}

// The embeddings of all distances, projected like queries or keys.
std::string record_projected(RecipeBuilder& work, const Attention& attention, const std::string& parameter,
                             const Heading& heading) {
  const std::vector<Operand> operands = {"positions.embeddings", "positions." + parameter};
  if (!attention.heads) return work.step(heading, Contract{"d_position"}, operands);
  Heading wide = heading;
  wide.id = "projected_" + heading.id;
  wide.symbol += "*";
  wide.title = language().steps.all_heads_wide(heading.title);
  const std::string all = work.step(wide, Contract{"d_position"}, operands);
  Heading split = heading;
  split.formula = language().steps.columns_of_each_head;
  return work.step(split, Split{"d_concat", "head", "d_k", *attention.heads}, {all});
}

// He et al. (2021), equation 4: the content of one with the position of the other.
std::vector<Operand> record_score_terms(RecipeBuilder& work, const Attention& attention, const QueriesAndKeys& from) {
  // What is of no query comes first.
  const bool to_keys = attention.positions->has("key");
  const bool to_queries = attention.positions->has("query");
  std::string keys, queries, of_keys;
  if (to_keys) {
    keys = record_projected(work, attention, "key",
                            {"relative_keys", "K_r", language().steps.relative_keys, "{} = {0}·{1}", Role::key});
  }
  if (to_queries) {
    queries =
        record_projected(work, attention, "query",
                         {"relative_queries", "Q_r", language().steps.relative_queries, "{} = {0}·{1}", Role::query});
    of_keys =
        work.step({"key_distance_scores", "S_k", language().steps.key_distance_scores, "{} = {0}·{1}ᵀ", Role::score},
                  Contract{"d_k"}, {from.keys, queries});
  }
  std::vector<Operand> terms;
  if (to_keys) {
    const std::string of_queries = work.step(
        {"query_distance_scores", "S_q", language().steps.query_distance_scores, "{} = {0}·{1}ᵀ", Role::score},
        Contract{"d_k"}, {from.queries, keys});
    terms.emplace_back(work.step({"content_to_position", "S_cp", language().steps.content_to_position,
                                  "{} = q_i · " + work.symbol(keys) + "[δ(i, j)]", Role::score},
                                 Pick{"distance", rows(attention, false)}, {of_queries}));
  }
  if (to_queries) {
    const bool as_published = attention.positions->numbers.at("as_published_code") != 0;
    terms.emplace_back(
        work.step({"position_to_content", "S_pc", language().steps.position_to_content,
                   "{} = k_j · " + work.symbol(queries) + (as_published ? "[δ(i, j)]" : "[δ(j, i)]"), Role::score},
                  Pick{"distance", rows(attention, !as_published)}, {of_keys}));
  }
  return terms;
}

}  // namespace

Position deberta_position() {
  return {.spec = {.name = "deberta",
                   .summary = "content with position and position with content, apart (He et al. 2021, section 3.1)",
                   .parameters = {{.name = "embeddings",
                                   .summary = "a vector for each distance from −k to k − 1, [2k][d_position]",
                                   .symbol = "P_r",
                                   .axes = {"distance", "d_position"}},
                                  {.name = "key",
                                   .summary = "weight that makes keys of them, [d_position][heads·d_k]",
                                   .symbol = "W_kr",
                                   .axes = {"d_position", "d_concat"},
                                   .may_be_left_out = true},
                                  {.name = "query",
                                   .summary = "weight that makes queries of them, [d_position][heads·d_k]",
                                   .symbol = "W_qr",
                                   .axes = {"d_position", "d_concat"},
                                   .may_be_left_out = true},
                                  {.name = "as_published_code",
                                   .summary = "whether position to content reads δ(i, j), as the authors' code does, "
                                              "and not δ(j, i), as the paper says",
                                   .fallback = 0.0,
                                   .kind = Parameter::Kind::boolean}},
                   .score_terms = true,
                   .misfit = misfit},
          .words = [](const Attention&) { return language().steps.deberta.text(); },
          .score_terms = record_score_terms,
          .scales_terms = true};
}

}  // namespace attn
