#include "tensor/late_tensor.h"

#include <memory>
#include <stdexcept>

#include "catch.h"

namespace attn {
namespace {

Tensor<double> one_two() { return {Shape{{"i", 2}}, {1, 2}}; }

}  // namespace

TEST_CASE("numbers are made when somebody first asks for them, and once", "[tensor]") {
  int made = 0;
  const LateTensor<double> late(one_two().shape(), [&] {
    ++made;
    return one_two();
  });
  const LateTensor<double> copy = late;
  CHECK(made == 0);
  CHECK(late.shared() == copy.passing());
  CHECK(late.numbers()[1] == 2);
  CHECK(made == 1);
}

TEST_CASE("who asks for numbers that cannot be made hears why, and so does who asks next", "[tensor]") {
  int asked = 0;
  const LateTensor<double> late(one_two().shape(), [&] {
    if (++asked < 3) throw std::runtime_error("the file is broken");
    return one_two();
  });
  CHECK_THROWS_AS(late.numbers(), std::runtime_error);
  CHECK_THROWS_AS(late.shared(), std::runtime_error);
  CHECK(late.numbers()[1] == 2);
  CHECK(asked == 3);
}

TEST_CASE("numbers that follow from others are nobody's but of those who hold them, unless they are asked to stay",
          "[tensor]") {
  int made = 0;
  const auto late = LateTensor<double>::following(one_two().shape(), [&] {
    ++made;
    return std::make_shared<const Tensor<double>>(one_two());
  });
  const std::weak_ptr<const Tensor<double>> passed = late.passing();
  CHECK(passed.expired());
  CHECK(late.passing() != late.shared());
  CHECK(late.shared() == late.shared());
  CHECK(made == 3);
}

}  // namespace attn
