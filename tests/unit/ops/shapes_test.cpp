#include "ops/shapes.h"

#include <vector>

#include "catch.h"

using namespace attn;  // NOLINT(google-build-using-namespace)

namespace {

Shape made(const Op& op, const std::vector<Shape>& operands, Vectors vectors = Vectors::rows) {
  return result_shape(op, operands, vectors);
}

}  // namespace

TEST_CASE("a contraction keeps every axis but the one it sums over, in the order of traces", "[ops]") {
  const Shape x{{"batch", 2}, {"key", 3}, {"d_model", 4}};
  const Shape w{{"head", 5}, {"d_model", 4}, {"d_k", 6}};
  CHECK(made(Contract{"d_model"}, {x, w}) == Shape{{"batch", 2}, {"head", 5}, {"key", 3}, {"d_k", 6}});
}

TEST_CASE("with column vectors a position and a feature change places, and score matrices do not", "[ops]") {
  const Shape q{{"d_k", 4}, {"query", 2}};
  const Shape k{{"d_k", 4}, {"key", 3}};
  CHECK(made(Map{}, {q}, Vectors::columns) == q);
  CHECK(made(Contract{"d_k"}, {q, k}, Vectors::columns) == Shape{{"query", 2}, {"key", 3}});

  const Shape a{{"query", 2}, {"key", 3}};
  const Shape v{{"d_v", 5}, {"key", 3}};
  const Shape weighted{{"query", 2}, {"key", 3}, {"d_v", 5}};
  CHECK(made(Combine{Binary::multiply, {}}, {a, v}, Vectors::columns) == weighted);
  CHECK(made(Reduce{Reducer::sum, "key"}, {weighted}, Vectors::columns) == Shape{{"d_v", 5}, {"query", 2}});
}

TEST_CASE("splitting an axis and merging it again gives the shape back", "[ops]") {
  const Shape wide{{"query", 3}, {"d_concat", 8}};
  const Shape heads = made(Split{"d_concat", "head", "d_k", 2}, {wide});
  CHECK(heads == Shape{{"head", 2}, {"query", 3}, {"d_k", 4}});
  CHECK(made(Merge{"head", "d_k", "d_concat"}, {heads}) == wide);
}

TEST_CASE("a mask rule is repeated along the axes that it does not have", "[ops]") {
  const Shape scores{{"batch", 2}, {"head", 4}, {"query", 3}, {"key", 5}};
  const Shape lengths{{"batch", 2}, {"key", 5}};
  const Shape causal{{"query", 3}, {"key", 5}};
  CHECK(made(Combine{Binary::minimum, scores}, {causal, lengths}) == scores);
  CHECK(made(Copy{scores}, {lengths}) == scores);
}

TEST_CASE("operands fit where sizes agree and every named axis is there", "[ops]") {
  const auto fit = [](const Op& op, const std::vector<Shape>& operands) { return fits(op, operands); };
  const Shape q{{"query", 2}, {"d_k", 4}};
  const Shape k{{"key", 3}, {"d_k", 4}};
  const Shape scores{{"query", 2}, {"key", 3}};
  CHECK(fit(Contract{"d_k"}, {q, k}));
  CHECK(fit(Split{"d_k", "head", "d_v", 2}, {q}));
  CHECK_FALSE(fit(Split{"d_k", "head", "d_v", 3}, {q}));
  CHECK_FALSE(fit(Split{"d_model", "head", "d_v", 2}, {q}));
  CHECK_FALSE(fit(Split{"d_k", "head", "d_v", 2}, {q, k}));
  CHECK(fit(Contract{"d_k"}, {q, k, scores, {}}));
  CHECK_FALSE(fit(Contract{"d_k"}, {q}));
  CHECK_FALSE(fit(Contract{"d_k"}, {q, {{"key", 3}, {"d_k", 5}}}));
  CHECK_FALSE(fit(Contract{"d_k"}, {q, k, q}));
  CHECK_FALSE(fit(Contract{"d_v"}, {q, k}));
  CHECK_FALSE(fit(Contract{"d_k", Contract::Then::divide}, {q, k, {{"query", 2}}}));
  CHECK(fit(Contract{"d_k", Contract::Then::divide}, {q, k, {{"query", 2}}, {{"key", 3}}, scores}));
  CHECK(fit(Join{"key"}, {k, {{"key", 8}, {"d_k", 4}}}));
  CHECK_FALSE(fit(Join{"key"}, {k, {{"key", 8}, {"d_k", 5}}}));
  CHECK_FALSE(fit(Join{"key"}, {k, q}));
  CHECK_FALSE(fit(Split{"d_k", "head", "d_k", 3}, {q}));
  const Shape angles{{"query", 2}, {"pair", 2}};
  CHECK(fit(Rotate{"d_k", "pair", false}, {q, angles, angles}));
  CHECK_FALSE(fit(Rotate{"d_k", "pair", false}, {q, angles}));
  CHECK_FALSE(fit(Rotate{"d_k", "pair", false}, {{{"query", 2}, {"d_k", 3}}, angles, angles}));
  CHECK(fit(Softmax{Softmax::Part::sum, "key"}, {scores, {}, {{"query", 2}}}));
  CHECK_FALSE(fit(Softmax{Softmax::Part::sum, "key"}, {scores, {}}));
  CHECK_FALSE(fit(Softmax{Softmax::Part::maximum, "head"}, {scores}));
}

