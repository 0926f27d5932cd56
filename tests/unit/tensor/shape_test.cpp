#include "tensor/shape.h"

#include <limits>

#include "catch.h"

using attn::Shape;

TEST_CASE("a shape counts its cells and saturates instead of wrapping", "[tensor]") {
  CHECK(Shape{}.count() == 1);
  CHECK(Shape{{"query", 3}, {"d_k", 4}}.count() == 12);
  CHECK(Shape{{"query", 3}, {"d_k", 0}}.count() == 0);
  const std::size_t huge = std::numeric_limits<std::size_t>::max() / 2;
  CHECK(Shape{{"query", huge}, {"key", 3}}.count() == std::numeric_limits<std::size_t>::max());
}

TEST_CASE("the last axis varies fastest, and an axis that is not there does not move", "[tensor]") {
  const Shape shape{{"head", 2}, {"query", 3}, {"d_k", 4}};
  CHECK(shape.stride("head") == 12);
  CHECK(shape.stride("query") == 4);
  CHECK(shape.stride("d_k") == 1);
  CHECK(shape.stride("batch") == 0);
}

TEST_CASE("a renamed axis keeps its place and size", "[tensor]") {
  const Shape shape{{"token", 3}, {"d_model", 4}};
  CHECK(shape.renamed("token", "key") == Shape{{"key", 3}, {"d_model", 4}});
  CHECK(shape.renamed("batch", "key") == shape);
  CHECK(to_string(shape) == "3 × 4");
}
