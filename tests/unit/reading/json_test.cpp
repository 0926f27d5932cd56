#include "reading/json/json.h"

#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "catch.h"
#include "reading/json/scanner.h"

using namespace attn;

namespace {

// The text has to outlive it.
JsonValue parsed(std::string_view text) {
  const Result<ParsedJson> result = parse_json(text);
  REQUIRE(result);
  REQUIRE(result.value().faults.empty());
  return result.value().root;
}

Diagnostic fault_in(std::string_view text) {
  const Result<ParsedJson> result = parse_json(text);
  REQUIRE_FALSE(result);
  REQUIRE(result.faults().size() == 1);
  return result.faults()[0];
}

JsonNumbers numbers_of(const JsonValue& value) {
  auto numbers = value.numbers();
  REQUIRE(numbers);
  return std::move(*numbers);
}

std::string said(std::string_view text) { return *parsed(text).text(); }

using Sizes = std::vector<std::size_t>;

}  // namespace

TEST_CASE("a text is cut into tokens, whatever somebody took for JSON", "[json]") {
  using Kind = Token::Kind;
  const auto [text, kind, size] = GENERATE(table<std::string, Kind, std::size_t>({
      {"Ab_$1 ", Kind::word, 5},
      {"Z:", Kind::word, 1},
      {"-I", Kind::word, 2},
      {"+-x.5,", Kind::word, 5},
      {"--", Kind::number, 2},
      {"-0.5e+3]", Kind::number, 7},
      {"/**/1", Kind::number, 1},
      {"/*/*/1", Kind::number, 1},
      {"// 2\n1", Kind::number, 1},
      {"/*/", Kind::unfinished_comment, 0},
      {"/1", Kind::stray, 1},
      {"é1", Kind::stray, 2},
      {"\"a\nb\"", Kind::unfinished_text, 2},
      {"\"a", Kind::unfinished_text, 2},
      {" ", Kind::end, 0},
  }));
  CAPTURE(text);
  const Token token = Scanner(text).next();
  CHECK(token.kind == kind);
  if (kind != Kind::unfinished_comment) CHECK(token.range.end - token.range.begin == size);
}

TEST_CASE("a plain number is taken with the comma behind it, and without what is about it", "[json]") {
  for (const std::string number : {"0", "-1", "12.50", "-0.0"}) {
    const std::string text = "[ " + number + "\n, 7]";
    Scanner scanner(text);
    scanner.next();
    CHECK(scanner.plain_number() == number);
    CHECK(scanner.place() == text.find(',') + 1);
    CHECK(scanner.plain_number().empty());  // no comma follows
    CHECK(spelled(text, scanner.next().range) == "7");
  }
  for (const char* other : {"01,", "1e3,", "-,", "1.,", ".5,", "+1,", "1 2,", "\"1\","}) {
    CAPTURE(other);
    CHECK(Scanner(other).plain_number().empty());
  }
}

TEST_CASE("lists of numbers become one run of values with their shape", "[json]") {
  const JsonValue value = parsed("[[1, -2.5, 3e2], [4, 5, 6]]");
  const JsonNumbers numbers = numbers_of(value);
  CHECK(numbers.numbers.values() == std::vector<double>{1, -2.5, 300, 4, 5, 6});
  CHECK(numbers.numbers.shape() == Sizes{2, 3});
  CHECK_FALSE(numbers.odd);
  CHECK_FALSE(numbers.first_boolean);
}

TEST_CASE("infinities and NaN are spelled as texts among numbers", "[json]") {
  const JsonValue value = parsed(R"(["inf", "-inf", "-∞", "nan"])");
  const std::vector<double> values = numbers_of(value).numbers.values();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  REQUIRE(values.size() == 4);
  CHECK(values[0] == infinity);
  CHECK(values[1] == -infinity);
  CHECK(values[2] == -infinity);
  CHECK(std::isnan(values[3]));
}

TEST_CASE("negative zero is zero, however it is written", "[json]") {
  const JsonValue value = parsed("[-0, -0.0, -0e5]");
  const JsonNumbers numbers = numbers_of(value);
  for (const double zero : numbers.numbers.values()) CHECK_FALSE(std::signbit(zero));
  CHECK_FALSE(std::signbit(parsed("-0.0").number()->value));
}

