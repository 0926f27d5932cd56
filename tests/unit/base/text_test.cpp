#include "base/text.h"

#include <string>
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
}
