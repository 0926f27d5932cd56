#include <chrono>
#include <cstdint>
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
  ModelFolder& with_folder(const std::string& name) {
    fs::create_directory(path_ / name);
    return *this;
  }
  // Without writing so much.
  ModelFolder& of_size(const std::string& name, std::uintmax_t size) {
    fs::resize_file(path_ / name, size);
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

TEST_CASE("a merge of number signs is a merge, and no comment", "[tokenizers]") {
  ModelFolder folder;
  folder.with("vocab.json", R"({"<|endoftext|>": 0, "#": 1, "##": 2})").with("merges.txt", "#version: 0.2\n# #\n");
  const auto read = folder.read();
  CHECK(spellings(read, "##") == Words{"##"});
  CHECK(spellings(read, "###") == Words{"##", "#"});
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
      {R"(, "normalizer": 7)", "/normalizer ", "an object"},
      {R"(, "normalizer": {"type": "Sequence", "normalizers": ["NFC"]})", "/normalizer/normalizers/0 ", "an object"},
      {R"(, "normalizer": {"type": "Replace", "pattern": {"String": 7}, "content": ""})", "/normalizer/pattern/String ",
       "a text"},
      {R"(, "normalizer": {"type": "Strip", "strip_left": 1, "strip_right": true})", "/normalizer/strip_left ",
       "true or false"},
      {R"(, "pre_tokenizer": "Whitespace")", "/pre_tokenizer ", "an object"},
      {R"(, "pre_tokenizer": {"type": "Split", "pattern": {}, "behavior": "Isolated", "invert": false})",
       "/pre_tokenizer/pattern ", "either String or Regex"},
      {R"(, "pre_tokenizer": {"type": "Split", "pattern": {"String": "a", "Regex": "a"}, "behavior": "Isolated",
           "invert": false})",
       "/pre_tokenizer/pattern ", "either String or Regex"},
      {R"(, "pre_tokenizer": {"type": "Metaspace", "replacement": "__"})", "/pre_tokenizer/replacement ",
       "one character"},
      {R"(, "pre_tokenizer": {"type": "Metaspace", "replacement": ""})", "/pre_tokenizer/replacement ",
       "one character"},
      {R"(, "pre_tokenizer": {"type": "Metaspace", "replacement": "_", "prepend_scheme": "always",
           "add_prefix_space": false})",
       "/pre_tokenizer/add_prefix_space ", "must be never"},
      {R"(, "post_processor": [])", "/post_processor ", "an object"},
      {R"(, "post_processor": {"type": "BertProcessing", "sep": ["b", 1], "cls": ["a"]})", "/post_processor/cls ",
       "a token and its id"},
      {R"(, "post_processor": {"type": "TemplateProcessing", "single": [{}]})", "/post_processor/single/0 ",
       "either Sequence or SpecialToken"},
      {R"(, "post_processor": {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "B"}}]})",
       "/post_processor/single/0/Sequence/id ", "`B`"},
      {R"(, "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x"}}],
           "special_tokens": {"x": {"ids": [0, 1], "tokens": ["a"]}}})",
       "/post_processor/special_tokens/x ", "as many tokens as ids"},
      {R"(, "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x"}}],
           "special_tokens": {"x": {"ids": [7], "tokens": ["a"]}}})",
       "/post_processor/special_tokens/x/ids/0 ", "not the id"},
      {R"(, "post_processor": {"type": "Sequence", "processors": [{"type": "Other"}]})",
       "/post_processor/processors/0/type ", "`Other`"},
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
      {R"({"type": "BPE", "vocab": {"a": 0}, "merges": ["a a a"]})", "/model/merges/0 "},
      {R"({"type": "BPE", "vocab": {"a": 0}, "merges": [], "continuing_subword_prefix": "##"})",
       "/model/continuing_subword_prefix "},
      {R"({"type": "BPE", "vocab": {"a": 0}, "merges": [], "fuse_unk": "no"})", "/model/fuse_unk "},
      {R"({"type": "BPE", "vocab": {"a": 0}, "merges": [], "unk_token": 0})", "/model/unk_token "},
      {R"({"type": "Unigram", "vocab": [["a", "likely"]], "unk_id": 0})", "/model/vocab/0/1 "},
      {R"({"type": "Unigram", "vocab": [["a", 0], [")" + std::string(257, 'a') + R"(", 0]], "unk_id": 0})",
       "/model/vocab/1 "},
      {R"({"type": "WordPiece", "vocab": {"a": 0, ")" + std::string(257, 'b') + R"(": 1}, "unk_token": "a",
           "continuing_subword_prefix": "##", "max_input_chars_per_word": 100})",
       "/model/vocab/bbb"},
      {"[]", "/model "},
      {"null", "/model "},
  }));
  const std::string said = refusal(tokenizer_of(file_of(model)));
  INFO(model << ": " << said);
  CHECK(said.starts_with(place));
}

TEST_CASE("each of several tokens that have the id of another is refused at its place", "[tokenizers]") {
  const auto read =
      tokenizer_of(file_of(R"({"type": "BPE", "vocab": {"a": 0, "b": 0, "~/": 0, "c": 1}, "merges": []})"));
  REQUIRE_FALSE(read);
  REQUIRE(read.faults().size() == 2);
  CHECK(read.faults()[0].where == "/model/vocab/b");
  CHECK(read.faults()[1].where == "/model/vocab/~0~1");
  const auto places = [](const std::string& model) {
    std::vector<std::string> all;
    const auto refused = tokenizer_of(file_of(model));
    for (const Diagnostic& fault : refused.faults()) all.push_back(fault.where);
    return all;
  };
  // An id that cannot be read is nobody's, and what is no token stands in nobody's way.
  CHECK(places(R"({"type": "BPE", "vocab": {"a": "x", "b": 0, "c": -1, "d": 0}, "merges": []})") ==
        Words{"/model/vocab/a", "/model/vocab/c", "/model/vocab/d"});
  CHECK(places(R"({"type": "Unigram", "unk_id": 0, "vocab": [["a", 0], ["a", 0], ["b"], [], ["c", 0], ["a", 1]]})") ==
        Words{"/model/vocab/2", "/model/vocab/3", "/model/vocab/1", "/model/vocab/5"});
  std::string many = R"("a": 0)";
  for (int i = 0; i < 100; ++i) many += ", \"t" + std::to_string(i) + "\": 0";
  CHECK(tokenizer_of(file_of(R"({"type": "BPE", "merges": [], "vocab": {)" + many + "}}")).faults().size() == 16);
}

