#include "tokenizers/tokenizer_json.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tokenizers/trie.h"

namespace attn {
namespace {

void read_added_token(const JsonPlace& at, TokenizerParts& parts, std::vector<AddedToken> (&found)[2][2]) {
  at.has_only({"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"});
  AddedToken token = {.content = at["content"].text(),
                      .id = at["id"].whole(),
                      .takes_blanks_before = at["lstrip"].flag(),
                      .takes_blanks_behind = at["rstrip"].flag()};
  if (at["single_word"].flag()) at["single_word"].not_computed("is true, which is not computed");
  const bool is_normalised = at["normalized"].flag(), is_special = at["special"].flag();
  if (!at["content"].is_text()) return;
  if (token.content.empty()) return at["content"].refuse("is empty");
  if (token.content.size() > Trie::longest)
    return at["content"].not_computed("is longer than " + std::to_string(Trie::longest) + " bytes");

  // The id that the reference gives it, whatever the file says.
  const std::size_t id = parts.tokens.add(token.content);
  if (id != token.id) {
    return at["id"].refuse("is " + std::to_string(token.id) + ", and " + readable(token.content) + " is token " +
                           std::to_string(id) + " by the vocabulary");
  }
  if (!parts.added.insert(id).second) return at.refuse("is a token that was added before");
  if (is_normalised && parts.normalizer) {
    auto normal = parts.normalizer(token.content);
    if (!normal || normal.value().empty() || normal.value().size() > Trie::longest)
      return at["content"].not_computed("is nothing, or too long, once the normalizer was there");
    token.content = std::move(normal.value());
  }
  found[is_normalised ? 1 : 0][is_special ? 0 : 1].push_back(std::move(token));
}

void read_added_tokens(const JsonPlace& at, TokenizerParts& parts) {
  if (at.is_null()) return;
  // Where two are spelled alike once they are normalised, those that are special come first.
  std::vector<AddedToken> found[2][2];
  for (const JsonPlace& place : at.elements()) {
    if (at.is_enough()) return;
    read_added_token(place, parts, found);
  }
  for (const auto& tokens : found[0])
    std::ranges::for_each(tokens, [&](const auto& t) { parts.added_as_typed.add(t); });
  for (const auto& tokens : found[1])
    std::ranges::for_each(tokens, [&](const auto& t) { parts.added_as_normalised.add(t); });
}

// The id at that place. REQUIRES, or it is a fault: the vocabulary spells it so.
std::size_t special_id(const JsonPlace& spelled, const JsonPlace& at, const AllTokens& all) {
  const std::size_t id = at.whole();
  if (all.spelling(id) != spelled.text()) {
    at.refuse("is " + std::to_string(id) + ", which is not the id of " + readable(spelled.text()) +
              " in the vocabulary");
  }
  return id;
}

// Those of the special tokens there that pieces name, by their names: there may be many of both.
std::map<std::string, JsonPlace> named_tokens(const JsonPlace& pieces, const JsonPlace& special_tokens) {
  std::map<std::string, JsonPlace> tokens;
  if (!pieces.is_list() || !special_tokens.is_object()) return tokens;
  std::set<std::string> names;
  for (const JsonPlace& piece : pieces.elements()) {
    const JsonPlace name = piece["SpecialToken"]["id"];
    if (name.is_text()) names.insert(name.text());
  }
  for (const JsonPlace& token : special_tokens.members()) {
    if (names.contains(token.name())) tokens.emplace(token.name(), token);
  }
  return tokens;
}

Template read_template(const JsonPlace& at, const AllTokens& all) {
  constexpr std::size_t most_around = 1'000;
  at.has_only({"type", "single", "pair", "special_tokens"});
  Template around;
  const JsonPlace special_tokens = at["special_tokens"];
  const std::map<std::string, JsonPlace> named = named_tokens(at["single"], special_tokens);
  for (const JsonPlace& place : at["single"].elements()) {
    if (at.is_enough()) break;
    place.has_only({"Sequence", "SpecialToken"});
    const JsonPlace text = place["Sequence"], token = place["SpecialToken"];
    if (text.is_null() == token.is_null()) {
      place.refuse("must have either Sequence or SpecialToken");
    } else if (!text.is_null()) {
      text["id"].one_of({"A"});
      around.push_back(std::nullopt);
    } else {
      const std::string name = token["id"].text();
      const auto found = named.find(name);
      const JsonPlace special = found == named.end() ? special_tokens[name] : found->second;
      const auto ids = special["ids"].elements(), tokens = special["tokens"].elements();
      if (ids.size() != tokens.size()) {
        special.refuse("must have as many tokens as ids");
        continue;
      }
      auto spelled = tokens.begin();
      if (around.size() + ids.size() > most_around) {
        at.not_computed("puts more than " + std::to_string(most_around) + " tokens around a text");
        break;
      }
      for (const JsonPlace& id : ids) {
        around.push_back(special_id(*spelled, id, all));
        ++spelled;
      }
    }
  }
  return around;
}

std::size_t read_end(const JsonPlace& at, const AllTokens& all) {
  if (const auto both = at.pair()) return special_id(both->first, both->second, all);
  at.refuse("must be a list of a token and its id");
  return 0;
}

// Adds the templates of the step there. In the library a template leaves each of its pieces by itself, and who comes
// next takes two of them for two texts: only one piece is computed.
void add_templates(const JsonPlace& at, const AllTokens& tokens, bool& is_in_pieces, std::vector<Template>& all) {
  if (!at.is_object()) return at.refuse("must be an object");
  const JsonPlace type = at["type"];
  const std::size_t kind =
      type.one_of({"ByteLevel", "TemplateProcessing", "BertProcessing", "RobertaProcessing", "Sequence"});
  if (kind == 0) return at.has_only({"type", "add_prefix_space", "trim_offsets", "use_regex"});
  if (kind == 4) {
    at.has_only({"type", "processors"});
    for (const JsonPlace& place : at["processors"].elements()) {
      if (at.is_enough()) return;
      add_templates(place, tokens, is_in_pieces, all);
    }
    return;
  }
  if (is_in_pieces) at.not_computed("comes behind a template of several pieces, which is not computed");
  if (kind == 1) {
    all.push_back(read_template(at, tokens));
    is_in_pieces = at["single"].elements().size() != 1;
  } else {
    at.has_only({"type", "sep", "cls", "trim_offsets", "add_prefix_space"});
    all.push_back({read_end(at["cls"], tokens), std::nullopt, read_end(at["sep"], tokens)});
    is_in_pieces = false;
  }
}

}  // namespace

std::vector<Template> read_post_processor(const JsonPlace& at, const AllTokens& tokens) {
  std::vector<Template> all;
  bool is_in_pieces = false;
  add_templates(at, tokens, is_in_pieces, all);
  return all;
}

Result<Tokenizer> parse_tokenizer_json(std::string text) {
  auto parsed = parse_json_file("tokenizer.json", std::move(text));
  if (!parsed) return parsed.faults();
  JsonFile& file = parsed.value();
  const JsonPlace root(file);
  root.has_only({"version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer", "post_processor",
                 "decoder", "model"});

  TokenizerParts parts;
  const ReadModel model = read_model(root["model"], parts.spelling_rules);
  parts.tokens = AllTokens(model.vocabulary);
  const JsonPlace normalizer = root["normalizer"], pre_tokenizer = root["pre_tokenizer"];
  if (!normalizer.is_null()) parts.normalizer = read_normalizer(normalizer, parts.spelling_rules);
  if (!pre_tokenizer.is_null())
    parts.pre_tokenizer = read_pre_tokenizer(pre_tokenizer, !normalizer.is_null(), parts.spelling_rules);
  // A normalizer that is at fault need not be asked what it makes of added tokens.
  if (file.faults.empty()) refuse_left_out(root["model"]["vocab"], *model.vocabulary);
  if (file.faults.empty()) read_added_tokens(root["added_tokens"], parts);
  if (file.faults.empty() && !root["post_processor"].is_null())
    parts.templates = read_post_processor(root["post_processor"], parts.tokens);
  if (parts.templates.size() > most_steps)
    root["post_processor"].not_computed("has more than " + std::to_string(most_steps) + " steps");
  if (!file.faults.empty()) return std::move(file.faults);
  parts.model = model.make();
  return Tokenizer(std::move(parts));
}

}  // namespace attn
