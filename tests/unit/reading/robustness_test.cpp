#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/random.h"
#include "catch.h"
#include "model/attention.h"
#include "reading/problem/problem.h"
#include "reading/report.h"

using namespace attn;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t little_memory = 1 << 20;

// What is said about a text, whatever it is. Nothing may crash on the way.
std::string said(const std::string& text) {
  const Result<Problem> problem = read_problem(text, catalog(), little_memory);
  return problem ? "" : report(problem.faults(), text, "f");
}

void check_printable(const std::string& shown) {
  const auto is_control = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F; };
  CHECK(std::ranges::none_of(shown, is_control));
}

std::vector<std::string> valid_texts() {
  std::vector<std::string> texts = {
      R"({"inputs": [[1, 0, 1, 0], [0, 2, 0, 2]], "heads": 2, "tokens": ["a", "\u00e9"], "mask": [{"allow": [[1, 0]]}, {"add": [["-inf", 0]]}]})",
      R"({"inputs": {"query": [[[1]], [[2], [3]]], "key": {"random": "normal", "shape": [2, 3, 1], "seed": 7}}, "lengths": [1, 2]})",
      R"({"tokens": [["a", "b"], ["b"]], "embeddings": {"a": [1, 2], "b": [3, 4]}, "max_tokens": 5, "causal": true, "offset": [0, 1],
          "weights": {"query": [[1, 2], [3, 4]], "key": "identity", "value": [[[1], [2]], [[3], [4]]], "output": [[1], [2]]},
          "biases": {"query": [1, 2]}, "arithmetic": {"dtype": "f32", "hand_rounding": "1:keep-sum"}, "digits": 2})",
      R"({"vectors": "columns", "queries": [[[[1, 2]]]], "keys": [[[[1, 2]]]], "scale": 1e-3, "score": {"type": "dot"}, "x-y": {"z": null}})",
  };
  return texts;
}

// A byte that is likely to matter to a parser.
char lively_byte(Random& random) {
  constexpr std::string_view lively = "[]{}:,\"\\/0123456789-+.eE \n\tntfu*'\x01\x7F\xC3\xED\xFF";
  const auto index = random.integer(-8, static_cast<std::int64_t>(lively.size()) - 1);
  return index < 0 ? static_cast<char>(random.integer(0, 255)) : lively[static_cast<std::size_t>(index)];
}

std::string mutated(std::string text, Random& random) {
  for (std::int64_t edits = random.integer(1, 4); edits > 0 && !text.empty(); --edits) {
    const auto at = static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(text.size()) - 1));
    const auto length = static_cast<std::size_t>(random.integer(1, 12));
    switch (random.integer(0, 4)) {
      case 0:
        text[at] = lively_byte(random);
        break;
      case 1:
        text.insert(text.begin() + static_cast<std::ptrdiff_t>(at), lively_byte(random));
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, text.substr(at / 2, length));
        break;
      case 4:
        if (random.integer(0, 9) == 0) text.resize(at);
        break;
    }
  }
  return text;
}

}  // namespace

TEST_CASE("the texts that are mutated are valid", "[reading][robust]") {
  for (const std::string& text : valid_texts()) CHECK(said(text).empty());
}

TEST_CASE("no mutation of a valid file crashes the reader, and every fault is printable", "[reading][robust]") {
  Random random(20'240'607);
  const std::vector<std::string> texts = valid_texts();
  for (int i = 0; i < 6'000; ++i) {
    const std::string text = mutated(texts[static_cast<std::size_t>(i) % texts.size()], random);
    CAPTURE(i, text);
    check_printable(said(text));
  }
}

TEST_CASE("random bytes are refused in words", "[reading][robust]") {
  Random random(1);
  for (int i = 0; i < 1'000; ++i) {
    std::string text(static_cast<std::size_t>(random.integer(1, 60)), ' ');
    for (char& byte : text) byte = lively_byte(random);
    CAPTURE(i, text);
    const std::string shown = said(text);
    CHECK_FALSE(shown.empty());
    check_printable(shown);
  }
}

TEST_CASE("a valid file cut short anywhere is refused or valid, and never crashes", "[reading][robust]") {
  for (const std::string& text : valid_texts()) {
    for (std::size_t length = 0; length < text.size(); ++length) CHECK_FALSE(said(text.substr(0, length)).empty());
  }
}

TEST_CASE("texts that are extreme in one respect are read or refused without much memory", "[reading][robust]") {
  const auto repeated = [](std::size_t count, const std::string& piece) {
    std::string text;
    text.reserve(count * piece.size());
    for (std::size_t i = 0; i < count; ++i) text += piece;
    return text;
  };
  const std::vector<std::string> texts = {
      std::string(100'000, '['),
      "{\"inputs\": " + std::string(100'000, '[') + std::string(100'000, ']') + "}",
      repeated(100'000, "{\"a\":"),
      "{\"inputs\": [" + repeated(100'000, "[],") + "1]}",
      "{\"inputs\": [" + repeated(100'000, "[],") + "\"a\"]}",
      "{\"inputs\": [" + repeated(100'000, "{},") + "1]}",
      "{\"inputs\": [" + repeated(50'000, "[1],[1,2],") + "[1]]}",
      "{\"mask\": [" + repeated(20'000, "{},") + "{}], \"inputs\": [[1]]}",
      "{" + repeated(20'000, "\"a\": 1, ") + "\"inputs\": [[1]]}",
      "{\"tokens\": [" + repeated(50'000, "\"t\",") + "\"t\"], \"embeddings\": {\"s\": [1]}}",
      "{\"tokens\": [" + repeated(50'000, "1,") + "1], \"inputs\": [[1]]}",
      "{\"" + std::string(1'000'000, 'k') + "\": 1, \"inputs\": [[1]]}",
      "{\"score\": \"" + std::string(1'000'000, 's') + "\", \"inputs\": [[1]]}",
      "{\"heads\": " + std::string(1'000'000, '9') + ", \"inputs\": [[1]]}",
      "{\"inputs\": {\"random\": \"normal\", \"shape\": [18446744073709551615, 18446744073709551615], \"seed\": 1}}",
      "{\"inputs\": {\"random\": \"normal\", \"shape\": [" + repeated(10'000, "9007199254740992,") +
          "1], \"seed\": 1}}",
      std::string("[1]\0 garbage", 12),
      "{\"title\": \"\\ud800\", \"inputs\": [[1]]}",
      "{\"title\": \"\xff\", \"inputs\": [[1]]}",
      "{\"inputs\": [[1e999]]}",
      std::string(1'000'000, '"'),
      std::string(1'000'000, '\\'),
      std::string(1'000'000, ' '),
      repeated(500'000, "/*"),
      repeated(500'000, "//\n"),
  };
  for (const std::string& text : texts) {
    INFO(text.substr(0, 60));
    const std::string shown = said(text);
    CHECK_FALSE(shown.empty());
    CHECK(shown.size() < 20'000);
    check_printable(shown);
  }
}
