#include "tokenizers/tokenizer.h"

#include <string>

#include "base/utf8.h"
#include "harness.h"
#include "tokenizers/tokenizer_json.h"

namespace attn {
namespace {

// A tokenizer.json and, behind a NUL, a text that it is asked to cut.
void run(std::string_view bytes) {
  constexpr std::string_view otherwise = "Hello, the 2 wörld's\n…";
  const std::size_t nul = bytes.find('\0');
  const std::string_view text = nul == std::string_view::npos ? otherwise : bytes.substr(nul + 1);
  const Result<Tokenizer> tokenizer = parse_tokenizer_json(std::string(bytes.substr(0, nul)));
  if (!tokenizer) {
    for (const Diagnostic& fault : tokenizer.faults()) demand(!fault.message.empty(), "a fault says what is wrong");
    return;
  }
  const Result<std::vector<TextToken>> tokens = tokenizer.value().encode(text);
  if (!tokens) {
    const std::string& code = tokens.faults().front().code;
    demand(code == "pattern-too-slow" || (code == "not-utf8" && first_invalid_utf8(text)), "a text is cut", code);
    return;
  }
  demand(!first_invalid_utf8(text), "what is no UTF-8 is refused", text);
  for (const TextToken& token : tokens.value()) {
    demand(token.id < tokenizer.value().size(), "a token has an id", token.spelling);
    demand(tokenizer.value().token(token.id) == token, "a token is known by its id", token.spelling);
  }
}

}  // namespace

Harness tokenizer_harness() { return {"tokenizer", run}; }

}  // namespace attn
