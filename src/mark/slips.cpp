#include "mark/slips.h"

#include <cmath>
#include <utility>

#include "base/numbers.h"
#include "base/text.h"
#include "words/language.h"

namespace attn {
namespace {

// Beyond so many cells only neighbours are tried for having been swapped.
constexpr std::size_t most_cells_to_pair = 64;

std::string spelled(double number) { return shortest(rounded(number, {4, RoundingMode::half_up})); }

// Two digits of the number as written, exchanged: every way to do it. REQUIRES: it is finite.
std::vector<double> with_digits_swapped(double number, HandRounding rounding) {
  std::vector<double> swapped;
  if (std::abs(number) > 1e12) return swapped;
  const std::string text = fixed(rounded(number, rounding), rounding.decimals);
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (std::size_t j = i + 1; j < text.size(); ++j) {
      std::string other = text;
      if (!is_ascii_digit(text[i]) || !is_ascii_digit(text[j]) || text[i] == text[j]) continue;
      std::swap(other[i], other[j]);
      double value = 0;
      // "07" is no number in JSON's spelling, and 7 is what a person means by it.
      const std::size_t start = other.find_first_not_of('-');
      std::size_t digits = start;
      while (other[digits] == '0' && other[digits + 1] != '.') ++digits;
      other.erase(start, digits - start);
      parse_number(other, value);
      swapped.push_back(value);
    }
  }
  return swapped;
}

class Slips {
 public:
  Slips(const SlipPlace& place, const std::function<bool(const Slip&)>& visit)
      : place_(place), computed_(place.made.result(place.line)), visit_(visit) {}

  bool any() {
    return (place_.least_cells <= 1 && any_in_one_cell()) || (place_.least_cells <= 2 && any_pair()) || any_row();
  }

 private:
  bool is_of_use(std::size_t cell) const { return !place_.is_of_use || place_.is_of_use(cell); }

  // In a small matrix several cells may be of use together.
  bool may_be_of_use(std::size_t cell) const { return computed_.size() <= most_cells_to_pair || is_of_use(cell); }

  bool one(std::string mistake, std::string variant, std::size_t cell, double value, std::string evidence) {
    if (value == computed_[cell] || !std::isfinite(value)) return false;
    return visit_({std::move(mistake), std::move(variant), {{place_.line, cell, value}}, std::move(evidence)});
  }

  bool any_in_one_cell() {
    const VerdictWords& said = language().verdicts;
    for (std::size_t cell = 0; cell < computed_.size(); ++cell) {
      const double value = computed_[cell];
      if (!std::isfinite(value) || !is_of_use(cell)) continue;
      const std::vector<double> terms = terms_of(place_.recipe, place_.line, cell, place_.made.carried);
      for (std::size_t i = 0; i < terms.size() && terms.size() > 1; ++i) {
        const std::string term = spelled(terms[i]);
        if (one("slip.term_dropped", "", cell, value - terms[i], said.term_missing(i + 1, term))) return true;
        if (one("slip.sign", said.one_term, cell, value - 2 * terms[i], said.term_negated(i + 1, term))) return true;
      }
      if (one("slip.sign", said.whole_number, cell, -value, said.negated)) return true;
      for (const double power : {10.0, 0.1, 100.0, 0.01, 1000.0, 0.001}) {
        const std::string evidence = said.point_moved(power > 1);
        // Of the number as written, and of the number in full.
        const double written = rounded(value, place_.rounding);
        // Of a number that is written as 0 nobody can tell how far the point was moved.
        if (power < 1 && rounded(value * power, place_.rounding) == 0) continue;
        if (written != 0 && one("slip.decimal_point", "", cell, written * power, evidence)) return true;
        if (written != 0 && written != value && one("slip.decimal_point", "", cell, value * power, evidence))
          return true;
      }
      for (const double swapped : with_digits_swapped(value, place_.rounding)) {
        if (one("slip.digits_swapped", "", cell, swapped, said.digits_swapped)) return true;
      }
    }
    return false;
  }

  bool pair(std::size_t a, std::size_t b) {
    if (computed_[a] == computed_[b] || (!may_be_of_use(a) && !may_be_of_use(b))) return false;
    const std::vector<Patch> swapped = {{place_.line, a, computed_[b]}, {place_.line, b, computed_[a]}};
    return visit_({"slip.cells_swapped", "", swapped, language().verdicts.exchanged});
  }

  // Of many cells only neighbours in a row or a column.
  bool any_pair() {
    const std::size_t count = computed_.size();
    const std::size_t rank = computed_.shape().rank();
    const std::size_t width = rank < 1 ? 1 : computed_.shape().back().size;
    const std::size_t height = rank < 2 ? 1 : computed_.shape()[rank - 2].size;
    for (std::size_t a = 0; a < count; ++a) {
      if (count > most_cells_to_pair) {
        if (a % width + 1 < width && pair(a, a + 1)) return true;
        if (a / width % height + 1 < height && pair(a, a + width)) return true;
        continue;
      }
      for (std::size_t b = a + 1; b < count; ++b) {
        if (pair(a, b)) return true;
      }
    }
    return false;
  }

  bool any_row() {
    const TokenRows at(computed_.shape());
    const std::size_t rows = at.rows(), width = at.width();
    if (width < place_.least_cells) return false;
    for (std::size_t matrix = 0; matrix < computed_.size() / (rows * width); ++matrix) {
      for (std::size_t to = 0; to < rows; ++to) {
        bool may_be = false;
        for (std::size_t i = 0; i < width && !may_be; ++i) may_be = may_be_of_use(at.cell(matrix, to, i));
        if (!may_be) continue;
        for (std::size_t from = 0; from < rows; ++from) {
          Slip slip{.mistake = "slip.row_copied", .variant = "", .patches = {}, .evidence = ""};
          bool differs = false;
          for (std::size_t i = 0; i < width; ++i) {
            const double value = computed_[at.cell(matrix, from, i)];
            differs = differs || value != computed_[at.cell(matrix, to, i)];
            slip.patches.push_back({place_.line, at.cell(matrix, to, i), value});
          }
          slip.evidence = language().verdicts.row_again(to + 1, from + 1, at.are_columns());
          if (differs && visit_(slip)) return true;
        }
      }
    }
    return false;
  }

  const SlipPlace& place_;
  const Tensor<double>& computed_;
  const std::function<bool(const Slip&)>& visit_;
};

}  // namespace

TokenRows::TokenRows(const Shape& shape) {
  if (shape.rank() > 0) width_ = shape.back().size;
  if (shape.rank() < 2) return;
  const Dim &before = shape[shape.rank() - 2], &last = shape.back();
  rows_ = before.size;
  are_columns_ = is_position(last.axis) && !is_position(before.axis) && !is_outer(before.axis);
  if (are_columns_) std::swap(rows_, width_);
}

bool any_slip(const SlipPlace& place, const std::function<bool(const Slip&)>& visit) {
  return Slips(place, visit).any();
}

}  // namespace attn
