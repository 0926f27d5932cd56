#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/utf8.h"
#include "files/input_file.h"
#include "tokenizers/tokenizer_json.h"
#include "tokenizers/trie.h"
#include "tokenizers/unicode.h"

namespace attn {
namespace {

constexpr std::size_t largest_file = std::size_t{1} << 28;

Diagnostic bad_tokenizer(std::string message, Help help) {
  return {.code = "bad-tokenizer", .message = std::move(message), .help = std::move(help)};
}

// The files of a folder that say what its tokenizer is.
class Folder {
 public:
  explicit Folder(std::string path) : path_(std::move(path)) {}

  bool has(const std::string& name) const {
    std::error_code error;
    return std::filesystem::symlink_status(place(name), error).type() != std::filesystem::file_type::not_found;
  }

  Result<std::string> text(const std::string& name) const {
    const auto of_file = [&](Diagnostic fault) {
      fault.message = name + " " + fault.message;
      return fault;
    };
    auto file = InputFile::open(place(name));
    if (!file) return of_file(file.faults().front());
    if (file.value().size() > largest_file)
      return of_file(file_fault("has more than 256 MiB", "a tokenizer takes a few: name the folder of one"));
    std::string text(file.value().size(), '\0');
    if (auto fault = file.value().read(0, text)) return of_file(*std::move(fault));
    return text;
  }

  // Nothing where there is no such file.
  Result<JsonFile> settings(const std::string& name) const {
    if (!has(name)) return parse_json_file(name, "{}");
    auto read = text(name);
    if (!read) return read.faults();
    return parse_json_file(name, std::move(read.value()));
  }

 private:
  std::string place(const std::string& name) const { return path_.empty() ? name : path_ + "/" + name; }

  std::string path_;
};

// The next line of a text, which loses it, with "\n" or "\r\n" at its end.
std::string take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return std::string(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line);
}

// What the files beside a vocabulary say. It stays where it is while there are places in it.
struct Settings {
  JsonFile tokenizer_config, special_tokens_map;

  JsonPlace config() { return JsonPlace(tokenizer_config); }

  // As in the library, special_tokens_map.json comes first, but where tokenizer_config.json lists all that was added.
  JsonPlace special(const char* member) {
    const JsonPlace mapped = JsonPlace(special_tokens_map)[member];
    return mapped.is_missing() || !config()["added_tokens_decoder"].is_missing() ? config()[member] : mapped;
  }

