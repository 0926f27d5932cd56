#include "files/array.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "tensor/shape.h"

namespace attn {
namespace {

// Numbers that are read together: few enough to stay in a core's cache.
constexpr std::size_t at_once = std::size_t{1} << 15;

std::optional<Diagnostic> read_numbers(ByteSource& source, const ArrayLayout& layout, std::size_t count,
                                       std::vector<double>& numbers) {
  // Doubles need no second place: their bytes are swapped where they stand.
  const bool in_place = layout.element == Element{Element::Kind::floating, 8};
  std::vector<char> stored(in_place ? 0 : std::min(count, at_once) * layout.element.bytes);
  if (source.is_certain()) numbers.reserve(count);
  while (numbers.size() < count) {
    const std::size_t first = numbers.size();
    const std::size_t some = std::min(at_once, count - first);
    if (first + some > numbers.capacity()) {
      numbers.reserve(std::min(count, std::max(2 * numbers.capacity(), at_once)));
    }
    numbers.resize(first + some);
    const std::span<double> fresh(numbers.data() + first, some);
    const std::span<char> bytes = in_place ? std::span<char>(reinterpret_cast<char*>(fresh.data()), 8 * some)
                                           : std::span<char>(stored.data(), layout.element.bytes * some);
    if (auto fault = source.read(bytes)) return fault;
    if (in_place && !layout.foreign) continue;
    if (auto fault = decode(layout.element, layout.foreign, bytes, first, fresh)) return fault;
  }
  return source.finish();
}

// Turns the order of the axes around, from the first varying fastest to the
// last. Goes through the outermost and the innermost axis square by square, so
// that both ends stay in the cache.
std::vector<double> axes_reversed(const std::vector<double>& from, const std::vector<std::size_t>& shape) {
  constexpr std::size_t side = 32;
  std::vector<double> to(from.size());
  const std::size_t rows = shape.front();
  const std::size_t columns = shape.back();
  const std::size_t between = from.size() / rows / columns;
  // Of the axes between, `from` counts the first fastest, `to` the last.
  std::vector<std::size_t> index(shape.size() - 2);
  for (std::size_t middle = 0; middle < between; ++middle) {
    std::size_t of_to = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) of_to = of_to * shape[axis + 1] + index[axis];
    const double* const source = from.data() + middle * rows;
    double* const target = to.data() + of_to * columns;
    for (std::size_t top = 0; top < rows; top += side) {
      const std::size_t bottom = std::min(rows, top + side);
      for (std::size_t left = 0; left < columns; left += side) {
        const std::size_t right = std::min(columns, left + side);
        for (std::size_t row = top; row < bottom; ++row) {
          for (std::size_t column = left; column < right; ++column) {
            target[row * between * columns + column] = source[column * between * rows + row];
          }
        }
      }
    }
    for (std::size_t axis = 0; axis < index.size() && ++index[axis] == shape[axis + 1]; ++axis) index[axis] = 0;
  }
  return to;
}

}  // namespace

Result<std::size_t> count_within(const StoredArray& array, std::size_t max_bytes) {
  const ArrayLayout& layout = array.layout;
  const std::string sizes = spelled_sizes(layout.shape) + " (" + name(layout.element) + ")";
  const std::optional<std::size_t> count = count_of(layout.shape);
  std::size_t needed = 0;
  if (!count || __builtin_mul_overflow(*count, layout.element.bytes, &needed)) {
    return file_fault("says that its tensor is " + sizes + ", which is more than any file holds");
  }
  if (needed != array.bytes) {
    return file_fault("has " + counted(array.bytes, "byte") + " of numbers, and " + sizes + " needs " +
                      std::to_string(needed));
  }
  if (*count > max_bytes / sizeof(double)) {
    return file_fault("holds " + sizes + ", which does not fit into " + std::to_string(max_bytes) + " bytes",
                      "a smaller tensor, or a larger --max-memory", "too-large");
  }
  return *count;
}

Result<std::vector<double>> read_array(StoredArray& array, std::size_t max_bytes) {
  const Result<std::size_t> count = count_within(array, max_bytes);
  if (!count) return count.faults();
  const ArrayLayout& layout = array.layout;
  std::vector<double> numbers;
  if (auto fault = read_numbers(*array.source, layout, count.value(), numbers)) return *std::move(fault);
  if (layout.first_fastest && layout.shape.size() > 1 && count.value() > 0) return axes_reversed(numbers, layout.shape);
  return numbers;
}

}  // namespace attn
