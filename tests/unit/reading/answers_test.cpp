#include "reading/answers/answers.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "catch.h"
#include "model/possible_steps.h"
#include "reading/answers/cells.h"
#include "reading/names/step_names.h"
#include "reading/report.h"
#include "reading/text_file.h"
#include "unit/reading/known_steps.h"

using namespace attn;
namespace fs = std::filesystem;

namespace {

constexpr int exact = -1;

KnownSteps known() { return {{"context"}, possible_steps}; }

Answers answers(const std::string& text) {
  INFO(text);
  Result<Answers> result = read_answers(text, known());
  REQUIRE(result);
  return std::move(result.value());
}

// The only step of a file.
AnsweredStep step(const std::string& written, const std::string& id = "scores") {
  Answers all = answers("{\"steps\": {\"" + id + "\": " + written + "}}");
  REQUIRE(all.steps.size() == 1);
  return std::move(all.steps[0]);
}

AnsweredStep csv_step(const std::string& text) {
  INFO(text);
  Result<Answers> result = read_answers_csv(text, known(), "scores");
  REQUIRE(result);
  REQUIRE(result.value().steps.size() == 1);
  return std::move(result.value().steps[0]);
}

std::string blanks_of(const AnsweredStep& step) {
  std::string result;
  for (const AnsweredStep::Cell& cell : step.cells) result += cell ? 'x' : '_';
  return result;
}

std::vector<int> decimals_of(const AnsweredStep& step) {
  std::vector<int> result;
  for (const AnsweredStep::Cell& cell : step.cells) result.push_back(cell ? cell->decimals.value_or(exact) : -2);
  return result;
}

using Sizes = std::vector<std::size_t>;

fs::path folder() { return fs::path(ATTN_SOURCE_DIR) / "tests" / "cli" / "bad-answers"; }

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string complaint(const fs::path& file) {
  const Result<std::string> text = read_text(file.string());
  REQUIRE(text);
  const auto read = [&]() -> Result<Answers> {
    if (file.extension() == ".csv") return read_answers_csv(text.value(), steps_of_example(), "scores");
    if (file.extension() == ".txt") return read_answers_text(text.value(), steps_of_example());
    return read_answers(text.value(), known());
  };
  const Result<Answers> result = read();
  return result ? "" : report(result.faults(), text.value(), file.filename().string());
}

}  // namespace

TEST_CASE("a whole step has its shape, its numbers and their spelling", "[answers]") {
  const AnsweredStep scores = step(R"([[2, "2/3"], [null, "-∞"], ["", "0.50"]])");
  CHECK(scores.id == "scores");
  CHECK(scores.shape == Sizes{3, 2});
  CHECK_FALSE(scores.by_cell);
  CHECK(blanks_of(scores) == "xx_x_x");
  CHECK(scores.cells[0]->text == "2");
  CHECK(scores.cells[1]->value == Approx(2.0 / 3));
  CHECK(scores.cells[1]->text == "2/3");
  CHECK(scores.cells[3]->value == -std::numeric_limits<double>::infinity());
  CHECK(scores.cells[5]->text == "0.50");
}

TEST_CASE("numbers without quotes have the decimals of the longest of their step", "[answers]") {
  CHECK(decimals_of(step("[0.50, 1, -3.125]")) == std::vector{3, 3, 3});
  CHECK(decimals_of(step("[1e-3, 2.5e1, 7]")) == std::vector{3, 3, 3});
  CHECK(decimals_of(step("[2.5e1, 7]")) == std::vector{0, 0});
  CHECK(decimals_of(step(R"(["0.1234", 0.5, "2/3", 1, "-inf", null])")) == std::vector{4, 1, exact, 1, exact, -2});
  const Answers two = answers(R"({"steps": {"keys": [0.25], "values": [1]}})");
  CHECK(decimals_of(two.steps[0]) == std::vector{2});
  CHECK(decimals_of(two.steps[1]) == std::vector{0});
}

TEST_CASE("a blank in place of a list is blanks all through it", "[answers]") {
  auto [written, shape, blanks] = GENERATE(table<std::string, Sizes, std::string>({
      {"[[1, 2], null]", {2, 2}, "xx__"},
      {"[null, [1, 2, 3]]", {2, 3}, "___xxx"},
      {"[null, [[1, null], null]]", {2, 2, 2}, "____x___"},
      {"[[null], [[null, null]]]", {2, 1, 2}, "____"},
      {"[null, null, null]", {3}, "___"},
      {"[[null, \"\"], null]", {2, 2}, "____"},
      {"null", {}, "_"},
      {"5", {}, "x"},
  }));
  const AnsweredStep read = step(written);
  CHECK(read.shape == shape);
  CHECK(blanks_of(read) == blanks);
}

