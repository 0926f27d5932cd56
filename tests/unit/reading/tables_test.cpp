#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "reading/answers/answers.h"
#include "reading/answers/csv_rows.h"
#include "reading/answers/file.h"
#include "trace/recipe_builder.h"
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
  for (const char* text : {"2,14,1,02,1,14", "-2,14,+1,2,-1,14", "−2,14,−1,2,−1,14"})
    CHECK(code_of_table(text, "exponential_sums") == "decimal-comma");
  // Three numbers in a line are no number and its decimals.
  CHECK(code_of_table("1,2,3\n4,5\n6", "exponential_sums") == "ragged-list");
  // The lines may as well be numbered.
  CHECK(code_of_table("1,4\n2,16\n3,12", "row_maximum") == "decimal-comma");
  CHECK(code_of_table("max\n0,4\n1,16\n2,12", "row_maximum") == "decimal-comma");
  CHECK(tables("1;4\n2;16\n3;12", "row_maximum").steps[0].cells[2]->value == 12);
  CHECK(tables("1,4\n2,16\n2,12", "row_maximum").steps[0].cells[2]->value == 2.12);
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
  CHECK_FALSE(tables("4\n16\n12", "row_maximum").steps[0].stacked);
  // One number alone counts no columns, and one word heads one column, however long that is.
  CHECK(tables("1\n4\n16\n12", "row_maximum").steps[0].shape == Sizes{4});
  CHECK(tables("mine\n4\n16", "row_maximum").steps[0].shape == Sizes{2});
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
  // Rows with nothing in them end a step, and are none of its own, however many.
  const Answers apart = tables("scores\n2,4\n,\n,\nm,1,2\n6,7\n", "");
  REQUIRE(apart.steps.size() == 2);
  CHECK(cells(apart.steps[0]) == "1 × 2: 2 4");
}

TEST_CASE("a table that says another step than its file, or none, is refused", "[tables]") {
  CHECK(code_of_table("keys,a\nx,1", "scores") == "other-step");
  // A symbol is no name of a step, and may head whatever it likes.
  CHECK(cells(tables("S,a,b\nx,1,2\ny,3,4", "keys").steps[0]) == "2 × 2: 1 2 3 4");
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

// The steps of a problem that is written here.
KnownSteps steps_of_written(const std::string& text) {
  constexpr std::size_t max_bytes = std::size_t{1} << 20;
  const Result<Problem> problem = read_problem(text, catalog(), max_bytes, std::nullopt);
  INFO(text << "\n" << (problem ? "" : problem.faults()[0].message));
  REQUIRE(problem);
  return KnownSteps::of(recipe_of(problem.value(), {.all_steps = true}), possible_steps);
}

TEST_CASE("a matrix of one column is read as its column is written, with commas before decimals too", "[tables]") {
  const KnownSteps known = steps_of_written(R"({"queries": [[1, 2], [3, 4], [5, 6]], "keys": [[1, 2], [3, 4]],
                                                "values": [[1], [2]]})");
  const Result<Answers> commas = read_answers_csv("1,06\n1,47\n1,5", known, "context");
  REQUIRE(commas);
  CHECK(commas.value().steps[0].shape == Sizes{3, 1});
  CHECK(commas.value().steps[0].cells[0]->value == 1.06);
  // The scores have two columns.
  const Result<Answers> columns = read_answers_csv("1,06\n1,47\n1,5", known, "scores");
  REQUIRE(columns);
  CHECK(columns.value().steps[0].shape == Sizes{3, 2});
}

TEST_CASE("lines without anything in them are no numbers of a column with commas before decimals", "[tables]") {
  const AnsweredStep step = tables("0,06\n\n0,47\n\n\n1,5\n\n", "exponential_sums").steps[0];
  CHECK(step.shape == Sizes{3});
  CHECK(step.cells[1]->value == 0.47);
  // A number that is left out before or behind a comma is one of two columns.
  CHECK(cells(tables("4,\n2,5\n3,4", "exponential_sums").steps[0]) == "3 × 2: 4 _ 2 5 3 4");
  CHECK(tables("0,06;\n0,47;\n1,5;", "exponential_sums").steps[0].shape == Sizes{3});
}