TEST_CASE("booleans are numbers that remember it", "[json]") {
  const JsonValue value = parsed("[[1, 0], [0, true]]");
  CHECK(numbers_of(value).numbers.values() == std::vector<double>{1, 0, 0, 1});
  CHECK(numbers_of(value).first_boolean == ListPlace{1, 1});
  CHECK(numbers_of(parsed("[[0, false], [true, 1]]")).first_boolean == ListPlace{0, 1});
  // They are numbers also where the first of all is one.
  for (const char* text : {"[[true]]", "[[false]]"}) CHECK(parsed(text).numbers());
}

TEST_CASE("the first element that does not fit is known by its place", "[json]") {
  auto [text, place, what] = GENERATE(table<std::string, ListPlace, std::string>({
      {R"([1, "x"])", {1}, "a text"},
      {R"([[1, 2], [3, null]])", {1, 1}, "null"},
      {R"([[1, 2], {"a": [1]}])", {1}, "an object"},
      {R"([[1, 2], 3])", {1}, "a number"},
      {R"([1, [2]])", {1}, "a list"},
      {R"([[], 3])", {1}, "a number"},
      {R"([[[1]], [2]])", {1, 0}, "a number"},
      {R"([[1], [[2]], "x"])", {1, 0}, "a list"},
  }));
  INFO(text);
  const JsonValue value = parsed(text);
  REQUIRE(numbers_of(value).odd);
  CHECK(numbers_of(value).odd->place == place);
  CHECK(numbers_of(value).odd->what == what);
}

TEST_CASE("lists without numbers are lists of anything", "[json]") {
  const JsonValue value = parsed(R"([["a", "inf"], [], [{"b": 1}]])");
  REQUIRE(value.list());
  REQUIRE(value.list()->size() == 3);
  CHECK(*value.list()->front().list()->at(1).text() == "inf");
  CHECK(parsed("[]").list());
  CHECK(parsed("[null, 1]").list()->size() == 2);
  CHECK(parsed("[[], []]").numbers());
  CHECK(parsed(R"([[], ["a"], [1]])").list());
  CHECK(parsed(R"([[], [true], "a"])").numbers());
}

TEST_CASE("the first that is no list is found behind lists without anything in them", "[json]") {
  const JsonValue value = parsed(R"([[[]], [[], ["a", "b"]], ["c"]])");
  const auto [leaf, place] = first_leaf(value, "/x");
  CHECK(leaf.text() == "a");
  CHECK(place == "/x/1/1/0");
}

TEST_CASE("every list has its elements, numbers or not", "[json]") {
  const JsonValue value = parsed(R"(["inf", /* , */ [1, 2], {"a]": "\""} , null])");
  const auto elements = value.elements();
  REQUIRE(elements);
  std::vector<std::string> spellings;
  for (const JsonValue& element : *elements) spellings.emplace_back(element.spelling());
  CHECK(spellings == std::vector<std::string>{"\"inf\"", "[1, 2]", R"({"a]": "\""})", "null"});
  CHECK_FALSE(parsed("{}").elements());
}

TEST_CASE("a member is found by what its key says, however that is spelled", "[json]") {
  const auto object =
      parsed(R"({"ab": 1, "\u0061c": 2, "\ud83d\ude42": 3, "a\\b": 4, "\u0061\u0062\u0063": 5, "": 6})").object();
  const auto found = [&](std::string_view key) { return object->find(key).value_or(parsed("0")).number()->value; };
  CHECK(found("ab") == 1);
  CHECK(found("ac") == 2);
  CHECK(found("\U0001F642") == 3);
  CHECK(found("a\\b") == 4);
  CHECK(found("abc") == 5);
  CHECK(found("") == 6);
  for (const char* other : {"a", "abcd", "a\\\\b", "\\u0061c", "b"}) CHECK(found(other) == 0);
}

TEST_CASE("members are found together, of a key given twice the first", "[json]") {
  const Result<ParsedJson> result = parse_json(R"({"b": 1, "\u0061": {"c": 5}, "b": 2, "a": 3, "": 4})");
  REQUIRE(result);
  const auto [c, b, a, empty] = members_called(result.value().root, {"c", "b", "a", ""});
  CHECK_FALSE(c);
  CHECK(b->spelling() == "1");
  CHECK(a->spelling() == R"({"c": 5})");
  CHECK(empty->spelling() == "4");
}

TEST_CASE("a value knows its place in the text, and so does its key", "[json]") {
  const std::string text = "\xEF\xBB\xBF{ \"a\": [1, {\"b\\u0063\": 2.50}] }";
  const JsonMember member = parsed(text).object()->members.at(0).value.elements()->at(1).object()->members.at(0);
  CHECK(member.key() == "bc");
  CHECK(member.value.spelling() == "2.50");
  CHECK(place_in(text, member.value.spelling()).begin == text.find("2.50"));
  CHECK(place_in(text, member.key_spelling) == TextRange{text.find("\"b"), text.find(": 2")});
}