TEST_CASE("operands are refused that are too few or too many or lack an axis or have one too many", "[ops]") {
  struct Refused {
    Op op;
    std::vector<Shape> right;
    std::vector<std::vector<Shape>> wrong;
  };
  const Shape rows{{"query", 2}, {"d_k", 4}};
  const Shape others{{"query", 3}, {"d_k", 4}};
  const Shape heads{{"head", 2}, {"d_k", 4}};
  const Shape scores{{"query", 2}, {"key", 3}};
  const Shape queries{{"query", 2}};
  const Shape angles{{"query", 2}, {"pair", 2}};
  const Shape values{{"key", 3}, {"d_v", 4}};
  const Shape maxima{{"query", 2}, {"block", 2}};  // of blocks of two keys
  const Shape three_blocks{{"query", 2}, {"block", 3}};
  const Shape weights{{"query", 2}, {"key", 3}, {"block", 2}};
  const Shape contexts{{"query", 2}, {"block", 2}, {"d_v", 4}};
  const Rows picked(Tensor<std::int64_t>(Shape{{"query", 2}}));
  const auto normalize = [](Normalize::Part part) { return Normalize{part, "d_k"}; };
  const auto softmax = [](Softmax::Part part) { return Softmax{part, "key"}; };
  const auto online = [](Online::Part part) { return Online{part, "key", "block", 2}; };
  using norm = Normalize::Part;
  using soft = Softmax::Part;
  using block = Online::Part;
  const std::vector<Refused> cases = {
      {Given{}, {rows}, {{}, {rows, rows}}},
      {Copy{scores}, {queries}, {{}, {queries, queries}, {others}}},
      {Split{"d_k", "head", "d_head", 2}, {rows}, {{}, {rows, rows}, {scores}, {{{"d_k", 5}}}}},
      {Merge{"head", "d_k", "d_concat"}, {heads}, {{}, {heads, heads}, {rows}, {{{"head", 2}, {"query", 2}}}}},
      {Join{"query"}, {rows, others}, {{}, {rows, {{"d_k", 4}}}, {rows, {{"query", 3}, {"d_k", 5}}}}},
      {Repeat{"head", 2, false}, {heads}, {{}, {heads, heads}, {rows}}},
      {Pick{"distance", picked}, {{{"distance", 7}, {"d_k", 4}}}, {{}, {rows}, {{{"distance", 7}, {"query", 3}}}}},
      {Waves{Waves::Kind::sine, {"query", 2}, {"pair", 2}, 0, 10000, 4}, {}, {{rows}}},
      {Rotate{"d_k", "pair", false},
       {rows, angles, angles},
       {{rows, angles},
        {scores, angles, angles},
        {{{"d_k", 4}, {"pair", 2}}, angles, angles},
        {rows, queries, angles},
        {rows, angles, queries},
        {{{"query", 2}, {"d_k", 3}}, angles, angles}}},
      {Contract{"d_k"}, {rows, heads}, {{}, {rows}, {rows, queries}, {rows, heads, {{"d_k", 4}}}}},
      {Combine{Binary::add, scores}, {queries, {{"key", 3}}}, {{}, {others}, {queries, {{"query", 3}}}}},
      {Map{}, {rows}, {{}, {rows, rows}}},
      {Reduce{Reducer::sum, "key"}, {scores, queries}, {{}, {rows}, {scores, scores}}},
      {Reduce{Reducer::maximum, "key"}, {scores}, {{}, {scores, queries}}},
      {Gate{}, {rows, rows}, {{rows}, {rows, rows, rows}, {rows, others}}},
      {normalize(norm::mean), {rows}, {{}, {rows, queries}, {scores}}},
      {normalize(norm::mean_square), {rows}, {{}, {rows, queries}, {scores}}},
      {normalize(norm::variance), {rows, queries}, {{}, {rows}, {scores, queries}, {rows, rows}}},
      {normalize(norm::normalized), {rows, queries, queries}, {{rows}, {rows, queries, queries, queries}}},
      {normalize(norm::affine), {rows, {{"d_k", 4}}, {{"d_k", 4}}}, {{rows, {{"d_k", 4}}}}},
      {Close{}, {scores, scores}, {{}, {scores, scores, scores}}},
      {softmax(soft::maximum), {scores, queries}, {{}, {rows}, {scores, queries, queries}}},
      {softmax(soft::exponentials), {scores, queries}, {{scores}, {rows, queries}}},
      {softmax(soft::sum), {scores, queries, queries}, {{}, {scores, queries}}},
      {softmax(soft::weights), {scores, queries}, {{scores}, {queries, queries}}},
      {softmax(soft::shares), {scores}, {{}, {scores, queries}}},
      {online(block::block_maximum), {scores}, {{}, {scores, queries}, {rows}, {weights}}},
      {online(block::maximum), {maxima}, {{}, {maxima, maxima}, {scores}}},
      {online(block::rescale), {maxima}, {{}, {maxima, maxima}, {scores}}},
      {online(block::exponentials),
       {scores, maxima},
       {{scores}, {scores, queries}, {queries, maxima}, {weights, maxima}, {scores, three_blocks}}},
      {online(block::sum), {scores, maxima}, {{scores}, {scores, queries}, {queries, maxima}, {scores, three_blocks}}},
      {online(block::context),
       {scores, values, maxima},
       {{scores, values}, {scores, queries, maxima}, {scores, values, queries}, {queries, values, three_blocks}}},
      {online(block::result), {contexts, maxima}, {{contexts}, {values, maxima}, {contexts, queries}}},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    INFO("case " << i);
    CHECK(fits(cases[i].op, cases[i].right));
    for (std::size_t wrong = 0; wrong < cases[i].wrong.size(); ++wrong) {
      INFO("operands " << wrong);
      CHECK_FALSE(fits(cases[i].op, cases[i].wrong[wrong]));
    }
  }
  CHECK_FALSE(fits(Waves{Waves::Kind::sine, {"query", 2}, {"pair", 2}, 0, 10000, 0}, {}));
  CHECK_FALSE(fits(Online{block::block_maximum, "key", "block", 0}, std::vector{scores}));
}

