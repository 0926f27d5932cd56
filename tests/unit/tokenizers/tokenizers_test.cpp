#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "catch.h"
#include "tokenizers/pattern.h"
#include "tokenizers/tokenizer.h"
#include "tokenizers/unicode.h"

using namespace attn;

namespace {

namespace fs = std::filesystem;

// A folder that is gone when the test is over.
class ModelFolder {
 public:
  ModelFolder() {
    std::string name = (fs::temp_directory_path() / "attn-tokenizer-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~ModelFolder() { fs::remove_all(path_); }
  ModelFolder(const ModelFolder&) = delete;
  ModelFolder& operator=(const ModelFolder&) = delete;

  ModelFolder& with(const std::string& name, const std::string& text) {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return *this;
  }
  Result<Tokenizer> read() const { return read_tokenizer(path_.string()); }

 private:
  fs::path path_;
};

std::vector<std::string> spellings(const Result<Tokenizer>& tokenizer, const std::string& text) {
  REQUIRE(tokenizer);
  const auto tokens = tokenizer.value().encode(text);
  REQUIRE(tokens);
  std::vector<std::string> all;
  for (const TextToken& token : tokens.value()) all.push_back(token.spelling);
  return all;
}

using Words = std::vector<std::string>;

const std::string bert_vocabulary =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nun\n##aff\n##able\ncafe\n!\n東\nstreet\n##s\n";

// A tokenizer.json of the model, and whatever else is said.
std::string file_of(const std::string& model, const std::string& more = "") {
  return R"({"version": "1.0", "model": )" + model + more + "}";
}

const std::string letters = R"({"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4, "bc": 5},
                                "merges": ["b c", "a b", "a bc"]})";

Result<Tokenizer> tokenizer_of(const std::string& json) { return ModelFolder().with("tokenizer.json", json).read(); }

// The place and the message of the first fault.
std::string refusal(const Result<Tokenizer>& read) {
  if (read) return "";
  CHECK_FALSE(read.faults().front().help.text().empty());
  return read.faults().front().where + " " + read.faults().front().message;
}

}  // namespace

TEST_CASE("BERT's tokens are the longest pieces, in small letters and without accents", "[tokenizers]") {
  const auto read = ModelFolder().with("vocab.txt", bert_vocabulary).read();
  CHECK(spellings(read, "Unaffable CAFÉ!") == Words{"[CLS]", "un", "##aff", "##able", "cafe", "!", "[SEP]"});
  CHECK(spellings(read, "the東the") == Words{"[CLS]", "the", "東", "the", "[SEP]"});
  CHECK(spellings(read, "thex [MASK]") == Words{"[CLS]", "[UNK]", "[MASK]", "[SEP]"});
  CHECK(spellings(read, "") == Words{"[CLS]", "[SEP]"});
  CHECK(spellings(read, "the" + std::string(98, 's')) == Words{"[CLS]", "[UNK]", "[SEP]"});
  CHECK(read.value().size() == 14);
  CHECK(read.value().token(7) == TextToken{7, "##aff", "aff"});
  CHECK_FALSE(read.value().token(14));
}

TEST_CASE("a vocabulary with capitals keeps them where its settings say so", "[tokenizers]") {
  ModelFolder folder;
  folder.with("vocab.txt", "[UNK]\n[CLS]\n[SEP]\nThe\nthe\ncafé\n");
  CHECK(spellings(folder.read(), "The") == Words{"[CLS]", "the", "[SEP]"});
  folder.with("tokenizer_config.json", R"({"do_lower_case": false})");
  CHECK(spellings(folder.read(), "The café") == Words{"[CLS]", "The", "café", "[SEP]"});
}

TEST_CASE("pairs are merged in the order in which they were learned", "[tokenizers]") {
  const auto read = tokenizer_of(file_of(letters));
  CHECK(spellings(read, "abc") == Words{"abc"});  // "b c" comes before "a b"
  CHECK(spellings(read, "ab") == Words{"ab"});
  CHECK(spellings(read, "aab") == Words{"a", "ab"});
  CHECK(spellings(read, "axb") == Words{"ab"});  // no token is said to be the unknown: it is left out
}