TEST_CASE("a text ends at its closing quote, however long it is and wherever something escaped stands in it",
          "[json]") {
  const auto [spelled, meant] =
      GENERATE(table<std::string, std::string>({{R"(\")", "\""},
                                                {R"(\\)", "\\"},
                                                {R"(\\\")", "\\\""},
                                                {R"(\n)", "\n"},
                                                {R"(\u0022)", "\""},
                                                {"\u00e9", "\u00e9"},
                                                {"\xC3\xA2\xC3\x8A\xDC\x80", "\xC3\xA2\xC3\x8A\xDC\x80"}}));
  for (std::size_t before = 0; before < 20; ++before) {
    for (std::size_t behind = 0; behind < 20; ++behind) {
      const std::string a(before, 'a'), b(behind, 'b');
      const std::string text = "[\"" + a + spelled + b + "\",\"" + b + "\",7]";
      CAPTURE(text);
      const auto elements = parsed(text).elements();
      REQUIRE(elements->size() == 3);
      CHECK((*elements)[0].text() == a + meant + b);
      CHECK((*elements)[1].text() == b);
      CHECK((*elements)[2].number()->whole == 7);
    }
  }
}

TEST_CASE("a text that does not end in its line is refused at its quote", "[json]") {
  for (std::size_t length = 0; length < 20; ++length) {
    const std::string begin = "[\"" + std::string(length, 'a');
    for (const char* end : {"", "\n", "\nb\"]", "\\", "\\\""}) {
      const std::string text = begin + end;
      CAPTURE(text);
      CHECK(fault_in(text).range == TextRange{1, 2});
      CHECK(fault_in(text).message == "this text has no closing quote on its line");
    }
  }
}

TEST_CASE("escapes of a text stand for their characters", "[json]") {
  CHECK(said(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
  CHECK(said(R"("a\u00e9\u4E2d\ud83d\ude42z")") == "aé中🙂z");
  CHECK(said(R"("\u0000")") == std::string(1, '\0'));
  CHECK(said(R"("\u007f\u07ff\u0800\uffff")") == "\x7F\u07FF\u0800\uFFFF");
}

TEST_CASE("half of a character is no text, also where the other half is misspelled", "[json]") {
  for (const char* text :
       {R"("\ud83d")", R"("\ude42")", R"("\ud83d\u0041")", R"("\ud83d\ude4")", R"("\ud83d\ude4z")"}) {
    INFO(text);
    CHECK_FALSE(parse_json(text));
  }
}

TEST_CASE("of characters beyond U+FFFF the first half may be any that there is, in either case", "[json]") {
  CHECK(said(R"("\uD800\uDC00")") == "\xF0\x90\x80\x80");
  CHECK(said(R"("\udb7f\udfff")") == "\xF3\xAF\xBF\xBF");
  CHECK(said(R"("\uDB80\uDC00")") == "\xF3\xB0\x80\x80");
  CHECK(said(R"("\uDBFF\uDFFF")") == "\xF4\x8F\xBF\xBF");
}

TEST_CASE("integers are told from other numbers", "[json]") {
  CHECK(parsed("7").number()->whole == 7);
  CHECK(parsed("7.0").number()->whole == 7);
  CHECK(parsed("-9223372036854775808").number()->whole == std::numeric_limits<std::int64_t>::min());
  CHECK_FALSE(parsed("2.7").number()->whole);
  CHECK_FALSE(parsed("1e30").number()->whole);
  CHECK_FALSE(parsed("18446744073709551616").number()->whole);
}

TEST_CASE("comments and a byte order mark are passed over", "[json]") {
  const JsonValue value = parsed("\xEF\xBB\xBF// a comment\n{\"a\": /* here too */ 1}\n// the end");
  CHECK(value.object()->find("a")->number()->value == 1);
  CHECK(parsed("// an old Macintosh\r[1]").numbers());
}

TEST_CASE("a key given twice is a fault at the second key, and the first value holds", "[json]") {
  const std::string text = R"({"a": {"b": 1, "c\"": 2, "b": 3}, "a": 4})";
  const Result<ParsedJson> result = parse_json(text);
  REQUIRE(result);
  const Diagnostics& faults = result.value().faults;
  REQUIRE(faults.size() == 2);
  CHECK(faults[0].where == "/a/b");
  CHECK(text.substr(faults[0].range->begin, faults[0].range->end - faults[0].range->begin) == "\"b\"");
  CHECK(faults[0].range->begin == 25);
  CHECK(faults[1].where == "/a");
  CHECK(faults[1].range->begin == 34);
  CHECK(result.value().root.object()->find("a")->object()->find("b")->number()->value == 1);
}

