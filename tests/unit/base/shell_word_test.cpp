#include "base/shell_word.h"

#include "catch.h"

using namespace attn;

TEST_CASE("words are quoted as a shell takes them, and no more than they need", "[base]") {
  CHECK(shell_word("a/b-c_1.json") == "a/b-c_1.json");
  CHECK(shell_word("größe.json") == "größe.json");
  CHECK(shell_word("my problem.json") == "'my problem.json'");
  CHECK(shell_word("scores[1,2]") == "'scores[1,2]'");
  CHECK(shell_word("it's") == "\"it's\"");
  CHECK(shell_word("it's $5") == "'it'\\''s $5'");
  CHECK(shell_word("") == "''");
  CHECK(shell_word("\x1b[31m") == "'\\x1b[31m'");
}

TEST_CASE("no command takes a file for an option", "[base]") {
  CHECK(shell_file("-x.json") == "./-x.json");
  CHECK(shell_file("my problem.json") == "'my problem.json'");
  CHECK(shell_file("-my problem.json") == "'./-my problem.json'");
}
