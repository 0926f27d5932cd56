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
