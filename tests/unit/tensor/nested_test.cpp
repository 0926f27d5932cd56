#include "tensor/nested.h"

#include "catch.h"

using namespace attn;

namespace {

// [[1, 2], [3], [4, 5]]
NestedNumbers ragged() {
  NestedNumbers numbers;
  numbers.open_level();
  numbers.open_level();
  for (const double value : {1.0, 2.0, 3.0, 4.0, 5.0}) numbers.append(value);
  for (const std::size_t size : {2u, 1u, 2u}) numbers.finish_list(1, size);
  numbers.finish_list(0, 3);
  return numbers;
}

}  // namespace

TEST_CASE("ragged lists have no shape, and know the first that differs", "[nested]") {
  const NestedNumbers numbers = ragged();
  CHECK(numbers.rank() == 2);
  CHECK_FALSE(numbers.shape());
  CHECK(numbers.is_even(0));
  CHECK_FALSE(numbers.is_even(1));
  CHECK(numbers.first_uneven(1) == 1);
  CHECK(numbers.size(1, 0) == 2);
  CHECK(numbers.size(1, 1) == 1);
  CHECK(numbers.size(1, 2) == 2);
}

TEST_CASE("values and lists are found by counting", "[nested]") {
  const NestedNumbers numbers = ragged();
  CHECK(numbers.place_of_list(2, 2) == ListPlace{1, 0});
  CHECK(numbers.place_of_list(2, 4) == ListPlace{2, 1});
  CHECK(numbers.place_of_list(1, 2) == ListPlace{2});
  const NestedNumbers even = NestedNumbers::of_shape({2, 3, 4}, std::vector<double>(24));
  CHECK(even.place_of_list(3, 23) == ListPlace{1, 2, 3});
  CHECK(even.place_of_list(2, 4) == ListPlace{1, 1});
}

TEST_CASE("regular lists have the shape they were made with", "[nested]") {
  CHECK(NestedNumbers::of_shape({2, 3}, std::vector<double>(6)).shape() == std::vector<std::size_t>{2, 3});
  CHECK(NestedNumbers::of_shape({}, {7}).shape() == std::vector<std::size_t>{});
  CHECK(NestedNumbers::of_shape({0}, {}).shape() == std::vector<std::size_t>{0});
}
