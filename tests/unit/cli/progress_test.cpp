#include "cli/progress.h"

#include <chrono>
#include <string>

#include "catch.h"

using namespace attn;  // NOLINT(google-build-using-namespace)
using namespace std::chrono_literals;

TEST_CASE("of the first second nothing is told, wherever it goes", "[cli]") {
  ProgressText terminal(80), file(0);
  CHECK(terminal.at(0ms, "reading x.json").empty());
  CHECK(terminal.at(999ms, "reading x.json").empty());
  CHECK(terminal.end().empty());
  CHECK(file.at(999ms, "reading x.json").empty());
  CHECK(file.end().empty());
}

TEST_CASE("a terminal gets one line, rewritten as it changes and taken away at the end", "[cli]") {
  ProgressText text(80);
  CHECK(text.at(1000ms, "computing scores, step 4 of 11") == "\rattn: computing scores, step 4 of 11 (1 s)\x1b[K");
  CHECK(text.at(1100ms, "computing scores, step 4 of 11").empty());
  CHECK(text.at(2050ms, "computing scores, step 4 of 11") == "\rattn: computing scores, step 4 of 11 (2 s)\x1b[K");
  CHECK(text.at(2100ms, "computing context, step 11 of 11") == "\rattn: computing context, step 11 of 11 (2 s)\x1b[K");
  CHECK(text.end() == "\r\x1b[K");
}

TEST_CASE("no line is wider than its terminal, and nothing in it steers that", "[cli]") {
  ProgressText text(20);
  CHECK(text.at(1000ms, "reading a-very-long-name.json") == "\rattn: reading a-ve…\x1b[K");
  const std::string said = text.at(1100ms, "reading \x1b[31m");
  CHECK(said.find("\x1b[31m") == std::string::npos);
}

TEST_CASE("what is no terminal gets a plain line now and then", "[cli]") {
  ProgressText text(0);
  CHECK(text.at(1000ms, "reading x.json") == "attn: reading x.json\n");
  CHECK(text.at(10900ms, "computing scores").empty());
  CHECK(text.at(11000ms, "computing scores") == "attn: computing scores\n");
  CHECK(text.at(20000ms, "computing scores").empty());
  CHECK(text.end().empty());
}
