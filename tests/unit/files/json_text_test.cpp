#include "files/json_text.h"

#include <random>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/json_spelling.h"
#include "catch.h"

using namespace attn;

namespace {

using Tree = nlohmann::ordered_json;

// Whether the text says at that piece of it what the library reads there.
bool says(const JsonText& text, std::string_view piece, const Tree& tree) {
  if (tree.is_primitive()) return Tree::parse(piece) == tree;
  if (piece.front() != (tree.is_object() ? '{' : '[')) return false;
  auto part = text.first_of(piece);
  for (const auto& [name, value] : tree.items()) {
    if (!part || !says(text, part->value, value)) return false;
    if (tree.is_object() ? unescaped_json(part->name) != name : !part->name.empty()) return false;
    part = text.behind(*part);
  }
  return !part;
}

// A tree of a little of everything.
Tree drawn(std::mt19937& draw, int deepest) {
  const auto below = [&](unsigned size) { return static_cast<unsigned>(draw() % size); };
  const auto word = [&] {
    static const char* const pieces[] = {"a", "\"", "\\", "[", "]", "{", "}", ",", ":", " ", "\n", "é", "\U0001F600"};
    std::string made;
    for (unsigned length = below(6); length > 0; --length) made += pieces[below(std::size(pieces))];
    return made;
  };
  switch (below(deepest > 0 ? 7 : 5)) {
    case 0:
      return nullptr;
    case 1:
      return below(2) == 0;
    case 2:
      return -1.5e300 / (1 + below(1000));
    case 3:
      return below(100000);
    case 4:
      return word();
    case 5: {
      Tree list = Tree::array();
      // Long ones, too, whose ends are remembered.
      for (unsigned length = below(deepest == 4 ? 2000 : 6); length > 0; --length)
        list.push_back(drawn(draw, deepest - 1));
      return list;
    }
    default: {
      Tree object = Tree::object();
      for (unsigned length = below(deepest == 4 ? 2000 : 6); length > 0; --length)
        object[word()] = drawn(draw, deepest - 1);
      return object;
    }
  }
}

std::string wrong_with_json(const std::string& text) { return read_json_text(text).wrong; }

}  // namespace

TEST_CASE("a text of JSON says where it is asked what the library reads of all of it") {
  std::mt19937 draw(1);
  for (int i = 0; i < 300; ++i) {
    const Tree tree = drawn(draw, 4);
    for (const int indent : {-1, 3}) {
      const std::string text = (i % 3 == 0   ? "\xEF\xBB\xBF \n"
                                : i % 3 == 1 ? "\t"
                                             : "") +
                               tree.dump(indent, ' ', i % 2 == 0) + (i % 4 == 0 ? "\r\n" : "");
      CAPTURE(i, indent);
      const ReadJsonText read = read_json_text(text);
      CHECK(read.wrong.empty());
      CHECK(says(read.text, read.text.root(), tree));
    }
  }
}

TEST_CASE("lists and objects that are long end where they end, wherever they stand") {
  Tree list = Tree::array(), object = Tree::object();
  for (int i = 0; i < 2000; ++i) {
    list.push_back(i);
    object[std::to_string(i)] = i % 7 == 0 ? Tree::array({i}) : Tree(i);
  }
  const Tree tree = {{"short", {1}}, {"list", list}, {"object", object}, {"both", {object, list, 3}}, {"last", 0}};
  const ReadJsonText read = read_json_text(tree.dump());
  REQUIRE(read.wrong.empty());
  CHECK(says(read.text, read.text.root(), tree));
  auto part = read.text.first_of(read.text.root());
  for (const auto& [name, value] : tree.items()) {
    REQUIRE(part);
    CHECK(part->value == value.dump());
    part = read.text.behind(*part);
  }
}

TEST_CASE("a name that an object has twice is found however it is spelled, and a name of another object is none") {
  CHECK(wrong_with_json(R"({"a": {"b": 1}, "b": ["a", "a", {"a": 1}]})").empty());
  for (const char* text : {R"({"a": 1, "b": 2, "a": 3})", R"({"a": 1, "\u0061": 2})", R"({"x": [0, {"a": 1, "a": 1}]})",
                           R"({"x": {"a": {"a": 0}, "a": []}})"})
    CHECK(wrong_with_json(text) == "says twice what `a` is");
  CHECK(wrong_with_json(R"({"b": [{"c": 1, "a": 1, "\u0061": 2}], "d": 1})") == "says twice what `a` is");
}

TEST_CASE("of several names that are there twice the one is said that is there again first") {
  CHECK(wrong_with_json(R"({"b": 1, "a": 1, "c": 1, "a": 2, "c": 2, "b": 2})") == "says twice what `a` is");
  CHECK(wrong_with_json(R"({"b": 1, "c\n": 1, "a": 1, "c\u000a": 2, "a": 2, "b": 2})") == "says twice what `c\\n` is");
}

TEST_CASE("what is no JSON is said with its place, before names are looked at") {
  CHECK(wrong_with_json(R"({"a": 1, "a": 2)").starts_with("is no JSON from its byte "));
  CHECK(wrong_with_json("").starts_with("is no JSON"));
  CHECK(wrong_with_json("{\"a\": \"\\").starts_with("is no JSON"));
  CHECK(wrong_with_json("[1e999]").starts_with("is no JSON"));
  CHECK(wrong_with_json(std::string(64, '[') + std::string(64, ']')).empty());
  CHECK(wrong_with_json(std::string(65, '[') + std::string(65, ']')) == "is nested deeper than 64");
}
