#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tensor/dtype.h"

namespace attn {

struct Trace;

// How all numbers of one matrix are written, so that they line up.
struct NumberFormat {
  int decimals = 0;         // digits after the point
  bool scientific = false;  // "1.5e+20": numbers too large or too small for plain digits

  bool operator==(const NumberFormat&) const = default;
};

// One number in that format, a minus sign as "−", an infinity as "∞", and
// "NaN". What is exactly 0 and `closed` is a plain "0".
std::string written(double value, NumberFormat format, bool closed = false);

// How many decimals people see: what they ask for, as far as numbers have that
// many, else 4.
int decimals_shown(std::optional<int> precision);

// In lines of arithmetic a number may be too small for that, and yet be what
// the line goes on with: 0.0000061.
enum class Tiny {
  as_zero,     // "0.0000"
  two_digits,  // the first two that are not 0
};

// How many decimals people see. A number that needs fewer than that is written
// with as few as it needs; one that needs more is rounded, for the eye only:
// the computation goes on with all of it.
class Numerals {
 public:
  Numerals(int precision, Dtype dtype, Tiny tiny = Tiny::as_zero);

  // Of a trace whose steps may be rounded by hand: their decimals are part of
  // them, so that 2 among tenths is 2.0.
  Numerals(int precision, const Trace& trace, Tiny tiny = Tiny::as_zero);

  int precision() const { return precision_; }
  double tolerance() const { return tolerance_; }

  // How many decimals the numbers of that step have at least: 0 unless it is
  // rounded by hand and not all of it is whole.
  int decimals_of(std::string_view id) const;

  // One format for all of these numbers.
  NumberFormat format(std::span<const double> numbers, int at_least = 0) const;

  // A number within a line of arithmetic: "2", "0.5", "0.1353", "−3", "−∞".
  std::string in_line(double value, int at_least = 0) const;

  // Whether in_line() says all of it; up to the last digits of the dtype,
  // where 0.1 + 0.2 is 0.3.
  bool exact(double value) const;

  // Whether two numbers are the same up to those last digits, of which whole numbers have none.
  bool same(double a, double b) const;

 private:
  // Whether so many decimals say what people ask to see of the number.
  bool suffices(NumberFormat format, double value) const;
  int decimals_needed(double value) const;  // more than precision_ where that is not enough
  NumberFormat line_format(double value, int at_least) const;

  int precision_;
  Dtype dtype_;
  double tolerance_;
  Tiny tiny_;
  std::map<std::string, int, std::less<>> by_hand_;  // decimals_of, where not 0
};

}  // namespace attn