  const Diagnostics& faults() const {
    return tokenizer_config.faults.empty() ? special_tokens_map.faults : tokenizer_config.faults;
  }
};

Result<Settings> read_settings(const Folder& folder) {
  auto config = folder.settings("tokenizer_config.json"), map = folder.settings("special_tokens_map.json");
  if (!config) return config.faults();
  if (!map) return map.faults();
  if (folder.has("added_tokens.json"))
    return Diagnostic{.code = "tokenizer-not-computed",
                      .message = "added_tokens.json is not computed",
                      .help = "save the tokenizer as tokenizer.json"};
  return Settings{std::move(config.value()), std::move(map.value())};
}

// The name of a special token: "[CLS]", or {"content": "[CLS]", …}. Null is none.
std::string special_name(const JsonPlace& at, const std::string& otherwise) {
  if (at.is_missing()) return otherwise;
  return at.is_object() ? at["content"].text() : at.text_or_none();
}

// Refuses what changes where a special token is found in a text.
void check_special(const JsonPlace& at, const std::string& name, bool takes_blanks_before,
                   const TokenizerParts& parts) {
  if (name.size() > Trie::longest) at.not_computed("is longer than " + std::to_string(Trie::longest) + " bytes");
  if (!at.is_object()) return;
  if (at["lstrip"].flag_or(false) != takes_blanks_before)
    at["lstrip"].not_computed(takes_blanks_before ? "is not true" : "is true");
  for (const char* member : {"rstrip", "single_word", "normalized"}) {
    // Where nothing is normalized it is all the same.
    if (std::string_view(member) == "normalized" && !parts.normalizer) continue;
    if (at[member].flag_or(false)) at[member].not_computed("is true");
  }
}

void add_special(const JsonPlace& at, const std::string& name, std::size_t id, bool takes_blanks_before,
                 TokenizerParts& parts) {
  check_special(at, name, takes_blanks_before, parts);
  if (!parts.added.insert(id).second || name.empty() || name.size() > Trie::longest) return;
  parts.added_as_typed.add({.content = name, .id = id, .takes_blanks_before = takes_blanks_before});
}

// Of all tokens that were added to a vocabulary, only the special ones that every such model has are computed. Nothing
// but `taking_blanks` takes the blanks before it.
void refuse_added(Settings& settings, std::optional<std::size_t> taking_blanks, const TokenizerParts& parts) {
  const auto check = [&](const JsonPlace& at) {
    if (at.is_enough()) return std::optional<std::size_t>();
    const std::string name = special_name(at, "");
    const auto id = parts.tokens.id(name);
    const bool is_known = id && parts.added.contains(*id);
    if (is_known) check_special(at, name, id == taking_blanks, parts);
    if (!is_known && !name.empty()) at.not_computed("is " + readable(name) + ", a token that was added");
    return id;
  };
  for (const char* member : {"bos_token", "eos_token"}) check(settings.special(member));
  for (const char* member : {"additional_special_tokens", "extra_special_tokens"}) {
    const JsonPlace all = settings.special(member);
    if (all.is_object()) {
      for (const JsonPlace& token : all.members()) check(token);
    } else if (!all.is_null()) {
      for (const JsonPlace& token : all.elements()) check(token);
    }
  }
  const JsonPlace all = settings.config()["added_tokens_decoder"];
  if (all.is_missing()) return;
  for (const JsonPlace& token : all.members()) {
    const auto id = check(token);
    if (id && token.name() != std::to_string(*id))
      token.refuse("is token " + std::to_string(*id) + " by the vocabulary");
  }
}

Result<Vocabulary> read_lines(const std::string& text) {
  if (const auto invalid = first_invalid_utf8(text)) {
    return bad_tokenizer("vocab.txt is not UTF-8 at its byte " + std::to_string(*invalid + 1),
                         "fetch the model's files again");
  }
  const auto line_of = [](std::size_t id) { return "line " + std::to_string(id + 1) + " of vocab.txt "; };
  Vocabulary vocabulary;
  std::size_t looked_at = 50'000;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string line = take_line(rest);
    const std::size_t id = vocabulary.size();
    if (id == most_tokens)
      return Diagnostic{.code = "tokenizer-not-computed",
                        .message = "vocab.txt has more than " + std::to_string(most_tokens) + " tokens",
                        .help = "give ids instead of a text"};
    if (line.size() > Trie::longest)
      return bad_tokenizer(line_of(id) + "has more than " + std::to_string(Trie::longest) + " bytes",
                           "it has a token a line");
    vocabulary.add(line, id);
    // Those that are short and there twice could be many: they are looked for before there are twice as many lines.
    if (!rest.empty() && vocabulary.size() < looked_at) continue;
    looked_at *= 2;
    if (const auto repeated = vocabulary.index(); !repeated.empty()) {
      const std::size_t first = repeated.front();
      return bad_tokenizer(
          line_of(first) + "is a token that is there already: " + readable(vocabulary.spelling_at(first)),
          "each token has a line of its own");
    }
  }
  return vocabulary;
}

