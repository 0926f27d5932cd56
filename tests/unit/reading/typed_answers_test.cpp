#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "problem/faults.h"
#include "reading/answers/answers.h"
#include "reading/answers/typed_row.h"
#include "reading/answers/typed_value.h"
#include "unit/reading/known_steps.h"

// Answers as people type them.

namespace attn {
namespace {

using Sizes = std::vector<std::size_t>;

Answers typed(const std::string& text, const KnownSteps& known) {
  Result<Answers> result = read_answers_text(text, known);
  INFO(text << "\n" << (result ? "" : result.faults()[0].message));
  REQUIRE(result);
  return std::move(result.value());
}

AnsweredStep only(const std::string& text, const std::string& problem = "worked-example.json") {
  Answers all = typed(text, steps_of_example(problem));
  REQUIRE(all.steps.size() == 1);
  return std::move(all.steps[0]);
}

// "2 4 _", the cells one after the other.
std::string spelled(const AnsweredStep& step) {
  std::string text;
  for (const AnsweredStep::Cell& cell : step.cells) text += (text.empty() ? "" : " ") + (cell ? cell->text : "_");
  return text;
}

// "[2,1]=4", by places.
std::string placed(const AnsweredStep& step) {
  std::string text;
  for (const AnsweredStep::Placed& one : step.placed) {
    text += (text.empty() ? "" : " ") + spelled_index(one.index) + "=" + (one.number ? one.number->text : "_");
  }
  return text;
}

std::string code_of(const std::string& text) {
  INFO(text);
  const Result<Answers> result = read_answers_text(text, steps_of_example());
  REQUIRE_FALSE(result);
  return result.faults()[0].code;
}

TEST_CASE("behind however many unknown steps a line that names none is a fault", "[typed]") {
  std::string text = "S = [2 4 4; 4 16 12; 4 12 10]\n";
  for (int i = 0; i < 1500; ++i) text += "zz" + std::to_string(i) + " = 1\n";
  Faults unknown;
  REQUIRE(read_answers_text(text, steps_of_example(), &unknown));
  const Result<Answers> result = read_answers_text(text + "= 3\n", steps_of_example(), &unknown);
  REQUIRE_FALSE(result);
  CHECK(result.faults()[0].code == "no-answer");
}

TEST_CASE("a matrix is read however it is typed", "[typed]") {
  for (const char* text : {
           "S = [2 4 4; 4 16 12; 4 12 10]",
           "scores=[2,4,4;4,16,12;4,12,10]",
           "s = [2 4 4\n 4 16 12\n 4 12 10]",
           "S = [[2, 4, 4], [4, 16, 12], [4, 12, 10]]",
           "S = [[2, 4, 4],\n     [4, 16, 12],\n     [4, 12, 10]]\n",
           "S =\n2 4 4\n4 16 12\n4 12 10\n\n",
           "S =\n\n2 4 4\n4 16 12\n4 12 10\n",
           "S = 2,4,4,\n4,16,12,\n4,12,10",
           "S = 2 4 4; 4 16 12; 4 12 10",
           "Scores = 2 4 4; 4 16 12; 4 12 10",
           "S =\n[2 4 4]\n[4 16 12]\n[4 12 10]",
           "# mine\r\nS = [ 2 4 4 ;  # one\r\n 4 16 12;\r\n\r\n 4, 12 10; ] # done\r\n",
           "S[1,:] = [2 4 4]\nS(2,:) = 4 16 12\ns₃ = [4, 12, 10]",
           "S = ((2, 4, 4), (4, 16, 12), (4, 12, 10))",
           "S = (2 4 4; 4 16 12; 4 12 10)",
           "S = ((2, 4, 4),\n     (4, 16, 12),  # two\n     (4, 12, 10))",
           "S = [(2 4 4) (4 16 12) (4 12 10)]",
           "S = (2,4,4),(4,16,12),(4,12,10)",
           "S =\n(2 4 4)\n(4 16 12)\n(4 12 10)",
           "Scores:\n2 4 4\n4 16 12\n4 12 10\n",
           "S := [2 4 4; 4 16 12; 4 12 10]",
           "s1: 2 4 4\nS[2,:]: (4, 16, 12)\ns3 = 4 12 10",
           "S[:,1]=[2;4;4]\nS[:,2]=[4 16 12]\nS[:,3]=[4 12 10]",
       }) {
    const AnsweredStep step = only(text);
    INFO(text);
    CHECK(step.id == "scores");
    CHECK(step.shape == Sizes{3, 3});
    CHECK(spelled(step) == "2 4 4 4 16 12 4 12 10");
    CHECK_FALSE(step.by_cell);
  }
}

TEST_CASE("typed numbers keep their digits, and may be expressions", "[typed]") {
  const AnsweredStep step = only("A = [0.50 -.5 47%; e^2/(e^2 + 2e^4) 2 - 1 √3 / 2; \"1.0\" −2 (1 + 2)*3]");
  CHECK(spelled(step) == "0.50 -.5 47% e^2/(e^2 + 2e^4) 2 - 1 √3 / 2 1.0 −2 (1 + 2)*3");
  REQUIRE(step.cells.size() == 9);
  CHECK(step.cells[0]->decimals == 2);
  CHECK(step.cells[4]->value == 1);
  CHECK(step.cells[5]->value == Approx(std::sqrt(3) / 2));
  CHECK(step.cells[8]->value == 9);
  CHECK(spelled(only("m = [1 -2 3]")) == "1 -2 3");
  CHECK(spelled(only("m = (e^-2/(1+e^-2), (1+2)/3, ((1 + 2)))")) == "e^-2/(1+e^-2) (1+2)/3 ((1 + 2))");
  CHECK(spelled(only("m = (1 -2 3)")) == "1 -2 3");
  CHECK(placed(only("S[1,1] = (1 -2)")) == "[1,1]=(1 -2)");
}

TEST_CASE("with blanks about any of its signs a typed expression is one number", "[typed]") {
  const std::pair<const char*, double> signs[] = {{"+", 5}, {"-", -1},      {"−", -1},      {"*", 6}, {"·", 6},
                                                  {"×", 6}, {"/", 2.0 / 3}, {"÷", 2.0 / 3}, {"^", 8}};
  for (const auto& [sign, value] : signs) {
    const std::string expression = std::string("2 ") + sign + " 3";
    const AnsweredStep one = only("A[1,2] = " + expression);
    REQUIRE(one.placed.size() == 1);
    CHECK(placed(one) == "[1,2]=" + expression);
    CHECK(one.placed[0].number->value == value);
    CHECK(spelled(only("A = [0 " + expression + " 0; 0 0 0; 0 0 0]")) == "0 " + expression + " 0 0 0 0 0 0 0");
  }
}

TEST_CASE("an underscore or a question mark is a blank", "[typed]") {
  CHECK(spelled(only("S = [_ ? __; 4,,12; null 12 ?]")) == "_ _ _ 4 _ 12 _ 12 _");
  CHECK(spelled(only("m = [_, 16, _]")) == "_ 16 _");
  CHECK(spelled(only("m = [,16,12]")) == "_ 16 12");
}

TEST_CASE("single numbers and rows are placed by what stands before the equals sign", "[typed]") {
  auto [text, places] = GENERATE(table<std::string, std::string>({
      {"S[1,2] = 4", "[1,2]=4"},
      {"s ( 1, 2 ) ≈ 4", "[1,2]=4"},
      {"S[2,:] = [4 _ 12]", "[2,1]=4 [2,2]=_ [2,3]=12"},
      {"S[2] = [4 16 12]", "[2,1]=4 [2,2]=16 [2,3]=12"},
      {"S[:,2] = [4; 16; 12]", "[1,2]=4 [2,2]=16 [3,2]=12"},
      {"s_2 = 4 16 12", "[2,1]=4 [2,2]=16 [2,3]=12"},
      {"s₁₂ = 4", "[1,2]=4"},
      {"s12 = 4", "[1,2]=4"},
      {"exponential_sums2 = 4", "[2]=4"},
      {"s12 = [4]", "[1,2]=4"},
      {"q1=(4,16,12)", "[1,1]=4 [1,2]=16 [1,3]=12"},
      {"x2 = 0 2 0 2", "[2,1]=0 [2,2]=2 [2,3]=0 [2,4]=2"},
      {"S[1,2]: 4", "[1,2]=4"},
      {"S2 = 4 16 12", "[2,1]=4 [2,2]=16 [2,3]=12"},
      {"S[1,1] = 2\nS[3,3] = 10", "[1,1]=2 [3,3]=10"},
  }));
  const AnsweredStep step = only(text);
  INFO(text);
  CHECK(step.by_cell);
  CHECK(placed(step) == places);
}

TEST_CASE("a number of a vector is placed, and a column of one lies flat", "[typed]") {
  CHECK(placed(only("z₁ = 2.1353")) == "[1]=2.1353");
  CHECK(only("m = [4; 16; 12]").shape == Sizes{3});
  CHECK(only("m =\n4\n16\n12").shape == Sizes{3});
  CHECK(only("m = [4 16; 12 1]").shape == Sizes{2, 2});
}

TEST_CASE("with heads, a matrix is given by the indices before it, and a row needs all of them", "[typed]") {
  const std::string problem = "tom-yeh-three-heads.json";
  const KnownSteps known = steps_of_example(problem);
  const Shape& weights = *known.shape("attention_weights");
  REQUIRE(weights.rank() == 3);
  const Result<Answers> row = read_answers_text("A₁ = [1 2]", known);
  REQUIRE_FALSE(row);
  CHECK(row.faults()[0].code == "bad-index");

  std::string numbers;
  for (std::size_t i = 0; i < weights.back().size; ++i) numbers += std::to_string(i) + " ";
  // Its matrices may stand one under the other; one matrix is one.
  CHECK(only("A = [" + numbers + "; " + numbers + "]", problem).stacked);
  CHECK_FALSE(only("S = [2 4 4; 4 16 12; 4 12 10]").stacked);

  const AnsweredStep one = only("A[2,1,:] = [" + numbers + "]", problem);
  CHECK(one.placed.front().index == Sizes{1, 0, 0});
  CHECK(one.placed.back().index == Sizes{1, 0, weights.back().size - 1});

  std::string heads;
  for (std::size_t head = 1; head <= weights[0].size; ++head) {
    heads += "A[" + std::to_string(head) + ",:,:] = [";
    for (std::size_t query = 0; query < weights[1].size; ++query) heads += numbers + ";";
    heads += "]\n";
  }
  const AnsweredStep all = only(heads, problem);
  CHECK(all.shape == weights.sizes());
  CHECK(all.cells.size() == weights.count());
}

TEST_CASE("statements follow each other, with a name above them", "[typed]") {
  const Answers all =
      typed("name: Ada Lovelace  # me\nK = [0 1 1; 4 4 0; 2 3 1]\nz = 2.1 1 1\nName = \nS[1,1] = 2\nresult[1,1] = 2",
            steps_of_example());
  CHECK(all.name == "Ada Lovelace");
  REQUIRE(all.steps.size() == 4);
  CHECK(all.steps[0].id == "keys");
  CHECK(all.steps[1].shape == Sizes{3});
  CHECK(all.steps[3].id == "context");
  CHECK(typed("name: Ada Lovelace  # me\nS[1,1] = 2", steps_of_example()).name == "Ada Lovelace");
}

TEST_CASE("what is typed wrongly is refused for what it is", "[typed]") {
  auto [text, code] = GENERATE(table<std::string, std::string>({
      {"", "no-steps"},
      {"# nothing\n\n", "no-steps"},
      {"hello", "no-answer"},
      {"name: Ann\nname: Bob\nS[1,1] = 2", "duplicate-key"},
      {"= 2", "no-answer"},
      {"Foo = 2", "unknown-step"},
      {"S = ", "no-numbers"},
      {"S = []", "no-numbers"},
      {"S = [2 4; 4]", "ragged-list"},
      {"S = [2 [4 5]]", "mixed-list"},
      {"S = [[[[[[[[[2]]]]]]]]]", "too-deep"},
      {"S = [2 4\nK = [1 2]", "open-bracket"},
      {"S = [2 4", "open-bracket"},
      {"S = 2 4]", "stray-bracket"},
      {"S = 2 = 2", "bad-value"},
      {"S[1,2] = [1 2]", "bad-value"},
      {"S[1,:] = [1 2]", "bad-value"},
      {"S[0,1] = 2", "bad-index"},
      {"S[1,2 = 2", "bad-index"},
      {"S[1,2,3] = 2", "bad-index"},
      {"s₃ = 2", "bad-index"},
      {"S = [0,06 0,47]", "decimal-comma"},
      {"S = [2,1 4,7; 1,5 2,5]", "decimal-comma"},
      {"A = [0,06; 0,47; 0,47]", "decimal-comma"},
      {"A = [0,47; 0,98; 0,88]", "decimal-comma"},
      {"A = [0,06,0,47,0,47; 0,0,98,0,02]", "decimal-comma"},
      {"A[1,:] = [0,5,0,1,0,4]", "decimal-comma"},
      {"A1 = 0,5, 0,1, 0,4", "decimal-comma"},
      {"z = [2,14; 1,02; 1,14]", "decimal-comma"},
      {"z = 2,1\n1,2\n1,1", "decimal-comma"},
      {"S[1,1] = 2,5", "decimal-comma"},
      {"s12 = 4,5", "decimal-comma"},
      {"Homework 3: matrices", "no-answer"},
      {"S:", "no-numbers"},
      {"S1 = 2 4 4\ns2 4 16 12", "no-answer"},
      {"S1 = (2, 4, 4", "open-bracket"},
      {"S1 = (2 4 4]", "open-bracket"},
      {"S1 = (2, 4, 4)/2", "bad-index"},
      {"S1 = (2, 4)", "bad-value"},
      {"S = (((((((((1, 2)))))))))", "too-deep"},
      {"S = [2]\nscores = [2]", "duplicate-step"},
      {"S[1,1] = 2\nS[1,:] = [2 4 4]", "duplicate-step"},
      {"S = [1]\nS[1,1] = 2", "duplicate-step"},
      {"S[ = 2", "bad-index"},
      {"S[a,1] = 2", "bad-index"},
      {"S[1,1,1,1,1,1,1,1,1] = 2", "bad-index"},
      {"S = [[1 2] 3]", "mixed-list"},
      {"S = [[1 2] []]", "ragged-list"},
      {"S = [[[1 2]] [[1 2] [3 4]]]", "ragged-list"},
      {"S1 = 2 4 4\nkeys 4 16 12", "no-answer"},
      {"scors:\n2 4 4", "unknown-step"},
      {"q1[2] = 4", "unknown-step"},
      {"S0 = 2 4 4", "unknown-step"},
      {"s₀ = 2 4 4", "unknown-step"},
      {"scaled_scores[1,1,1,1,1,1,1,1,1] = 2", "bad-index"},
      {"S = [2 4 4;\nName: Ada\n4 16 12]", "open-bracket"},
      {"z = [2,14; 1; 1,14]", "decimal-comma"},
      {"S[1,:] = [1,2,3 4,5,6 7,8,9]", "bad-value"},
  }));
  CHECK(code_of(text) == code);
}

TEST_CASE("what is typed wrongly is pointed at where it stands", "[typed]") {
  auto [text, begin, end, message] = GENERATE(table<std::string, std::size_t, std::size_t, std::string>({
      {"S ≈", 2, 5, "no number stands behind the equals sign"},
      {"S = 2 -", 6, 7, "this is no number: a number is missing after \"-\""},
      {"S = [2,", 4, 5, "this bracket is not closed"},
      {"S = [2 4 4\nName: Ada", 4, 5, "this bracket is not closed"},
      {"S = [2 4 4\nrow two: 4 16 12\n4 12 10]", 11, 27, "this row has 5 numbers, and the first one has 3"},
      {"S = 2 4 4\n1: 4 16 12", 10, 20, "this row has 4 numbers, and the first one has 3"},
      {"S = [) 2 4]", 5, 6, "this is no number: a number is missing before \")\""},
      {"S = [2) 4]", 6, 7, "this is no number: \")\" closes nothing"},
      {"m = (4, 16, 12) * 3", 6, 7, "this is no number: \",\" has no meaning in a number"},
      {"m = (4, 16, 12))", 15, 16, "this is a number, where the others are lists"},
      {"S = 2=3", 5, 6, "an equals sign stands within a value"},
      {"S = \"2", 4, 5, "this is no number: \"\"\" has no meaning in a number"},
      {"S[1,:] = \"2\n4", 8, 13, "S[1,:] takes 3 numbers, and 2 numbers stand here"},
      {"S[1,1] = \"abc\"", 10, 13, "this is no number: \"abc\" is not known in a number"},
      {"S₊ = 2", 0, 4, "\"S₊\" is not a step that is known"},
      {"scors:\n2 4 4", 0, 5, "\"scors\" is not a step that is known"},
  }));
  INFO(text);
  const Result<Answers> read = read_answers_text(text, steps_of_example());
  REQUIRE_FALSE(read);
  CHECK(read.faults()[0].message == message);
  CHECK(read.faults()[0].range == TextRange{begin, end});
}

TEST_CASE("behind many bad numbers a good one is no fault, and the bad ones are counted", "[typed]") {
  std::string text = "S = [";
  for (int i = 0; i < 1500; ++i) text += "x ";
  const auto faults_in = [](const std::string& typed) {
    const Result<Answers> read = read_answers_text(typed, steps_of_example());
    REQUIRE_FALSE(read);
    return read.faults();
  };
  const auto count = [](const Diagnostics& faults) { return faults.size() + faults.back().unkept; };
  CHECK(faults_in(text + "x]").size() < 1500);
  CHECK(count(faults_in(text + "]")) == 1500);
  CHECK(count(faults_in(text + "x]")) == 1501);
  CHECK(count(faults_in(text + "2]")) == 1500);
}

TEST_CASE("brackets about one number are those of an expression", "[typed]") {
  CHECK(spelled(only("m = ((4) 16 (12))")) == "(4) 16 (12)");
}

TEST_CASE("rows are the whole step only where they are its own rows", "[typed]") {
  const AnsweredStep step = only("S1 = 2 4 4\nS2 = 4 16 12\nS[4,:] = 4 12 10");
  CHECK(step.by_cell);
  CHECK(placed(step).ends_with("[4,1]=4 [4,2]=12 [4,3]=10"));
  // Single numbers are no rows, wherever among them they stand.
  const std::string first = "S[1,1] = 2\nS[1,2] = 4\nS[1,3] = 4\n";
  CHECK(only(first + "S2 = 4 16 12\nS3 = 4 12 10").by_cell);
  CHECK(only("S2 = 4 16 12\nS3 = 4 12 10\n" + first).by_cell);
}

TEST_CASE("two digits are a row where the step has so many, and else a row and a column", "[typed]") {
  const Result<Problem> long_one = read_problem(R"({"inputs": {"random": "normal", "shape": [12, 2], "seed": 1}})",
                                                catalog(), std::size_t{1} << 20, "");
  REQUIRE(long_one);
  const KnownSteps known = KnownSteps::of(recipe_of(long_one.value(), {.all_steps = true}), possible_steps);
  CHECK(placed(typed("queries12 = [4 5]", known).steps[0]) == "[12,1]=4 [12,2]=5");
  CHECK(placed(typed("q12 = 4", known).steps[0]) == "[1,2]=4");
  CHECK(code_of("s12 = [4 5 6]") == "bad-value");
  // No column is the one numbered 0.
  CHECK(placed(typed("q20 = [4 5]", known).steps[0]) == "[20,1]=4 [20,2]=5");
}

TEST_CASE("a row of one number may stand without brackets, and no longer one", "[typed]") {
  const Result<Problem> narrow = read_problem(R"({"queries": {"random": "normal", "shape": [12, 2], "seed": 1},
      "keys": [[1, 2], [0, 1], [1, 1]], "values": [[1], [2], [3]]})",
                                              catalog(), std::size_t{1} << 20, "");
  REQUIRE(narrow);
  const KnownSteps known = KnownSteps::of(recipe_of(narrow.value(), {.all_steps = true}), possible_steps);
  for (const char* text : {"C[2,:] = 2.07", "C[2] = 2.07", "c₂ = 2.07", "c₂ = [2.07]", "C[2,1] = 2.07"}) {
    INFO(text);
    CHECK(placed(typed(text, known).steps[0]) == "[2,1]=2.07");
  }
  CHECK(placed(typed("c₁₂ = 2.07", known).steps[0]) == "[12,1]=2.07");
  const Result<Answers> beyond = read_answers_text("c₂₀ = 2.07", known);
  REQUIRE_FALSE(beyond);
  CHECK(beyond.faults()[0].code == "bad-index");
  CHECK(code_of("C[2,:] = 2.07") == "bad-value");
  CHECK(code_of("c₂ = 2.07") == "bad-index");
}

