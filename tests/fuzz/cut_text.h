#pragma once

#include <string_view>

#include "base/result.h"
#include "tokenizers/tokenizer.h"

namespace attn {

// Cuts the text, if there is a tokenizer, and holds what comes of it to what tokenizers/tokenizer.h promises; a
// fault says what is wrong.
void demand_cut(const Result<Tokenizer>& tokenizer, std::string_view text);

}  // namespace attn
