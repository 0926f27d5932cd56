#include "files/element.h"

#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>

#include "files/input_file.h"

namespace attn {
namespace {

static_assert(std::endian::native == std::endian::little, "stored numbers are taken as they are in memory");

std::uint8_t swapped(std::uint8_t bits) { return bits; }
std::uint16_t swapped(std::uint16_t bits) { return __builtin_bswap16(bits); }
std::uint32_t swapped(std::uint32_t bits) { return __builtin_bswap32(bits); }
std::uint64_t swapped(std::uint64_t bits) { return __builtin_bswap64(bits); }

template <class Bits, bool foreign, class Convert>
void convert_each(std::span<const char> stored, std::span<double> numbers, Convert convert) {
  const char* from = stored.data();
  for (double& number : numbers) {
    Bits bits;
    std::memcpy(&bits, from, sizeof bits);
    from += sizeof bits;
    number = convert(foreign ? swapped(bits) : bits);
  }
}

template <class Bits, class Convert>
void convert(bool foreign, std::span<const char> stored, std::span<double> numbers, Convert one) {
  if (foreign) {
    convert_each<Bits, true>(stored, numbers, one);
  } else {
    convert_each<Bits, false>(stored, numbers, one);
  }
}

double of_half(std::uint16_t bits) {
  const std::uint32_t exponent_and_fraction = bits & 0x7FFFU;
  // As a float these bits are 2^112 times too small, subnormals too.
  auto magnitude = std::bit_cast<float>(exponent_and_fraction << 13) * 0x1p112F;
  if (exponent_and_fraction >= 0x7C00U) {
    magnitude = std::bit_cast<float>(0x7F800000U | (exponent_and_fraction & 0x3FFU) << 13);
  }
  return (bits & 0x8000U) != 0 ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
}

double of_brain(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

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
    std::uint64_t bits = 0;
    std::memcpy(&bits, stored.data() + 8 * i, 8);
    if (foreign) bits = swapped(bits);
    const bool negative = is_signed && bits >> 63 != 0;
    if (is_exact(negative ? ~bits + 1 : bits)) continue;
    return not_exact(first + i, is_signed ? std::to_string(static_cast<std::int64_t>(bits)) : std::to_string(bits));
  }
  return std::nullopt;
}

std::optional<Diagnostic> decode_booleans(std::span<const char> stored, std::size_t first, std::span<double> numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto byte = static_cast<unsigned char>(stored[i]);
    if (byte > 1) {
      return file_fault("holds the byte " + std::to_string(byte) + " (number " + std::to_string(first + i + 1) +
                        " of the tensor), and booleans are 0 and 1");
    }
    numbers[i] = byte;
  }
  return std::nullopt;
}

template <class Natural, class Integer>
void decode_whole(Element element, bool foreign, std::span<const char> stored, std::span<double> numbers) {
  if (element.kind == Element::Kind::integer) {
    convert<Natural>(foreign, stored, numbers,
                     [](Natural bits) { return static_cast<double>(static_cast<Integer>(bits)); });
  } else {
    convert<Natural>(foreign, stored, numbers, [](Natural bits) { return static_cast<double>(bits); });
  }
}

void decode_floating(std::size_t bytes, bool foreign, std::span<const char> stored, std::span<double> numbers) {
  if (bytes == 8) {
    convert<std::uint64_t>(foreign, stored, numbers, [](std::uint64_t bits) { return std::bit_cast<double>(bits); });
  } else if (bytes == 4) {
    convert<std::uint32_t>(foreign, stored, numbers,
                           [](std::uint32_t bits) { return static_cast<double>(std::bit_cast<float>(bits)); });
  } else {
    convert<std::uint16_t>(foreign, stored, numbers, of_half);
  }
}

}  // namespace

std::string name(Element element) {
  constexpr const char* letters[] = {"f", "bf", "i", "u"};
  if (element.kind == Element::Kind::boolean) return "bool";
  return letters[static_cast<std::size_t>(element.kind)] + std::to_string(8 * element.bytes);
}

bool is_readable(Element element) {
  const std::size_t bytes = element.bytes;
  switch (element.kind) {
    case Element::Kind::floating:
      return bytes == 2 || bytes == 4 || bytes == 8;
    case Element::Kind::brain:
      return bytes == 2;
    case Element::Kind::boolean:
      return bytes == 1;
    case Element::Kind::integer:
    case Element::Kind::natural:
      break;
  }
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

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
  switch (element.kind) {
    case Element::Kind::floating:
      decode_floating(element.bytes, foreign, stored, numbers);
      return std::nullopt;
    case Element::Kind::brain:
      convert<std::uint16_t>(foreign, stored, numbers, of_brain);
      return std::nullopt;
    case Element::Kind::boolean:
      return decode_booleans(stored, first, numbers);
    case Element::Kind::integer:
    case Element::Kind::natural:
      break;
  }
  switch (element.bytes) {
    case 1:
      decode_whole<std::uint8_t, std::int8_t>(element, foreign, stored, numbers);
      break;
    case 2:
      decode_whole<std::uint16_t, std::int16_t>(element, foreign, stored, numbers);
      break;
    case 4:
      decode_whole<std::uint32_t, std::int32_t>(element, foreign, stored, numbers);
      break;
    default:
      decode_whole<std::uint64_t, std::int64_t>(element, foreign, stored, numbers);
      return find_inexact(element.kind == Element::Kind::integer, foreign, stored, first);
  }
  return std::nullopt;
}

}  // namespace attn