TEST_CASE("of a step that the problem does not have the shape is what is typed", "[typed]") {
  CHECK(only("scaled_scores = [1 2; 3 4]").shape == Sizes{2, 2});
  CHECK(placed(only("scaled_scores[2,:] = [1 2]")) == "[2,1]=1 [2,2]=2");
  CHECK(placed(only("scaled_scores[:,:] = [1 2]")) == "[1,1]=1 [1,2]=2");
  const auto said = [](const std::string& text) {
    const Result<Answers> read = read_answers_text(text, steps_of_example());
    return read ? "" : read.faults()[0].message;
  };
  CHECK(said("scaled_scores[1,2] = [1 2]").find("takes one number") != std::string::npos);
  CHECK(said("scaled_scores[1,:] = [1 2; 3 4]").find("takes a row") != std::string::npos);
  CHECK(said("scaled_scores[1,:] = 4").find("takes a row") != std::string::npos);
  CHECK(said("scaled_scores[:,:] = 4").find("takes a matrix") != std::string::npos);
  CHECK(said("scaled_scores[:,:] = [[[1]]]").find("takes a matrix") != std::string::npos);
  CHECK(said("scaled_scores1 = 2 3").find("which numbers of the step") != std::string::npos);
}

TEST_CASE("a number behind a name is that of a token, and means nothing where a step has none", "[typed]") {
  const Result<Answers> read = read_answers_text("relative_keys2 = 1 2", steps_of_example("deberta.json"));
  REQUIRE_FALSE(read);
  CHECK(read.faults()[0].code == "bad-index");
}

