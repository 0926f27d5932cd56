#include "files/npy_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "base/text.h"

namespace attn {
namespace {

constexpr std::size_t most_numpy_axes = 64;
// Far beyond the 10,000 that numpy reads. Each array of an archive has one, which may be packed to next to nothing.
constexpr std::size_t most_header = std::size_t{64} << 10;

constexpr char write_again[] = "write the array again: numpy.save writes .npy, numpy.savez .npz";
constexpr char as_numbers[] = "save the array as numbers: array.astype(\"float64\")";

// What a descr says; a reason where it cannot be read.
Result<ArrayLayout> layout_of(std::string_view descr) {
  const std::string shown = "'" + printable(std::string(descr.substr(0, 40))) + "'";
  const auto refused = [&](const std::string& what, Help help) {
    return file_fault("holds " + what + " (" + shown + "), not numbers that can be read", std::move(help), "bad-dtype");
  };
  if (descr.find('O') != std::string_view::npos) {
    return refused("pickled Python objects", "unpickling runs code, so it is never done; save an array of numbers");
  }
  constexpr std::string_view orders = "<>|=";
  ArrayLayout layout;
  std::size_t bytes = 0;
  const bool is_ordered = !descr.empty() && orders.find(descr[0]) != std::string_view::npos;
  const std::string_view rest = descr.substr(is_ordered ? 1 : 0);
  const char kind = rest.empty() ? '?' : rest[0];
  const char* const end = descr.data() + descr.size();
  const auto [stop, error] = std::from_chars(rest.data() + (rest.empty() ? 0 : 1), end, bytes);
  const bool is_sized = error == std::errc() && stop == end;
  if (is_sized && (kind == 'S' || kind == 'U' || kind == 'a')) return refused("texts", as_numbers);
  if (is_sized && kind == 'c')
    return refused("complex numbers", "save its real and its imaginary part apart: array.real, array.imag");
  if (kind == 'M' || kind == 'm') return refused("dates", as_numbers);
  if (is_sized && kind == 'V') {
    return refused("bytes of no kind",
                   bytes == 2 ? "numpy saves bfloat16 so; a .safetensors file says that it is BF16" : as_numbers);
  }
  constexpr std::string_view kinds = "f?iub";
  const std::size_t found = kinds.find(kind);
  if (!is_sized || found == std::string_view::npos || kind == '?') return refused("something unknown", as_numbers);
  layout.element = {static_cast<Element::Kind>(found), bytes};
  if (!is_readable(layout.element)) return refused("numbers of " + std::to_string(bytes) + " bytes", as_numbers);
  layout.foreign = descr[0] == '>';
  return layout;
}

// Reads the dictionary word by word.
class NpyHeader {
 public:
  explicit NpyHeader(std::string_view text) : left_(text) {}

  Result<ArrayLayout> read() {
    std::optional<std::string> descr;
    std::optional<bool> first_fastest;
    std::optional<std::vector<std::size_t>> shape;
    if (!take('{')) return malformed();
    while (!take('}')) {
      const auto key = text();
      if (!key || !take(':')) return malformed();
      if (*key == "descr" && !descr) {
        if (next() == '[') {
          return file_fault("holds records with several fields, not one array of numbers", "save each field by itself",
                            "bad-dtype");
        }
        descr = text();
      } else if (*key == "fortran_order" && !first_fastest) {
        first_fastest = boolean();
      } else if (*key == "shape" && !shape) {
        shape = sizes();
      } else {
        return malformed();
      }
      if (take(',')) continue;
      if (take('}')) break;
      return malformed();
    }
    if (next() != '\0' || !descr || !first_fastest || !shape) return malformed();
    Result<ArrayLayout> layout = layout_of(*descr);
    if (!layout) return layout;
    layout.value().first_fastest = *first_fastest;
    layout.value().shape = std::move(*shape);
    return layout;
  }

 private:
  static Diagnostic malformed() {
    return file_fault("has a header that does not say descr, fortran_order and shape as .npy files do", write_again);
  }