TEST_CASE("headings stand above columns and labels before rows, also where one of them is short", "[tables]") {
  // The last column has a heading without a name, as spreadsheets leave it.
  CHECK(cells(tables("a,b,\nx,1,2\ny,3,4").steps[0]) == "2 × 2: 1 2 3 4");
  CHECK(cells(tables("a,b,c,d\n2,4,4\n4,16,12\n4,12,10").steps[0]) == "3 × 3: 2 4 4 4 16 12 4 12 10");
  // A row of words and numbers is no heading.
  CHECK(code_of_table("a,x,5\n1,2,3", "scores") == "not-a-number");
}

TEST_CASE("headings and labels are left out of a table that has not the shape of its step", "[tables]") {
  // Both count.
  CHECK(cells(tables(",1,2\n1,5,6\n2,7,8\n3,9,9").steps[0]) == "3 × 2: 5 6 7 8 9 9");
  CHECK(cells(tables("query,1,2\n1,5,6\n2,7,8").steps[0]) == "2 × 3: 1 5 6 2 7 8");
  // With the words it would have the shape.
  CHECK(cells(tables(",a,b\n1,2,3\n4,5,6").steps[0]) == "2 × 2: 2 3 5 6");
  // Below the name of the step stand headings, whatever shape they would make.
  CHECK(cells(tables("S,1,2,3\nx,4,16,12\ny,4,12,10").steps[0]) == "2 × 3: 4 16 12 4 12 10");
  // Numbers that count nothing are labels where every other column has a heading.
  CHECK(cells(tables("a,b,c\n10,2,4,4\n20,4,16,12\n30,4,12,10").steps[0]) == "3 × 3: 2 4 4 4 16 12 4 12 10");
  // Fields that are left empty behind labels are blanks.
  CHECK(cells(tables("x,2,4,\ny,4,,\nz,4,16,\nw,1,2,").steps[0]) == "4 × 3: 2 4 _ 4 _ _ 4 16 _ 1 2 _");
}

TEST_CASE("what stands behind the quotes of a field belongs to it", "[tables]") {
  CHECK(code_of_table("\"2\"x,4,4\n4,16,12\n4,12,10", "scores") == "not-a-number");
  CHECK(cells(tables("\"1\"2,4,4\n4,16,12\n4,12,10").steps[0]) == "3 × 3: 12 4 4 4 16 12 4 12 10");
}

TEST_CASE("what is no number and has no digit is perhaps a heading or a label", "[tables]") {
  const Result<Answers> result = read_answers_csv("2,4,4\n4,-,12\n4,12,10", steps_of_example(), "scores");
  REQUIRE_FALSE(result);
  CHECK(result.faults()[0].help.text() ==
        "headings stand in the first row, all of it, and labels in the first column, all of it");
}

TEST_CASE("what tells Excel the separator is no number, however little follows", "[tables]") {
  for (const char* text : {"sep=;", "sep=;\n", "sep=,\r\n", "\xEF\xBB\xBFsep=;\n\n"})
    CHECK(code_of_table(text, "scores") == "no-numbers");
  CHECK(cells(tables("sep=|\n1|2\n3|4").steps[0]) == "2 × 2: 1 2 3 4");
}

TEST_CASE("a file that says its separator is believed, whatever its headings look like", "[tables]") {
  CsvRows told = CsvRows::with_headings("sep=|\nname|group;room\nAnna|1\n");
  CHECK(told.next().size() == 2);
  CHECK(told.next().size() == 2);
  CsvRows commas = CsvRows::with_headings("sep=,\nname,room;floor\n");
  CHECK(commas.next().size() == 2);
  CHECK(CsvRows::with_headings("name;group\n").next().size() == 2);
}

TEST_CASE("a number that cannot be computed is told with a reason of its own", "[tables]") {
  const Result<Answers> result = read_answers_csv("2,4,4\n4,1/0,12\n4,12,10", steps_of_example(), "scores");
  REQUIRE_FALSE(result);
  REQUIRE(result.faults().size() == 1);
  CHECK(result.faults()[0].message == "this is no number: this divides by zero");
  CHECK(result.faults()[0].help.text() == "check what stands behind the /");
  CHECK(result.faults()[0].range == TextRange{9, 10});
}