TEST_CASE("a byte order mark before what is typed is passed over, and places are counted behind it", "[typed]") {
  CHECK(only("\xEF\xBB\xBFm = 4 16 12").shape == Sizes{3});
  const Result<Answers> read = read_answers_text("\xEF\xBB\xBFS = 2 x 4", steps_of_example());
  REQUIRE_FALSE(read);
  CHECK(read.faults()[0].range == TextRange{9, 10});
}

TEST_CASE("a symbol that several layers have stands for none of them", "[typed]") {
  const KnownSteps known = steps_of_example("induction.json");
  const auto code_in = [](const Result<Answers>& read) { return read ? "" : read.faults()[0].code; };
  CHECK(code_in(read_answers_text("Q = [1 2; 3 4]", known)) == "ambiguous-step");
  CHECK(code_in(read_answers(R"({"schema": "attn/answers/1", "steps": {"Q": [[1, 2]]}})", known)) == "ambiguous-step");
  CHECK(code_in(read_answers_text("layer2.self.queries = [1 2; 3 4]", known)).empty());
}

TEST_CASE("whole numbers of another shape are not taken for numbers with decimals", "[typed]") {
  CHECK(only("S = [2,4; 4,16; 4,12]").shape == Sizes{3, 2});
  CHECK(only("S = [1,2,3,4; 5,6,7,8; 9,1,2,3]").shape == Sizes{3, 4});
  CHECK(only("S = [2, 14, 1, 12, 1, 14]").shape == Sizes{6});
  CHECK(only("S = [2,4,4; 4,16,12; 4,12,10]").shape == Sizes{3, 3});
  // A 0 alone is no sign of decimals, and nothing is where there are as many numbers as are wanted.
  CHECK(only("S = [2,0; 4,0; 1,0; 5,5]").shape == Sizes{4, 2});
  CHECK(placed(only("S[1,:] = [4,16,02]")) == "[1,1]=4 [1,2]=16 [1,3]=02");
}

