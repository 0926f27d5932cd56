#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizers/pattern.h"
#include "tokenizers/trie.h"

namespace attn {

// A token that is found in the text itself, before anything is cut into words: "[MASK]", "<|endoftext|>".
struct AddedToken {
  std::string content;
  std::size_t id = 0;
  bool takes_blanks_before = false;
  bool takes_blanks_behind = false;
};

// Tokens that are looked for in one text, the longest at the leftmost place first.
class AddedTokens {
 public:
  // A stretch of a text, and the token that it is, if it is one.
  struct Found {
    Stretch stretch;
    std::optional<std::size_t> id;
  };

  // Of two with the same content the first counts. REQUIRES: `content`, which is what is looked for, is neither
  // empty nor longer than Trie::longest.
  void add(AddedToken token);

  // All of the text, from the left. REQUIRES: valid UTF-8.
  std::vector<Found> found_in(std::string_view text) const;

 private:
  Trie trie_;
  std::vector<AddedToken> tokens_;
};

}  // namespace attn