TEST_CASE("what stands below a step that has all its rows is another step only under a heading", "[tables]") {
  const std::string scores = "scores\n2,4,4\n4,16,12\n4,12,10\n\n";
  // A column that is complete, with what nobody knows below it.
  CHECK(code_of_table("exponential_sums\n1\n2\n3\n\nnonsense,a,b\n1,2,3", "") == "unknown-step");
  // Numbers are more rows, and so are a word and numbers.
  CHECK(cells(tables(scores + "1,2,3", "").steps[0]) == "4 × 3: 2 4 4 4 16 12 4 12 10 1 2 3");
  CHECK(code_of_table(scores + "nonsense,7,9", "") == "not-a-number");
  CHECK(code_of_table(scores + "nonsense,a,b\n1,2,3", "") == "unknown-step");
  // Of a step that lacks a row it may be one.
  CHECK(code_of_table("scores\n2,4,4\n4,16,12\n\nnonsense,a,b\n1,2,3", "") == "not-a-number");
  // A name before other numbers than 1, 2, … heads nothing.
  CHECK(code_of_table("scores,7,9\n1,2,3", "") == "no-step-named");
  // The last step has a name, too.
  CHECK(tables("result\n1,2\n3,4", "").steps[0].id == "context");
}

TEST_CASE("of a step whose one line is bad the line is told, and no more", "[tables]") {
  const Result<Answers> result = read_answers_csv("scores\nx\n\ncontext,a,b", steps_of_example(), "");
  REQUIRE_FALSE(result);
  REQUIRE(result.faults().size() == 1);
  CHECK(result.faults()[0].range == TextRange{7, 8});
}

TEST_CASE("a symbol that several layers have heads no table", "[tables]") {
  const KnownSteps known = steps_of_example("induction.json");
  REQUIRE(known.called_exactly("Q").size() > 1);
  Faults unknown;
  const Result<Answers> result = read_answers_csv("Q,a,b\nx,1,2\ny,3,4", known, "", &unknown);
  REQUIRE_FALSE(result);
  CHECK(result.faults()[0].code == "no-step-named");
  CHECK_FALSE(unknown.any());
  const Result<std::string> named = named_step("Q", known);
  REQUIRE_FALSE(named);
  CHECK(named.faults()[0].code == "ambiguous-step");
}

TEST_CASE("a table is read as the step that is named beside it", "[tables]") {
  const KnownSteps known = steps_of_example();
  const auto code = [&](const std::string& file, const std::string& text, const std::string& step, Faults* unknown) {
    const Result<Answers> read = read_answers_of(file, text, step, known, unknown);
    return read ? read.value().steps[0].id : read.faults()[0].code;
  };
  CHECK(code("x.csv", "1,2\n3,4", "S", nullptr) == "scores");
  CHECK(code("x.csv", "1,2\n3,4", "nonsense", nullptr) == "unknown-step");
  // Steps that nobody knows are left out only where all else can be read.
  Faults unknown;
  CHECK(code("x.txt", "S = [1 2; 3 4]\nnonsense = 4", "", &unknown) == "scores");
  CHECK(unknown.count() == 1);
  Faults none;
  CHECK(code("x.json", R"({"steps": {"nonsense": 4}})", "", &none) == "unknown-step");
  CHECK(code("x.txt", "nonsense = 4\nS = [1 2; 3 x]", "", &none) == "unknown-step");
  CHECK_FALSE(none.any());
}

TEST_CASE("what a file is its ending says in any case, and its beginning where it has no name", "[tables]") {
  const KnownSteps known = steps_of_example();
  const auto first_of = [&](const std::string& file, const std::string& text) {
    INFO(file << "\n" << text);
    const Result<Answers> read = read_answers_of(file, text, "", known);
    REQUIRE(read);
    return read.value().steps[0].id;
  };
  CHECK(is_table_file("Anna_SCORES.CSV"));
  CHECK(is_answers_file("ANNA.Json"));
  CHECK(first_of("scores.Csv", "1,2\n3,4") == "scores");
  CHECK(first_of("anna.TXT", "S = [1 2]") == "scores");
  const std::string json = R"({"steps": {"scores": [[1, 2]]}})";
  for (const std::string before : {"", "\xEF\xBB\xBF", " \n", "// mine\n", "/* mine */"})
    CHECK(first_of("-", before + json) == "scores");
  CHECK(first_of("-", "S = [1 2]") == "scores");
}

