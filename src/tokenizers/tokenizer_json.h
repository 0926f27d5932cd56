#pragma once

#include <cstddef>
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

// Its parts. Faults are left with the file; what is given then is of no use.
Normalizer read_normalizer(const JsonPlace& at, SpellingRules& spelling_rules);
PreTokenizer read_pre_tokenizer(const JsonPlace& at, bool normalises, SpellingRules& spelling_rules);
CutsWords read_model(const JsonPlace& at, Vocabulary& vocabulary, SpellingRules& spelling_rules);
std::vector<Template> read_post_processor(const JsonPlace& at, const Vocabulary& vocabulary);

// The pattern that a normalizer or a pre-tokenizer looks for.
Wanted read_wanted(const JsonPlace& at);

// Adds the merge of two tokens to what is learned, behind all others. What is wrong with it, if anything is, as the end
// of a sentence: "merges `a` and `b`, and `ab` is no token".
std::string add_merge(const std::string& left, const std::string& right, const Vocabulary& vocabulary,
                      BytePairs& pairs);

// What is wrong with a vocabulary's ids, if anything is: there must be all from 0 on.
std::string left_out(const Vocabulary& vocabulary);

}  // namespace attn
