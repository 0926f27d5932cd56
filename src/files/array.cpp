#include "files/array.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "tensor/shape.h"

namespace attn {
namespace {

static_assert(std::endian::native == std::endian::little, "stored numbers are taken as they are in memory");

// Numbers of 16 bits: those of IEEE 754, and the upper halves of floats.
enum class Half : std::uint16_t {};
enum class Brain : std::uint16_t {};

double as_double(Half half) {
  const std::uint32_t bits = static_cast<std::uint16_t>(half);
  const std::uint32_t exponent_and_fraction = bits & 0x7FFFU;
  // As a float these bits are 2^112 times too small, subnormals too.
  auto magnitude = std::bit_cast<float>(exponent_and_fraction << 13) * 0x1p112F;
  if (exponent_and_fraction >= 0x7C00U) {
    magnitude = std::bit_cast<float>(0x7F800000U | (exponent_and_fraction & 0x3FFU) << 13);
  }
  return (bits & 0x8000U) != 0 ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
}

double as_double(Brain brain) { return std::bit_cast<float>(static_cast<std::uint32_t>(brain) << 16); }

template <class Number>
double as_double(Number number) {
  return static_cast<double>(number);
}

// The bytes of a number of that size, the lowest in front.
template <std::size_t size>
std::uint64_t bits_at(const char* from, bool foreign) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, size);
  return foreign ? __builtin_bswap64(bits) >> (64 - 8 * size) : bits;
}

template <class Number>
void decode_each(bool foreign, std::span<const char> stored, std::span<double> numbers) {
  const char* from = stored.data();
  for (double& number : numbers) {
    const std::uint64_t bits = bits_at<sizeof(Number)>(from, foreign);
    Number as_stored;
    std::memcpy(&as_stored, &bits, sizeof as_stored);
    number = as_double(as_stored);
    from += sizeof as_stored;
  }
}

using Decode = void (*)(bool foreign, std::span<const char> stored, std::span<double> numbers);

// A row a kind of element, a column a width: 1, 2, 4 and 8 bytes. Null where there is no such element.
constexpr Decode decoders[][4] = {
    {nullptr, decode_each<Half>, decode_each<float>, decode_each<double>},
    {nullptr, decode_each<Brain>, nullptr, nullptr},
    {decode_each<std::int8_t>, decode_each<std::int16_t>, decode_each<std::int32_t>, decode_each<std::int64_t>},
    {decode_each<std::uint8_t>, decode_each<std::uint16_t>, decode_each<std::uint32_t>, decode_each<std::uint64_t>},
    {decode_each<std::uint8_t>, nullptr, nullptr, nullptr},
};

Decode decoder_of(Element element) {
  if (!std::has_single_bit(element.bytes) || element.bytes > 8) return nullptr;
  return decoders[static_cast<std::size_t>(element.kind)][std::countr_zero(element.bytes)];
}

constexpr char damaged[] = "it was cut short or changed on its way: copy it again, or write it again";

bool is_exact(std::uint64_t magnitude) {
  return magnitude == 0 || std::bit_width(magnitude) - std::countr_zero(magnitude) <= 53;
}

Diagnostic not_exact(std::size_t index, std::string number) {
  return file_fault("holds the integer " + std::move(number) + " (number " + std::to_string(index + 1) +
                        " of the tensor), which no double is equal to",
                    "integers up to 2^53 can always be read", "not-exact");
}

// The first integer that no double holds, if there is one.
std::optional<Diagnostic> find_inexact(bool is_signed, bool foreign, std::span<const char> stored, std::size_t first) {
  for (std::size_t i = 0; i < stored.size() / 8; ++i) {
    const std::uint64_t bits = bits_at<8>(stored.data() + 8 * i, foreign);
    const bool negative = is_signed && bits >> 63 != 0;
    if (is_exact(negative ? ~bits + 1 : bits)) continue;
    return not_exact(first + i, is_signed ? std::to_string(static_cast<std::int64_t>(bits)) : std::to_string(bits));
  }
  return std::nullopt;
}

std::optional<Diagnostic> find_no_boolean(std::span<const char> stored, std::size_t first) {
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const auto byte = static_cast<unsigned char>(stored[i]);
    if (byte <= 1) continue;
    return file_fault("holds the byte " + std::to_string(byte) + " (number " + std::to_string(first + i + 1) +
                          " of the tensor), and booleans are 0 and 1",
                      "save it as integers, or as array != 0");
  }
  return std::nullopt;
}

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

std::string name(Element element) {
  constexpr const char* letters[] = {"f", "bf", "i", "u"};
  if (element.kind == Element::Kind::boolean) return "bool";
  return letters[static_cast<std::size_t>(element.kind)] + std::to_string(8 * element.bytes);
}

bool is_readable(Element element) { return decoder_of(element) != nullptr; }

std::optional<std::size_t> count_of(const std::vector<std::size_t>& shape) {
  std::size_t count = 1;
  bool is_empty = false;
  for (const std::size_t size : shape) {
    is_empty = is_empty || size == 0;
    if (size != 0 && __builtin_mul_overflow(count, size, &count)) return std::nullopt;
  }
  return is_empty ? 0 : count;
}

std::optional<Diagnostic> decode(Element element, bool foreign, std::span<const char> stored, std::size_t first,
                                 std::span<double> numbers) {
  assert(is_readable(element) && stored.size() == numbers.size() * element.bytes);
  decoder_of(element)(foreign, stored, numbers);
  if (element.kind == Element::Kind::boolean) return find_no_boolean(stored, first);
  const bool is_integer = element.kind == Element::Kind::integer;
  if (element.bytes < 8 || !(is_integer || element.kind == Element::Kind::natural)) return std::nullopt;
  return find_inexact(is_integer, foreign, stored, first);
}

Result<std::size_t> count_within(const StoredArray& array, std::size_t max_bytes) {
  const ArrayLayout& layout = array.layout;
  const std::string sizes = spelled_sizes(layout.shape) + " (" + name(layout.element) + ")";
  const std::optional<std::size_t> count = count_of(layout.shape);
  std::size_t needed = 0;
  if (!count || __builtin_mul_overflow(*count, layout.element.bytes, &needed)) {
    return file_fault("says that its tensor is " + sizes + ", which is more than any file holds", damaged);
  }
  if (needed != array.bytes) {
    return file_fault(
        "has " + counted(array.bytes, "byte") + " of numbers, and " + sizes + " needs " + std::to_string(needed),
        damaged);
  }
  if (*count > max_bytes / sizeof(double)) {
    return file_fault("holds " + sizes + ", which does not fit into " + spelled_size(max_bytes),
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
