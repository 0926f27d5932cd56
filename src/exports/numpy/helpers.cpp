#include "exports/numpy/helpers.h"

#include <string_view>

namespace attn {
namespace {

constexpr std::string_view divided_helper = R"(
def divided(a, b):
    """a / b, and 0 where b is 0."""
    a, b = np.broadcast_arrays(a, b)
    return np.divide(a, b, out=np.zeros(a.shape), where=b != 0)
)";

constexpr std::string_view finite_helper = R"(
def finite(maximum):
    """0 for the maximum of a row of which every cell is closed, which is -inf."""
    return np.where(np.isneginf(maximum), 0, maximum)
)";

constexpr std::string_view erf_helper = "\nerf = np.vectorize(math.erf, otypes=[float])\n";

// base/rounding.h says what is rounded: the value as read to 12 digits.
constexpr std::string_view read_helper = R"(
def read(value, decimals):
    """A value as read to 12 digits, in units of the last decimal kept; all of it where these end too early."""
    digits = Decimal(f"{abs(value):.11e}")
    is_exact = 11 - (digits.adjusted() if digits else 0) - decimals <= 0
    return (Decimal(abs(float(value))) if is_exact else digits).scaleb(decimals), is_exact
)";

constexpr std::string_view rounded_helper = R"(
def rounded(values, decimals):
    """Every number rounded as by hand."""
    def one(value):
        if not np.isfinite(value) or abs(float(value)) * 10.0 ** decimals >= 2.0 ** 55:  # it has no digits to lose
            return value
        units, is_exact = read(value, decimals)
        whole = units.quantize(Decimal(1), ROUND_IN_USE)
        return math.copysign(float(whole.scaleb(-decimals)), value) if whole else 0.0
    return np.vectorize(one, otypes=[float])(values)
)";

constexpr std::string_view rows_helper = R"(
def rounded_rows(values, is_open, decimals, axis):
    """Rows that keep their sum: what rounding down lost goes to the cells that lost most."""
    def in_units(value):
        units, _ = read(value, decimals)
        return -units if value < 0 else units
    def one(row, is_open):
        cells = [i for i in range(len(row)) if is_open[i] != 0]
        total = 0.0
        for i in cells:
            total += row[i]
        if not sum(abs(float(row[i])) for i in cells) * 10.0 ** decimals < 2.0 ** 53:
            return rounded(np.where(is_open != 0, row, 0.0), decimals)
        whole = {i: in_units(row[i]) for i in cells}
        units = {i: int(whole[i].to_integral_value(ROUND_FLOOR)) for i in cells}
        lost = {i: whole[i] - units[i] for i in cells}
        missing = int(in_units(total).to_integral_value(ROUND_HALF_UP)) - sum(units.values())
        for i in sorted(cells, key=lambda i: -lost[i])[:missing]:
            units[i] += 1
        return np.array([float(Decimal(units.get(i, 0)).scaleb(-decimals)) for i in range(len(row))])
    values = np.moveaxis(values, axis, -1)
    is_open = np.ones(values.shape) if is_open is None else np.moveaxis(is_open, axis, -1)
    rows = [one(row, own) for row, own in zip(values.reshape(-1, values.shape[-1]), is_open.reshape(-1, values.shape[-1]))]
    return np.moveaxis(np.array(rows).reshape(values.shape), -1, axis)
)";

}  // namespace

std::string numpy_head(const std::set<std::string>& helpers, const std::optional<HandRounding>& rounding) {
  const auto needs = [&](const char* helper) { return helpers.contains(helper); };
  const bool rounds = needs("rounded") || needs("rounded_rows");
  std::string text;
  if (rounds)
    text += "from decimal import ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_DOWN, ROUND_FLOOR, Decimal\n";
  if (rounds || needs("erf")) text += "import math\n";
  text += "import numpy as np\n\nnp.set_printoptions(precision=4, suppress=True)\n";
  if (needs("divided")) text += divided_helper;
  if (needs("finite")) text += finite_helper;
  if (needs("erf")) text += erf_helper;
  if (rounds) text += read_helper;
  if (needs("rounded")) {
    std::string helper(rounded_helper);
    const RoundingMode mode = rounding->mode;
    const std::string use = mode == RoundingMode::truncate    ? "ROUND_HALF_DOWN if is_exact else ROUND_DOWN"
                            : mode == RoundingMode::half_even ? "ROUND_HALF_EVEN"
                                                              : "ROUND_HALF_UP";
    const std::string place = "ROUND_IN_USE";
    helper.replace(helper.find(place), place.size(), use);
    text += helper;
  }
  if (needs("rounded_rows")) text += rows_helper;
  text.pop_back();
  return text;
}

}  // namespace attn