TEST_CASE("a key given twice is named by its place, whatever stands before it", "[json]") {
  const Result<ParsedJson> result = parse_json(R"({"a": [1, "x", {"b/": 1, "b/": 2}]})");
  REQUIRE(result);
  REQUIRE(result.value().faults.size() == 1);
  CHECK(result.value().faults[0].where == "/a/2/b~1");
}

TEST_CASE("of very many keys given twice the first are kept and the rest counted", "[json]") {
  std::string text = "{\"a\": 1";
  for (int i = 0; i < 200'000; ++i) text += ",\"a\":1";
  const Result<ParsedJson> result = parse_json(text + "}");
  REQUIRE(result);
  const Diagnostics& faults = result.value().faults;
  CHECK(faults.size() + faults.back().unkept == 200'000);
  CHECK(faults.size() <= 1000);
}

TEST_CASE("of keys that have one hash those are told that are given twice, in the order of the text", "[json]") {
  // By the standard library of GNU.
  const std::string one = R"(%dT#zFmfM/9ovyBN)", other = R"(H:G,xW#i6Jh.:C^u)";
  const auto member = [](const std::string& key) { return "\"" + key + "\": 1"; };
  const std::string text =
      "{" + member(other) + "," + member(one) + "," + member(other) + "," + member("a") + "," + member(one) + "}";
  const Result<ParsedJson> result = parse_json(text);
  REQUIRE(result);
  REQUIRE(result.value().faults.size() == 2);
  CHECK(result.value().faults[0].range->begin == text.rfind("\"" + other));
  CHECK(result.value().faults[1].range->begin == text.rfind("\"" + one));
}

TEST_CASE("escaped spellings of one key are the same key", "[json]") {
  const std::string text = R"({"heads": 1, "he\u0061ds": 2})";
  const Result<ParsedJson> result = parse_json(text);
  REQUIRE(result);
  REQUIRE(result.value().faults.size() == 1);
  CHECK(result.value().faults[0].range->begin == 13);
}

TEST_CASE("64 levels are read and 65 are refused where they begin", "[json]") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + "1" + std::string(depth, ']'); };
  CHECK(parse_json(nested(64)));
  const Diagnostic fault = fault_in(nested(65));
  CHECK(fault.code == "too-deep");
  CHECK(fault.range->begin == 64);
  CHECK(fault_in(std::string(100'000, '[')).code == "too-deep");
  CHECK(fault_in(R"({"a":)" + std::string(100'000, '[')).code == "too-deep");
}

TEST_CASE("what follows a NUL is not ignored", "[json]") {
  const std::string text = std::string("[1]\0 garbage", 12);
  CHECK(fault_in(text).range->begin == 3);
}

TEST_CASE("a number beyond the doubles is refused where it stands", "[json]") {
  const Diagnostic fault = fault_in("[1, 1e999, 2]");
  CHECK(fault.range->begin == 4);
  CHECK(fault.range->end == 9);
  CHECK(fault_in("-1" + std::string(400, '0')).range->begin == 0);
  CHECK(parsed("1e-999").number()->value == 0);
  // The largest double has 309 digits before its point, and so has the least decimal that is rounded beyond it.
  const std::string most = "179769313486231570" + std::string(291, '0');
  CHECK(parsed(most).number()->value == std::numeric_limits<double>::max());
  CHECK(parsed("-" + most).number()->value == std::numeric_limits<double>::lowest());
  for (const std::string& text : {std::string(309, '9'), "18" + std::string(307, '0'), "-2" + std::string(308, '0')}) {
    const Diagnostic beyond = fault_in("[" + text + ".5]");
    CHECK(beyond.range == TextRange{1, text.size() + 3});
    CHECK(fault_in(text).range == TextRange{0, text.size()});
  }
}

TEST_CASE("pointers escape what they must", "[json]") {
  CHECK(pointer("/a", "b/c~d") == "/a/b~1c~0d");
  CHECK(pointer("", ListPlace{1, 2}) == "/1/2");
}