TEST_CASE("of a merge that is there twice the later place counts", "[tokenizers]") {
  const auto merged = [](const std::string& merges) {
    return spellings(
        tokenizer_of(file_of(R"({"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4}, "merges": [)" +
                             merges + "]}")),
        "abc");
  };
  CHECK(merged(R"("b c", "a b")") == Words{"a", "bc"});
  CHECK(merged(R"("b c", "a b", "b c")") == Words{"ab", "c"});
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
  CHECK(with_merges("#version\n# a\n").find("line 2 of merges.txt merges `#` and `a`") != std::string::npos);
  CHECK(with_merges("#a\n").find("line 1") != std::string::npos);
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
  const auto expression = GENERATE(
      as<std::string>(), "a**", "a|", "a*", "(a", "a)", "[a", "[]", "[z-a]", "[\\s-a]", "[[:alpha:]]", "[a&&b]", "\\w",
      "\\b", "\\1", "\\p{Han}", "\\pL", "\\x{41}", ".", "^a", "a$", "(?i)a", "(?i:ss)", "(?i:é)", "(?i:(a))", "(?<n>a)",
      "(?<!a)b", "a{2}+", "a{,2}", "a{x}", "a\\", "[a\\", "+", "(?#x)", "\xff", "(?i:off)", "(?i:fi)", "(?i:fl)",
      "(?i:st)", "a{1000}", "a{2}*", "a{3,2}", "[\\S]", "\\ ", "\\\x7f", "[a-", "[a-\\s]", std::string(10'001, 'a'));
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

TEST_CASE("of very many faults of a tokenizer the first are kept and the rest counted", "[tokenizers]") {
  std::string members;
  for (int i = 0; i < 40; ++i) members += ", \"x" + std::to_string(i) + "\": 0";
  const auto read = tokenizer_of(file_of(letters, members));
  REQUIRE_FALSE(read);
  CHECK(read.faults().size() < 40);
  CHECK(read.faults().size() + read.faults().back().unkept == 40);
}

TEST_CASE("a token is added once, has the id that the vocabulary says, and is spelled somehow", "[tokenizers]") {
  const auto added = [](const std::string& content, const std::string& id, const std::string& more = "") {
    return R"({"id": )" + id + R"(, "content": )" + content + R"(, "single_word": false, "lstrip": false,
               "rstrip": false, "special": true, "normalized": true)" +
           more + "}";
  };
  const auto with = [&](const std::string& tokens, const std::string& more = "") {
    return tokenizer_of(file_of(letters, R"(, "added_tokens": [)" + tokens + "]" + more));
  };
  CHECK(with(added("\"a\"", "0")));
  CHECK(refusal(with(added("\"a\"", "1"))).starts_with("/added_tokens/0/id "));
  CHECK(refusal(with(added("\"a\"", "0") + "," + added("\"a\"", "0"))).starts_with("/added_tokens/1 "));
  CHECK(refusal(with(added("7", "6"))).starts_with("/added_tokens/0/content "));
  CHECK(refusal(with(added("\"\"", "6"))).find("is empty") != std::string::npos);
  CHECK(refusal(with(added("\"" + std::string(257, 'x') + "\"", "6"))).find("256 bytes") != std::string::npos);
  const std::string strips = R"(, "normalizer": {"type": "Strip", "strip_left": true, "strip_right": true})";
  CHECK(refusal(with(added("\"  \"", "6"), strips)).starts_with("/added_tokens/0/content "));
}

TEST_CASE("an added token that goes through the normalizer is found in what comes out of it", "[tokenizers]") {
  const auto token = [](const std::string& content, int id, bool is_special) {
    return R"({"id": )" + std::to_string(id) + R"(, "content": ")" + content +
           R"(", "single_word": false, "lstrip": false, "rstrip": false, "normalized": true, "special": )" +
           (is_special ? "true}" : "false}");
  };
  const std::string small = R"(, "normalizer": {"type": "Lowercase"})";
  const auto one = tokenizer_of(file_of(letters, small + R"(, "added_tokens": [)" + token("<X>", 6, false) + "]"));
  CHECK(spellings(one, "AB<x>c<X>") == Words{"ab", "<X>", "c", "<X>"});
  // Of two that come out alike the special one is found, wherever it stands in the file.
  const auto two = tokenizer_of(
      file_of(letters, small + R"(, "added_tokens": [)" + token("<X>", 6, false) + "," + token("<x>", 7, true) + "]"));
  CHECK(spellings(two, "a<X>") == Words{"a", "<x>"});
}

TEST_CASE("blanks that an added token takes may be long, and stand at either end of the text", "[tokenizers]") {
  const auto read = tokenizer_of(
      file_of(R"({"type": "BPE", "vocab": {"a": 0, " ": 1, "\u3000": 2}, "merges": []})",
              R"(, "added_tokens": [{"id": 3, "content": "<x>", "single_word": false, "lstrip": true, "rstrip": true,
           "normalized": false, "special": true}])"));
  CHECK(spellings(read, "a\u3000 <x> \u3000a") == Words{"a", "<x>", "a"});
  CHECK(spellings(read, " \u3000<x>\u3000 ") == Words{"<x>"});
  CHECK(spellings(read, "<x> <x>") == Words{"<x>", "<x>"});
}

