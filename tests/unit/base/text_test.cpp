#include "base/text.h"

#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "base/utf8.h"
#include "catch.h"

using namespace attn;

TEST_CASE("printable text has no byte that steers a terminal", "[text]") {
  auto [raw, shown] = GENERATE(table<std::string, std::string>({
      {"plain", "plain"},
      {"Grüße, 我, 🙂", "Grüße, 我, 🙂"},
      {"\x1b[31mred", "\\x1b[31mred"},
      {"a\tb\nc\rd", "a\\tb\\nc\\x0dd"},
      {std::string("nul\0", 4), "nul\\x00"},
      {"\xc2\x9b"
       "2J",
       "\\u009b2J"},
      {"right\xe2\x80\xaeleft", "right\\u202eleft"},
      {"\xf3\xa0\x81\x81", "\\U000e0041"},
      {"\xff\xc0\x80", "\\xff\\xc0\\x80"},
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
      {"cut \xe2\x82", "cut \\xe2\\x82"},
  }));
  CHECK(printable(raw) == shown);
}

TEST_CASE("width counts the columns of a terminal", "[text]") {
  CHECK(display_width("") == 0);
  CHECK(display_width("q₁·k₂") == 5);
  CHECK(display_width("我是") == 4);
  CHECK(display_width("e\xcc\x81") == 1);
  CHECK(display_width("🙂") == 2);
}

TEST_CASE("characters of several code points take the columns of one", "[text]") {
  auto [what, text, width] = GENERATE(table<std::string, std::string, std::size_t>({
      {"a family, joined", "👨\u200d👩\u200d👧\u200d👦", 2},
      {"two families", "👨\u200d👩\u200d👧👨\u200d👩\u200d👧", 4},
      {"a flag", "🇩🇪", 2},
      {"two flags", "🇩🇪🇫🇷", 4},
      {"half a flag and a letter", "🇩x", 2},
      {"a flag of signs joined", "🏳\ufe0f\u200d🌈", 2},
      {"a hand with its colour", "👍🏽", 2},
      {"a colour alone", "🏽", 2},
      {"a letter and a colour", "a🏽", 3},
      {"a profession with its colour", "👩🏽\u200d🚀", 2},
      {"a heart made an emoji", "❤\ufe0f", 2},
      {"a heart as text", "❤", 1},
      {"a heart said to be text", "❤\ufe0e", 1},
      {"a key", "1\ufe0f⃣", 2},
      {"the keys that are no digits", "#\ufe0f⃣*\ufe0f⃣", 4},
      {"half a flag and an accented letter", "🇩é", 2},
      {"a person joined to a letter", "👩\u200dé", 3},
      {"a letter with a selector", "a\ufe0f", 1},
      {"letters with a joiner between", "क्\u200dष", 2},
      {"Devanagari", "नमस्ते", 4},
      {"Thai", "สวัสดี", 4},
      {"Tamil", "கி கீ", 4},
      {"Hangul as consonants and vowels", "\u1112\u1161\u11ab\u1100\u1173\u11af", 4},
      {"Hangul as syllables", "한글", 4},
      {"marks on marks", "Z\u0351\u036b\u0343\u032d\u0349", 1},
      {"a mark with nothing to stand on", "\u0301", 0},
      {"nothing that is seen", "a\u200b\u2060b", 2},
      {"half a katakana", "ｱｲ", 2},
      {"full letters", "ＡＢ", 4},
      {"a box", "░▒▓█▏▁", 6},
  }));
  INFO(what);
  CHECK(display_width(text) == width);
}

TEST_CASE("a byte that is no UTF-8 takes a column of its own", "[text]") {
  CHECK(display_width("a\xff") == 2);
  CHECK(display_width("\xff\u0301") == 1);
  CHECK(display_width("é\xff") == 2);
  CHECK(character("é\xff", 0).bytes == 2);
  CHECK(shortened("é\xff\xff", 2) == "é…");
}

TEST_CASE("a character is never cut in the middle", "[text]") {
  const std::string family = "👨\u200d👩\u200d👧", flag = "🇩🇪", accented = "e\xcc\x81";
  CHECK(shortened(family + family, 3) == family + "…");
  CHECK(shortened(family + family, 2) == "…");
  CHECK(shortened(flag + flag, 3) == flag + "…");
  CHECK(shortened(accented + accented + accented, 2) == accented + "…");
}

