#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tokenizers/added_tokens.h"
#include "tokenizers/model.h"
#include "tokenizers/pieces.h"
#include "tokenizers/vocabulary.h"

namespace attn {

// What stands around a text: ids, and nothing where the text's own tokens go.
using Template = std::vector<std::optional<std::size_t>>;

// What people are shown of a spelling.
struct SpellingRules {
  bool is_of_bytes = false;       // in the alphabet for bytes
  bool has_byte_tokens = false;   // "<0x0A>" is a byte
  std::string continuing_prefix;  // of a token that does not begin its word: "##"
  std::string space;              // what stands for " ": "▁"
  std::string end_of_word;        // what the end of a word has: "</w>"
};

// What a tokenizer is made of, in the order in which a text goes through it.
struct TokenizerParts {
  AddedTokens added_as_typed;
  Normalizer normalizer;  // none: the text as it is
  AddedTokens added_as_normalised;
  PreTokenizer pre_tokenizer;  // none: one piece
  CutsWords model;
  std::vector<Template> templates;  // each around what the one before it made

  AllTokens tokens;
  std::set<std::size_t> added;
  SpellingRules spelling_rules;
};

}  // namespace attn