  // The next character that is no white space; NUL at the end.
  char next() {
    const std::size_t at = left_.find_first_not_of(" \t\n\r");
    left_.remove_prefix(std::min(at, left_.size()));
    return left_.empty() || left_[0] == '\0' ? (left_.empty() ? '\0' : '?') : left_[0];
  }

  bool take(char wanted) {
    if (left_.empty() || next() != wanted) return false;
    left_.remove_prefix(1);
    return true;
  }

  bool take(std::string_view word) {
    next();
    if (!left_.starts_with(word)) return false;
    left_.remove_prefix(word.size());
    return true;
  }

  std::optional<std::string> text() {
    const char quote = next();
    if (quote != '\'' && quote != '"') return std::nullopt;
    const std::size_t end = left_.find(quote, 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view inside = left_.substr(1, end - 1);
    if (inside.find('\\') != std::string_view::npos) return std::nullopt;
    left_.remove_prefix(end + 1);
    return std::string(inside);
  }

  std::optional<bool> boolean() {
    if (take("True")) return true;
    if (take("False")) return false;
    return std::nullopt;
  }

  // (), (3,), (3, 4), (3, 4,); of Python 2 also (3L, 4L).
  std::optional<std::vector<std::size_t>> sizes() {
    std::vector<std::size_t> shape;
    if (!take('(')) return std::nullopt;
    bool needs_comma = false;
    while (!take(')')) {
      std::size_t size = 0;
      next();
      const auto [stop, error] = std::from_chars(left_.data(), left_.data() + left_.size(), size);
      if (error != std::errc() || shape.size() == most_numpy_axes) return std::nullopt;
      left_.remove_prefix(static_cast<std::size_t>(stop - left_.data()));
      take('L');
      shape.push_back(size);
      const bool comma = take(',');
      needs_comma = shape.size() == 1 && !comma;
      if (!comma && next() != ')') return std::nullopt;
    }
    if (needs_comma) return std::nullopt;  // (3) is a number, not a tuple
    return shape;
  }

  std::string_view left_;
};

}  // namespace

Result<ArrayLayout> parse_npy_header(std::string_view dictionary) { return NpyHeader(dictionary).read(); }

Result<StoredArray> opened_npy(std::unique_ptr<ByteSource> npy) {
  ByteSource& source = *npy;
  constexpr std::string_view magic = "\x93NUMPY";
  std::array<char, 12> start{};
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(start[i])); };
  const auto too_short = [&] {
    return file_fault("ends within its header, after " + std::to_string(source.size()) + " bytes",
                      "it was cut short on its way: copy or write it again");
  };
  std::size_t length_end = 10;
  if (source.size() >= magic.size()) {
    if (auto fault = source.read({start.data(), magic.size()})) return *std::move(fault);
    if (std::string_view(start.data(), magic.size()) != magic) {
      return file_fault("is no .npy file: it does not begin as one", write_again);
    }
  }
  if (source.size() < length_end) return source.size() == 0 ? file_fault("is empty", write_again) : too_short();
  if (auto fault = source.read({start.data() + 6, 4})) return *std::move(fault);
  if (byte(6) < 1 || byte(6) > 3 || byte(7) != 0) {
    return file_fault("is of version " + std::to_string(byte(6)) + "." + std::to_string(byte(7)) +
                          " of the .npy format; 1.0, 2.0 and 3.0 can be read",
                      write_again);
  }
  std::size_t length = byte(8) | byte(9) << 8;
  if (byte(6) > 1) {
    length_end = 12;
    if (source.size() < length_end) return too_short();
    if (auto fault = source.read({start.data() + 10, 2})) return *std::move(fault);
    length |= byte(10) << 16 | byte(11) << 24;
  }
  if (length > source.size() - length_end) return too_short();
  if (length > most_header)
    return file_fault("has a header of " + std::to_string(length) + " bytes; up to " + std::to_string(most_header) +
                          " are read, and some 100 do",
                      write_again);

  std::string header(length, ' ');
  if (auto fault = source.read(header)) return *std::move(fault);
  Result<ArrayLayout> layout = parse_npy_header(header);
  if (!layout) return layout.faults();
  const std::size_t bytes = source.size() - length_end - length;
  return StoredArray{std::move(npy), bytes, std::move(layout.value())};
}

}  // namespace attn
