#include "cut_text.h"

#include <string>
#include <vector>

#include "base/utf8.h"
#include "harness.h"

namespace attn {

void demand_cut(const Result<Tokenizer>& tokenizer, std::string_view text) {
  if (!tokenizer) {
    for (const Diagnostic& fault : tokenizer.faults()) demand(!fault.message.empty(), "a fault says what is wrong");
    return;
  }
  const Result<std::vector<TextToken>> tokens = tokenizer.value().encode(text);
  if (!tokens) {
    const std::string& code = tokens.faults().front().code;
    demand(code == "pattern-too-slow" || code == "text-too-long" || (code == "not-utf8" && first_invalid_utf8(text)),
           "a text is cut", code);
    return;
  }
  demand(!first_invalid_utf8(text), "what is no UTF-8 is refused", text);
  for (const TextToken& token : tokens.value()) {
    demand(token.id < tokenizer.value().size(), "a token has an id", token.spelling);
    demand(tokenizer.value().token(token.id) == token, "a token is known by its id", token.spelling);
  }
}

}  // namespace attn