TEST_CASE("where nobody knows how many numbers there are, no file is too long", "[tables]") {
  const KnownSteps known({"scores"}, possible_steps);
  REQUIRE_FALSE(known.numbers());
  const Result<Answers> read =
      read_answers_of("x.json", R"({"steps": {"scores": 1}})" + std::string(700'000, ' '), "", known, nullptr);
  REQUIRE(read);
  CHECK(read.value().steps[0].id == "scores");
}

const KnownSteps::Ids& no_possible_steps() {
  static const KnownSteps::Ids none;
  return none;
}

TEST_CASE("nobody means a step that there cannot be", "[tables]") {
  const KnownSteps known({"scores"}, no_possible_steps);
  CHECK(known.meant_by("similarities") == "scores");
  CHECK_FALSE(known.meant_by("probabilitys"));
  CHECK(file_of_answers("anna_qkt", true, known).step == "scores");
  CHECK(file_of_answers("anna_softmax", true, known).step.empty());
  CHECK(known.called_exactly(std::string(201, 's')).empty());
}

TEST_CASE("a step that an attention of a block could have is known by its whole name", "[tables]") {
  const KnownSteps known = steps_of_example("block-by-hand.json");
  CHECK(known.has("layer1.self.scores"));
  // Nothing is masked there, and somebody may answer it all the same.
  CHECK(known.shape("layer1.self.masked_scores") == nullptr);
  CHECK(known.has("layer1.self.masked_scores"));
  CHECK_FALSE(known.has("layer1.self.nonsense"));
  CHECK_FALSE(known.has("layer9.self.masked_scores"));
}

// A recipe of a step of that shape.
KnownSteps step_of_sizes(const Shape& shape) {
  RecipeBuilder work;
  work.step_of_shape({.id = "total"}, shape);
  return KnownSteps::of(work.take(), no_possible_steps);
}

TEST_CASE("a step of one number alone is read from a table and from a line", "[tables]") {
  const KnownSteps known = step_of_sizes({});
  for (const char* text : {"5", "total\n5", "total,x\n1,5"}) {
    INFO(text);
    const Result<Answers> read = read_answers_csv(text, known, "total");
    REQUIRE(read);
    CHECK(cells(read.value().steps[0]) == "1 × 1: 5");
  }
  const Result<Answers> typed = read_answers_text("total = 5", known);
  REQUIRE(typed);
  CHECK(typed.value().steps[0].cells[0]->value == 5);
  // It has no first number, and no rows that could be all of it.
  const Result<Answers> first = read_answers_text("total1 = 5", known);
  REQUIRE_FALSE(first);
  CHECK(first.faults()[0].code == "bad-index");
  const Result<Answers> more = read_answers_csv("total\n5\n\nnonsense\n1", known, "");
  REQUIRE_FALSE(more);
  CHECK(more.faults()[0].code == "not-a-number");
}

TEST_CASE("one line alone counts nothing", "[tables]") {
  const Result<Answers> row = read_answers_csv("1,5,6,7", step_of_sizes({{"query", 1}, {"key", 3}}), "total");
  REQUIRE(row);
  CHECK(cells(row.value().steps[0]) == "1 × 4: 1 5 6 7");
  const Result<Answers> number = read_answers_csv("1,5", step_of_sizes({{"query", 1}}), "total");
  REQUIRE(number);
  CHECK(number.value().steps[0].cells[0]->value == 1.5);
}

TEST_CASE("of a step without numbers a table is read as it stands", "[tables]") {
  const KnownSteps known = step_of_sizes({{"query", 2}, {"key", 0}});
  const Result<Answers> read = read_answers_csv("total\n1,2\n3,4\n\n5,6", known, "");
  REQUIRE(read);
  CHECK(cells(read.value().steps[0]) == "3 × 2: 1 2 3 4 5 6");
  const Result<Answers> more = read_answers_csv("total\n1,2\n3,4\n\nnonsense,a\n1,2", known, "");
  REQUIRE_FALSE(more);
  CHECK(more.faults()[0].code == "not-a-number");
}

}  // namespace
}  // namespace attn
