#include <string>

#include "cut_text.h"
#include "harness.h"
#include "tokenizers/tokenizer_json.h"

namespace attn {
namespace {

// A tokenizer.json and, behind a NUL, a text that it is asked to cut.
void run(std::string_view bytes) {
  constexpr std::string_view otherwise = "Hello, the 2 wörld's\n…";
  const std::size_t nul = bytes.find('\0');
  demand_cut(parse_tokenizer_json(std::string(bytes.substr(0, nul))),
             nul == std::string_view::npos ? otherwise : bytes.substr(nul + 1));
}

}  // namespace

Harness tokenizer_harness() { return {"tokenizer", run}; }

}  // namespace attn