TEST_CASE("GPT-2's bytes are characters, and a space before a word is its own", "[tokenizers]") {
  ModelFolder folder;
  folder.with("vocab.json", R"({"<|endoftext|>": 0, "a": 1, "Ġ": 2, "Ġa": 3, "Ã": 4, "©": 5, "Ċ": 6})")
      .with("merges.txt", "#version: 0.2\nĠ a\n");
  const auto read = folder.read();
  CHECK(spellings(read, "a aé\n<|endoftext|>") == Words{"a", "Ġa", "Ã", "©", "Ċ", "<|endoftext|>"});
  CHECK(read.value().token(3)->text == " a");
  CHECK(read.value().token(6)->text == "\\n");
  CHECK(read.value().token(4)->text == "\\xc3");
}

TEST_CASE("the likeliest tokens are chosen, and unknown neighbours are one", "[tokenizers]") {
  const auto read = tokenizer_of(file_of(
      R"({"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["▁", -2], ["a", -2], ["b", -2], ["ab", -5], ["▁ab", -3]]})",
      R"(, "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"})"));
  CHECK(spellings(read, "ab") == Words{"▁ab"});
  CHECK(spellings(read, "aab xyz") == Words{"▁", "a", "a", "b", "▁", "<unk>"});
  CHECK(read.value().token(5)->text == " ab");
}

TEST_CASE("a character that is no token is its bytes where the model falls back to them", "[tokenizers]") {
  const auto read = tokenizer_of(file_of(R"({"type": "BPE", "byte_fallback": true, "unk_token": "?", "merges": [],
      "vocab": {"?": 0, "a": 1, "<0xC3>": 2, "<0xA9>": 3, "<0x0A>": 4}})"));
  CHECK(spellings(read, "aé\n") == Words{"a", "<0xC3>", "<0xA9>", "<0x0A>"});
  CHECK(spellings(read, "€") == Words{"?"});
  CHECK(read.value().token(4)->text == "\\n");
}

TEST_CASE("added tokens are found before anything is cut, with the blanks that they take", "[tokenizers]") {
  const auto added = [](const std::string& flags) {
    return R"(, "added_tokens": [{"id": 6, "content": "<x>", "single_word": false, "special": true, )" + flags + "}]";
  };
  const auto plain = tokenizer_of(file_of(letters, added(R"("lstrip": false, "rstrip": false, "normalized": false)")));
  CHECK(spellings(plain, "a<x>bc<x><x") == Words{"a", "<x>", "bc", "<x>"});
  const std::string spaced =
      R"({"type": "BPE", "vocab": {"a": 0, " ": 1, "<": 2, "x": 3, ">": 4, "_": 5}, "merges": []})";
  const auto stripped = tokenizer_of(file_of(spaced, added(R"("lstrip": true, "rstrip": true, "normalized": false)")));
  CHECK(spellings(stripped, "a  <x>\ta") == Words{"a", "<x>", "a"});
}