TEST_CASE("a token that is a blank takes those behind it, and is found in each of them", "[tokenizers]") {
  const auto read = tokenizer_of(
      file_of(R"({"type": "BPE", "vocab": {"a": 0}, "merges": []})",
              R"(, "added_tokens": [{"id": 1, "content": " ", "single_word": false, "lstrip": false, "rstrip": true,
           "normalized": false, "special": true}])"));
  CHECK(spellings(read, "a  \ta a") == Words{"a", " ", " ", "a", " ", "a"});
  CHECK(spellings(read, " a \n") == Words{" ", "a", " "});
}

TEST_CASE("special tokens stand around a text as the post-processor says", "[tokenizers]") {
  const auto around = [](const std::string& post_processor) {
    return spellings(tokenizer_of(file_of(letters, R"(, "post_processor": )" + post_processor)), "abc");
  };
  const std::string of_bytes = R"({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true})";
  const std::string framed = R"({"type": "TemplateProcessing", "pair": [],
      "single": [{"SpecialToken": {"id": "start"}}, {"Sequence": {"id": "A", "type_id": 0}}],
      "special_tokens": {"start": {"id": "start", "ids": [0, 1], "tokens": ["a", "b"]}}})";
  CHECK(around(of_bytes) == Words{"abc"});
  CHECK(around(framed) == Words{"a", "b", "abc"});
  CHECK(around(R"({"type": "Sequence", "processors": [)" + of_bytes + "," + framed + "]}") == Words{"a", "b", "abc"});
  for (const std::string kind : {"BertProcessing", "RobertaProcessing"}) {
    CHECK(around(R"({"type": ")" + kind + R"(", "sep": ["b", 1], "cls": ["a", 0]})") == Words{"a", "abc", "b"});
  }
}

TEST_CASE("what takes the several pieces of a template before it is refused", "[tokenizers]") {
  const auto refused = [](const std::string& steps) {
    return refusal(
        tokenizer_of(file_of(letters, R"(, "post_processor": {"type": "Sequence", "processors": [)" + steps + "]}")));
  };
  const auto framing = [](const std::string& pieces) {
    return R"({"type": "TemplateProcessing", "pair": [], "single": [)" + pieces +
           R"(], "special_tokens": {"start": {"id": "start", "ids": [0, 1], "tokens": ["a", "b"]}}})";
  };
  const std::string of_bytes = R"({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true})";
  const std::string text = R"({"Sequence": {"id": "A"}})", start = R"({"SpecialToken": {"id": "start"}})";
  const std::string bert = R"({"type": "BertProcessing", "sep": ["b", 1], "cls": ["a", 0]})";
  const std::string several = framing(start + "," + text);
  CHECK(refused(framing(text) + "," + several + "," + of_bytes).empty());
  CHECK(refused(bert + "," + bert + "," + several).empty());
  CHECK(refused(several + "," + several).starts_with("/post_processor/processors/1 "));
  CHECK(refused(several + "," + bert).starts_with("/post_processor/processors/1 "));
  CHECK(refused(R"({"type": "Sequence", "processors": [)" + several + "," + of_bytes + "]}," + framing(text))
            .starts_with("/post_processor/processors/1 "));
}

