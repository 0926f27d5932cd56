#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "tokenizers/json_place.h"
#include "tokenizers/parts.h"
#include "tokenizers/tokenizer.h"

namespace attn {

// The tokenizer that a tokenizer.json describes. Faults: see read_tokenizer.
Result<Tokenizer> parse_tokenizer_json(std::string text);

// More steps than these, one behind the other, are not computed: each takes time for each text.
constexpr std::size_t most_steps = 64;

// More tokens than these are not computed: there is no model of half as many, and a file of very many would take more
// memory and time than its refusal may.
constexpr std::size_t most_tokens = std::size_t{1} << 21;

// What a model knows, and how to make it of that, which takes memory and time: once nothing is wrong with its file.
struct ReadModel {
  std::shared_ptr<const Vocabulary> vocabulary = std::make_shared<const Vocabulary>();
  std::function<CutsWords()> make;
};

// Its parts. Faults are left with the file; what is given then is of no use.
Normalizer read_normalizer(const JsonPlace& at, SpellingRules& spelling_rules);
PreTokenizer read_pre_tokenizer(const JsonPlace& at, bool normalises, SpellingRules& spelling_rules);
ReadModel read_model(const JsonPlace& at, SpellingRules& spelling_rules);
std::vector<Template> read_post_processor(const JsonPlace& at, const AllTokens& tokens);

// The pattern that a normalizer or a pre-tokenizer looks for.
Wanted read_wanted(const JsonPlace& at);

// Adds the merge of two tokens to what is learned, behind all others. What is wrong with it, if anything is, as the end
// of a sentence: "merges `a` and `b`, and `ab` is no token".
std::string add_merge(const std::string& left, const std::string& right, const Vocabulary& vocabulary,
                      BytePairs& pairs);

// A token of byte pairs may be as long as a word is: what is longer is no token of anybody's.
constexpr std::size_t longest_token = std::size_t{1} << 20;

// The vocabulary of an object of spellings and ids. Faults are those of a spelling that is longer than so many bytes,
// and of ids that two tokens have. Null, and a fault, where there are more than `most_tokens`.
std::shared_ptr<const Vocabulary> read_vocabulary(const JsonPlace& at, std::size_t longest);

// Refuses, at the place of the vocabulary, ids that are not all from 0 on.
void refuse_left_out(const JsonPlace& at, const Vocabulary& vocabulary);

}  // namespace attn
