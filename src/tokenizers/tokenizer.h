#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace attn {

struct TokenizerParts;  // tokenizers/parts.h

// One token of a text.
struct TextToken {
  std::size_t id = 0;

  // What the vocabulary says: "##ing", "Ġstreet", "▁street". It is other people's text: see printable().
  std::string spelling;

  // What it stands for in a text, as people read it: "ing", " street". Characters that steer, and bytes that are
  // but a part of a character, are escapes: "\n", "\xe2".
  std::string text;

  bool operator==(const TextToken&) const = default;
};

// The tokens of texts, as a trained model has learned them.
class Tokenizer {
 public:
  explicit Tokenizer(TokenizerParts parts);

  // The tokens of a text, with those that the model puts around one ("[CLS]" … "[SEP]"), the same as the library
  // `tokenizers` gives; where Unicode's tables differ, see tokenizers/unicode.h. It takes time in proportion to
  // the text, or a little more (n log n).
  // Faults, without a place: "not-utf8", "pattern-too-slow"; "text-too-long" where the tokenizer makes more than 512
  // KiB of it, or a million tokens.
  Result<std::vector<TextToken>> encode(std::string_view text) const;

  // The token of that id, if there is one.
  std::optional<TextToken> token(std::size_t id) const;

  // The id of the token that the vocabulary spells so, if there is one.
  std::optional<std::size_t> id(std::string_view spelling) const;

  // How many tokens there are; their ids are the numbers below.
  std::size_t size() const;

 private:
  std::shared_ptr<const TokenizerParts> parts_;
};

// Reads the tokenizer that stands beside a model: tokenizer.json; or else vocab.txt, which is of WordPieces, as
// BERT's are; or else vocab.json and merges.txt, byte-level BPE, as GPT-2 and RoBERTa have it. Of the latter two
// tokenizer_config.json, special_tokens_map.json and config.json may say more: do_lower_case, names of special tokens,
// whose model it is.
//
//   WordPiece    Wu et al. 2016, "Google's neural machine translation system"; Devlin et al. 2018, BERT
//   BPE          Sennrich et al. 2016, "Neural machine translation of rare words with subword units"
//   of bytes     Radford et al. 2019, "Language models are unsupervised multitask learners" (GPT-2)
//   unigrams     Kudo 2018, "Subword regularization"
//
// What a file says and nobody here computes is a fault that names it: there is no tokenizer that is nearly right.
// That goes for the normalizers Precompiled, with which T5 is published, and Nmt, the model WordLevel, and added
// tokens that are single words; for ids that are not all from 0 on; and,
// where there is no tokenizer.json, for all added tokens but the special ones that every model of the kind has.
// Only what says how tokens are turned into text, padded or cut off is passed over: "decoder", "truncation" and
// "padding".
//
// Faults: "bad-file" and "no-file" of files; "bad-tokenizer", "tokenizer-not-computed" and "bad-pattern" of what
// they say, with the file in the message, and in `where` the place in a file of JSON.
Result<Tokenizer> read_tokenizer(const std::string& folder);

}  // namespace attn