TEST_CASE("a template names any of many special tokens and puts no more than a thousand around a text",
          "[tokenizers]") {
  const auto list = [](std::size_t count, const std::string& element) {
    std::string elements = element;
    for (std::size_t i = 1; i < count; ++i) elements += "," + element;
    return "[" + elements + "]";
  };
  // So many tokens, of which every piece names the last.
  const auto with = [&](std::size_t pieces, std::size_t ids) {
    std::string tokens;
    for (std::size_t i = 0; i < pieces; ++i) {
      const std::size_t count = i + 1 == pieces ? ids : 1;
      tokens += (i > 0 ? ",\"t" : "\"t") + std::to_string(i) + R"(": {"ids": )" + list(count, "0") + R"(, "tokens": )" +
                list(count, R"("a")") + "}";
    }
    std::string named = list(pieces, R"({"SpecialToken": {"id": "t)" + std::to_string(pieces - 1) + "\"}}");
    named.insert(named.size() - 1, R"(, {"Sequence": {"id": "A"}})");
    return tokenizer_of(file_of(letters, R"(, "post_processor": {"type": "TemplateProcessing", "single": )" + named +
                                             R"(, "special_tokens": {)" + tokens + "}}"));
  };
  CHECK(spellings(with(3, 1), "abc") == Words{"a", "a", "a", "abc"});
  CHECK(with(10, 100));
  for (const auto& [pieces, ids] : {std::pair(11, 100), {1, 1001}, {20'000, 1}, {2'000, 8'000}}) {
    const auto read = with(pieces, ids);
    REQUIRE_FALSE(read);
    CHECK(read.faults().front().where == "/post_processor");
    CHECK(refusal(read).find("more than 1000 tokens around a text") != std::string::npos);
  }
}

TEST_CASE("an unlikely character is its bytes where the model falls back to them", "[tokenizers]") {
  const auto read = tokenizer_of(file_of(R"({"type": "Unigram", "byte_fallback": true, "unk_id": 0, "vocab":
      [["<unk>", 0], ["a", -2], ["<0xC3>", -3], ["<0xA9>", -3], ["", -1]]})"));
  CHECK(spellings(read, "a\u00e9") == Words{"a", "<0xC3>", "<0xA9>"});
  CHECK(spellings(read, "a\u00e8a") == Words{"a", "<unk>", "a"});  // one of its bytes is no token
  CHECK(spellings(read, "<unk>") == Words{"<unk>"});
  CHECK(read.value().token(2)->text == "\\xc3");
}

TEST_CASE("only what is spelled as a byte is read as one", "[tokenizers]") {
  const auto read = tokenizer_of(file_of(R"({"type": "BPE", "byte_fallback": true, "merges": [], "vocab":
      {"<0x41>": 0, "<0x41.": 1, "<0xZZ>": 2, "<0x4Z>": 3, "street": 4}})"));
  const auto text = [&](std::size_t id) { return read.value().token(id)->text; };
  CHECK(text(0) == "A");
  for (std::size_t id = 1; id < 5; ++id) CHECK(text(id) == read.value().token(id)->spelling);
}

TEST_CASE("a token that no bytes make is shown as it is spelled", "[tokenizers]") {
  ModelFolder folder;
  folder.with("vocab.json", "{\"<|endoftext|>\": 0, \"\u0120a\": 1, \"\u6771\": 2, \"\u00ada\": 3}")
      .with("merges.txt", "");
  const auto read = folder.read();
  REQUIRE(read);
  CHECK(read.value().token(1)->text == " a");
  CHECK(read.value().token(2)->text == "\u6771");
}

TEST_CASE("a text in which a pattern takes too many steps has no tokens, wherever the pattern stands", "[tokenizers]") {
  const std::string slow = R"({"Regex": "(?:a|a)+b|(?:aa?)+c"})";
  const std::string normalizer = R"({"type": "Replace", "pattern": )" + slow + R"(, "content": ""})";
  const std::string pre_tokenizer =
      R"({"type": "Split", "pattern": )" + slow + R"(, "behavior": "Isolated", "invert": false})";
  const auto more =
      GENERATE_COPY(R"(, "normalizer": )" + normalizer,
                    R"(, "normalizer": {"type": "Sequence", "normalizers": [)" + normalizer + R"(, {"type": "NFC"}]})",
                    R"(, "pre_tokenizer": )" + pre_tokenizer,
                    R"(, "pre_tokenizer": {"type": "Sequence", "pretokenizers": [)" + pre_tokenizer +
                        R"(, {"type": "Whitespace"}]})");
  const auto read = tokenizer_of(file_of(letters, more));
  CHECK(spellings(read, "c") == Words{"c"});
  const auto tokens = read.value().encode(std::string(2000, 'a'));
  INFO(more);
  REQUIRE_FALSE(tokens);
  CHECK(tokens.faults().front().code == "pattern-too-slow");
}

TEST_CASE("a text of which a tokenizer makes much more has no tokens", "[tokenizers]") {
  const auto sequence = [](const std::string& kind, const std::string& member, const std::string& step) {
    std::string steps = step;
    for (int i = 0; i < 30; ++i) steps += "," + step;
    return ", \"" + kind + R"(": {"type": "Sequence", ")" + member + "\": [" + steps + "]}";
  };
  const std::string doubling = R"({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"})";
  const std::string bytes = R"({"type": "ByteLevel", "add_prefix_space": false, "use_regex": false})";
  const std::string metaspaces =
      R"({"type": "Metaspace", "replacement": "_"}, {"type": "Metaspace", "replacement": "-"})";
  const std::string text = R"({"Sequence": {"id": "A"}})";
  std::string often = text;
  for (int i = 0; i < 10000; ++i) often += "," + text;
  const auto more = GENERATE_COPY(
      sequence("normalizer", "normalizers", doubling), sequence("pre_tokenizer", "pretokenizers", bytes),
      R"(, "normalizer": {"type": "Replace", "pattern": {"String": "a"}, "content": ")" + std::string(1 << 20, 'b') +
          "\"}",
      sequence("pre_tokenizer", "pretokenizers", metaspaces),
      R"(, "post_processor": {"type": "TemplateProcessing", "single": [)" + often + R"(], "special_tokens": {}})");
  const auto read = tokenizer_of(file_of(letters, more));
  INFO(more.substr(0, 300));
  REQUIRE(read);
  const auto tokens = read.value().encode("é" + std::string(200, 'a'));
  REQUIRE_FALSE(tokens);
  CHECK(tokens.faults().front().code == "text-too-long");
}

TEST_CASE("a long text that a tokenizer leaves as long has its tokens", "[tokenizers]") {
  const auto read = tokenizer_of(
      file_of(letters, R"(, "normalizer": {"type": "Replace", "pattern": {"String": "b"}, "content": "a"})"));
  CHECK(read.value().encode(std::string(3 << 20, 'b')).value().size() == 3 << 20);
}

TEST_CASE("a tokenizer of very many steps is not computed, however they stand in one another", "[tokenizers]") {
  const auto of = [](int outer, int inner) {
    const auto sequence = [](int count, const std::string& step) {
      std::string steps = step;
      for (int i = 1; i < count; ++i) steps += "," + step;
      return R"({"type": "Sequence", "pretokenizers": [)" + steps + "]}";
    };
    return refusal(tokenizer_of(file_of(
        letters, R"(, "pre_tokenizer": )" + sequence(outer, sequence(inner, R"({"type": "WhitespaceSplit"})")))));
  };
  CHECK(of(8, 8).empty());
  CHECK(of(5, 13).find("more than 64 steps") != std::string::npos);
  std::string processors =
      R"({"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A"}}], "special_tokens": {}})";
  for (int i = 0; i < 64; ++i) processors += R"(, {"type": "BertProcessing", "sep": ["b", 1], "cls": ["a", 0]})";
  CHECK(refusal(tokenizer_of(file_of(
                    letters, R"(, "post_processor": {"type": "Sequence", "processors": [)" + processors + "]}")))
            .find("more than 64 steps") != std::string::npos);
}

