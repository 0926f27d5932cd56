#include "cli/typed_line.h"

#include <string>
#include <vector>

#include "catch.h"
#include "reading/report.h"

using namespace attn;  // NOLINT(google-build-using-namespace)

namespace {

using Words = std::vector<std::string>;

// The line with what is meant in angle brackets; empty where it was not typed.
std::string marked(const Words& words, const Typed& meant, const Words& with_values = {}) {
  const auto found = find_typed(words, meant, with_values);
  if (!found) return "";
  std::string line = found->line;
  line.insert(found->range.end, ">");
  line.insert(found->range.begin, "<");
  return line;
}

// What is shown of a command line on a terminal so wide.
std::string shown(const Words& words, const Typed& meant, std::size_t width) {
  const TypedLine found = find_typed(words, meant).value();
  const Diagnostic fault{.code = "refused", .message = "wrong", .help = "right it"};
  return report(placed_in_line(fault, found.line, found.range, width));
}

}  // namespace

TEST_CASE("an option is found by its name, and the last one where it is given twice", "[cli]") {
  CHECK(marked({"run", "p.json", "--dtyp", "f32"}, {"--dtyp"}) == "attn run p.json <--dtyp> f32");
  CHECK(marked({"run", "--query=1", "--query=2"}, {"--query"}) == "attn run --query=1 <--query>=2");
  CHECK(marked({"run", "p.json"}, {"--dtype"}).empty());
  CHECK(marked({"run", "-o", "x"}, {"-o,--output"}) == "attn run <-o> x");
  CHECK(marked({"run", "x", "--output", "x"}, {"-o,--output", "x"}) == "attn run x --output <x>");
}

TEST_CASE("a value is found behind its option, however it is attached", "[cli]") {
  CHECK(marked({"run", "2", "--digits", "2"}, {"--digits", "2"}) == "attn run 2 --digits <2>");
  CHECK(marked({"run", "2", "--digits=2"}, {"--digits", "2"}) == "attn run 2 --digits=<2>");
  CHECK(marked({"run", "-", "--digits=-"}, {"--digits", "-"}) == "attn run - --digits=<->");
  CHECK(marked({"run", "--digits", "3"}, {"--digits", "2"}).empty());
  CHECK(marked({"run", "--only", "a", "b", "c"}, {"--only", "b"}) == "attn run --only a <b> c");
  CHECK(marked({"run", "--only", "a", "--head", "2", "--only", "c"}, {"--only", "2"}).empty());
  CHECK(marked({"run", "--only", "--x", "S"}, {"--only", "--x"}) == "attn run --only <--x> S");
  CHECK(marked({"run", "", "--only", ""}, {"--only", ""}) == "attn run '' --only '<>'");
}

TEST_CASE("one name of a list is found whole", "[cli]") {
  CHECK(marked({"run", "--only", "keys_,key,x"}, {.value = "key"}) == "attn run --only keys_,<key>,x");
  CHECK(marked({"run", "--only=keys_, key"}, {.value = "key"}) == "attn run '--only=keys_, <key>'");
}

TEST_CASE("a word is the last that says it, and a whole one before a part of one", "[cli]") {
  CHECK(marked({"list", "x", "x"}, {.value = "x"}) == "attn list x <x>");
  CHECK(marked({"list", "x", "x.json"}, {.value = "x"}) == "attn list <x> x.json");
  CHECK(marked({"run", ""}, {.value = ""}) == "attn run '<>'");
  CHECK(marked({"run", "p.json"}, {.value = ""}).empty());
  CHECK(marked({"run", "S", "--only", "S"}, {.value = "S"}, {"--only"}) == "attn run <S> --only S");
  CHECK(marked({"run", "S", "-o", "S"}, {.value = "S"}, {"--output", "-o"}) == "attn run <S> -o S");
  CHECK(marked({"run", "S", "--full", "S"}, {.value = "S"}, {"--only"}) == "attn run S --full <S>");
  CHECK(marked({"why", "--dtype", "S", "p.json"}, {.value = "S"}) == "attn why --dtype <S> p.json");
}

TEST_CASE("what is missing is missing behind the end", "[cli]") {
  CHECK(marked({"check"}, {}) == "attn check <>");
  CHECK(shown({"check"}, {}, 80) == "attn: error: wrong\nattn check\n           ^\n  help: right it\n");
}

TEST_CASE("the wrong word is found within quotes", "[cli]") {
  CHECK(marked({"why", "it's", "it's $5 off"}, {.value = "off"}) == "attn why \"it's\" 'it'\\''s $5 <off>'");
}

TEST_CASE("a long command line is cut around the word that is wrong", "[cli]") {
  Words words = {"check", "p.json"};
  for (int i = 0; i < 100; ++i) words.push_back("anna-" + std::to_string(i) + ".json");
  words.emplace_back("--rtool");
  for (int i = 0; i < 100; ++i) words.push_back("ben-" + std::to_string(i) + ".json");
  for (const std::size_t width : {40u, 60u, 132u}) {
    const std::string text = shown(words, {"--rtool"}, width);
    const std::size_t begin = text.find('\n') + 1;
    const std::string line = text.substr(begin, text.find('\n', begin) - begin);
    const std::string carets = text.substr(begin + line.size() + 1);
    CAPTURE(width, line);
    CHECK(line.starts_with("…"));
    CHECK(line.ends_with("…"));
    CHECK(line.size() <= width + 4);  // each "…" is three bytes and one column
    CHECK(line.size() > width / 2);
    CHECK(carets.find("^^^^^^^\n") + 2 == line.find("--rtool"));
  }
}