TEST_CASE("what is not computed is refused and named", "[tokenizers]") {
  const auto [more, place, word] = GENERATE(table<std::string, std::string, std::string>({
      {R"(, "normalizer": {"type": "Nmt"})", "/normalizer/type ", "`Nmt`"},
      {R"(, "normalizer": {"type": "Lowercase", "locale": "tr"})", "/normalizer/locale ", "not computed"},
      {R"(, "pre_tokenizer": {"type": "UnicodeScripts"})", "/pre_tokenizer/type ", "`UnicodeScripts`"},
      {R"(, "pre_tokenizer": {"type": "ByteLevel"})", "/pre_tokenizer/add_prefix_space ", "missing"},
      {R"(, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(?<=a)b"}, "behavior": "Isolated", "invert": false})",
       "/pre_tokenizer/pattern/Regex ", "(?<"},
      {R"(, "pre_tokenizer": {"type": "Split", "pattern": {"String": ""}, "behavior": "Isolated", "invert": false})",
       "/pre_tokenizer/pattern/String ", "empty"},
      {R"(, "post_processor": {"type": "BertProcessing", "sep": ["a", 1], "cls": ["a", 0]})", "/post_processor/sep/1 ",
       "not the id"},
      {R"(, "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x"}}]})",
       "/post_processor/special_tokens/x/ids ", "list"},
      {R"(, "added_tokens": [{"id": 7, "content": "x", "single_word": false, "lstrip": false, "rstrip": false,
           "normalized": false, "special": true}])",
       "/added_tokens/0/id ", "token 6"},
      {R"(, "added_tokens": [{"id": 6, "content": "x", "single_word": true, "lstrip": false, "rstrip": false,
           "normalized": false, "special": true}])",
       "/added_tokens/0/single_word ", "not computed"},
      {R"(, "added_tokens": 7)", "/added_tokens ", "list"},
      {R"(, "post/processor": {})", "/post~1processor ", "not computed"},
  }));
  const std::string said = refusal(tokenizer_of(file_of(letters, more)));
  INFO(more << ": " << said);
  CHECK(said.starts_with(place));
  CHECK(said.find(word) != std::string::npos);
}

TEST_CASE("a model that is at odds with itself is refused", "[tokenizers]") {
  const auto [model, place] = GENERATE(table<std::string, std::string>({
      {R"({"type": "WordLevel", "vocab": {}})", "/model/type "},
      {R"({"type": "BPE", "vocab": {"a": 0, "b": 0}, "merges": []})", "/model/vocab/b "},
      {R"({"type": "BPE", "vocab": {"a": 0, "b": 2}, "merges": []})", "/model/vocab "},
      {R"({"type": "BPE", "vocab": {"a": 99999999999999999999}, "merges": []})", "/model/vocab/a "},
      {R"({"type": "BPE", "vocab": {"a": -1}, "merges": []})", "/model/vocab/a "},
      {R"({"type": "BPE", "vocab": {"a": 0.5}, "merges": []})", "/model/vocab/a "},
      {R"({"type": "BPE", "vocab": ["a"], "merges": []})", "/model/vocab "},
      {R"({"type": "BPE", "vocab": {"a": 0}, "merges": ["a a"]})", "/model/merges/0 "},
      {R"({"type": "BPE", "vocab": {"a": 0}, "merges": ["a"]})", "/model/merges/0 "},
      {R"({"type": "BPE", "vocab": {"a": 0}, "merges": [["a"]]})", "/model/merges/0 "},
      {R"({"type": "BPE", "vocab": {"a": 0}, "merges": [], "dropout": 0.1})", "/model/dropout "},
      {R"({"type": "BPE", "vocab": {"a": 0}, "merges": [], "unk_token": "x"})", "/model/unk_token "},
      {R"({"type": "BPE", "vocab": {}, "merges": []})", "/model/vocab "},
      {R"({"type": "WordPiece", "vocab": {"a": 0}, "unk_token": "x", "continuing_subword_prefix": "##",
           "max_input_chars_per_word": 100})",
       "/model/unk_token "},
      {R"({"type": "Unigram", "vocab": [["a", 0]], "unk_id": null})", "/model/unk_id "},
      {R"({"type": "Unigram", "vocab": [["a", 0]], "unk_id": 1})", "/model/unk_id "},
      {R"({"type": "Unigram", "vocab": [], "unk_id": 0})", "/model/unk_id "},
      {R"({"type": "Unigram", "vocab": [["a"]], "unk_id": 0})", "/model/vocab/0 "},
      {R"({"type": "Unigram", "vocab": [["a", 0], ["a", 0]], "unk_id": 0})", "/model/vocab/1 "},
      {"[]", "/model "},
      {"null", "/model "},
  }));
  const std::string said = refusal(tokenizer_of(file_of(model)));
  INFO(model << ": " << said);
  CHECK(said.starts_with(place));
}