TEST_CASE("what BERT cleans away leaves no token, and Korean is not Chinese", "[tokenizers]") {
  const auto read = ModelFolder().with("vocab.txt", "[UNK]\n[CLS]\n[SEP]\nab\na\nb\n\ud55c\n##\n\n").read();
  const std::string text("a\0b", 3);
  CHECK(spellings(read, text) == Words{"[CLS]", "ab", "[SEP]"});
  CHECK(spellings(read, "a\ufffdb") == Words{"[CLS]", "ab", "[SEP]"});
  CHECK(spellings(read, "a\nb\rb\ta") == Words{"[CLS]", "a", "b", "b", "a", "[SEP]"});
  CHECK(spellings(read, "a\ud55c") == Words{"[CLS]", "[UNK]", "[SEP]"});  // one word
}

TEST_CASE("what is stripped or put before a text may be nothing, or of any length", "[tokenizers]") {
  const auto with = [](const std::string& normalizer) {
    return tokenizer_of(
        file_of(R"({"type": "BPE", "vocab": {"a": 0, " ": 1, "\u00e9": 2, "\u3042": 3, "\ud83d\ude00": 4},
                                    "merges": []})",
                R"(, "normalizer": )" + normalizer));
  };
  const auto stripped = with(R"({"type": "Strip", "strip_left": true, "strip_right": true})");
  CHECK(spellings(stripped, " a \u00e9\u3042\U0001F600  ") == Words{"a", " ", "\u00e9", "\u3042", "\U0001F600"});
  CHECK(spellings(stripped, "   ").empty());
  CHECK(spellings(with(R"({"type": "Strip", "strip_left": false, "strip_right": true})"), " a ") == Words{" ", "a"});
  const auto prefixed = with(R"({"type": "Prepend", "prepend": "a"})");
  CHECK(spellings(prefixed, " ") == Words{"a", " "});
  CHECK(spellings(prefixed, "").empty());
}

TEST_CASE("settings beside a vocabulary say what its special tokens are called", "[tokenizers]") {
  ModelFolder bert;
  bert.with("vocab.txt", "?\r\n<c>\r\n<s>\r\na\r\n")
      .with("tokenizer_config.json", R"({"unk_token": "?", "cls_token": {"content": "<c>"}, "sep_token": "<s>"})");
  CHECK(spellings(bert.read(), "a b") == Words{"<c>", "a", "?", "<s>"});
  ModelFolder roberta;
  roberta.with("vocab.json", R"({"<s>": 0, "</s>": 1, "<unk>": 2, "<pad>": 3, "<mask>": 4, "a": 5})")
      .with("merges.txt", "#version: 0.2\n\n")
      .with("tokenizer_config.json", R"({"tokenizer_class": "RobertaTokenizer"})");
  CHECK(spellings(roberta.read(), "a <mask>") == Words{"<s>", "a", "<mask>", "</s>"});
}

TEST_CASE("the older list of special tokens counts where nothing lists what was added", "[tokenizers]") {
  ModelFolder bert;
  bert.with("vocab.txt", "[UNK]\n[CLS]\n[SEP]\na\n?\n")
      .with("tokenizer_config.json", R"({"unk_token": "[UNK]"})")
      .with("special_tokens_map.json", R"({"unk_token": "?"})");
  CHECK(spellings(bert.read(), "b") == Words{"[CLS]", "?", "[SEP]"});
  bert.with("tokenizer_config.json", R"({"unk_token": "[UNK]", "added_tokens_decoder": {}})");
  CHECK(spellings(bert.read(), "b") == Words{"[CLS]", "[UNK]", "[SEP]"});
}

TEST_CASE("a special token that is said to be null is none", "[tokenizers]") {
  ModelFolder bert;
  bert.with("vocab.txt", bert_vocabulary).with("tokenizer_config.json", R"({"mask_token": null})");
  CHECK(spellings(bert.read(), "[MASK]") == Words{"[CLS]", "[UNK]", "[UNK]", "[UNK]", "[SEP]"});
}

