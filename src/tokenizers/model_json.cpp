#include <utility>

#include "tokenizers/tokenizer_json.h"
#include "tokenizers/trie.h"

namespace attn {
namespace {

// Makes tokens be found. Refuses those that were there before, at their places; there is a token for each place.
void index(const JsonPlaces& places, const std::string& what, Vocabulary& vocabulary) {
  const std::vector<std::size_t> repeated = vocabulary.index();
  auto next = repeated.begin();
  std::size_t at = 0;
  for (auto place = places.begin(); next != repeated.end(); ++place, ++at) {
    if (at != *next) continue;
    (*place).refuse(what);
    if ((*place).is_enough()) return;
    ++next;
  }
}

// Whether one token more would be too many, which is then remembered.
bool is_full(const Vocabulary& vocabulary, const JsonPlace& at) {
  if (vocabulary.size() < most_tokens) return false;
  at.not_computed("has more than " + std::to_string(most_tokens) + " tokens");
  return true;
}

std::size_t known(const JsonPlace& at, const Vocabulary& vocabulary) {
  const std::string spelling = at.text();
  const auto id = vocabulary.id(spelling);
  if (!id && at.is_text()) at.refuse("is " + readable(spelling) + ", which is no token of the vocabulary");
  return id.value_or(0);
}

ReadModel read_word_pieces(const JsonPlace& at, SpellingRules& spelling_rules) {
  at.has_only({"type", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab"});
  const auto vocabulary = read_vocabulary(at["vocab"], Trie::longest);
  if (!vocabulary) return {};
  const WordPieces settings = {.unknown = known(at["unk_token"], *vocabulary),
                               .continuing_prefix = at["continuing_subword_prefix"].text(),
                               .most_characters = at["max_input_chars_per_word"].whole()};
  spelling_rules.continuing_prefix = settings.continuing_prefix;
  return {vocabulary, [=] { return cutting_into_word_pieces(*vocabulary, settings); }};
}

// "a b", or ["a", "b"].
void read_merge(const JsonPlace& at, const Vocabulary& vocabulary, BytePairs& pairs) {
  std::string left, right;
  if (at.is_list()) {
    const auto both = at.pair();
    if (!both) return at.refuse("must be a list of two tokens");
    left = both->first.text();
    right = both->second.text();
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

ReadModel read_byte_pairs(const JsonPlace& at, SpellingRules& spelling_rules) {
  at.has_only({"type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk",
               "byte_fallback", "ignore_merges", "vocab", "merges"});
  const auto vocabulary = read_vocabulary(at["vocab"], longest_token);
  if (!vocabulary) return {};
  if (const JsonPlace dropout = at["dropout"]; !dropout.is_null() && dropout.number() != 0)
    dropout.not_computed("draws which merges are left out, and no two runs are alike");
  if (const JsonPlace prefix = at["continuing_subword_prefix"]; !prefix.text_or_none().empty())
    prefix.not_computed("is " + readable(prefix.text()) + "; only none is computed");

  const auto kept = std::make_shared<BytePairs>();
  BytePairs& pairs = *kept;
  if (const JsonPlace unknown = at["unk_token"]; !unknown.is_null()) pairs.unknown = known(unknown, *vocabulary);
  pairs.end_of_word_suffix = at["end_of_word_suffix"].text_or_none();
  pairs.fuses_unknown = at["fuse_unk"].flag_or(false);
  pairs.falls_back_to_bytes = at["byte_fallback"].flag_or(false);
  pairs.ignores_merges = at["ignore_merges"].flag_or(false);
  for (const JsonPlace& merge : at["merges"].elements()) {
    if (at.is_enough()) break;
    read_merge(merge, *vocabulary, pairs);
  }
  spelling_rules.has_byte_tokens = pairs.falls_back_to_bytes;
  spelling_rules.end_of_word = pairs.end_of_word_suffix;
  return {vocabulary, [=] { return cutting_by_merges(vocabulary, kept); }};
}

ReadModel read_unigrams(const JsonPlace& at, SpellingRules& spelling_rules) {
  at.has_only({"type", "unk_id", "vocab", "byte_fallback"});
  Unigrams settings;
  Vocabulary vocabulary;
  const JsonPlace all = at["vocab"];
  const JsonPlaces tokens = all.elements();
  for (const JsonPlace& place : tokens) {
    if (at.is_enough()) break;
    if (is_full(vocabulary, all)) return {};
    const auto both = place.pair();
    if (!both) {
      place.refuse("must be a list of a token and its score");
      vocabulary.add("", Vocabulary::passed_over);
      settings.scores.push_back(0);
      continue;
    }
    const std::string spelling = both->first.text();
    if (spelling.size() > Trie::longest)
      place.not_computed("is a token of more than " + std::to_string(Trie::longest) + " bytes");
    vocabulary.add(spelling, settings.scores.size());
    settings.scores.push_back(both->second.number());
  }
  if (!at.is_enough()) index(tokens, "is a token that was there before", vocabulary);
  settings.unknown = at["unk_id"].whole();
  if (settings.unknown >= settings.scores.size()) at["unk_id"].refuse("is the id of no token");
  settings.falls_back_to_bytes = at["byte_fallback"].flag_or(false);
  spelling_rules.has_byte_tokens = settings.falls_back_to_bytes;
  const auto kept = std::make_shared<const Vocabulary>(std::move(vocabulary));
  return {kept, [kept, settings = std::move(settings)] { return cutting_by_probability(kept, settings); }};
}

}  // namespace

std::string add_merge(const std::string& left, const std::string& right, const Vocabulary& vocabulary,
                      BytePairs& pairs) {
  const std::string tokens[] = {left, right, left + right};
  std::uint32_t ids[3] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto id = vocabulary.id(tokens[i]);
    if (!id)
      return "merges " + readable(left) + " and " + readable(right) + ", and " + readable(tokens[i]) +
             " is no token of the vocabulary";
    ids[i] = static_cast<std::uint32_t>(*id);
  }
  pairs.add(ids[0], ids[1], ids[2]);
  return "";
}

std::shared_ptr<const Vocabulary> read_vocabulary(const JsonPlace& at, std::size_t longest) {
  const auto made = std::make_shared<Vocabulary>();
  Vocabulary& vocabulary = *made;
  for (const JsonPlace& place : at.members()) {
    if (at.is_enough()) return made;
    if (is_full(vocabulary, at)) return nullptr;
    const std::string spelling = place.name();
    if (spelling.size() > longest) place.not_computed("is a token of more than " + std::to_string(longest) + " bytes");
    vocabulary.add(spelling, place.read_whole().value_or(Vocabulary::passed_over));
  }
  if (at.is_object() && vocabulary.size() == 0) at.refuse("is empty");
  index(at.members(), "is an id that another token has", vocabulary);
  return made;
}

void refuse_left_out(const JsonPlace& at, const Vocabulary& vocabulary) {
  if (const auto id = vocabulary.left_out())
    at.refuse("has " + std::to_string(vocabulary.size()) + " tokens, and none with the id " + std::to_string(*id));
}

ReadModel read_model(const JsonPlace& at, SpellingRules& spelling_rules) {
  if (!at.is_object()) {
    at.refuse("must be an object");
    return {};
  }
  const JsonPlace type = at["type"];
  const std::size_t kind = type.one_of({"WordPiece", "BPE", "Unigram"});
  if (type.is_text() && type.text() == "WordPiece") return read_word_pieces(at, spelling_rules);
  if (kind == 1) return read_byte_pairs(at, spelling_rules);
  if (kind == 2) return read_unigrams(at, spelling_rules);
  return {};
}

}  // namespace attn
