#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizers/vocabulary.h"

namespace attn {

// Cuts a word into tokens, and adds their ids at the end of others. Words are valid UTF-8.
using CutsWords = std::function<void(std::string_view word, std::vector<std::size_t>& ids)>;

// The longest token first, from the left (Wu et al. 2016, as BERT has it). A word of which that leaves a rest
// is unknown as a whole, and so is one of more characters than the limit.
// REQUIRES: tokens are no longer than Trie::longest.
struct WordPieces {
  std::size_t unknown = 0;
  std::string continuing_prefix = "##";  // of a token that does not begin its word
  std::size_t most_characters = 100;     // of a word
};
CutsWords cutting_into_word_pieces(const Vocabulary& vocabulary, const WordPieces& settings);

// Characters, of which neighbours are merged, the pair that was learned first before the others (Sennrich et al.
// 2016); of the bytes of a text where a pre-tokenizer has made characters of them (Radford et al. 2019).
struct BytePairs {
  struct Merge {
    std::uint32_t left, right, made;  // ids
    std::uint32_t rank;
  };

  // Behind all others. Of a pair that is said twice the later rank counts, as in the reference.
  void add(std::uint32_t left, std::uint32_t right, std::uint32_t made);

  std::vector<Merge> merges;           // in any order
  std::uint32_t said = 0;              // how many there were, with those said twice
  std::size_t thinned_at = 1'000'000;  // how many there may be before pairs that are there twice are dropped
  std::optional<std::size_t> unknown;  // what a character is that is no token; without one it is left out
  std::string end_of_word_suffix;      // of a word's last character
  bool fuses_unknown = false;          // unknown neighbours are one token
  bool falls_back_to_bytes = false;    // a character that is no token is its bytes, "<0xE2>", where these are tokens
  bool ignores_merges = false;         // a word that is a token is that one
};
CutsWords cutting_by_merges(std::shared_ptr<const Vocabulary> vocabulary, std::shared_ptr<BytePairs> settings);

// The tokens whose probabilities multiply to the most (Kudo 2018). What no token covers is unknown, neighbours
// together, at a price below that of every token.
// REQUIRES: ids are the places of scores, and tokens no longer than Trie::longest.
struct Unigrams {
  std::vector<double> scores;  // logarithms of the probabilities, of which there is one at least
  std::size_t unknown = 0;
  bool falls_back_to_bytes = false;
};
CutsWords cutting_by_probability(std::shared_ptr<const Vocabulary> vocabulary, Unigrams settings);

// The token that stands for a byte which no other does: "<0x0A>".
std::string spelled_byte(unsigned char byte);

}  // namespace attn