TEST_CASE("tokens that were added beside a vocabulary are refused, but for the special ones of its kind",
          "[tokenizers]") {
  const std::string usual = R"("lstrip": false, "rstrip": false, "single_word": false, "normalized": )";
  const std::string as_usual = usual + R"(false, "special": true)";
  const auto bert = [](const std::string& settings, const std::string& name = "tokenizer_config.json") {
    return refusal(ModelFolder().with("vocab.txt", bert_vocabulary).with(name, settings).read());
  };
  CHECK(bert(R"({"added_tokens_decoder": {"0": {"content": "[PAD]", )" + as_usual +
             R"(}, "4": {"content": "[MASK]", )" + as_usual +
             R"(}}, "additional_special_tokens": [], "extra_special_tokens": {}, "bos_token": null})")
            .empty());
  CHECK(bert(R"({"additional_special_tokens": ["[MASK]"], "extra_special_tokens": ["[SEP]"]})").empty());
  CHECK(bert(R"({"added_tokens_decoder": {"14": {"content": "[NEW]"}}})").starts_with("/added_tokens_decoder/14 "));
  CHECK(bert(R"({"added_tokens_decoder": {"3": {"content": "[MASK]"}}})").find("token 4") != std::string::npos);
  CHECK(bert(R"({"added_tokens_decoder": {"4": {"content": "[MASK]", "lstrip": true}}})")
            .starts_with("/added_tokens_decoder/4/lstrip "));
  CHECK(bert(R"({"additional_special_tokens": ["street"]})").starts_with("/additional_special_tokens/0 "));
  CHECK(bert(R"({"extra_special_tokens": {"a": "street"}})").starts_with("/extra_special_tokens/a "));
  CHECK(bert(R"({"eos_token": "street"})").starts_with("/eos_token "));
  for (const std::string member : {"lstrip", "rstrip", "single_word", "normalized"}) {
    CHECK(bert(R"({"mask_token": {"content": "[MASK]", ")" + member + R"(": true}})")
              .starts_with("/mask_token/" + member + " "));
  }
  CHECK(
      bert(R"({"additional_special_tokens": ["street"]})", "special_tokens_map.json").find("special_tokens_map.json") !=
      std::string::npos);
  CHECK(bert("{", "special_tokens_map.json").find("special_tokens_map.json") != std::string::npos);
  CHECK(bert(R"({"[NEW]": 14})", "added_tokens.json").find("added_tokens.json") != std::string::npos);

  const auto gpt2 = [](const std::string& settings) {
    ModelFolder folder;
    folder.with("vocab.json", R"({"<|endoftext|>": 0, "a": 1, "b": 2})").with("merges.txt", "");
    return refusal(folder.with("tokenizer_config.json", settings).read());
  };
  CHECK(gpt2(R"({"added_tokens_decoder": {"0": {"content": "<|endoftext|>", )" + usual + R"(true}}})").empty());
  CHECK(gpt2(R"({"added_tokens_decoder": {"2": {"content": "b"}}})").starts_with("/added_tokens_decoder/2 "));
  CHECK(gpt2(R"({"eos_token": {"content": "<|endoftext|>", "lstrip": true}})").starts_with("/eos_token/lstrip "));

  const auto roberta = [](const std::string& settings) {
    ModelFolder folder;
    folder.with("vocab.json", R"({"<s>": 0, "</s>": 1, "<unk>": 2, "<pad>": 3, "<mask>": 4})").with("merges.txt", "");
    folder.with("config.json", R"({"model_type": "roberta"})").with("tokenizer_config.json", settings);
    return refusal(folder.read());
  };
  CHECK(roberta(R"({"mask_token": {"content": "<mask>", "lstrip": true}})").empty());
  CHECK(roberta(R"({"added_tokens_decoder": {"4": {"content": "<mask>", "lstrip": true},
                                             "0": {"content": "<s>", "lstrip": false}}})")
            .empty());
  CHECK(roberta(R"({"mask_token": {"content": "<mask>", "lstrip": false}})").starts_with("/mask_token/lstrip "));
  CHECK(roberta(R"({"cls_token": ""})").starts_with("/cls_token "));
  CHECK(roberta(R"({"sep_token": null})").starts_with("/sep_token "));
}

TEST_CASE("settings beside a vocabulary that are not computed, or are none, are refused", "[tokenizers]") {
  const auto bert = [](const std::string& settings) {
    return refusal(ModelFolder().with("vocab.txt", bert_vocabulary).with("tokenizer_config.json", settings).read());
  };
  CHECK(bert("{}").empty());
  CHECK(bert(R"({"tokenizer_class": "BertTokenizer"})").empty());
  CHECK(bert(R"({"tokenizer_class": "BertJapaneseTokenizer"})").find("`BertJapaneseTokenizer`") != std::string::npos);
  CHECK(bert(R"({"do_basic_tokenize": false})").starts_with("/do_basic_tokenize "));
  CHECK(bert(R"({"do_lower_case": "yes"})").starts_with("/do_lower_case "));
  CHECK(bert(R"({"cls_token": 7})").starts_with("/cls_token "));
  CHECK(bert("{").find("tokenizer_config.json") != std::string::npos);

  const std::string vocabulary = R"({"<|endoftext|>": 0, "a": 1})";
  const auto gpt2 = [&](const std::string& name, const std::string& text) {
    ModelFolder folder;
    folder.with("vocab.json", vocabulary).with("merges.txt", "").with(name, text);
    return refusal(folder.read());
  };
  CHECK(gpt2("tokenizer_config.json", "{}").empty());
  CHECK(gpt2("tokenizer_config.json", R"({"add_bos_token": true})").starts_with("/add_bos_token "));
  CHECK(gpt2("tokenizer_config.json", R"({"eos_token": 7})").starts_with("/eos_token "));
  CHECK(gpt2("tokenizer_config.json", R"({"bos_token": "<s>"})").find("`<s>`") != std::string::npos);
  CHECK(gpt2("tokenizer_config.json", R"({"tokenizer_class": "CodeGenTokenizer"})").find("`CodeGenTokenizer`") !=
        std::string::npos);
  CHECK(gpt2("tokenizer_config.json", "[]").find("tokenizer_config.json") != std::string::npos);
  CHECK(gpt2("config.json", "{").find("config.json") != std::string::npos);
  CHECK(gpt2("vocab.json", "{").find("vocab.json") != std::string::npos);
  CHECK(gpt2("vocab.json", R"({"<|endoftext|>": 0, "a": 0})").starts_with("/a "));
  CHECK(gpt2("vocab.json", R"({"<|endoftext|>": 0, "a": 2})").find("none with the id 1") != std::string::npos);
  CHECK(gpt2("merges.txt", "a a a\n").find("line 1 of merges.txt") != std::string::npos);
}

TEST_CASE("a file of a tokenizer that cannot be read, or is far too large, is refused by its name", "[tokenizers]") {
  for (const std::string name : {"tokenizer.json", "vocab.txt", "vocab.json", "merges.txt", "tokenizer_config.json"}) {
    ModelFolder folder;
    if (name == "tokenizer_config.json") folder.with("vocab.txt", bert_vocabulary);
    if (name == "vocab.json") folder.with("merges.txt", "");
    if (name == "merges.txt") folder.with("vocab.json", R"({"<|endoftext|>": 0})");
    folder.with_folder(name);
    CHECK(refusal(folder.read()).starts_with(" " + name + " "));
  }
  ModelFolder large;
  large.with("tokenizer.json", "{}").of_size("tokenizer.json", (std::uintmax_t{1} << 28) + 1);
  CHECK(refusal(large.read()).starts_with(" tokenizer.json has more than 256 MiB"));
  const std::string line(1025, 'a');
  CHECK(refusal(ModelFolder().with("vocab.txt", "[UNK]\n" + line).read()).find("line 2") != std::string::npos);
  CHECK(refusal(ModelFolder().with("vocab.json", "{}").read()).find("no tokenizer") != std::string::npos);
}