TEST_CASE("single cells are placed by indices that count from 1", "[answers]") {
  const AnsweredStep context =
      step(R"json({"1,2": 6.68, " [2, 1] ": "1/2", "(3,3)": null, " 10 , 1 ": 7})json", "context");
  CHECK(context.by_cell);
  REQUIRE(context.placed.size() == 4);
  CHECK(context.placed[0].index == Sizes{0, 1});
  CHECK(context.placed[0].number->value == 6.68);
  CHECK(context.placed[1].index == Sizes{1, 0});
  CHECK_FALSE(context.placed[1].number->decimals);
  CHECK(context.placed[2].index == Sizes{2, 2});
  CHECK_FALSE(context.placed[2].number);
  CHECK(context.placed[3].index == Sizes{9, 0});
  CHECK(context.placed[3].number->decimals == 2);
}

TEST_CASE("steps keep the order of the file, and result is the last of the trace", "[answers]") {
  const Answers read = answers(R"({"title": 1, "name": "Ada", "notes": ["a"], "x-room": {"a": [[]]}, "$schema": "s",
    "steps": {"result": [1], "inputs.key": [2], "scaled_scores": [3]}, "schema": "attn/answers/1"})");
  REQUIRE(read.steps.size() == 3);
  CHECK(read.steps[0].id == "context");
  CHECK(read.steps[1].id == "inputs.key");
  CHECK(read.steps[2].id == "scaled_scores");
}

TEST_CASE("comments and a byte order mark in answers are passed over", "[answers]") {
  const Answers read = answers("\xEF\xBB\xBF// mine\n{\"steps\": {\"scores\": [1, /* or 2? */ 3]}}");
  CHECK(read.steps[0].cells.size() == 2);
}

TEST_CASE("people's names for steps lead to the steps", "[answers]") {
  auto [name, id] = GENERATE(table<std::string, std::string>({
      {"Q", "queries"},
      {"K", "keys"},
      {"V", "values"},
      {"X", "inputs"},
      {"weights", "attention_weights"},
      {"Softmax", "attention_weights"},
      {"outputs", "output"},
      {"QK^T", "scores"},
      {"contxt", "context"},
  }));
  INFO(name);
  CHECK(known().meant_by(name) == id);
  const auto fault = named_step(name, known());
  REQUIRE_FALSE(fault);
  CHECK(fault.faults()[0].help.text() == "did you mean " + id + "?");
  CHECK(named_step(id, known()).value() == id);
}

TEST_CASE("a step's own name leads to it in any case, with blanks or dashes", "[answers]") {
  CHECK(named_step("attention-weights", known()).value() == "attention_weights");
  CHECK(named_step("Scaled scores", known()).value() == "scaled_scores");
}