// As BertTokenizerFast of transformers makes it of a vocab.txt.
Result<Tokenizer> read_bert(const Folder& folder) {
  const auto text = folder.text("vocab.txt");
  if (!text) return text.faults();
  auto read = read_settings(folder);
  if (!read) return read.faults();
  Settings& settings = read.value();
  const JsonPlace config = settings.config();

  auto lines = read_lines(text.value());
  if (!lines) return lines.faults();
  const auto vocabulary = std::make_shared<const Vocabulary>(std::move(lines.value()));
  TokenizerParts parts;
  parts.tokens = AllTokens(vocabulary);
  BertCleaning cleans = {.puts_spaces_around_chinese = config["tokenize_chinese_chars"].flag_or(true),
                         .lowers = config["do_lower_case"].flag_or(true)};
  const JsonPlace strips = config["strip_accents"];
  cleans.strips_accents = strips.is_null() ? cleans.lowers : strips.flag();
  if (!config["do_basic_tokenize"].flag_or(true)) config["do_basic_tokenize"].not_computed("is false");
  // Others cut words otherwise, as BertJapaneseTokenizer does, and have a vocab.txt all the same.
  if (const JsonPlace kind = config["tokenizer_class"]; !kind.is_null()) {
    kind.one_of({"BertTokenizer", "BertTokenizerFast", "DistilBertTokenizer", "DistilBertTokenizerFast",
                 "ElectraTokenizer", "ElectraTokenizerFast"});
  }
  parts.normalizer = cleaning(cleans);

  struct Special {
    const char* member;
    const char* name;
    bool is_needed;
    std::size_t id = 0;
  };
  Special specials[] = {{"unk_token", "[UNK]", true},
                        {"cls_token", "[CLS]", true},
                        {"sep_token", "[SEP]", true},
                        {"pad_token", "[PAD]", false},
                        {"mask_token", "[MASK]", false}};
  for (Special& special : specials) {
    const JsonPlace at = settings.special(special.member);
    const std::string name = special_name(at, special.name);
    if (!settings.faults().empty()) return settings.faults();
    const auto id = vocabulary->id(name);
    if (!id && special.is_needed)
      return bad_tokenizer(
          "vocab.txt has no token " + readable(name),
          "tokenizer_config.json, or special_tokens_map.json, says what its special tokens are called");
    if (!id) continue;
    special.id = *id;
    add_special(at, name, *id, false, parts);
  }
  refuse_added(settings, std::nullopt, parts);
  if (!settings.faults().empty()) return settings.faults();

  parts.pre_tokenizer = one_after_the_other(
      {cutting(wanted(is_white_space), Cut::removed), cutting(wanted(is_bert_punctuation), Cut::isolated)});
  const WordPieces words = {.unknown = specials[0].id};
  parts.model = cutting_into_word_pieces(*vocabulary, words);
  parts.templates = {{specials[1].id, std::nullopt, specials[2].id}};
  parts.spelling_rules.continuing_prefix = words.continuing_prefix;
  return Tokenizer(std::move(parts));
}

std::optional<Diagnostic> read_merges(const std::string& text, const Vocabulary& vocabulary, BytePairs& pairs) {
  std::size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string line = take_line(rest);
    ++number;
    if (line.starts_with("#version") || line.empty()) continue;
    const std::size_t blank = line.find(' ');
    std::string wrong = "is not two tokens with a space between: " + readable(line);
    if (blank != std::string::npos && line.find(' ', blank + 1) == std::string::npos)
      wrong = add_merge(line.substr(0, blank), line.substr(blank + 1), vocabulary, pairs);
    if (!wrong.empty())
      return bad_tokenizer("line " + std::to_string(number) + " of merges.txt " + wrong,
                           "vocab.json and merges.txt belong together: fetch both again");
  }
  return std::nullopt;
}

// Whose tokens they are: nothing says it but the other files, and what the vocabulary calls its special ones.
enum class Family { gpt2, roberta };

Result<Family> read_family(const Folder& folder, const JsonPlace& config, const Vocabulary& vocabulary) {
  auto model = folder.settings("config.json");
  if (!model) return model.faults();
  const JsonPlace model_type = JsonPlace(model.value())["model_type"];
  std::string name = config["tokenizer_class"].is_text() ? config["tokenizer_class"].text() : "";
  if (name.empty() && model_type.is_text()) name = model_type.text();
  if (name == "GPT2Tokenizer" || name == "GPT2TokenizerFast" || name == "gpt2") return Family::gpt2;
  if (name == "RobertaTokenizer" || name == "RobertaTokenizerFast" || name == "roberta") return Family::roberta;
  if (name.empty() && vocabulary.id("<|endoftext|>")) return Family::gpt2;
  return Diagnostic{.code = "tokenizer-not-computed",
                    .message = name.empty() ? "nothing beside vocab.json and merges.txt says whose tokens they are"
                                            : "the tokens of " + readable(name) + " are not computed from vocab.json",
                    .help =
                        "give the folder a tokenizer.json, which says it all: save_pretrained of a fast tokenizer "
                        "of transformers writes one"};
}