TEST_CASE("more tokens than any model has are refused, whatever they are and whichever file has them", "[tokenizers]") {
  constexpr std::size_t most = 2'097'152;
  const std::string said = "has more than 2097152 tokens";
  std::string lines, list, object;
  for (std::size_t id = 0; id < most; ++id) {
    lines += std::to_string(id) + "\n";
    list += "[\"" + std::to_string(id) + "\",0],";
    object += "\"" + std::to_string(id) + "\":0,";
  }
  const auto unigrams = [](const std::string& tokens) {
    return refusal(tokenizer_of(file_of(R"({"type": "Unigram", "unk_id": 2097152, "vocab": )" + tokens + "}")));
  };
  // Just as many are read: something else is wrong with them.
  CHECK(refusal(ModelFolder().with("vocab.txt", lines).read()).find("`[UNK]`") != std::string::npos);
  CHECK(unigrams("[" + list.substr(0, list.size() - 1) + "]").starts_with("/model/unk_id "));

  CHECK(refusal(ModelFolder().with("vocab.txt", lines + "a").read()) == " vocab.txt " + said);
  const std::string at_its_place = "/model/vocab what tokenizer.json has at `/model/vocab` " + said;
  CHECK(unigrams("[" + list + "[\"a\",0]]") == at_its_place);
  const std::string one_more = "{" + object + "\"a\":0}";
  for (const std::string type : {"BPE", "WordPiece"})
    CHECK(refusal(tokenizer_of(file_of("{\"type\": \"" + type + "\", \"vocab\": " + one_more + "}"))) == at_its_place);
  CHECK(refusal(ModelFolder().with("vocab.json", one_more).with("merges.txt", "").read()) == " vocab.json " + said);
}

TEST_CASE("a merge that was thought of is left out once a part of it is in another token", "[tokenizers]") {
  const auto merged = [](const std::string& merges) {
    return spellings(tokenizer_of(file_of(R"({"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4,
                                             "bc": 5}, "merges": [)" +
                                          merges + "]}")),
                     "abc");
  };
  CHECK(merged(R"("a b", "b c")") == Words{"ab", "c"});      // the b is in ab by then
  CHECK(merged(R"("b c", "a bc", "a b")") == Words{"abc"});  // and nothing stands behind abc
}

TEST_CASE("words that are no tokens are merged where whole words go before merges", "[tokenizers]") {
  const auto read = tokenizer_of(file_of(R"({"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "aba": 3},
                                             "merges": ["a b"], "ignore_merges": true})"));
  CHECK(spellings(read, "aba") == Words{"aba"});
  CHECK(spellings(read, "abab") == Words{"ab", "ab"});
}

TEST_CASE("numbers and steps that are none are told with their place", "[tokenizers]") {
  const auto model = [](const std::string& members) {
    return refusal(tokenizer_of(file_of(R"({"type": "BPE", "merges": [], )" + members + "}")));
  };
  CHECK(model(R"("vocab": {"a": 0}, "dropout": 0.0)").empty());
  CHECK(model(R"("vocab": {"a": 0}, "dropout": "half")").find("`/model/dropout` must be a number") !=
        std::string::npos);
  for (const std::string id : {"4294967295", "-1", "1.5", "\"1\""}) {
    CAPTURE(id);
    CHECK(model(R"("vocab": {"a": )" + id + "}").find("`/model/vocab/a` must be a whole number") != std::string::npos);
  }
  const std::string step =
      file_of(letters, R"(, "normalizer": {"type": "Sequence", "normalizers": [{"form": "NFC"}]})");
  CHECK(refusal(tokenizer_of(step)).starts_with("/normalizer/normalizers/0/type "));
}

TEST_CASE("what stands before a text is left out where there is no text", "[tokenizers]") {
  const auto read = tokenizer_of(file_of(letters, R"(, "normalizer": {"type": "Sequence", "normalizers": [
                           {"type": "Strip", "strip_left": true, "strip_right": true},
                           {"type": "Prepend", "prepend": "a"}]})"));
  CHECK(spellings(read, " b") == Words{"ab"});
  CHECK(spellings(read, "  ").empty());
  CHECK(spellings(read, "").empty());
}

TEST_CASE("a mark for a blank can stand before the first word alone", "[tokenizers]") {
  const auto marked = [](const std::string& scheme) {
    return spellings(tokenizer_of(file_of(R"({"type": "BPE", "vocab": {"_": 0, "a": 1}, "merges": []})",
                                          R"(, "pre_tokenizer": {"type": "Metaspace", "replacement": "_",
                                               "prepend_scheme": ")" +
                                              scheme + R"("}, "added_tokens": [{"id": 2, "content": "<x>",
                                               "single_word": false, "lstrip": false, "rstrip": false,
                                               "normalized": false, "special": true}])")),
                     "a<x>a");
  };
  CHECK(marked("first") == Words{"_", "a", "<x>", "a"});
  CHECK(marked("always") == Words{"_", "a", "<x>", "_", "a"});
}

