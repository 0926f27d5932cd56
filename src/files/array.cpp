#include "files/array.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <numeric>
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

// The next so many numbers, `first` being the index of the first among all of the tensor.
std::optional<Diagnostic> read_run(ByteSource& source, const ArrayLayout& layout, std::size_t first,
                                   std::span<double> numbers, std::vector<char>& stored) {
  for (std::size_t done = 0; done < numbers.size();) {
    const std::span<double> fresh = numbers.subspan(done, std::min(at_once, numbers.size() - done));
    stored.resize(fresh.size() * layout.element.bytes);
    if (auto fault = source.read(stored)) return fault;
    if (auto fault = decode(layout.element, layout.foreign, stored, first + done, fresh)) return fault;
    done += fresh.size();
  }
  return std::nullopt;
}

// The rows of a part in the order in which they are stored.
std::vector<std::size_t> rows_as_stored(const PartOutline& part) {
  std::vector<std::size_t> places(part.row_count());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, {}, [&](std::size_t place) { return part.row(place); });
  return places;
}

// Goes through what is stored from its beginning to its end, and reads what belongs to the part.
// REQUIRES: the last axis varies fastest.
std::optional<Diagnostic> read_rows(ByteSource& source, const ArrayLayout& layout, const PartOutline& part,
                                    std::vector<double>& numbers) {
  const std::size_t columns = part.column_count(), rows = part.row_count();
  const std::vector<std::size_t> places = rows_as_stored(part);
  std::vector<char> stored;
  std::size_t at = 0;  // the number that comes next
  const auto go_to = [&](std::size_t next) {
    auto fault = source.skip((next - std::exchange(at, next)) * layout.element.bytes);
    return fault;
  };
  for (std::size_t matrix = 0; matrix < part.matrices; ++matrix) {
    for (std::size_t i = 0; i < rows; ++i) {
      const std::span<double> row(numbers.data() + (matrix * rows + places[i]) * columns, columns);
      if (i > 0 && part.row(places[i]) == part.row(places[i - 1])) {
        std::copy_n(numbers.data() + (matrix * rows + places[i - 1]) * columns, columns, row.data());
        continue;
      }
      if (auto fault = go_to((matrix * part.height + part.row(places[i])) * part.width + part.columns.from))
        return fault;
      if (auto fault = read_run(source, layout, at, row, stored)) return fault;
      at += columns;
    }
  }
  if (auto fault = go_to(part.matrices * part.height * part.width)) return fault;
  return source.finish();
}

// The part of numbers that are there.
std::vector<double> cut(const std::vector<double>& numbers, const PartOutline& part) {
  std::vector<double> made;
  made.reserve(part.matrices * part.row_count() * part.column_count());
  for (std::size_t matrix = 0; matrix < part.matrices; ++matrix) {
    for (std::size_t i = 0; i < part.row_count(); ++i) {
      const auto row = numbers.begin() + static_cast<std::ptrdiff_t>((matrix * part.height + part.row(i)) * part.width);
      made.insert(made.end(), row + static_cast<std::ptrdiff_t>(part.columns.from),
                  row + static_cast<std::ptrdiff_t>(part.columns.to));
    }
  }
  return made;
}

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

// Whether the axes stand in another order than ours.
bool is_reversed(const ArrayLayout& layout) { return layout.first_fastest && layout.shape.size() > 1; }

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

Result<PartOutline> outline_within(const StoredArray& array, const TensorPart& part, std::size_t max_bytes) {
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
  const Result<PartOutline> outline = outline_of_part(layout.shape, part);
  if (!outline) return outline.faults();
  const bool reads_all = outline.value().is_whole || is_reversed(layout);
  const std::optional<std::size_t> read = reads_all ? count : count_of(outline.value().shape);
  if (!read || *read > max_bytes / sizeof(double)) {
    return file_fault("holds " + sizes + ", which does not fit into " + spelled_size(max_bytes),
                      "a smaller tensor, or a larger --max-memory", "too-large");
  }
  return outline;
}

Result<std::vector<double>> read_part(StoredArray& array, const PartOutline& part) {
  const ArrayLayout& layout = array.layout;
  std::vector<double> numbers;
  if (part.is_whole || is_reversed(layout)) {
    const std::size_t count = count_of(layout.shape).value_or(0);
    if (auto fault = read_numbers(*array.source, layout, count, numbers)) return *std::move(fault);
    if (is_reversed(layout) && count > 0) numbers = axes_reversed(numbers, layout.shape);
    if (!part.is_whole) numbers = cut(numbers, part);
  } else {
    numbers.resize(count_of(part.shape).value_or(0));
    if (auto fault = read_rows(*array.source, layout, part, numbers)) return *std::move(fault);
  }
  if (part.is_transposed) numbers = transposed(numbers, part.row_count(), part.column_count());
  return numbers;
}

}  // namespace attn
