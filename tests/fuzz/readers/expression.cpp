#include "base/expression.h"

#include <cmath>
#include <string>

#include "base/numbers.h"
#include "harness.h"

namespace attn {
namespace {

// A number as people spell it.
void run(std::string_view text) {
  const Result<SpelledNumber> read = spelled_number(text);
  demand(is_spelled_number(text) == static_cast<bool>(read), "whether it is read is known without the words", text);
  if (!read) {
    for (const Diagnostic& fault : read.faults()) {
      demand(fault.range.has_value(), "a fault has its place", fault.message);
      demand(fault.range->end <= text.size(), "the place is in the text", fault.message);
      demand(fault.range->begin < fault.range->end || text.empty(), "the place is not empty", fault.message);
    }
    return;
  }
  const SpelledNumber& number = read.value();
  demand(!std::isnan(number.value), "what is spelled is a number", text);
  demand(number.decimals.value_or(0) >= 0 && number.decimals.value_or(0) <= 400, "decimals are counted", text);
  double plain = 0;
  if (parse_number(text, plain)) {
    demand(number.value == plain, "a number of JSON is the same number", text);
    demand(number.decimals.has_value(), "a decimal has decimals", text);
  }
  const Result<SpelledNumber> again = spelled_number(shortest(number.value));
  demand(again && again.value().value == number.value, "what is written is read", text);
}

}  // namespace

Harness expression_harness() { return {"expression", run}; }

}  // namespace attn