TEST_CASE("an added token of which the normalizer leaves nothing or too much is refused", "[tokenizers]") {
  const auto said =
      [](const std::string& content, const std::string& normalizer) {
        return refusal(tokenizer_of(file_of(letters, R"(, "normalizer": )" + normalizer + R"(, "added_tokens": [
                   {"id": 6, "content": ")" + content + R"(", "single_word": false, "lstrip": false,
                    "rstrip": false, "normalized": true, "special": false}])")));
      };
  const std::string strips = R"({"type": "Strip", "strip_left": true, "strip_right": true})";
  const auto prepends = [](std::size_t count) {
    return R"({"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": ")" + std::string(count, 'b') +
           "\"}]}";
  };
  CHECK(said("x", strips).empty());
  CHECK(said("x", prepends(255)).empty());
  const std::string wrong = "is nothing, or too long, once the normalizer was there";
  CHECK(said("  ", strips).find(wrong) != std::string::npos);
  CHECK(said("x", prepends(256)).find(wrong) != std::string::npos);
  CHECK(said("x", prepends(std::size_t{1} << 19)).find(wrong) != std::string::npos);
}

TEST_CASE("an added token needs an id", "[tokenizers]") {
  const std::string json = file_of(letters, R"(, "added_tokens": [{"content": "x", "single_word": false,
      "lstrip": false, "rstrip": false, "normalized": true, "special": false}])");
  CHECK(refusal(tokenizer_of(json)).find("is missing; it must be a whole number") != std::string::npos);
}

TEST_CASE("files of merges are those of the family that a class or a model names", "[tokenizers]") {
  ModelFolder folder;
  folder
      .with("vocab.json", R"({"<s>": 0, "</s>": 1, "<unk>": 2, "<pad>": 3, "<mask>": 4, "<|endoftext|>": 5, "a": 6,
                                "a b": 7})")
      .with("merges.txt", "#version: 0.2\n");
  struct Case {
    const char* settings;
    const char* model;
    Words tokens;
  };
  const Words bare = {"a"}, framed = {"<s>", "a", "</s>"};
  const Case cases[] = {{"{}", "{}", bare},
                        {R"({"tokenizer_class": "GPT2Tokenizer"})", "{}", bare},
                        {R"({"tokenizer_class": "GPT2TokenizerFast"})", "{}", bare},
                        {"{}", R"({"model_type": "gpt2"})", bare},
                        {R"({"tokenizer_class": "RobertaTokenizer"})", "{}", framed},
                        {R"({"tokenizer_class": "RobertaTokenizerFast"})", "{}", framed},
                        {"{}", R"({"model_type": "roberta"})", framed},
                        {R"({"tokenizer_class": "GPT2Tokenizer"})", R"({"model_type": "roberta"})", bare}};
  for (const Case& one : cases) {
    CAPTURE(one.settings, one.model);
    const auto read = folder.with("tokenizer_config.json", one.settings).with("config.json", one.model).read();
    CHECK(spellings(read, "a") == one.tokens);
    // No byte is spelled as a blank: such a token is shown as it is.
    CHECK(read.value().token(7) == TextToken{7, "a b", "a b"});
  }
}

TEST_CASE("a special token without a name is never found in a text", "[tokenizers]") {
  const auto read = ModelFolder()
                        .with("vocab.txt", "[UNK]\n[CLS]\n[SEP]\n\nthe\n")
                        .with("tokenizer_config.json", R"({"pad_token": ""})")
                        .read();
  CHECK(spellings(read, "the the") == Words{"[CLS]", "the", "the", "[SEP]"});
}

TEST_CASE("a special token of very many bytes, which would have to be looked for, is refused", "[tokenizers]") {
  for (const std::size_t bytes : {std::size_t{256}, std::size_t{257}}) {
    const std::string name(bytes, 'x');
    const auto read =
        ModelFolder()
            .with("vocab.json", R"({"x": 0, "<|endoftext|>": 1, ")" + name + R"(": 2})")
            .with("merges.txt", "#version: 0.2\n")
            .with("tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer", "unk_token": ")" + name + R"("})")
            .read();
    if (bytes == 256) {
      CHECK(spellings(read, name) == Words{name});
    } else {
      CHECK(refusal(read).starts_with("/unk_token "));
    }
  }
}

TEST_CASE("a pattern that is a text, where its kind has to be said, is refused", "[tokenizers]") {
  const std::string step =
      R"(, "pre_tokenizer": {"type": "Split", "pattern": " ", "behavior": "Removed", "invert": false})";
  CHECK(refusal(tokenizer_of(file_of(letters, step))) ==
        "/pre_tokenizer/pattern what tokenizer.json has at `/pre_tokenizer/pattern` must be an object");
}

TEST_CASE("a folder without a name is the one where the program runs", "[tokenizers]") {
  CHECK(refusal(read_tokenizer("")).find("there is no tokenizer") != std::string::npos);
}

TEST_CASE("characters are of the kinds that the reference has them in", "[tokenizers]") {
  for (const char32_t blank : {U'\t', U'\r', U' ', U'\u0085', U'\u00a0', U'\u1680', U'\u2000', U'\u200a', U'\u2028',
                               U'\u2029', U'\u202f', U'\u205f', U'\u3000'}) {
    CHECK(is_white_space(blank));
  }
  for (const char32_t other : {U'\x01', U'\x0e', U'a', U'\u180e', U'\u200b', U'\ufeff'})
    CHECK_FALSE(is_white_space(other));
  CHECK(is_nonspacing_mark(0x1734));
  CHECK(is_mark(0x1CF2));
  CHECK(is_mark(0x1CF3));
  for (const char32_t letter : {U'a', U'\u0301', U'7', U'\u2167', U'_', U'\u200c', U'\u24b6', U'\U0001F130'}) {
    CHECK(is_word_character(letter));
  }
  for (const char32_t other : {U' ', U'-', U'\u00b2', U'\U0001F600', U'\U0001F18A'})
    CHECK_FALSE(is_word_character(other));
  CHECK(is_control(0xE000));
  CHECK(is_bert_punctuation(0x111C9));
  CHECK_FALSE(is_bert_punctuation(' '));
  CHECK_FALSE(is_bert_punctuation(0x7F));
}