// As GPT2TokenizerFast and RobertaTokenizerFast of transformers make it of the two files.
Result<Tokenizer> read_gpt2(const Folder& folder) {
  auto text = folder.text("vocab.json");
  const auto merges = folder.text("merges.txt");
  if (!text) return text.faults();
  if (!merges) return merges.faults();
  auto file = parse_json_file("vocab.json", std::move(text.value()));
  if (!file) return file.faults();
  auto read = read_settings(folder);
  if (!read) return read.faults();
  Settings& settings = read.value();

  const JsonPlace tokens(file.value()), config = settings.config();
  const auto vocabulary = read_vocabulary(tokens, longest_token);
  if (file.value().faults.empty()) refuse_left_out(tokens, *vocabulary);
  if (!file.value().faults.empty()) return std::move(file.value().faults);
  TokenizerParts parts;
  parts.tokens = AllTokens(vocabulary);
  if (const auto invalid = first_invalid_utf8(merges.value()))
    return bad_tokenizer("merges.txt is not UTF-8 at its byte " + std::to_string(*invalid + 1),
                         "fetch the model's files again");
  const auto pairs = std::make_shared<BytePairs>();
  if (auto fault = read_merges(merges.value(), *vocabulary, *pairs)) return *std::move(fault);
  const auto family = read_family(folder, config, *vocabulary);
  if (!family) return family.faults();

  const bool is_roberta = family.value() == Family::roberta;
  if (!is_roberta && config["add_bos_token"].flag_or(false)) config["add_bos_token"].not_computed("is true");
  const bool adds_space = config["add_prefix_space"].flag_or(false);
  const char* const end_of_text = "<|endoftext|>";
  const std::pair<const char*, std::string> specials[] = {
      {"bos_token", is_roberta ? "<s>" : end_of_text},   {"cls_token", is_roberta ? "<s>" : ""},
      {"sep_token", is_roberta ? "</s>" : ""},           {"eos_token", is_roberta ? "</s>" : end_of_text},
      {"unk_token", is_roberta ? "<unk>" : end_of_text}, {"pad_token", is_roberta ? "<pad>" : ""},
      {"mask_token", is_roberta ? "<mask>" : ""}};
  std::optional<std::size_t> cls, sep, taking_blanks;
  for (const auto& [member, usual] : specials) {
    const JsonPlace at = settings.special(member);
    const std::string name = special_name(at, usual);
    if (!settings.faults().empty()) return settings.faults();
    if (name.empty()) continue;
    const auto id = vocabulary->id(name);
    if (!id)
      return bad_tokenizer(
          "vocab.json has no token " + readable(name),
          "tokenizer_config.json, or special_tokens_map.json, says what its special tokens are called");
    if (std::string_view(member) == "cls_token") cls = id;
    if (std::string_view(member) == "sep_token") sep = id;
    if (is_roberta && std::string_view(member) == "mask_token") taking_blanks = id;
    add_special(at, name, *id, id == taking_blanks, parts);
  }
  if (is_roberta && !cls) settings.special("cls_token").not_computed("is no token");
  if (is_roberta && !sep) settings.special("sep_token").not_computed("is no token");
  refuse_added(settings, taking_blanks, parts);
  if (!settings.faults().empty()) return settings.faults();

  parts.pre_tokenizer = making_bytes({.adds_prefix_space = adds_space});
  parts.model = cutting_by_merges(vocabulary, pairs);
  if (is_roberta) parts.templates = {{cls, std::nullopt, sep}};
  parts.spelling_rules.is_of_bytes = true;
  return Tokenizer(std::move(parts));
}

}  // namespace

Result<Tokenizer> read_tokenizer(const std::string& path) {
  const Folder folder(path);
  if (folder.has("tokenizer.json")) {
    auto text = folder.text("tokenizer.json");
    if (!text) return text.faults();
    return parse_tokenizer_json(std::move(text.value()));
  }
  if (folder.has("vocab.txt")) return read_bert(folder);
  if (folder.has("vocab.json") && folder.has("merges.txt")) return read_gpt2(folder);
  return Diagnostic{.code = "no-file",
                    .message =
                        "there is no tokenizer: neither tokenizer.json nor vocab.txt, and not both of "
                        "vocab.json and merges.txt",
                    .help = "name the folder that a model was saved to, with its tokenizer"};
}

}  // namespace attn
