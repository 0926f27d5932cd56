#include "exports/numpy/array.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/numbers.h"
#include "base/text.h"

namespace attn {
namespace {

// a·b summed over an axis, as the product of two matrices where that is what it is.
class MatrixProduct {
 public:
  MatrixProduct(NumpyArray a, NumpyArray b, Axis over, AxisNames result)
      : a_(std::move(a)), b_(std::move(b)), over_(std::move(over)), result_(std::move(result)) {}

  std::string text() const {
    if (const auto product = plain(a_, b_)) return *product;
    if (const auto product = plain(b_, a_)) return *product;
    return einsum();
  }

 private:
  // Rows of the one, columns of the other, and before both the same further axes.
  std::optional<std::string> plain(const NumpyArray& a, const NumpyArray& b) const {
    const auto own = [&](const NumpyArray& of, const NumpyArray& other) {
      AxisNames only;
      for (const Axis& axis : of.axes) {
        if (axis != over_ && !has_axis(other.axes, axis) && !is_outer(axis)) only.push_back(axis);
      }
      return only;
    };
    const AxisNames rows = own(a, b), columns = own(b, a);
    if (rows.size() != 1 || columns.size() > 1) return std::nullopt;
    if (columns.empty() && b.axes.size() != 1) return std::nullopt;
    const auto outer = [&](const NumpyArray& of, const AxisNames& inner) {
      AxisNames rest = without(of.axes, over_);
      for (const Axis& axis : inner) rest = without(rest, axis);
      return rest;
    };
    const AxisNames outer_a = outer(a, rows), outer_b = outer(b, columns);
    const AxisNames& longer = outer_a.size() >= outer_b.size() ? outer_a : outer_b;
    const AxisNames& shorter = outer_a.size() >= outer_b.size() ? outer_b : outer_a;
    if (!std::equal(shorter.rbegin(), shorter.rend(), longer.rbegin())) return std::nullopt;
    AxisNames made = longer;
    made.push_back(rows[0]);
    made.insert(made.end(), columns.begin(), columns.end());
    if (made != result_) return std::nullopt;
    AxisNames left = outer_a, right = outer_b;
    left.insert(left.end(), {rows[0], over_});
    right.push_back(over_);
    right.insert(right.end(), columns.begin(), columns.end());
    return permuted(a, left).atom() + " @ " + permuted(b, right).atom();
  }

  std::string einsum() const {
    std::vector<std::pair<Axis, char>> letters;
    const auto letter = [&](const Axis& axis) {
      const auto known = std::ranges::find(letters, axis, &std::pair<Axis, char>::first);
      if (known != letters.end()) return known->second;
      const auto taken = [&](char c) {
        return std::ranges::find(letters, c, &std::pair<Axis, char>::second) != letters.end();
      };
      char own = axis.starts_with("d_") ? axis[2] : axis.front();
      while (taken(own) || !is_ascii_lower(own))
        own = own >= 'z' || !is_ascii_lower(own) ? 'a' : static_cast<char>(own + 1);
      letters.emplace_back(axis, own);
      return own;
    };
    const auto spelled = [&](const AxisNames& axes) {
      std::string text;
      for (const Axis& axis : axes) text += letter(axis);
      return text;
    };
    const std::string of_a = spelled(a_.axes), of_b = spelled(b_.axes), of_result = spelled(result_);
    return "np.einsum(\"" + of_a + "," + of_b + "->" + of_result + "\", " + a_.text + ", " + b_.text + ")";
  }

  NumpyArray a_, b_;
  Axis over_;
  AxisNames result_;
};

}  // namespace

bool has_axis(const AxisNames& axes, const Axis& axis) { return std::ranges::find(axes, axis) != axes.end(); }

std::size_t place_of(const AxisNames& axes, const Axis& axis) {
  return static_cast<std::size_t>(std::ranges::find(axes, axis) - axes.begin());
}

AxisNames without(AxisNames axes, const Axis& axis) {
  std::erase(axes, axis);
  return axes;
}

AxisNames kept_of(const AxisNames& order, const AxisNames& axes) {
  AxisNames kept;
  std::ranges::copy_if(order, std::back_inserter(kept), [&](const Axis& axis) { return has_axis(axes, axis); });
  return kept;
}

std::string in_python(double number) {
  if (std::isnan(number)) return "np.nan";
  if (std::isinf(number)) return number < 0 ? "-np.inf" : "np.inf";
  return shortest(number);
}

NumpyArray permuted(const NumpyArray& array, const AxisNames& order) {
  if (array.axes == order) return array;
  const std::size_t rank = order.size();
  if (rank == 2) return {array.atom() + ".T", order};
  AxisNames swapped = array.axes;
  std::swap(swapped[rank - 1], swapped[rank - 2]);
  if (swapped == order) return {array.atom() + ".swapaxes(-1, -2)", order};
  std::vector<std::string> places;
  for (const Axis& axis : order) places.push_back(std::to_string(place_of(array.axes, axis)));
  return {array.atom() + ".transpose(" + listed(places) + ")", order};
}

NumpyArray aligned(const NumpyArray& array, const AxisNames& to) {
  const NumpyArray ordered = permuted(array, kept_of(to, array.axes));
  if (ordered.axes.empty()) return ordered;
  std::string index;
  bool is_plain = true, has_begun = false;
  for (const Axis& axis : to) {
    const bool has = has_axis(ordered.axes, axis);
    has_begun = has_begun || has;
    if (!has_begun) continue;  // numpy adds those that are missing at the front
    index += (index.empty() ? "" : ", ") + std::string(has ? ":" : "None");
    is_plain = is_plain && has;
  }
  if (is_plain) return ordered;
  return {ordered.atom() + "[" + index + "]", to};
}

std::string product_over(const Axis& over, const NumpyArray& a, const NumpyArray& b, const AxisNames& result) {
  return MatrixProduct(a, b, over, result).text();
}

}  // namespace attn
