#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attn {

// Decimals that answers are expected to have where a problem says nothing of it.
inline constexpr int digits_unless_said = 2;

// How a person drops the decimals that they do not carry on.
enum class RoundingMode {
  half_up,    // to the nearest; ties away from zero
  half_even,  // to the nearest; ties to an even last digit
  truncate,   // towards zero
  keep_sum,   // attention weights so that a row keeps its sum; all else half up
};

constexpr int most_rounded_decimals = 12;

// Rounding every step to so many decimals, 0 to 12, as people do by hand.
struct HandRounding {
  int decimals = 0;
  RoundingMode mode = RoundingMode::half_up;

  bool operator==(const HandRounding&) const = default;
};

// Reads "2" (half up) or "2:half-even"; nothing where the text is neither.
std::optional<HandRounding> parse_hand_rounding(std::string_view text);

// "2:half-up": the mode in full, always.
std::string to_string(HandRounding rounding);

// What the last of so many decimals counts: 0.01 for 2, found by dividing by 10.
double unit_of_last(int decimals);

// The double nearest to the value rounded to `decimals` decimals; never -0.
// An infinity or a NaN stays. keep_sum rounds half up here.
//
// What is rounded is the value as read to 12 significant decimal digits, so
// that 0.15, which a double holds only nearly, is a tie. Where those digits end
// at the last decimal kept or before it, as for 123456789012.35 to one decimal,
// the value itself is rounded to the nearest; there only an exact tie is one,
// and truncation takes it towards zero.
double rounded(double value, HandRounding rounding);

// A row of attention weights rounded to `decimals` decimals so that it keeps
// its rounded sum, by largest remainder: every cell is rounded down, and what
// the row's sum, rounded half up, then lacks goes a unit of the last decimal
// each to the cells that lost most; ties to the lower index. The mode is not
// looked at.
//
// `open` has a number a cell: where it is 0, the cell is closed and becomes 0
// whatever it held. Empty, it leaves all open.
// REQUIRES: open.empty() or open.size() == row.size().
//
// A row with an infinity, a NaN or numbers too large for their last decimal
// (2^53 of its units) has no sum to keep: its open cells are rounded half up
// one by one.
void round_row_keeping_sum(std::span<double> row, std::span<const double> open, HandRounding rounding);

}  // namespace attn
