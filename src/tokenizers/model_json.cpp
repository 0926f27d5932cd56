#include <utility>

#include "tokenizers/tokenizer_json.h"
#include "tokenizers/trie.h"

namespace attn {
namespace {

void read_vocabulary(const JsonPlace& at, std::size_t longest, Vocabulary& vocabulary) {
  for (const JsonPlace& place : at.members()) {
    if (at.is_enough()) return;
    const std::string spelling = place.name();
    if (spelling.size() > longest) place.not_computed("is a token of more than " + std::to_string(longest) + " bytes");
    if (!vocabulary.add(spelling, place.whole())) place.refuse("is an id that another token has");
  }
  if (at.is_object() && vocabulary.size() == 0) at.refuse("is empty");
}

std::size_t known(const JsonPlace& at, const Vocabulary& vocabulary) {
  const std::string spelling = at.text();
  const auto id = vocabulary.id(spelling);
  if (!id && at.is_text()) at.refuse("is " + readable(spelling) + ", which is no token of the vocabulary");
  return id.value_or(0);
}

CutsWords read_word_pieces(const JsonPlace& at, Vocabulary& vocabulary, SpellingRules& spelling_rules) {
  at.has_only({"type", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab"});
  read_vocabulary(at["vocab"], Trie::longest, vocabulary);
  const WordPieces settings = {.unknown = known(at["unk_token"], vocabulary),
                               .continuing_prefix = at["continuing_subword_prefix"].text(),
                               .most_characters = at["max_input_chars_per_word"].whole()};
  spelling_rules.continuing_prefix = settings.continuing_prefix;
  return cutting_into_word_pieces(vocabulary, settings);
}

// "a b", or ["a", "b"].
void read_merge(const JsonPlace& at, const Vocabulary& vocabulary, BytePairs& pairs) {
  std::string left, right;
  if (at.is_list()) {
    const auto both = at.elements();
    if (both.size() != 2) return at.refuse("must be a list of two tokens");
    left = both[0].text();
    right = both[1].text();
  } else {
    const std::string text = at.text();
    const std::size_t blank = text.find(' ');
    if (blank == std::string::npos || text.find(' ', blank + 1) != std::string::npos)
      return at.refuse("must be two tokens with a space between");
    left = text.substr(0, blank);
    right = text.substr(blank + 1);
  }
  const std::string wrong = add_merge(left, right, vocabulary, pairs);
  if (!wrong.empty()) at.refuse(wrong);
}

CutsWords read_byte_pairs(const JsonPlace& at, Vocabulary& vocabulary, SpellingRules& spelling_rules) {
  at.has_only({"type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk",
               "byte_fallback", "ignore_merges", "vocab", "merges"});
  read_vocabulary(at["vocab"], std::size_t{1} << 20, vocabulary);
  if (const JsonPlace dropout = at["dropout"]; !dropout.is_null() && dropout.number() != 0)
    dropout.not_computed("draws which merges are left out, and no two runs are alike");
  if (const JsonPlace prefix = at["continuing_subword_prefix"]; !prefix.text_or_none().empty())
    prefix.not_computed("is " + readable(prefix.text()) + "; only none is computed");

  BytePairs pairs;
  if (const JsonPlace unknown = at["unk_token"]; !unknown.is_null()) pairs.unknown = known(unknown, vocabulary);
  pairs.end_of_word_suffix = at["end_of_word_suffix"].text_or_none();
  pairs.fuses_unknown = at["fuse_unk"].flag_or(false);
  pairs.falls_back_to_bytes = at["byte_fallback"].flag_or(false);
  pairs.ignores_merges = at["ignore_merges"].flag_or(false);
  for (const JsonPlace& merge : at["merges"].elements()) {
    if (at.is_enough()) break;
    read_merge(merge, vocabulary, pairs);
  }
  spelling_rules.has_byte_tokens = pairs.falls_back_to_bytes;
  spelling_rules.end_of_word = pairs.end_of_word_suffix;
  return cutting_by_merges(vocabulary, std::move(pairs));
}

CutsWords read_unigrams(const JsonPlace& at, Vocabulary& vocabulary, SpellingRules& spelling_rules) {
  at.has_only({"type", "unk_id", "vocab", "byte_fallback"});
  Unigrams settings;
  for (const JsonPlace& place : at["vocab"].elements()) {
    if (at.is_enough()) break;
    const auto both = place.elements();
    if (both.size() != 2) {
      place.refuse("must be a list of a token and its score");
      continue;
    }
    const std::string spelling = both[0].text();
    if (spelling.size() > Trie::longest)
      place.not_computed("is a token of more than " + std::to_string(Trie::longest) + " bytes");
    if (!vocabulary.add(spelling, settings.scores.size())) place.refuse("is a token that was there before");
    settings.scores.push_back(both[1].number());
  }
  settings.unknown = at["unk_id"].whole();
  if (settings.unknown >= settings.scores.size()) at["unk_id"].refuse("is the id of no token");
  settings.falls_back_to_bytes = at["byte_fallback"].flag_or(false);
  spelling_rules.has_byte_tokens = settings.falls_back_to_bytes;
  if (settings.scores.empty()) return nullptr;
  return cutting_by_probability(vocabulary, std::move(settings));
}

}  // namespace

std::string add_merge(const std::string& left, const std::string& right, const Vocabulary& vocabulary,
                      BytePairs& pairs) {
  const std::string tokens[] = {left, right, left + right};
  std::size_t ids[3] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto id = vocabulary.id(tokens[i]);
    if (!id)
      return "merges " + readable(left) + " and " + readable(right) + ", and " + readable(tokens[i]) +
             " is no token of the vocabulary";
    ids[i] = *id;
  }
  // Of a pair that is there twice the last counts, as in the reference; ranks are those of all that were said.
  pairs.merges[BytePairs::pair(ids[0], ids[1])] = {.rank = pairs.said++, .id = ids[2]};
  return "";
}

CutsWords read_model(const JsonPlace& at, Vocabulary& vocabulary, SpellingRules& spelling_rules) {
  if (!at.is_object()) {
    at.refuse("must be an object");
    return nullptr;
  }
  const JsonPlace type = at["type"];
  const std::size_t kind = type.one_of({"WordPiece", "BPE", "Unigram"});
  if (type.is_text() && type.text() == "WordPiece") return read_word_pieces(at, vocabulary, spelling_rules);
  if (kind == 1) return read_byte_pairs(at, vocabulary, spelling_rules);
  if (kind == 2) return read_unigrams(at, vocabulary, spelling_rules);
  return nullptr;
}

}  // namespace attn
