#include "reading/json/locate.h"

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "catch.h"

using namespace attn;

namespace {

std::string place(const std::string& text, const std::string& pointer, bool at_key = false) {
  const std::vector<Pointed> wanted = {{pointer, at_key}};
  const TextRange range = located(text, wanted)[0];
  return text.substr(range.begin, range.end - range.begin);
}

const std::string text = R"(// {"inputs": 0}
{
  "title": "a \"quoted\" ] title",
  "inputs": [[1, 2], [3, [4]], {"x/y": "inf"}],
  "wei\u0067hts": {"~": true, "key": [] /* ] */ }
})";

}  // namespace

TEST_CASE("a pointer leads to its value in the text", "[locate]") {
  auto [pointer, value] = GENERATE(table<std::string, std::string>({
      {"/title", R"("a \"quoted\" ] title")"},
      {"/inputs", R"([[1, 2], [3, [4]], {"x/y": "inf"}])"},
      {"/inputs/0", "[1, 2]"},
      {"/inputs/0/1", "2"},
      {"/inputs/1/1/0", "4"},
      {"/inputs/2/x~1y", "\"inf\""},
      {"/weights/~0", "true"},
      {"/weights/key", "[]"},
  }));
  CHECK(place(text, pointer) == value);
}

TEST_CASE("the empty pointer is the whole value, without what surrounds it", "[locate]") {
  CHECK(place(text, "").front() == '{');
  CHECK(place(text, "").back() == '}');
}

TEST_CASE("a key is found by the pointer of its value", "[locate]") {
  CHECK(place(text, "/inputs/2/x~1y", true) == "\"x/y\"");
  CHECK(place(text, "/weights", true) == R"("wei\u0067hts")");
}

TEST_CASE("a pointer that leads nowhere stops at what it reached", "[locate]") {
  CHECK(place(text, "/weights/query/0") == place(text, "/weights"));
  CHECK(place(text, "/inputs/0/7") == "[1, 2]");
  CHECK(place(text, "/inputs/0/1/5") == "2");
  CHECK(place(text, "/weights/key/0") == "[]");
  CHECK(place(text, "/nothing") == place(text, ""));
}

TEST_CASE("in a text of nothing but blanks nothing has a place, and what stands behind it is not looked at",
          "[locate]") {
  for (const std::string blanks : {" ", "\t\n\n\t\r\n\t", "\n", "  // x", "\xEF\xBB\xBF "}) {
    const std::string more = blanks + "{}";
    const std::vector<Pointed> wanted = {{""}, {"/inputs", true}};
    CHECK(located(std::string_view(more).substr(0, blanks.size()), wanted) == std::vector<TextRange>(2));
  }
}

TEST_CASE("a tilde at the end of a pointer is a tilde", "[locate]") {
  CHECK(place(text, "/weights/~") == "true");
  CHECK(place(text, "/weights/key~") == R"({"~": true, "key": [] /* ] */ })");
}

TEST_CASE("a value goes on over slashes, and to the end of the text where a comment is never closed", "[locate]") {
  CHECK(place("{\"a\": 1 / 2} 3", "") == "{\"a\": 1 / 2}");
  CHECK(place("[1, 2 /* ]", "") == "[1, 2 /* ]");
}

TEST_CASE("many pointers are followed in one pass", "[locate]") {
  const std::vector<Pointed> wanted = {
      {"/weights/~0"},  {"/inputs/0"}, {"/inputs/0/1"}, {"/inputs/0", true}, {"/inputs/9"},
      {"/title", true}, {""},          {"/inputs/0"}};
  const std::vector<TextRange> ranges = located(text, wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    INFO(wanted[i].pointer);
    CHECK(text.substr(ranges[i].begin, ranges[i].end - ranges[i].begin) ==
          place(text, wanted[i].pointer, wanted[i].at_key));
  }
}