TEST_CASE("a file that is no tokenizer at all is refused, whatever it is", "[tokenizers]") {
  const auto text = GENERATE(as<std::string>(), "", "{", "[]", "7", "\"a\"", "{\"model\": {}} x", "{\"a\": \"\xff\"}",
                             "{\"a\": 1, \"a\": 1}", "{\"a\": 1e999}", std::string(100'000, '['),
                             "{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}", std::string("{}\0x", 4));
  INFO(text.substr(0, 40));
  CHECK_FALSE(refusal(tokenizer_of(text)).empty());
}

TEST_CASE("vocabularies in plain text are refused with the line that is wrong", "[tokenizers]") {
  CHECK(refusal(ModelFolder().read()).find("no tokenizer") != std::string::npos);
  CHECK(refusal(ModelFolder().with("vocab.txt", "[UNK]\n\xff\n").read()).find("byte 7") != std::string::npos);
  CHECK(refusal(ModelFolder().with("vocab.txt", "[UNK]\na\na\n").read()).find("line 3") != std::string::npos);
  CHECK(refusal(ModelFolder().with("vocab.txt", "[UNK]\na\n").read()).find("`[CLS]`") != std::string::npos);
  const std::string vocabulary = R"({"<|endoftext|>": 0, "a": 1})";
  const auto with_merges = [&](const std::string& merges) {
    return refusal(ModelFolder().with("vocab.json", vocabulary).with("merges.txt", merges).read());
  };
  CHECK(with_merges("").empty());
  CHECK(with_merges("a a\n").find("line 1 of merges.txt merges `a` and `a`") != std::string::npos);
  CHECK(with_merges("#version\na\n").find("line 2") != std::string::npos);
  CHECK(with_merges("\xff \xff\n").find("not UTF-8") != std::string::npos);
  ModelFolder whose;
  whose.with("vocab.json", R"({"a": 0})").with("merges.txt", "");
  CHECK(refusal(whose.read()).find("whose tokens") != std::string::npos);
}

TEST_CASE("a text that is not UTF-8 has no tokens", "[tokenizers]") {
  const auto read = tokenizer_of(file_of(letters));
  const auto text = GENERATE(as<std::string>(), "ab\xff", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80", "a\xe2\x82");
  const auto tokens = read.value().encode(text);
  REQUIRE_FALSE(tokens);
  CHECK(tokens.faults().front().code == "not-utf8");
}

TEST_CASE("a pattern is refused that the reference may read otherwise", "[tokenizers]") {
  const auto expression = GENERATE(as<std::string>(), "a**", "a|", "a*", "(a", "a)", "[a", "[]", "[z-a]", "[\\s-a]",
                                   "[[:alpha:]]", "[a&&b]", "\\w", "\\b", "\\1", "\\p{Han}", "\\pL", "\\x{41}", ".",
                                   "^a", "a$", "(?i)a", "(?i:ss)", "(?i:é)", "(?i:(a))", "(?<n>a)", "(?<!a)b", "a{2}+",
                                   "a{,2}", "a{x}", "a\\", "[a\\", "+", "(?#x)", "\xff");
  INFO(expression);
  CHECK_FALSE(Pattern::read(expression));
}

TEST_CASE("a pattern finds what it says", "[tokenizers]") {
  const auto found = [](const std::string& expression, const std::string& text) {
    const auto pattern = Pattern::read(expression);
    REQUIRE(pattern);
    const auto matches = pattern.value().matches(text);
    REQUIRE(matches);
    Words words;
    for (const auto& [begin, end] : matches.value()) words.push_back(text.substr(begin, end - begin));
    return words;
  };
  CHECK(found(R"(\p{L}+|\p{N}{1,3})", "é12345 b") == Words{"é", "123", "45", "b"});
  CHECK(found(R"(\s+(?!\S)|\s+)", "a   b ") == Words{"  ", " ", " "});
  CHECK(found("(?i:'s|'ll)", "it'S we'lL") == Words{"'S", "'lL"});
  CHECK(found("[^\\s#-]+",
              "a#b-c\xc2\x85"
              "d") == Words{"a", "b", "c", "d"});
  CHECK(found("\\s", "\xe1\xa0\x8e") == Words{});  // U+180E is no blank
}

TEST_CASE("a text takes time in proportion to its length", "[tokenizers]") {
  const auto begin = std::chrono::steady_clock::now();
  const std::string many(1'000'000, 'a');
  CHECK(tokenizer_of(file_of(R"({"type": "BPE", "vocab": {"a": 0, "aa": 1, "aaaa": 2}, "merges": ["a a", "aa aa"]})"))
            .value()
            .encode(many)
            .value()
            .size() == 250'000);
  CHECK(ModelFolder().with("vocab.txt", bert_vocabulary).read().value().encode(many).value().size() == 3);
  std::string marks;
  for (int i = 0; i < 300'000; ++i) marks += "\u0301\u0323";  // of two classes: all of one come before the other
  CHECK(normalised(marks, NormalForm::nfd).size() == marks.size());
  const auto pattern = Pattern::read("(?:a|a)+b|(?:aa?)+c");
  REQUIRE(pattern);
  const auto outcome = pattern.value().matches(std::string(100'000, 'a'));
  REQUIRE_FALSE(outcome);
  CHECK(outcome.faults().front().code == "pattern-too-slow");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));  // 2 s where nobody else computes
}

TEST_CASE("normalisation follows Unicode", "[tokenizers]") {
  CHECK(normalised("é", NormalForm::nfd) == "e\u0301");
  CHECK(normalised("e\u0301", NormalForm::nfc) == "é");
  CHECK(normalised("ﬁ①", NormalForm::nfkc) == "fi1");
  CHECK(normalised("한", NormalForm::nfd) == "\u1112\u1161\u11ab");
  CHECK(normalised("a\u0301\u0323", NormalForm::nfd) == "a\u0323\u0301");  // below before above
  CHECK(in_small_letters("ΣΑΣ İ Ǆ") == "σασ i\u0307 ǆ");
}

TEST_CASE("words and what stands between are cut apart, and accents stripped, where a file says so", "[tokenizers]") {
  ModelFolder folder;
  const std::string model =
      R"({"type": "WordPiece", "unk_token": "?", "continuing_subword_prefix": "##", "max_input_chars_per_word": 9,
          "vocab": {"?": 0, "cafe": 1, "no_1": 2, "...": 3, "!": 4, "a\u200db": 5}})";
  folder.with("tokenizer.json", file_of(model, R"(, "pre_tokenizer": {"type": "Whitespace"}, "normalizer":
      {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "Lowercase"}, {"type": "StripAccents"}]})"));
  const auto tokenizer = folder.read();
  CHECK(spellings(tokenizer, "Caf\u00E9...  No_1!\u00A0a\u200Db a\u3000\u0301") ==
        Words{"cafe", "...", "no_1", "!", "a\u200Db", "?"});
}

TEST_CASE("characters that are younger than the reference's tables mean nothing yet", "[tokenizers]") {
  CHECK(is_bert_punctuation(0x2E42));
  CHECK_FALSE(is_bert_punctuation(0x2E43));  // a dash with a slash, of Unicode 9
  CHECK(is_bert_punctuation(0x166D));        // a syllable sign that was punctuation
  CHECK(is_nonspacing_mark(0x1DF5));
  CHECK_FALSE(is_nonspacing_mark(0x1DF6));
  CHECK(is_mark(0x903));
  CHECK_FALSE(is_mark(0x1ABF));
  CHECK(is_control(0x605));
  CHECK_FALSE(is_control(0x8E2));
  CHECK(in_small_letters("\U00010D50\uA7CB\u1C89") == "\U00010D70\u0264\u1C8A");
  CHECK(normalised("\u32FF\u32FE", NormalForm::nfkd) == "\u32FF\u30F2");
  CHECK(normalised("a\u08D3\u0301", NormalForm::nfc) == "a\u08D3\u0301");  // which stays below, and yet between
  CHECK(normalised("a\u0323\u0301", NormalForm::nfc) == "\u1EA1\u0301");
}
