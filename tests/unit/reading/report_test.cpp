#include "reading/report.h"

#include <string>
#include <type_traits>

#include "base/text.h"
#include "catch.h"

using namespace attn;

namespace {

Diagnostic at(std::size_t begin, std::size_t end) {
  return {.code = "x", .where = "", .message = "wrong", .help = "mend it", .range = TextRange{begin, end}};
}

}  // namespace

TEST_CASE("a fault is shown with its line, a caret and what to do", "[report]") {
  const std::string text = "{\n  \"heads\": 0,\n  \"score\": \"dot\"\n}\n";
  const Diagnostic fault{.code = "x", .where = "/heads", .message = "/heads is 0", .help = "one or more"};
  CHECK(report({fault}, text, "a.json") ==
        "a.json:2:12: error: /heads is 0\n"
        "  \"heads\": 0,\n"
        "           ^\n"
        "  help: one or more\n");
}

TEST_CASE("no fault is without what to do about it", "[report]") {
  // A literal that is empty does not compile either.
  STATIC_REQUIRE_FALSE(std::is_default_constructible_v<Help>);
  STATIC_REQUIRE_FALSE(std::is_default_constructible_v<Diagnostic>);
}

TEST_CASE("columns count characters, carets stand below them as they are shown", "[report]") {
  const std::string text = "\t\"我\": 1,\r\n";
  CHECK(report({at(8, 9)}, text, "a.json") ==
        "a.json:1:7: error: wrong\n"
        "    \"我\": 1,\n"
        "          ^\n"
        "  help: mend it\n");
}

TEST_CASE("several characters get several carets, a list only one", "[report]") {
  CHECK(report({at(1, 4)}, "[abc]", "f") == "f:1:2: error: wrong\n[abc]\n ^^^\n  help: mend it\n");
  CHECK(report({at(0, 5)}, "[abc]", "f") == "f:1:1: error: wrong\n[abc]\n^\n  help: mend it\n");
}

TEST_CASE("a place that spans lines is marked to the end of its first", "[report]") {
  CHECK(report({at(0, 5)}, "ab\ncd", "f") == "f:1:1: error: wrong\nab\n^^\n  help: mend it\n");
}

TEST_CASE("the end of the text is a place too", "[report]") {
  CHECK(report({at(3, 4)}, "ab\n", "f") == "f:2:1: error: wrong\n\n^\n  help: mend it\n");
}

TEST_CASE("of a long line only what is around the place is shown", "[report]") {
  const std::string text(10'000, 'x');
  const auto begin = GENERATE(as<std::size_t>(), 0, 30, 5000, 9990, 9999);
  const std::string shown = report({at(begin, begin + 1)}, text, "f");
  const std::size_t first = shown.find('\n') + 1;
  const std::size_t second = shown.find('\n', first);
  const std::string line = shown.substr(first, second - first);
  CHECK(display_width(line) <= 76);
  const std::size_t caret = shown.find('^') - second - 1;
  CHECK(display_width(line) > caret);
  CHECK(display_width(line) >= 70);
}

TEST_CASE("of a letter with marks without end no more is shown than of others", "[report]") {
  std::string text = "[e";
  for (int i = 0; i < 100'000; ++i) text += "\u0301";
  text += " x";
  for (const std::size_t begin : {std::size_t{0}, text.size() - 1}) {
    const std::string shown = report({at(begin, begin + 1)}, text, "f");
    CHECK(shown.size() < 3000);
    CHECK(shown.find("…") != std::string::npos);
  }
}

TEST_CASE("control characters of texts, names and messages become visible", "[report]") {
  Diagnostic fault = at(0, 1);
  fault.message = "bell\x07";
  fault.help = "line\nbreak";
  const std::string shown = report({fault}, "\x1b[31m", "na\x1bme");
  CHECK(shown == "na\\x1bme:1:1: error: bell\\x07\n\\x1b[31m\n^^^^\n  help: line\\nbreak\n");
}

TEST_CASE("bytes that are not UTF-8 are shown one by one", "[report]") {
  CHECK(report({at(3, 4)},
               "a\xff\xfe"
               "b",
               "f") == "f:1:4: error: wrong\na\\xff\\xfeb\n         ^\n  help: mend it\n");
}

TEST_CASE("faults come in the order of the text, at most 20", "[report]") {
  Diagnostics faults;
  for (std::size_t i = 25; i-- > 0;) faults.push_back(at(i, i + 1));
  const std::string shown = report(faults, std::string(30, 'x'), "f");
  CHECK(shown.find("f:1:1:") < shown.find("f:1:2:"));
  CHECK(shown.find("f:1:20:") != std::string::npos);
  CHECK(shown.find("f:1:21:") == std::string::npos);
  CHECK(shown.ends_with("and 5 more\n"));
}

TEST_CASE("without a text there is no place", "[report]") {
  CHECK(report({at(0, 0)}, "", "f") == "f: error: wrong\n  help: mend it\n");
}

TEST_CASE("colour adds nothing but colour", "[report]") {
  const std::string plain = report({at(1, 2)}, "[1]", "f");
  std::string colored = report({at(1, 2)}, "[1]", "f", true);
  CHECK(colored.find("\x1b[") != std::string::npos);
  for (std::size_t begin = colored.find('\x1b'); begin != std::string::npos; begin = colored.find('\x1b')) {
    colored.erase(begin, colored.find('m', begin) - begin + 1);
  }
  CHECK(colored == plain);
}

TEST_CASE("faults that were only counted are among those that are not shown", "[report]") {
  Diagnostics faults(25, at(0, 1));
  faults.back().unkept = 199'976;
  CHECK(report(faults, "x", "f").ends_with("and 199981 more\n"));
}

TEST_CASE("a byte order mark is no character of its line", "[report]") {
  const std::string text = "\xEF\xBB\xBF{\"a\": 0}\n{";
  CHECK(report({at(9, 10)}, text, "f") == "f:1:7: error: wrong\n{\"a\": 0}\n      ^\n  help: mend it\n");
  CHECK(report({at(0, 1)}, text, "f").starts_with("f:1:1: "));
  CHECK(report({at(12, 13)}, text, "f").starts_with("f:2:1: "));
}