TEST_CASE("a bad statement hides none behind it", "[typed]") {
  const Result<Answers> result = read_answers_text("S = [2 4\nFoo = 3\nK = [1 x]\nV = ]\nbar = 1", steps_of_example());
  REQUIRE_FALSE(result);
  CHECK(result.faults().size() == 5);
}

TEST_CASE("no typed text whatever is more than refused", "[typed]") {
  const KnownSteps known = steps_of_example();
  std::string all;
  for (int c = 1; c < 128; ++c) all += static_cast<char>(c);
  const std::string many(200'000, '[');
  std::string lines;
  for (int line = 0; line < 50'000; ++line) lines += "(1 (2,\n";
  std::string closed = "S = ";
  for (int line = 0; line < 50'000; ++line) closed += "(1\n";
  closed += std::string(50'000, ')');
  for (const std::string& text :
       {std::string("\0S = 2", 6), std::string("\xff"), many, "S = " + many, "S = " + std::string(200'000, '('),
        std::string(200'000, '='), "S" + std::string(200'000, '1') + " = 1", "S = [" + std::string(200'000, '\n'),
        "S = \n" + std::string(200'000, '#'), "S = ((((((((" + lines, "S = (" + lines, closed, all, "S = " + all,
        "S[" + all, std::string("name:")}) {
    CHECK_FALSE(read_answers_text(text, known));
  }
}

TEST_CASE("numbers that a comma and a blank separate are decimals only where both sides of it are digits", "[typed]") {
  CHECK(code_of("S[1,:] = [0,5 5,3 1,2]") == "decimal-comma");
  CHECK(code_of("S[1,:] = [0,5 .5,3 1,2]") != "decimal-comma");
}

TEST_CASE("the lists in round brackets of one statement after the other are each their own", "[typed]") {
  const std::string text = "S[1,:]: (2 4 (4)) # (first\nS[2,:]: (4, 16, 12)\n\n# )\nS[3,:] = (4 12 10)";
  CHECK(spelled(only(text)) == "2 4 (4) 4 16 12 4 12 10");
}

TEST_CASE("a value that is no list goes on no further than its line", "[typed]") {
  CHECK(placed(only("S[1,2] = 4,\n")) == "[1,2]=4");
}

TEST_CASE("a dash of whatever length stands for what the row has in its place", "[typed]") {
  const KnownSteps known = steps_of_example();
  for (const char* dash : {"-", "–", "—", "−"}) {
    INFO(dash);
    const auto cells = read_typed_row(std::string("2 4 ") + dash, {"scores", {0, std::nullopt}}, known, "-inf");
    REQUIRE(cells);
    REQUIRE(cells.value().size() == 3);
    CHECK(cells.value()[2]->value == -std::numeric_limits<double>::infinity());
  }
  const auto commented = read_typed_row("S1 = 2 4 4 # = 5", {"scores", {0, std::nullopt}}, known, "0");
  REQUIRE(commented);
  REQUIRE(commented.value().size() == 3);
  CHECK(commented.value()[0]->value == 2);
  // Of a whole step no place is said.
  const auto whole = read_typed_row("[2 4 4; 4 16 12; 4 12 10]", {"scores", {}}, known, "0");
  REQUIRE(whole);
  CHECK(whole.value().size() == 9);
  const auto sums = read_typed_row("z = 2 3 5", {"exponential_sums", {}}, known, "0");
  REQUIRE(sums);
  REQUIRE(sums.value().size() == 3);
  CHECK(sums.value()[2]->value == 5);
}

TEST_CASE("digits below the line are a number, and bytes that are none of them are not", "[typed]") {
  CHECK(without_subscript("S₁₂") == std::pair(std::string_view("S"), std::optional<std::size_t>(12)));
  CHECK_FALSE(without_subscript("S₊").second);
  CHECK_FALSE(without_subscript("S\xE2\x82"
                                "A")
                  .second);
}

}  // namespace
}  // namespace attn
