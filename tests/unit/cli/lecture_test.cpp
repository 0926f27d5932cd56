#include "cli/lecture.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/text.h"
#include "catch.h"
#include "cli/keyboard.h"
#include "unit/explain/examples.h"

namespace attn {
namespace {

using Kind = Key::Kind;

std::vector<Key> keys_of(const std::vector<std::string>& pieces) {
  KeyReader reader;
  std::vector<Key> keys;
  for (const std::string& piece : pieces) {
    reader.read(piece);
    while (const auto key = reader.next()) keys.push_back(*key);
  }
  while (const auto key = reader.next(true)) keys.push_back(*key);
  return keys;
}

Key text(const std::string& typed) { return {Kind::text, typed}; }

TEST_CASE("what a terminal sends is read as keys", "[lecture]") {
  CHECK(keys_of({"a 7\r\n"}) == std::vector<Key>{text("a"), text(" "), text("7"), {Kind::enter}, {Kind::enter}});
  CHECK(keys_of({"\x7f\b\x03\x04\x1a"}) ==
        std::vector<Key>{{Kind::backspace}, {Kind::backspace}, {Kind::leave}, {Kind::leave}, {Kind::suspend}});
  CHECK(keys_of({"\x1b[C\x1bOD\x1b[5~"}) == std::vector<Key>{{Kind::right}, {Kind::left}, {Kind::page_up}});
}

TEST_CASE("a key may come in pieces", "[lecture]") {
  CHECK(keys_of({"\x1b", "[", "C", "x"}) == std::vector<Key>{{Kind::right}, text("x")});
  CHECK(keys_of({"\xe7\x8c", "\xab"}) == std::vector<Key>{text("猫")});
  CHECK(keys_of({"\x1b"}) == std::vector<Key>{{Kind::escape}});
  CHECK(keys_of({"\x1bq"}) == std::vector<Key>{{Kind::escape}, text("q")});
}

TEST_CASE("what is no key is passed over", "[lecture]") {
  CHECK(keys_of({"\x1b[1;5H\x1b[200~q"}) == std::vector<Key>{text("q")});
  CHECK(keys_of({"\xff\xc3q\xed\xa0\x80q"}) == std::vector<Key>{text("q"), text("q")});
  CHECK(keys_of({"\x01\x07\x0b"}).empty());
}

Lecture lecture(std::vector<std::string>* asked = nullptr) {
  ExplainOptions options;
  options.level = Level::cells;
  return Lecture({.document = explain(examples::traced(examples::worked_example()), options),
                  .write = [](const Document& part) { return as_text(part); },
                  .why =
                      [asked](const std::string& question) {
                        if (asked) asked->push_back(question);
                        return Document{{Prose{{"because of " + question}}}};
                      },
                  .example = "scores[1,2]"});
}

bool starts(const Lecture& lecture, const std::string& words) { return lecture.screen().status.starts_with(words); }

TEST_CASE("keys lead through the lecture", "[lecture]") {
  Lecture talk = lecture();
  talk.resize({80, 100});
  CHECK(starts(talk, "1/"));
  talk.press({Kind::enter});
  CHECK(starts(talk, "2/"));
  talk.press({Kind::left});
  CHECK(starts(talk, "1/"));
  talk.press(text("9"));
  CHECK(starts(talk, "1/42 · to 9"));
  talk.press({Kind::enter});
  CHECK(starts(talk, "9/"));
  talk.press(text("q"));
  CHECK(talk.is_over());
}

TEST_CASE("a question is asked as it was typed", "[lecture]") {
  std::vector<std::string> asked;
  Lecture talk = lecture(&asked);
  for (const char c : std::string("wqb")) talk.press(text({c}));
  talk.press(text("猫"));
  talk.press(text("x"));
  talk.press({Kind::backspace});
  CHECK(talk.screen().is_typing);
  talk.press({Kind::enter});
  CHECK(asked == std::vector<std::string>{"qb猫"});
  CHECK(talk.screen().lines == std::vector<std::string>{"  because of qb猫"});
  talk.press({Kind::escape});
  CHECK(starts(talk, "1/"));
}

TEST_CASE("a number may have six digits, and is mended with backspace", "[lecture]") {
  Lecture talk = lecture();
  talk.resize({80, 100});
  for (const char digit : std::string("1234567")) talk.press(text({digit}));
  CHECK(starts(talk, "1/42 · to 123456"));
  for (int i = 0; i < 4; ++i) talk.press({Kind::backspace});
  CHECK(starts(talk, "1/42 · to 12"));
  talk.press({Kind::enter});
  CHECK(starts(talk, "12/"));
  talk.press(text("7"));
  talk.press({Kind::right});
  CHECK(starts(talk, "13/"));
}

TEST_CASE("an answer longer than the screen is read line by line and page by page, and left at its end", "[lecture]") {
  constexpr std::size_t lines = 30;
  Document answer;
  for (std::size_t i = 0; i < lines; ++i) answer.blocks.emplace_back(Prose{{std::to_string(i)}});
  Lecture talk({.document = explain(examples::traced(examples::worked_example()), {}),
                .write = [](const Document& part) { return as_text(part); },
                .why = [&](const std::string&) { return answer; },
                .example = "S[1,2]"});
  talk.resize({80, 12});
  const auto seen = [&] { return talk.screen().lines; };
  const auto ask = [&] {
    for (const Key& key : {text("w"), text("x"), Key{Kind::enter}}) talk.press(key);
  };
  ask();
  const std::vector<std::string> top = seen();
  talk.press({Kind::up});  // it is at its beginning: that leaves it
  CHECK(starts(talk, "1/"));
  for (const Kind page : {Kind::enter, Kind::page_down}) {
    ask();
    CHECK(seen() == top);
    talk.press({Kind::down});
    const std::vector<std::string> second = seen();
    CHECK(second != top);
    talk.press({page});
    CHECK(seen() != second);
    talk.press({Kind::page_up});
    CHECK(seen() == second);
    talk.press({Kind::up});
    CHECK(seen() == top);
    for (std::size_t i = 0; i < lines && !starts(talk, "1/"); ++i) talk.press({page});
    CHECK(starts(talk, "1/"));
  }
  ask();
  talk.press(text(" "));
  CHECK(seen() != top);
  for (std::size_t i = 0; i < 3 * lines && !starts(talk, "1/"); ++i) talk.press({Kind::down});
  CHECK(starts(talk, "1/"));  // down at the end leaves it as well
  ask();
  talk.press(text("q"));
  CHECK(talk.is_over());
}

TEST_CASE("a lecture of nothing is one empty stop", "[lecture]") {
  Lecture talk({.document = {}, .write = [](const Document& part) { return as_text(part); }, .why = {}, .example = ""});
  talk.resize({40, 10});
  CHECK(starts(talk, "1/1"));
  talk.press({Kind::enter});
  CHECK(starts(talk, "1/1"));
}

TEST_CASE("whatever is pressed, the screen holds what is shown", "[lecture]") {
  std::mt19937 random(1);
  const std::vector<Key> keys = {text("w"),         text("b"),     text(" "),       text("0"),      text("3"),
                                 text("猫"),        {Kind::enter}, {Kind::enter},   {Kind::escape}, {Kind::backspace},
                                 {Kind::page_down}, {Kind::down},  {Kind::page_up}, {Kind::up},     {Kind::right},
                                 text("9"),         {Kind::left}};
  Lecture talk = lecture();
  for (int i = 0; i < 2000; ++i) {
    const TerminalSize size{1 + random() % 100, 1 + random() % 30};
    if (random() % 4 == 0) talk.resize(size);
    talk.press(keys[random() % keys.size()]);
    CHECK_FALSE(talk.is_over());
    talk.resize(size);
    const Screen screen = talk.screen();
    CHECK(screen.lines.size() <= std::max<std::size_t>(size.rows, 2) - 1);
    CHECK(display_width(screen.status) <= std::max<std::size_t>(size.columns, 2));
  }
}

}  // namespace
}  // namespace attn