TEST_CASE("a name is suggested only where the step can be named", "[answers]") {
  static const KnownSteps::Ids listed = {"queries", "keys"};
  const KnownSteps few(
      {}, +[]() -> const KnownSteps::Ids& { return listed; });
  CHECK_FALSE(few.meant_by("V"));
  CHECK_FALSE(known().meant_by(std::string(100'000, 'q')));
  CHECK(named_step("result", known()).value() == "context");
  CHECK_FALSE(named_step("result", few));
}

TEST_CASE("a problem or a trace in place of answers is told once, as what it is", "[answers]") {
  const auto [key, what] = GENERATE(table<std::string, std::string>({{"inputs", "a problem"},
                                                                     {"weights", "a problem"},
                                                                     {"tokens", "a problem"},
                                                                     {"embeddings", "a problem"},
                                                                     {"statement", "a trace"},
                                                                     {"arithmetic", "a trace"},
                                                                     {"labels", "a trace"},
                                                                     {"backend", "a trace"}}));
  const Result<Answers> read = read_answers("{\"" + key + R"(": 1, "other": 2, "steps": {"scores": [1]}})", known());
  INFO(key);
  REQUIRE_FALSE(read);
  CHECK(read.faults().size() == 1);
  CHECK(read.faults()[0].code == "not-answers");
  CHECK(read.faults()[0].message.find("/" + key + " is a key of " + what) != std::string::npos);
}

TEST_CASE("what is no place or no number in answers is told where it stands", "[answers]") {
  auto [written, message] = GENERATE(table<std::string, std::string>({
      {R"({"[1,2": 4})", "[1,2"},
      {R"({"(1,2]": 4})", "(1,2]"},
      {R"({"1,1,1,1,1,1,1,1,1": 4})", "1,1,1,1,1,1,1,1,1"},
      {R"({"1,2": {"a": 1}})", "an object"},
      {R"("four")", "\"four\""},
      {R"([["NAN"]])", "no number"},
      {R"([["2 +"]])", "a number is missing after"},
  }));
  INFO(written);
  const Result<Answers> read = read_answers(R"({"steps": {"scores": )" + written + "}}", known());
  REQUIRE_FALSE(read);
  CHECK(read.faults()[0].message.find(message) != std::string::npos);
  CHECK(read.faults()[0].where.starts_with("/steps/scores"));
}

TEST_CASE("a slip in a number is pointed at, and the whole number where something of it is escaped", "[answers]") {
  const auto marked = [](const std::string& text, const Result<Answers>& read) {
    INFO(text);
    REQUIRE_FALSE(read);
    REQUIRE(read.faults()[0].range);
    const TextRange range = *read.faults()[0].range;
    return text.substr(range.begin, range.end - range.begin);
  };
  const auto in_json = [&](const std::string& written) {
    const std::string text = R"({"steps": {"scores": [[1, )" + written + "]]}}";
    return marked(text, read_answers(text, known()));
  };
  CHECK(in_json(R"("2+x")") == "x");
  CHECK(in_json(R"("\u0032+x")") == R"("\u0032+x")");
  CHECK(in_json(R"("2\/\/3")") == R"("2\/\/3")");
  const auto in_csv = [&](const std::string& written) {
    const std::string text = "1," + written + "\n";
    return marked(text, read_answers_csv(text, known(), "scores"));
  };
  CHECK(in_csv("\"2+x\"") == "x");
  CHECK(in_csv("\"2\"\"x\"") == "\"2\"\"x\"");
}

TEST_CASE("keys that answers do not have are told, and of very many the rest is counted", "[answers]") {
  const auto faults_of = [](const std::string& keys) {
    const Result<Answers> read = read_answers("{" + keys + R"("steps": {"scores": [[1]]}})", known());
    REQUIRE_FALSE(read);
    return read.faults();
  };
  CHECK(faults_of(R"("nmae": "Ada", )")[0].help.text() == "did you mean /name?");
  CHECK(faults_of(R"("zzz": "Ada", )")[0].help.text().find("did you mean") == std::string::npos);
  std::string many;
  for (int i = 0; i < 1500; ++i) many += "\"zzz" + std::to_string(i) + "\": 1, ";
  const Diagnostics faults = faults_of(many);
  CHECK(faults.size() < 1500);
  CHECK(faults.size() + faults.back().unkept == 1500);
  CHECK(answers(R"({"notes": "by hand", "title": "x", "$schema": "y", "steps": {"scores": [[1]]}})").steps.size() == 1);
}

TEST_CASE("a number that is none is told how it is answered, however it is spelled", "[answers]") {
  for (const std::string word : {"\"nan\"", "\"NaN\"", "\"NAN\"", "NaN"}) {
    INFO(word);
    const Result<Answers> read = read_answers(R"({"steps": {"scores": [1, )" + word + "]}}", known());
    REQUIRE_FALSE(read);
    CHECK(read.faults()[0].help.text() == how_to_answer_nan);
  }
}

TEST_CASE("None in answers is told to be null", "[answers]") {
  const Result<Answers> read = read_answers(R"({"steps": {"scores": [None]}})", known());
  REQUIRE_FALSE(read);
  CHECK(read.faults()[0].help.text().find("null") != std::string::npos);
}

TEST_CASE("a file of rows is one step, however its fields are separated", "[answers][csv]") {
  for (const char* text : {"1,2.50,47%\n\"0.50\",,√3/2\n", "1;2.50;47%\r\n\"0.50\";;√3/2",
                           "\xEF\xBB\xBF 1 \t 2.50\t47%\n\n\"0.50\"\t\t√3/2\n\n"}) {
    const AnsweredStep read = csv_step(text);
    CHECK(read.id == "scores");
    CHECK(read.shape == Sizes{2, 3});
    CHECK(blanks_of(read) == "xxxx_x");
    CHECK(decimals_of(read) == std::vector{2, 2, 2, 2, -2, exact});
    CHECK(read.cells[2]->value == 0.47);
    CHECK(read.cells[3]->text == "0.50");
  }
}

TEST_CASE("a number between quotes in a file of rows has its own decimals, and the others those of the longest",
          "[answers][csv]") {
  CHECK(decimals_of(csv_step("\"0.5\",0.25\n")) == std::vector{1, 2});
  CHECK(decimals_of(csv_step("0.25,\"0.5\"\n1,\"0.125\"\n")) == std::vector{2, 1, 2, 3});
}

TEST_CASE("blocks of rows stand one under the other", "[answers][csv]") {
  CHECK(csv_step("1,2\n3,4\n\n5,6\n7,8\n").shape == Sizes{4, 2});
  CHECK(csv_step("1\n2\n3\n").shape == Sizes{3, 1});
  CHECK(blanks_of(csv_step(",\n1,\n")) == "__x_");
}

TEST_CASE("blanks do not need more memory than the text is worth", "[answers]") {
  std::string text = "{\"steps\": {\"scores\": [[1";
  for (int i = 0; i < 20'000; ++i) text += ",1";
  text += "]";
  for (int i = 0; i < 20'000; ++i) text += ",null";
  const Result<Answers> result = read_answers(text + "]}}", known());
  REQUIRE_FALSE(result);
  CHECK(result.faults()[0].code == "too-many-blanks");
}

// Set ATTN_UPDATE_GOLDEN=1 to accept what the program says now; then read the
// difference before committing it.
TEST_CASE("blanks in place of more lists than can be counted are refused where there are too many", "[answers]") {
  // 257 numbers 8 deep would be more than 2^64.
  std::string written = "1";
  for (int level = 0; level < 8; ++level) {
    std::string list = "[" + written;
    for (int i = 1; i < 257; ++i) list += ",null";
    written = list + "]";
  }
  const Result<Answers> result = read_answers(R"({"steps": {"scores": )" + written + "}}", known());
  REQUIRE_FALSE(result);
  CHECK(result.faults()[0].code == "too-many-blanks");
  CHECK(result.faults()[0].where == "/steps/scores/0/0/0/0/0/3");  // 256·257 + 2·257² cells are fewer than 2^18
}

TEST_CASE("a number of very many digits is refused where it stands, with quotes or without", "[answers]") {
  const std::string digits = "0." + std::string(2000, '3');
  for (const std::string quote : {"", "\""}) {
    const std::string before = R"({"steps": {"scores": [1, )" + quote;
    const Result<Answers> result = read_answers(before + digits + quote + "]}}", known());
    REQUIRE_FALSE(result);
    CHECK(result.faults()[0].message ==
          "/steps/scores/1 is no number: a number takes at most 1000 bytes; these are more");
    CHECK(result.faults()[0].range->begin == before.size());
  }
}

TEST_CASE("a text in place of answers is told as it is spelled", "[answers]") {
  const auto message = [](const std::string& text) {
    const Result<Answers> result = read_answers(text, known());
    REQUIRE_FALSE(result);
    return result.faults()[0].message;
  };
  CHECK(message(R"("scores")") == "answers are an object, { … }; this is \"scores\"");
  CHECK(message(R"({"steps": "caf\u00e9"})") == "/steps is \"café\"; an object is wanted");
  CHECK(message(R"({"steps": 5})") == "/steps is 5; an object is wanted");
  // Of nothing there is no place.
  CHECK(message("") == "the file is empty");
  CHECK(message(" // later") == "the file has nothing but blanks and comments");
}

TEST_CASE("each file of bad answers is refused with its message", "[answers][golden]") {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder())) {
    const fs::path file = entry.path();
    if (file.extension() == ".expected") continue;
    ++count;
    const fs::path expected = fs::path(file).replace_extension(".expected");
    const std::string said = complaint(file);
    INFO(file.filename().string());
    CHECK_FALSE(said.empty());
    if (std::getenv("ATTN_UPDATE_GOLDEN")) {
      std::ofstream(expected, std::ios::binary) << said;
    } else {
      CHECK(said == contents(expected));
    }
  }
  CHECK(count >= 25);
}

TEST_CASE("a product of letters is a name without its signs", "[answers]") {
  for (const std::string name : {"Q·Kᵀ", "QKᵀ", "Q K^T", "q×k", "QK"}) {
    INFO(name);
    CHECK(alias_of_step(name) == "scores");
  }
  CHECK(plain_step_name("Q·Kᵀ") == "qk");
}
