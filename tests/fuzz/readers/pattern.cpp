#include "tokenizers/pattern.h"

#include <string>

#include "base/utf8.h"
#include "harness.h"

namespace attn {
namespace {

// A regular expression of a tokenizer and, behind a line break, a text that it is looked for in.
void run(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  const std::string_view text = end == std::string_view::npos ? "" : bytes.substr(end + 1);
  const Result<Pattern> pattern = Pattern::read(bytes.substr(0, end));
  if (!pattern) return demand(!pattern.faults().front().message.empty(), "a fault says what is wrong");
  if (first_invalid_utf8(text)) return;
  const auto matches = pattern.value().matches(text);
  if (!matches) return;
  std::size_t before = 0;
  for (const auto& [begin, behind] : matches.value()) {
    demand(before <= begin && begin < behind && behind <= text.size(), "matches stand one behind the other", bytes);
    before = behind;
  }
}

}  // namespace

Harness pattern_harness() { return {"pattern", run}; }

}  // namespace attn
