#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "reading/answers/answers.h"
#include "reading/answers/file.h"
#include "unit/reading/known_steps.h"

// Tables of numbers as spreadsheets and people write them, and the names of their files.

namespace attn {
namespace {

using Sizes = std::vector<std::size_t>;

Answers tables(const std::string& text, const std::string& id = "scores") {
  Result<Answers> result = read_answers_csv(text, steps_of_example(), id);
  INFO(text << "\n" << (result ? "" : result.faults()[0].message));
  REQUIRE(result);
  return std::move(result.value());
}

std::string cells(const AnsweredStep& step) {
  std::string text = spelled_sizes(step.shape) + ":";
  for (const AnsweredStep::Cell& cell : step.cells) text += cell ? " " + cell->text : " _";
  return text;
}

std::string code_of_table(const std::string& text, const std::string& id) {
  INFO(text);
  const Result<Answers> result = read_answers_csv(text, steps_of_example(), id);
  REQUIRE_FALSE(result);
  return result.faults()[0].code;
}

TEST_CASE("headings and labels are told from numbers", "[tables]") {
  for (const char* text : {
           "1,2\n3,4",
           "a,b\n1,2\n3,4",
           "Input 1,1,2\nInput 2,3,4",
           ",a,b\nx,1,2\ny,3,4",
           ",1,2\nx,1,2\ny,3,4",
           ",0,1\nx,1,2\ny,3,4",
           "a,b\nx,1,2\ny,3,4",
           "key,a,b\nx,1,2\ny,3,4",
           "scores,a,b\n1,1,2\n2,3,4",
           "S,1,2\nx,1,2\ny,3,4",
           "scores\n1,2\n3,4",
           "\"q; k\",\"a, b\",c\n\"x\",1,2\n\"\"\"y\"\"\",3,4",
           ",a,b,\nx,1,2,\ny,3,4,\n,,,\n",
       }) {
    const Answers all = tables(text);
    INFO(text);
    REQUIRE(all.steps.size() == 1);
    CHECK(all.steps[0].id == "scores");
    CHECK(cells(all.steps[0]) == "2 × 2: 1 2 3 4");
  }
}

TEST_CASE("in a column of a step of one number a row, a comma stands before decimals", "[tables]") {
  for (const char* text : {"0,06\n0,47\n1,5", "\"0.06\"\n0.47\n1.5", "z\n0,06\n0,47\n1,5\n", "-0,06\r\n1\r\n1,5\r\n"}) {
    INFO(text);
    const AnsweredStep step = tables(text, "exponential_sums").steps[0];
    CHECK(step.shape == Sizes{3});
    CHECK(step.cells[2]->value == 1.5);
  }
  // Of a matrix they are two columns, and so they are where there are not as many lines.
  CHECK(cells(tables("0,6\n0,47\n1,5").steps[0]) == "3 × 2: 0 6 0 47 1 5");
  CHECK(tables("0,6\n0,47", "exponential_sums").steps[0].shape == Sizes{2, 2});
}

TEST_CASE("what may be numbers is taken for numbers", "[tables]") {
  CHECK(cells(tables("1,2\n1,3").steps[0]) == "2 × 2: 1 2 1 3");
  CHECK(cells(tables(",1\n3,4").steps[0]) == "2 × 2: _ 1 3 4");
  CHECK(cells(tables(",\n1,").steps[0]) == "2 × 2: _ _ 1 _");
  CHECK(code_of_table("1,x\n3,4", "scores") == "not-a-number");
}

TEST_CASE("a table that counts its rows and columns is read for the shape that its step has", "[tables]") {
  for (const char* text : {
           ",1,2,3\n1,2,4,4\n2,4,16,12\n3,4,12,10",
           ",0,1,2\n0,2,4,4\n1,4,16,12\n2,4,12,10",
           "0,1,2\n2,4,4\n4,16,12\n4,12,10",
           "1,2,4,4\n2,4,16,12\n3,4,12,10",
           "query,a,b,c\n1,2,4,4\n2,4,16,12\n3,4,12,10",
           "query,a,b,c\n0,2,4,4\n1,4,16,12\n2,4,12,10",
           "query,0,1,2\n0,2,4,4\n1,4,16,12\n2,4,12,10",
           "query,1,2,3\nx,2,4,4\ny,4,16,12\nz,4,12,10",
           "scores,0,1,2\n0,2,4,4\n1,4,16,12\n2,4,12,10",
       }) {
    INFO(text);
    CHECK(cells(tables(text).steps[0]) == "3 × 3: 2 4 4 4 16 12 4 12 10");
  }
  CHECK(cells(tables("query,z\n1,2.1\n2,1.0\n3,1.1", "exponential_sums").steps[0]) == "3: 2.1 1.0 1.1");
  // What has the step's shape as it stands is numbers, and so is what has it in no way.
  CHECK(cells(tables(",1,2\n1,1,2\n2,3,4").steps[0]) == "3 × 3: _ 1 2 1 1 2 2 3 4");
  CHECK(cells(tables("0,1\n2,3").steps[0]) == "2 × 2: 0 1 2 3");
  CHECK(tables("query,a,b,c\n1,2,4,4\n2,4,16,12").steps[0].shape == Sizes{2, 4});
}

TEST_CASE("empty rows and columns at the end are left out where the step then has its shape", "[tables]") {
  for (const char* text : {
           "2;4;4;;\n4;16;12;;\n4;12;10;;",
           "2,4,4,\n4,16,12,\n4,12,10,",
           "2,4,4,\n4,16,12\n4,12,10,,",
           "2,4,4\n4,16,12\n4,12,10\n,,\n,,\n",
           "2,4,4,,\n4,16,12,,\n,,,,\n4,12,10,,\n,,,,",
           "a,b,c,\n2,4,4,\n4,16,12,\n4,12,10,\n,,,",
           ",a,b,c,\nx,2,4,4,\ny,4,16,12,\nz,4,12,10,\n,,,,",
           "x,2,4,4,\ny,4,16,12,\nz,4,12,10,\n,,,,",
       }) {
    INFO(text);
    CHECK(cells(tables(text).steps[0]) == "3 × 3: 2 4 4 4 16 12 4 12 10");
  }
  CHECK(tables("2.1,,\n1.0,,\n1.1,,\n,,", "exponential_sums").steps[0].shape == Sizes{3});
  // Blanks of the step stay, and what leads to no shape of the step is as it stands.
  CHECK(cells(tables("2,4,,\n4,16,,\n,,,\n,,,").steps[0]) == "3 × 3: 2 4 _ 4 16 _ _ _ _");
  CHECK(cells(tables("a,b,c\nx,2,4,\ny,4,,\nz,4,,").steps[0]) == "3 × 3: 2 4 _ 4 _ _ 4 _ _");
  CHECK(cells(tables("1,\n2,").steps[0]) == "2 × 2: 1 _ 2 _");
  CHECK(tables("a,b,c,d\n2,4,4,\n4,16,12,\n4,12,10,").steps[0].shape == Sizes{3, 4});
}

TEST_CASE("commas before decimals among commas between numbers are refused for what they are", "[tables]") {
  for (const char* text : {
           "0,06,0,47,0,47\n0,00,0,98,0,02\n0,00,0,88,0,12",
           "0,5,0,1,0,4\n0,1,0,7,0,2\n0,3,0,3,0,4",
           "0,06,0,47,0,47\n0,0,98,0,02\n0,0,88,0,12",
           ",a,b,c\nx,0,06,0,47,0,47\ny,0,00,0,98,0,02\nz,0,00,0,88,0,12",
           "0,06\n0,47\n1,5",
       }) {
    CHECK(code_of_table(text, "attention_weights") == "decimal-comma");
  }
  CHECK(code_of_table("2,14,1,02,1,14", "exponential_sums") == "decimal-comma");
  CHECK(tables("2,4,4,1\n4,16,12,1\n4,12,10,1").steps[0].shape == Sizes{3, 4});
}

TEST_CASE("commas stand before decimals where they do not separate numbers", "[tables]") {
  for (const char* text :
       {"0,06;-1,5\n47;,5", "0,06\t-1,5\n47\t,5", "\"0,06\";\"-1,5\"\n47;\",5\"", "\"0,06\",\"-1,5\"\n47,\",5\""}) {
    const AnsweredStep step = tables(text).steps[0];
    INFO(text);
    REQUIRE(step.cells.size() == 4);
    CHECK(step.cells[0]->value == 0.06);
    CHECK(step.cells[0]->text == "0,06");
    CHECK(step.cells[1]->value == -1.5);
    CHECK(step.cells[3]->value == 0.5);
  }
  CHECK(tables("0.06;1.5").steps[0].cells[0]->value == 0.06);
}

TEST_CASE("a column is a vector where the step is one", "[tables]") {
  CHECK(tables("4\n16\n12", "row_maximum").steps[0].shape == Sizes{3});
  CHECK(tables("m\n4\n16\n12", "row_maximum").steps[0].shape == Sizes{3});
  CHECK(tables("4,16,12", "row_maximum").steps[0].stacked);
}

TEST_CASE("a file may hold several steps that are headed by their names", "[tables]") {
  const Answers all = tables("keys,a,b\nx,1,2\ny,,4\n\nS,a\nx,5\n,\n,\nm,1,2\nm,6,7\n", "");
  REQUIRE(all.steps.size() == 3);
  CHECK(all.steps[0].id == "keys");
  CHECK(cells(all.steps[0]) == "2 × 2: 1 2 _ 4");
  CHECK(all.steps[1].id == "scores");
  CHECK(cells(all.steps[1]) == "1 × 1: 5");
  CHECK(all.steps[2].id == "row_maximum");
  CHECK(cells(all.steps[2]) == "1 × 2: 6 7");
}

TEST_CASE("a table that says another step than its file, or none, is refused", "[tables]") {
  CHECK(code_of_table("keys,a\nx,1", "scores") == "other-step");
  CHECK(code_of_table("1,2", "") == "no-step-named");
  CHECK(code_of_table("", "") == "no-numbers");
  CHECK(code_of_table("keys,a\nx,1\n\nkeys,a\nx,1", "") == "duplicate-step");
  CHECK(code_of_table("keys,a", "keys") == "no-numbers");
}

TEST_CASE("a quote that is never closed is told where it was opened, and nothing else", "[tables]") {
  for (const std::string text : {"1,\"2\n3,4\n", "\"keys\n1,2\n3,4", "keys\n1,2\n3,\"", "x,a\n\"b \"\",1"}) {
    INFO(text);
    Faults unknown;
    const auto read = read_answers_csv(text, steps_of_example(), "keys", &unknown);
    REQUIRE_FALSE(read);
    REQUIRE(read.faults().size() == 1);
    CHECK(read.faults().front().message.find("quote is never closed") != std::string::npos);
    CHECK(text[read.faults().front().range.value().begin] == '"');
  }
  CHECK(read_answers_csv("keys\n1,\"2\"", steps_of_example(), "keys"));
}

TEST_CASE("answers that are no text are called by what they are", "[tables]") {
  const std::pair<std::string, const char*> others[] = {
      {std::string("PK\x03\x04\x14\0\0\0[Content_Types].xml\xb5", 28), "an office program"},
      {std::string("PK\x03\x04\x14\0\0\0mimetypeapplication/vnd.oasis.opendocument.spreadsheet", 62),
       "an office program"},
      {std::string("PK\x03\x04\x14\0\0\0scores.csv", 18), "a zip archive"},
      {std::string("%PDF-1.4\n\xe2\xe3"), "a PDF"},
      {std::string("\xff\xfe\0\0s\0\0\0", 8), "UTF-32"},
      {std::string("1,2\xff"), "the byte \\xff here is not UTF-8"},
      {std::string("1,2\0", 4), "a NUL byte stands here"},
  };
  for (const auto& [text, said] : others) {
    for (const std::string file : {"scores.csv", "a.txt"}) {
      INFO(said << " " << file);
      const Result<Answers> read = read_answers_of(file, text, "", steps_of_example());
      REQUIRE_FALSE(read);
      CHECK(read.faults().front().message.find(said) != std::string::npos);
    }
  }
}

TEST_CASE("a file that is much too long for answers is not read, whatever it holds", "[tables]") {
  const KnownSteps known = steps_of_example();
  const std::size_t limit = (std::size_t{1} << 19) + 1024 * *known.numbers();
  for (const std::string name : {"scores.csv", "a.json", "a.txt", "-"}) {
    const auto of_size = [&](std::size_t size) {
      const Result<Answers> read = read_answers_of(name, std::string(size, '\n'), "", known);
      return read ? "" : read.faults().front().code;
    };
    INFO(name);
    CHECK(of_size(limit + 1) == "not-answers");
    CHECK(of_size(limit) != "not-answers");
  }
  const auto page = read_answers_of("scores.csv", "%PDF-1.4\n\xe2" + std::string(limit, 'x'), "", known);
  CHECK(page.faults().front().message.find("a PDF") != std::string::npos);
  // Where nobody knows how many numbers the steps have, any may be as long.
  CHECK_FALSE(KnownSteps({}, possible_steps).numbers());
}

TEST_CASE("no table whatever is more than read or refused", "[tables]") {
  const KnownSteps known = steps_of_example();
  const std::string many = "keys" + std::string(200'000, ',');
  for (const std::string& text :
       {std::string("\0", 1), std::string("\xff"), std::string("keys\n\""), std::string("\"\n\""),
        "keys\n" + std::string(100'000, '\n'), many, many + "\n" + many, "keys\n" + many}) {
    for (const char* id : {"", "keys"}) {
      const Result<Answers> result = read_answers_csv(text, known, id);
      CHECK((!result || !result.value().steps.empty()));
    }
  }
}

TEST_CASE("the name of a file says whose it is and of which step", "[tables]") {
  const KnownSteps known = steps_of_example();
  struct Named {
    const char *stem, *person, *step;
  };
  for (const Named& row :
       {Named{"scores", "", "scores"}, Named{"anna_scores", "anna", "scores"}, Named{"anna-S", "anna", "scores"},
        Named{"Anna Maria_attention_weights", "Anna Maria", "attention_weights"},
        Named{"anna_weights", "anna", "attention_weights"}, Named{"Scores", "", "scores"}, Named{"s", "", "scores"},
        Named{"anna", "anna", ""}, Named{"task_a", "task_a", ""}, Named{"_scores", "_scores", ""},
        Named{"anna_K", "anna", "keys"}, Named{"", "", ""}}) {
    const FileOfAnswers named = file_of_answers(row.stem, true, known);
    INFO(row.stem);
    CHECK(named.person == row.person);
    CHECK(named.step == row.step);
  }
  // Other files say themselves of which step they are: group_A is no step of a group.
  CHECK(file_of_answers("group_A", false, known).step.empty());
  CHECK(file_of_answers("anna_scores", false, known).person == "anna");
}

}  // namespace
}  // namespace attn
