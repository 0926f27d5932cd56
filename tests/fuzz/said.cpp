#include "said.h"

#include <algorithm>

#include "base/utf8.h"
#include "harness.h"
#include "reading/report.h"

namespace attn {

void demand_printable(std::string_view shown) {
  const auto is_control = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F; };
  demand(std::ranges::none_of(shown, is_control), "no control character is shown", shown);
  demand(!first_invalid_utf8(shown), "what is shown is UTF-8", shown);
}

void demand_faults(const Diagnostics& faults, std::string_view text) {
  constexpr std::size_t most_shown = 40'000;
  demand(!faults.empty(), "what is refused has a reason");
  for (const Diagnostic& fault : faults) {
    demand(!fault.code.empty() && !fault.message.empty() && !fault.help.text().empty(), "a fault says what to do");
    if (!fault.range) continue;
    demand(fault.range->begin <= fault.range->end && fault.range->end <= text.size(), "a fault is in its text",
           fault.message);
  }
  const std::string shown = report(faults, text, "f");
  demand(!shown.empty() && shown.size() < most_shown, "a report is short");
  demand_printable(shown);
}

}  // namespace attn
