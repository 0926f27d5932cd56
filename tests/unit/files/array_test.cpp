#include "files/array.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "tensor/part.h"

using namespace attn;

namespace {

using Sizes = std::vector<std::size_t>;

// Bytes that are read from their beginning to their end, and never once more, as those of an archive are.
class PassingBytes : public ByteSource {
 public:
  explicit PassingBytes(std::string bytes) : ByteSource(bytes.size()), bytes_(std::move(bytes)) {}

  bool is_certain() const override { return true; }
  std::optional<Diagnostic> read(std::span<char> into) override {
    if (into.size() > bytes_.size() - at_) return file_fault("ends early", "write it again");
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), into.size(), into.begin());
    at_ += into.size();
    return std::nullopt;
  }
  std::optional<Diagnostic> finish() override {
    return at_ == bytes_.size() ? std::nullopt : std::optional(file_fault("has more", "write it again"));
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

template <class Number>
StoredArray array_of(const std::vector<Number>& numbers, ArrayLayout layout) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  const std::size_t size = bytes.size();
  return {std::make_unique<PassingBytes>(std::move(bytes)), size, std::move(layout)};
}

// Numbers from 0 on, in the order in which they are stored.
StoredArray counted_array(const Sizes& shape, bool first_fastest = false) {
  std::vector<std::uint16_t> numbers(count_of(shape).value());
  std::iota(numbers.begin(), numbers.end(), std::uint16_t{0});
  return array_of(numbers, {.element = {Element::Kind::natural, 2}, .first_fastest = first_fastest, .shape = shape});
}

constexpr std::size_t any_size = std::size_t{1} << 30;

std::vector<double> numbers_of(StoredArray array, const TensorPart& part) {
  const Result<PartOutline> outline = outline_within(array, part, any_size);
  REQUIRE(outline);
  const Result<std::vector<double>> numbers = read_part(array, outline.value());
  REQUIRE(numbers);
  return numbers.value();
}

std::string refusal(const StoredArray& array, const TensorPart& part, std::size_t max_bytes) {
  const Result<PartOutline> outline = outline_within(array, part, max_bytes);
  return outline ? "" : outline.faults().front().code;
}

}  // namespace

TEST_CASE("a part of an array has the rows and columns that are meant, in either order of its axes", "[files]") {
  constexpr std::size_t matrices = 2, height = 4, width = 3;
  TensorPart all, rows, columns, taken, turned;
  rows.rows = {{1, 3}};
  columns.columns = {{1, 3}};
  // One row more than once, and rows in an order that is not theirs.
  taken.take = Sizes{3, 1, 1, 0, 3, 3};
  taken.columns = {{2, 3}};
  turned.rows = {{0, 3}};
  turned.columns = {{1, 2}};
  turned.is_transposed = true;
  for (const bool first_fastest : {false, true}) {
    for (const TensorPart& part : {all, rows, columns, taken, turned}) {
      const auto [row_from, row_to] = part.rows.value_or(TensorPart::Range{0, height});
      const auto [column_from, column_to] = part.columns.value_or(TensorPart::Range{0, width});
      Sizes read = part.take.value_or(Sizes());
      for (std::size_t row = row_from; !part.take && row < row_to; ++row) read.push_back(row);
      std::vector<double> wanted;
      const auto add = [&](std::size_t matrix, std::size_t row, std::size_t column) {
        const std::size_t place =
            first_fastest ? matrix + matrices * (row + height * column) : (matrix * height + row) * width + column;
        wanted.push_back(static_cast<double>(place));
      };
      for (std::size_t matrix = 0; matrix < matrices; ++matrix) {
        if (part.is_transposed) {
          for (std::size_t column = column_from; column < column_to; ++column) {
            for (const std::size_t row : read) add(matrix, row, column);
          }
        } else {
          for (const std::size_t row : read) {
            for (std::size_t column = column_from; column < column_to; ++column) add(matrix, row, column);
          }
        }
      }
      CAPTURE(first_fastest, read, column_from, column_to, part.is_transposed);
      CHECK(numbers_of(counted_array({matrices, height, width}, first_fastest), part) == wanted);
    }
  }
}

TEST_CASE("an integer that no double holds is told by its place in all of the tensor, however much was read before",
          "[files]") {
  constexpr std::size_t height = 2, width = 40'000, at = width + 39'000;
  std::vector<std::uint64_t> numbers(height * width);
  numbers[at] = (std::uint64_t{1} << 53) + 1;
  TensorPart all, second;
  second.rows = {{1, 2}};
  for (const TensorPart& part : {all, second}) {
    StoredArray array = array_of(numbers, {.element = {Element::Kind::natural, 8}, .shape = {height, width}});
    const Result<PartOutline> outline = outline_within(array, part, any_size);
    REQUIRE(outline);
    const Result<std::vector<double>> read = read_part(array, outline.value());
    REQUIRE_FALSE(read);
    CHECK(read.faults().front().message ==
          "holds the integer 9007199254740993 (number 79001 of the tensor), which no double is equal to");
  }
}

TEST_CASE("an array is as large as its sizes say, and fits into as many bytes as its doubles take", "[files]") {
  const StoredArray array = counted_array({4, 3});
  CHECK(refusal(array, {}, 12 * 8).empty());
  CHECK(refusal(array, {}, 12 * 8 - 1) == "too-large");
  TensorPart row;
  row.rows = {{1, 2}};
  CHECK(refusal(array, row, 3 * 8).empty());
  // Where the first axis varies fastest all is read, whatever part is meant.
  CHECK(refusal(counted_array({4, 3}, true), row, 12 * 8 - 1) == "too-large");
  CHECK(refusal(counted_array({4, 3}, true), row, 12 * 8).empty());
  for (const std::size_t bytes : {23u, 25u}) {
    StoredArray other = counted_array({4, 3});
    other.bytes = bytes;
    CHECK(refusal(other, {}, any_size) == "bad-file");
  }
}