TEST_CASE("new axes stand where every trace has them", "[ops]") {
  const Shape table{{"distance", 7}, {"d_k", 4}};
  const Rows rows(Tensor<std::int64_t>(Shape{{"query", 2}, {"key", 3}}));
  CHECK(made(Pick{"distance", rows}, {table}) == Shape{{"query", 2}, {"key", 3}, {"d_k", 4}});
  CHECK(made(Join{"key"}, {{{"key", 2}, {"d_k", 4}}, {{"head", 5}, {"key", 3}, {"d_k", 4}}}) ==
        Shape{{"head", 5}, {"key", 5}, {"d_k", 4}});
  CHECK(made(Repeat{"head", 3, false}, {{{"head", 2}, {"key", 4}}}) == Shape{{"head", 6}, {"key", 4}});
  const Waves waves{Waves::Kind::alternating, {"token", 3}, {"d_model", 4}, 0, 10000, 4};
  CHECK(made(waves, {}) == Shape{{"token", 3}, {"d_model", 4}});
  CHECK(made(waves, {}, Vectors::columns) == Shape{{"d_model", 4}, {"token", 3}});
  CHECK(made(Rotate{"d_k", "pair", true}, {{{"d_k", 4}, {"query", 2}}, {{"pair", 2}, {"query", 2}}, {{"pair", 2}}},
             Vectors::columns) == Shape{{"d_k", 4}, {"query", 2}});
}