TEST_CASE("shortened text fits and shows that it was cut", "[text]") {
  CHECK(shortened("attention", 9) == "attention");
  CHECK(shortened("attention", 5) == "atte…");
  CHECK(shortened("我是谁", 4) == "我…");
  CHECK(shortened("attention", 1) == "…");
  CHECK(shortened("attention", 0).empty());
}

TEST_CASE("bytes that are no UTF-8 are found where they stand", "[text]") {
  CHECK(first_invalid_utf8("Grüße") == std::nullopt);
  CHECK(first_invalid_utf8("ab\xff") == 2u);
  CHECK(first_invalid_utf8("\xf4\x90\x80\x80") == 0u);
  CHECK(first_invalid_utf8("x\xed\xbf\xbf") == 1u);
  CHECK(first_invalid_utf8("é\xf0\x8f\xbf\xbf") == 2u);  // U+FFFF takes three bytes
}

TEST_CASE("UTF-16 becomes UTF-8 in either order of bytes, and half a character is none", "[text]") {
  using namespace std::string_view_literals;
  CHECK(from_utf16("\xff\xfe\x3d\xd8\x42\xde!\0"sv) == "🙂!");
  CHECK(from_utf16("\xfe\xff\xd8\x3d\xde\x42\0!"sv) == "🙂!");
  CHECK(from_utf16("\xff\xfe\x3d\xd8\x42\xde"sv) == "🙂");
  // The first and the last character of as many bytes of UTF-8.
  CHECK(from_utf16("\xfe\xff\0\x7f\0\x80"sv) == "\x7f\xc2\x80");
  CHECK(from_utf16("\xfe\xff\x07\xff\x08\0"sv) == "\xdf\xbf\xe0\xa0\x80");
  CHECK(from_utf16("\xfe\xff\xff\xff\xd8\0\xdc\0"sv) == "\xef\xbf\xbf\xf0\x90\x80\x80");
  CHECK(from_utf16("\xff\xfe\x3d\xd8"sv) == std::nullopt);          // a first half, and the end
  CHECK(from_utf16("\xff\xfe\x3d\xd8!\0"sv) == std::nullopt);       // a first half, and another character
  CHECK(from_utf16("\xff\xfe\x42\xde\x3d\xd8"sv) == std::nullopt);  // the halves exchanged
  CHECK(from_utf16("\xff\xfe!"sv) == std::nullopt);                 // half a unit
}

TEST_CASE("words stand between blanks, and no part of a word is one", "[text]") {
  CHECK(split("q query x", ' ') == std::vector<std::string>{"q", "query", "x"});
  CHECK(split("", ' ').empty());
  CHECK(has_word("q query", "query"));
  CHECK_FALSE(has_word("q query", "que"));
  CHECK_FALSE(has_word("q query", ""));
}

TEST_CASE("a sentence about a text shows what nobody sees in it", "[text]") {
  CHECK(visible("dot\u00a0") == "dot\\u00a0");
  CHECK(visible("sco\u200bre") == "sco\\u200bre");
  CHECK(visible("1\u202f000\u3000") == "1\\u202f000\\u3000");
  CHECK(visible("\x1b[0m") == "\\x1b[0m");
  const std::string seen = "größe 我 👨\u200d👩\u200d👧 می\u200cخواهم";
  CHECK(visible(seen) == seen);
  CHECK(printable("10\u00a0%") == "10\u00a0%");
}

TEST_CASE("sizes are said in the units that people read", "[text]") {
  CHECK(spelled_size(0) == "0 bytes");
  CHECK(spelled_size(1) == "1 byte");
  CHECK(spelled_size(1023) == "1023 bytes");
  CHECK(spelled_size(1024) == "1 KiB");
  CHECK(spelled_size(1126) == "1.1 KiB");
  CHECK(spelled_size(std::size_t{1} << 31) == "2 GiB");
  CHECK(spelled_size(std::size_t{3} << 50) == "3072 TiB");
}

TEST_CASE("a sentence begins with a capital where it begins with a letter", "[text]") {
  CHECK(capitalised("half a row") == "Half a row");
  CHECK(capitalised("Half a row") == "Half a row");
  CHECK(capitalised("3 rows") == "3 rows");
  CHECK(capitalised("").empty());
}

TEST_CASE("of many names the first are named and the others counted", "[text]") {
  CHECK(listed(first_of({"a", "b"}, 2)) == "a, b");
  CHECK(listed(first_of({"a", "b", "c"}, 2)) == "a, b, 1 other");
  CHECK(listed(first_of({"a", "b", "c", "d", "e"}, 2)) == "a, b, 3 others");
}
