#include <utility>

#include "base/utf8.h"
#include "tokenizers/tokenizer_json.h"
#include "tokenizers/unicode.h"

namespace attn {
namespace {

bool is_number(char32_t point) { return is_of_category(point, 'N'); }

Normalizer read_bert_normalizer(const JsonPlace& at) {
  at.has_only({"type", "clean_text", "handle_chinese_chars", "strip_accents", "lowercase"});
  BertCleaning settings = {.cleans = at["clean_text"].flag(),
                           .puts_spaces_around_chinese = at["handle_chinese_chars"].flag(),
                           .lowers = at["lowercase"].flag()};
  const JsonPlace strips = at["strip_accents"];
  settings.strips_accents = strips.is_null() ? settings.lowers : strips.flag();
  return cleaning(settings);
}

// The steps of a sequence, and of those that stand in it.
void add_steps(const JsonPlace& at, std::string_view member, std::vector<JsonPlace>& steps) {
  at.has_only({"type", member});
  for (const JsonPlace& place : at[member].elements()) {
    if (place.is_object() && place["type"].is_text() && place["type"].text() == "Sequence") {
      add_steps(place, member, steps);
    } else if (steps.size() == most_steps) {
      return place.not_computed("is one of more than " + std::to_string(most_steps) + " steps");
    } else {
      steps.push_back(place);
    }
  }
}

Normalizer read_normalizers(const JsonPlace& at, SpellingRules& spelling_rules) {
  std::vector<JsonPlace> places;
  add_steps(at, "normalizers", places);
  std::vector<Normalizer> steps;
  for (const JsonPlace& place : places) steps.push_back(read_normalizer(place, spelling_rules));
  return one_after_the_other(std::move(steps));
}

Normalizer read_replacing(const JsonPlace& at, SpellingRules& spelling_rules) {
  at.has_only({"type", "pattern", "content"});
  const std::string content = at["content"].text();
  const JsonPlace pattern = at["pattern"];
  if (pattern["String"].is_text() && pattern["String"].text() == " ") spelling_rules.space = content;
  return replacing(read_wanted(pattern), content);
}

Cut read_cut(const JsonPlace& at) {
  constexpr Cut cuts[] = {Cut::removed, Cut::isolated, Cut::merged_with_previous, Cut::merged_with_next,
                          Cut::contiguous};
  return cuts[at.one_of({"Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"})];
}

PreTokenizer read_byte_level(const JsonPlace& at, SpellingRules& spelling_rules) {
  at.has_only({"type", "add_prefix_space", "trim_offsets", "use_regex"});
  spelling_rules.is_of_bytes = true;
  return making_bytes(
      {.adds_prefix_space = at["add_prefix_space"].flag(), .uses_pattern = at["use_regex"].flag_or(true)});
}

PreTokenizer read_metaspace(const JsonPlace& at, bool knows_the_first, SpellingRules& spelling_rules) {
  at.has_only({"type", "replacement", "add_prefix_space", "prepend_scheme", "split", "str_rep"});
  Metaspace settings = {.replacement = at["replacement"].text()};
  if (settings.replacement.empty() || code_point(settings.replacement, 0).bytes != settings.replacement.size())
    at["replacement"].refuse("must be one character");
  settings.splits = at["split"].flag_or(true);
  if (const JsonPlace scheme = at["prepend_scheme"]; !scheme.is_null()) {
    constexpr Metaspace::Prepended schemes[] = {Metaspace::Prepended::always, Metaspace::Prepended::first,
                                                Metaspace::Prepended::never};
    settings.prepended = schemes[scheme.one_of({"always", "first", "never"})];
    if (settings.prepended == Metaspace::Prepended::first && !knows_the_first)
      scheme.not_computed("is not computed behind a normalizer or another pre-tokenizer");
  }
  const JsonPlace adds = at["add_prefix_space"];
  if (!adds.flag_or(true) && settings.prepended != Metaspace::Prepended::never)
    adds.refuse("does not go with prepend_scheme, which must be never");
  spelling_rules.space = settings.replacement;
  if (settings.replacement.empty()) return nullptr;
  return making_metaspaces(settings);
}

PreTokenizer read_pre_tokenizers(const JsonPlace& at, bool normalises, SpellingRules& spelling_rules) {
  std::vector<JsonPlace> places;
  add_steps(at, "pretokenizers", places);
  std::vector<PreTokenizer> steps;
  for (const JsonPlace& place : places) {
    const bool is_first = steps.empty();
    steps.push_back(read_pre_tokenizer(place, normalises || !is_first, spelling_rules));
  }
  return one_after_the_other(std::move(steps));
}

}  // namespace

Wanted read_wanted(const JsonPlace& at) {
  const Wanted nothing = [](std::string_view) { return Result<std::vector<Stretch>>(std::vector<Stretch>()); };
  at.has_only({"String", "Regex"});
  const JsonPlace plain = at["String"], expression = at["Regex"];
  if (plain.is_null() == expression.is_null()) {
    at.refuse("must have either String or Regex");
    return nothing;
  }
  if (!plain.is_null()) {
    const std::string text = plain.text();
    if (text.empty() && plain.is_text()) plain.not_computed("is empty, and found everywhere");
    return text.empty() ? nothing : wanted(text);
  }
  auto pattern = Pattern::read(expression.text());
  if (pattern) return wanted(std::move(pattern.value()));
  expression.remember(pattern.faults().front().code, pattern.faults().front().message);
  return nothing;
}

Normalizer read_normalizer(const JsonPlace& at, SpellingRules& spelling_rules) {
  static const auto in_form = [](NormalForm form) -> Normalizer {
    return [form](const std::string& text) { return Result<std::string>(normalised(text, form)); };
  };
  if (!at.is_object()) {
    at.refuse("must be an object");
    return one_after_the_other(std::vector<Normalizer>());
  }
  const std::string type = at["type"].text();
  if (type == "Sequence") return read_normalizers(at, spelling_rules);
  if (type == "BertNormalizer") return read_bert_normalizer(at);
  if (type == "Replace") return read_replacing(at, spelling_rules);
  if (type == "Strip") {
    at.has_only({"type", "strip_left", "strip_right"});
    return stripping(at["strip_left"].flag(), at["strip_right"].flag());
  }
  if (type == "Prepend") {
    at.has_only({"type", "prepend"});
    return prepending(at["prepend"].text());
  }
  at["type"].one_of({"NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Sequence", "BertNormalizer", "Replace",
                     "Strip", "Prepend"});
  at.has_only({"type"});
  if (type == "Lowercase") return [](const std::string& text) { return Result<std::string>(in_small_letters(text)); };
  if (type == "StripAccents") return stripping_marks();
  if (type == "NFC") return in_form(NormalForm::nfc);
  if (type == "NFD") return in_form(NormalForm::nfd);
  if (type == "NFKC") return in_form(NormalForm::nfkc);
  return in_form(NormalForm::nfkd);
}

PreTokenizer read_pre_tokenizer(const JsonPlace& at, bool normalises, SpellingRules& spelling_rules) {
  const PreTokenizer nothing = one_after_the_other(std::vector<PreTokenizer>());
  if (!at.is_object()) {
    at.refuse("must be an object");
    return nothing;
  }
  const std::string type = at["type"].text();
  if (type == "Sequence") return read_pre_tokenizers(at, normalises, spelling_rules);
  if (type == "ByteLevel") return read_byte_level(at, spelling_rules);
  if (type == "Metaspace") return read_metaspace(at, !normalises, spelling_rules);
  if (type == "Split") {
    at.has_only({"type", "pattern", "behavior", "invert"});
    return cutting(read_wanted(at["pattern"]), read_cut(at["behavior"]), at["invert"].flag());
  }
  if (type == "Digits") {
    at.has_only({"type", "individual_digits"});
    return cutting(wanted(is_number), at["individual_digits"].flag() ? Cut::isolated : Cut::contiguous);
  }
  if (type == "Punctuation") {
    at.has_only({"type", "behavior"});
    const JsonPlace behavior = at["behavior"];
    return cutting(wanted(is_bert_punctuation), behavior.is_null() ? Cut::isolated : read_cut(behavior));
  }
  at["type"].one_of({"BertPreTokenizer", "Whitespace", "WhitespaceSplit"});
  at.has_only({"type"});
  const PreTokenizer words = cutting(wanted(is_white_space), Cut::removed);
  if (type == "WhitespaceSplit") return words;
  if (type == "Whitespace") return one_after_the_other({words, cutting(wanted(is_word_character), Cut::contiguous)});
  return one_after_the_other({words, cutting(wanted(is_bert_punctuation), Cut::isolated)});
}

}  // namespace attn
