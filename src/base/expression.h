#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"

namespace attn {

// What a spelling of a number says.
struct SpelledNumber {
  double value = 0;

  // How many decimals a decimal number was written with: 2 for "0.50" and for
  // "47%", 3 for "1e-3", 0 for "25". Nothing for an expression or an infinity,
  // which are exact. At most 400: below every double.
  std::optional<int> decimals = {};
};

// Reads a number as people spell one (docs/answers-format.md): a decimal
// ("0.50", "−2", ".5", "1e-3", "47%"), an infinity ("inf", "-∞"), or an
// expression: + - * / ^ with the signs − · × ÷, parentheses, √, ² and ³, e, pi,
// sqrt(), exp(), ln(), and products without a sign, 2e^4. Blanks around it and
// in it do not count.
//
// The value is finite or an infinity that was spelled as one: division by zero
// and overflow are faults. A fault's range is the bytes of `text` that are
// meant; it is never empty but where `text` is. Any bytes whatever are read,
// in time and stack that do not grow without bound.
Result<SpelledNumber> spelled_number(std::string_view text);

// Whether it reads one: soon, and without saying why not.
bool is_spelled_number(std::string_view text);

}  // namespace attn
