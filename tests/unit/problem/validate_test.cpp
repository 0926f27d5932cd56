#include "problem/validate.h"

#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "problem/side.h"
#include "reading/schemas.h"
#include "unit/problem/given.h"

using namespace attn;

namespace {

std::vector<double> values(const Source& source) {
  const auto numbers = source.numbers().data();
  return {numbers.begin(), numbers.end()};
}
using Values = std::vector<double>;

// The first that is said where there may be so many bytes.
std::string first_fault(const std::string& text, std::size_t max_bytes) {
  const auto problem = read_problem(text, catalog(), max_bytes);
  REQUIRE_FALSE(problem);
  return problem.faults()[0].message;
}

}  // namespace

TEST_CASE("one wide matrix of all heads is wide in its outputs", "[problem]") {
  const Problem p = given(R"({"inputs": [[1, 2, 3]], "heads": 2,
      "weights": {"query": [[1, 2], [3, 4], [5, 6]], "key": [[1, 2], [3, 4], [5, 6]],
                  "value": [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]], "output": [[1], [2], [3], [4]]},
      "biases": {"query": [1, 2], "output": [7]}})");
  CHECK(p.attention().heads == 2u);
  CHECK(p.attention().query->weight.shape() == Shape{{"d_model", 3}, {"d_concat", 2}});
  CHECK(p.attention().query->bias->shape() == Shape{{"d_concat", 2}});
  CHECK_FALSE(p.attention().key->bias);
  CHECK(p.attention().key_width == 1);
  CHECK(p.attention().value_width == 2);
  CHECK(p.attention().output->weight.shape() == Shape{{"d_concat", 4}, {"d_out", 1}});
  CHECK(p.attention().output->bias->shape() == Shape{{"d_out", 1}});
}

TEST_CASE("one matrix a head says how many heads there are", "[problem]") {
  const Problem p = given(R"({"inputs": [[1, 2]],
      "weights": {"query": [[[1], [2]], [[3], [4]]], "key": [[1, 2], [3, 4]], "value": [[[1], [2]], [[3], [4]]]},
      "biases": {"query": [5, 6]}})");
  CHECK(p.attention().heads == 2u);
  CHECK(p.attention().query->weight.shape() == Shape{{"head", 2}, {"d_model", 2}, {"d_k", 1}});
  CHECK(p.attention().query->bias->shape() == Shape{{"head", 2}, {"d_k", 1}});
  CHECK(p.attention().key->weight.shape() == Shape{{"d_model", 2}, {"d_concat", 2}});
  CHECK(p.attention().key_width == 1);
}

TEST_CASE("split inputs share one matrix of a head's width", "[problem]") {
  const Problem p = given(R"({"inputs": [[1, 2, 3, 4]], "heads": 2, "split": "input",
      "weights": {"query": [[1, 0], [0, 1]], "key": "identity", "value": [[1, 0], [0, 1]]}, "biases": {"value": [1, 2]}})");
  CHECK(p.attention().split_input);
  CHECK(p.attention().query->weight.shape() == Shape{{"d_head", 2}, {"d_k", 2}});
  CHECK(p.attention().value->bias->shape() == Shape{{"d_v", 2}});
  CHECK_FALSE(p.attention().key);
  CHECK(p.attention().key_width == 2);
}

TEST_CASE("weights stored as nn.Linear stores them have their axes exchanged", "[problem]") {
  const Problem p = given(R"({"inputs": [[1, 2, 3]], "weight_layout": "out_in",
      "weights": {"query": [[1, 2, 3]], "key": [[4, 5, 6]], "value": "identity", "output": [[1, 2, 3], [4, 5, 6]]}})");
  CHECK(p.attention().weight_layout == WeightLayout::out_in);
  CHECK(p.attention().query->weight.shape() == Shape{{"d_k", 1}, {"d_model", 3}});
  CHECK(p.attention().output->weight.shape() == Shape{{"d_out", 2}, {"d_v", 3}});
}

TEST_CASE("heads is one also where it is given as 1", "[problem]") {
  CHECK(given(R"({"inputs": [[1, 2]], "heads": 1})").attention().heads == 1u);
  CHECK(given(R"({"inputs": [[1, 2]], "heads": 2.0})").attention().heads == 2u);
}

TEST_CASE("past or appended keys with one matrix a head say how many heads there are", "[problem]") {
  for (const std::string name : {"past", "appended"}) {
    const Problem problem = given(R"({"queries": [[[1, 2]]], "keys": [[[1, 2]]], ")" + name +
                                  R"(": {"keys": [[[[1]], [[2]]]], "values": [[[[1]], [[2]]]]}})");
    CHECK(problem.attention().heads == 2);
    CHECK(problem.attention().key_width == 1);
    CHECK(problem.attention().queries->shape() == Shape{{"batch", 1}, {"query", 1}, {"d_concat", 2}});
  }
  CHECK(
      fault_of(
          R"({"queries": [[[1, 2]]], "keys": [[[1, 2]]], "past": {"keys": [[[[1]], [[2]]]], "values": [[[[1]]]]}})") ==
      "/past/values has 1 matrix a sequence, one a head, and the keys have 2 heads");
}

TEST_CASE("a mask keeps the axes along which it has more than one entry", "[problem]") {
  auto [mask, shape] = GENERATE(table<std::string, Shape>({
      {R"({"allow": [[1, 0, 1], [1, 1, 1]]})", Shape{{"query", 2}, {"key", 3}}},
      {R"({"block": [1, 0, 1]})", Shape{{"key", 3}}},
      {R"({"add": [[1], [2]]})", Shape{{"query", 2}}},
      {R"({"allow": [[[[true]]]]})", Shape{}},
      {R"({"add": 0.5})", Shape{}},
      {R"({"add": [[[[1, 2, 3], [1, 2, 3]], [[1, 2, 3], [1, 2, 3]]]]})", Shape{{"head", 2}, {"query", 2}, {"key", 3}}},
      {R"({"add": [[[[1]]], [[[2]]], [[[3]]]]})", Shape{{"batch", 3}}},
  }));
  INFO(mask);
  const Problem p = given(R"({"heads": 2, "queries": {"random": "normal", "shape": [3, 2, 4], "seed": 1},
                              "keys": {"random": "normal", "shape": [3, 3, 4], "seed": 2}, "mask": )" +
                          mask + "}");
  REQUIRE(masks(p).size() == 1);
  CHECK(masks(p)[0].value.shape() == shape);
}

TEST_CASE("masks compose in a list, and an empty list is none", "[problem]") {
  const Problem p = given(R"({"inputs": [[1], [2]], "mask": [{"block": [[false, true]]}, {"add": [["-∞", 0.5]]}]})");
  REQUIRE(masks(p).size() == 2);
  CHECK(masks(p)[0].kind == MaskTerm::Kind::block);
  CHECK(values(masks(p)[0].value) == Values{0, 1});
  CHECK(masks(p)[1].kind == MaskTerm::Kind::add);
  CHECK(values(masks(p)[1].value) == Values{-std::numeric_limits<double>::infinity(), 0.5});
  CHECK(given(R"({"inputs": [[1]], "mask": []})").attention().options.empty());
}

TEST_CASE("a length of 0 is allowed, one number without a batch", "[problem]") {
  CHECK(lengths(given(R"({"inputs": [[1], [2]], "lengths": 0})")) == Integers{0});
  CHECK(lengths(given(R"({"inputs": [[[1]], [[2]]], "lengths": [0, 1]})")) == Integers{0, 1});
}

TEST_CASE("keys of a cache count for lengths, and queries stand behind them", "[problem]") {
  const std::string one = R"({"inputs": [[1, 0], [0, 1]], "past": {"keys": [[1, 0], [0, 1], [1, 1]],
                              "values": [[1, 0], [0, 1], [1, 1]]})";
  CHECK(given(one + "}").attention().offsets() == Integers{3});
  CHECK(given(one + R"(, "offset": 0})").attention().offsets().empty());
  CHECK(lengths(given(one + R"(, "lengths": 5})")) == Integers{5});
  CHECK(fault_of(one + R"(, "lengths": 6})") == "/lengths is 6, and there are 5 keys");
  const Problem ragged = given(R"({"inputs": [[[1], [2]], [[3]]],
      "past": {"keys": [[[1], [2], [3]], [[1], [2], [3]]], "values": [[[1], [2], [3]], [[1], [2], [3]]]}})");
  CHECK(lengths(ragged) == Integers{5, 4});
}

TEST_CASE("as many heads of keys as of queries are shared by none", "[problem]") {
  const std::string shared = R"({"inputs": [[1, 2, 3, 4]], "heads": 2, "kv_heads": )";
  CHECK_FALSE(given(shared + "2}").attention().kv_heads);
}

TEST_CASE("that heads may share keys is said where as many of them would share each", "[problem]") {
  const auto help = [](int of_queries, int of_keys) {
    const auto matrices = [](int count) {
      std::string text;
      for (int i = 0; i < count; ++i) text += std::string(i == 0 ? "" : ", ") + "[[1], [2]]";
      return "[" + text + "]";
    };
    return faults_of(R"({"inputs": [[1, 2]], "weights": {"query": )" + matrices(of_queries) + R"(, "key": )" +
                     matrices(of_keys) + R"(, "value": )" + matrices(of_keys) + "}}")[0]
        .help.text();
  };
  CHECK(help(4, 2).find(R"("kv_heads": 2)") != std::string::npos);
  CHECK(help(4, 3).find("kv_heads") == std::string::npos);
  CHECK(help(2, 4).find("kv_heads") == std::string::npos);
}

TEST_CASE("what a mask that does not fit may be meant as is said where it would fit so", "[problem]") {
  const auto help = [](const std::string& inputs, const std::string& sizes) {
    // What is closed tells nothing of the shape.
    return faults_of("{" + inputs + R"(, "mask": {"add": {"random": "normal", "shape": )" + sizes +
                     R"(, "seed": 1}}})")[0]
        .help.text();
  };
  const std::string batch = R"("inputs": {"random": "normal", "shape": [2, 3, 2], "seed": 1})";
  CHECK(help(batch, "[2, 3]").starts_with("for padding at the end say how many keys of each sequence count"));
  CHECK(help(batch, "[4, 3]").starts_with("sizes are aligned right"));
  const std::string cross = R"("queries": [[1, 2], [3, 4]], "keys": [[1, 2], [3, 4], [5, 6]])";
  CHECK(help(cross, "[3, 2]") == "rows are queries and columns keys; transposed it would fit");
  CHECK(help(cross, "[3, 4]").starts_with("sizes are aligned right"));
}

TEST_CASE("drawn numbers may be added to scores, and are no mask of what is allowed", "[problem]") {
  const std::string drawn = R"({"random": "normal", "shape": [2, 2], "seed": 1}}})";
  given(R"({"inputs": [[1], [2]], "mask": {"add": )" + drawn);
  for (const std::string kind : {"allow", "block"}) {
    const std::string message = fault_of(R"({"inputs": [[1], [2]], "mask": {")" + kind + R"(": )" + drawn);
    INFO(message);
    CHECK(message.starts_with("/mask/" + kind + " is "));
    CHECK(message.ends_with("; true, false, 1 or 0 is wanted"));
  }
}

TEST_CASE("a block has one layer at least and as many as are possible, and nothing or more below its roots",
          "[problem]") {
  const auto code = [](const std::string& block) {
    const auto problem = read_problem(R"({"inputs": [[1, 0], [0, 1]], "block": {)" + block + "}}", catalog(), 1 << 24);
    return problem ? "" : problem.faults()[0].code;
  };
  const auto layers = [](int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += i == 0 ? R"({"self": {}})" : R"(, {"self": {}})";
    return R"("layers": [)" + all + "]";
  };
  CHECK(code(layers(1) + R"(, "eps": 0)").empty());
  CHECK(code(layers(1) + R"(, "eps": -1e-9)") == "out-of-range");
  CHECK(code(layers(0)) == "empty");
  CHECK(code(layers(10'000)) == "too-many");
  // Nothing is read where no memory is said.
  CHECK(code(layers(1) + R"(, "memory": null)").empty());
}

TEST_CASE("column vectors have one layout of weights, and inputs without a token are empty", "[problem]") {
  CHECK(fault_of(R"({"inputs": [[1, 2], [3, 4]], "vectors": "columns", "weight_layout": "in_out"})") ==
        R"(/weight_layout is given, and /vectors is "columns")");
  CHECK(fault_of(R"({"inputs": []})") == "/inputs is empty");
}

TEST_CASE("an offset is one integer or one a sequence, and 0 is none", "[problem]") {
  CHECK(given(R"({"inputs": [[[1]], [[2]]], "causal": true, "offset": [0, -1]})").attention().offsets() ==
        Integers{0, -1});
  CHECK(given(R"({"inputs": [[[1]], [[2]]], "causal": true, "offset": 3})").attention().offsets() == Integers{3});
  CHECK(given(R"({"inputs": [[1]], "causal": true, "offset": 0})").attention().offsets().empty());
  CHECK(given(R"({"inputs": [[1]], "offset": 2})").attention().offsets() == Integers{2});
}

TEST_CASE("options are taken as they are", "[problem]") {
  const Problem p = given(R"({"$schema": "x", "title": "A title", "notes": ["two", "lines"], "x-own": [1, "a", null],
      "inputs": [[1]], "score": {"type": "dot"}, "scale": 0, "causal": true, "softmax": "softmax",
      "arithmetic": {"dtype": "f32", "hand_rounding": "1:keep-sum", "x-own": 1}, "digits": 17})");
  CHECK(p.title == "A title");
  CHECK(p.attention().score.name == "dot");
  CHECK(*p.attention().option<double>("scale") == 0.0);
  CHECK(p.attention().option<bool>("causal"));
  CHECK(p.arithmetic.dtype == Dtype::f32);
  CHECK(p.arithmetic.hand_rounding == HandRounding{1, RoundingMode::keep_sum});
  CHECK(p.digits == 17);
}

TEST_CASE("a score gets its parameters, with the widths that its axes name", "[problem]") {
  const Problem p = given(R"({"queries": [[1, 2, 3]], "keys": [[1, 2]], "score": {"type": "mixed", "shift": 2,
      "weight": [[1, 2], [3, 4], [5, 6]], "other": {"random": "normal", "shape": [2, 2], "seed": 1}}})");
  CHECK(p.attention().score.numbers == std::map<std::string, double>{{"slope", 0.5}, {"shift", 2}});
  CHECK(p.attention().score.tensors.at("weight").shape() == Shape{{"d_q", 3}, {"d_a", 2}});
  CHECK(p.attention().queries->shape().size("d_k") == 3);
  CHECK(p.attention().key_width == 2);

  const Problem columns = given(R"({"vectors": "columns", "queries": [[1], [2], [3]], "keys": [[1], [2]],
      "score": {"type": "mixed", "shift": 2, "weight": [[1, 3, 5], [2, 4, 6]], "other": [[1, 0], [0, 1]]}})");
  CHECK(columns.attention().score.tensors.at("weight").shape() == Shape{{"d_a", 2}, {"d_q", 3}});
}

TEST_CASE("a score's parameters are checked by name, kind and size", "[problem]") {
  const auto mixed = [](const std::string& parameters) {
    return R"({"queries": [[1, 2, 3]], "keys": [[1, 2]], "score": {"type": "mixed", )" + parameters + "}}";
  };
  const std::string matrices = R"("weight": [[1, 2], [3, 4], [5, 6]], "other": [[1, 0], [0, 1]])";
  CHECK(fault_of(mixed(matrices)) == "the score mixed needs its parameter \"shift\"");
  CHECK(fault_of(mixed(matrices + R"(, "shift": true)")) == "/score/shift is true; a number is wanted");
  CHECK(fault_of(mixed(matrices + R"(, "shift": 1, "shitf": 1)")) == "/score/shitf is no parameter of the score mixed");
  CHECK(fault_of(mixed(R"("shift": 1, "weight": [1, 2, 3], "other": [[1, 0], [0, 1]])")) ==
        "/score/weight is nested 1 deep; 2 deep is wanted: [d_q][d_a]");
  CHECK(fault_of(mixed(R"("shift": 1, "weight": [[1, 2], [3, 4]], "other": [[1, 0], [0, 1]])")) ==
        "/score/weight is 2 × 2, [d_q][d_a], and queries have 3 for d_q");
  CHECK(fault_of(mixed(R"("shift": 1, "weight": [[1, 2], [3, 4], [5, 6]], "other": [[1], [0]])")) ==
        "/score/other is 2 × 1, [d_k][d_a], and /score/weight has 2 for d_a");
}

// The faults of a problem where the program has more than it has.
Diagnostics faults_with(const Catalog& catalog, std::string_view text) {
  const auto problem = read_problem(text, catalog, enough_memory);
  REQUIRE_FALSE(problem);
  return problem.faults();
}

TEST_CASE("of several names that a typed one goes on from the longest is meant", "[problem]") {
  Catalog catalog = test_catalog();
  for (const char* name : {"do", "dot_wide", "dot_w"}) catalog.scores.push_back({.name = name});
  const Diagnostics faults = faults_with(catalog, R"({"inputs": [[1]], "score": "dot-wide product of all"})");
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].help.text().starts_with("did you mean \"dot_wide\"?"));
}

TEST_CASE("a parameter that may be left out is what it falls back to, where it does", "[problem]") {
  Catalog catalog = test_catalog();
  catalog.scores.push_back({.name = "two",
                            .parameters = {{.name = "slope", .fallback = 3.0, .may_be_left_out = true},
                                           {.name = "shift", .may_be_left_out = true}}});
  const auto problem = read_problem(R"({"inputs": [[1]], "score": "two"})", catalog, enough_memory);
  REQUIRE(problem);
  const Choice& score = problem.value().attention().score;
  CHECK(score.numbers.at("slope") == 3);
  CHECK_FALSE(score.has("shift"));
}

TEST_CASE("an option of three integers says that it wants three", "[problem]") {
  Catalog catalog = test_catalog();
  catalog.options.push_back(
      {.name = "steps", .written = "an array of three", .kind = OptionSpec::Kind::integers, .count = 3});
  const Diagnostics faults = faults_with(catalog, R"({"inputs": [[1]], "steps": 2})");
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].message == "/steps is 2; 3 integers are wanted");
  CHECK(faults[0].help.text() == "an array of three");
}

TEST_CASE("the schema of a problem names the options that there are", "[problem]") {
  Catalog catalog = test_catalog();
  CHECK(problem_schema(catalog).find("\"softcap\"") != std::string::npos);
  std::erase_if(catalog.options, [](const OptionSpec& option) { return option.name == "softcap"; });
  CHECK(problem_schema(catalog).find("\"softcap\"") == std::string::npos);
  CHECK(problem_schema(catalog).find("\"causal\"") != std::string::npos);
}

TEST_CASE("relative positions are refused for a score to which nothing can be added", "[problem]") {
  const Diagnostics faults = faults_with(test_catalog(), R"({"inputs": [[1, 0], [0, 1]], "score": "dot",
      "positions": {"type": "relative", "keys": [[1, 0], [1, 1], [0, 1]]}})");
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].where == "/positions");
  CHECK(faults[0].message == "/positions is relative, and nothing can be added to the score dot");
}

TEST_CASE("one boolean is a mask for all, a number may be spelled, and a title that is no text is none", "[problem]") {
  for (const bool allowed : {false, true}) {
    const Problem problem =
        given(std::string(R"({"inputs": [[1, 2]], "mask": {"allow": )") + (allowed ? "true" : "false") + "}}");
    REQUIRE(masks(problem).size() == 1);
    CHECK(values(masks(problem)[0].value) == Values{allowed ? 1.0 : 0.0});
  }
  CHECK(*given(R"({"inputs": [[1, 2]], "scale": "1/2"})").attention().option<double>("scale") == 0.5);
  CHECK(given(R"({"inputs": [[1, 2]], "title": 5})").title.empty());
}

TEST_CASE("of very many keys that nobody knows in an object the first are told and the rest counted", "[problem]") {
  std::string text = R"({"inputs": {"file": "x.npy")";
  for (int i = 0; i < 1100; ++i) text += ", \"zz" + std::to_string(i) + "\": 1";
  const Diagnostics faults = faults_of(text + "}}");
  REQUIRE(faults.size() >= 1000);
  CHECK(faults[999].where == "/inputs/zz999");
  CHECK(faults[999].unkept >= 100);
}

// Files of numbers that are 1, 2, 3, …, of the shape that a name says: "3x2".
TensorLoader counting_files(int& reads, bool are_readable = true) {
  return [&reads, are_readable](const FileReference& wanted, std::size_t) -> Result<FileNumbers> {
    const std::size_t cross = wanted.file.find('x');
    FileNumbers found;
    found.shape.push_back(std::stoul(wanted.file));
    if (cross != std::string::npos) found.shape.push_back(std::stoul(wanted.file.substr(cross + 1)));
    const std::size_t count = found.shape.front() * (found.shape.size() == 2 ? found.shape.back() : 1);
    found.read = [&reads, are_readable, count]() -> Result<std::vector<double>> {
      if (!are_readable) return Diagnostic{.code = "bad-file", .message = "has changed", .help = "try again"};
      ++reads;
      std::vector<double> numbers(count);
      for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<double>(i + 1);
      return numbers;
    };
    return found;
  };
}

TEST_CASE("a score takes several of its parameters from files", "[problem]") {
  int reads = 0;
  const auto problem = read_problem(R"({"queries": [[1, 2, 3]], "keys": [[1, 2]], "score": {"type": "mixed", "shift": 2,
                                        "weight": {"file": "3x2"}, "other": {"file": "2x2"}}})",
                                    test_catalog(), enough_memory, counting_files(reads), {});
  REQUIRE(problem);
  CHECK(values(problem.value().attention().score.tensors.at("weight")) == Values{1, 2, 3, 4, 5, 6});
  CHECK(values(problem.value().attention().score.tensors.at("other")) == Values{1, 2, 3, 4});
  CHECK(reads == 2);
}

TEST_CASE("what does not fit in the numbers of files is told only where they can be read", "[problem]") {
  Catalog catalog = test_catalog();
  catalog.scores.back().misfit = [](const Choice&, const ChoiceSetting&) -> std::optional<Misfit> {
    return Misfit{.message = "is never right", .help = "take another"};
  };
  const std::string text = R"({"queries": [[1, 2, 3]], "keys": [[1, 2]], "score": {"type": "mixed", "shift": 2,
                               "weight": {"file": "3x2"}, "other": {"file": "2x2"}}})";
  for (const bool are_readable : {true, false}) {
    int reads = 0;
    const auto problem = read_problem(text, catalog, enough_memory, counting_files(reads, are_readable), {});
    REQUIRE_FALSE(problem);
    for (const Diagnostic& fault : problem.faults()) CHECK(fault.code == (are_readable ? "misfit" : "bad-file"));
  }
}

TEST_CASE("numbers of files that may wait are read once, when the first of them is asked for", "[problem]") {
  int reads = 0;
  const LateReading late = {.least_bytes = 0,
                            .refuse = [](const Diagnostics&) { throw std::runtime_error("refused"); }};
  const auto problem = read_problem(R"({"inputs": {"query": {"file": "1x2"}, "key": {"file": "3x2"}}})", test_catalog(),
                                    enough_memory, counting_files(reads), late);
  REQUIRE(problem);
  CHECK(reads == 0);
  CHECK(values(*problem.value().inputs.query) == Values{1, 2});
  CHECK(values(*problem.value().inputs.key) == Values{1, 2, 3, 4, 5, 6});
  CHECK(values(*problem.value().inputs.query) == Values{1, 2});
  CHECK(reads == 2);
  const auto broken = read_problem(R"({"inputs": {"query": {"file": "1x2"}, "key": {"file": "3x2"}}})", test_catalog(),
                                   enough_memory, counting_files(reads, false), late);
  REQUIRE(broken);
  CHECK_THROWS_AS(broken.value().inputs.query->numbers(), std::runtime_error);
  CHECK_THROWS_AS(broken.value().inputs.key->numbers(), std::runtime_error);
}

TEST_CASE("the labels of a block's queries and keys have to fit, too", "[problem]") {
  const std::string text = R"({"inputs": {"random": "normal", "shape": [400, 1], "seed": 1}, "block": {"layers": [
      {"self": {"weights": {"query": [[1]], "key": [[1]], "value": [[1]]}}, "ffn": {"in": [[1]], "out": [[1]]}}]}})";
  const auto problem = read_problem(text, catalog(), 8000);
  REQUIRE_FALSE(problem);
  REQUIRE(problem.faults().size() == 1);
  CHECK(problem.faults()[0].where == "/inputs");
  CHECK(problem.faults()[0].message.starts_with("there are 800 queries and keys, whose labels do not fit into "));
  CHECK(read_problem(text, catalog(), 8'000'000));
}

TEST_CASE("labels take the letters of their tokens for every attention", "[problem]") {
  const std::string token(10'000, 'a');
  const std::string text = R"({"tokens": [")" + token + R"("], "inputs": [[1]], "block": {"layers": [)" +
                           R"({"self": {}}, {"self": {}}, {"self": {}}, {"self": {}}]}})";
  CHECK(read_problem(text, catalog(), 90'000));
  CHECK(first_fault(text, 70'000).starts_with("there are 2 queries and keys, whose labels do not fit into "));
  CHECK(first_fault(R"({"tokens": [")" + token + R"("], "inputs": [[1]]})", 19'000)
            .ends_with(" do not fit into 18.6 KiB"));
}

TEST_CASE("what holds for each layer takes room for each", "[problem]") {
  const std::string layers = R"([{"self": {}}, {"self": {}}, {"self": {}}, {"self": {}}])";
  std::string zeros = "[0";
  for (int i = 1; i < 400; ++i) zeros += ", 0";
  zeros += "]";
  const std::string inputs = R"({"inputs": {"random": "normal", "shape": [400, 1], "seed": 1}, )";
  const std::string mask = inputs + R"("mask": {"add": )" + zeros + R"(}, "block": {"layers": )" + layers + "}}";
  // Numbers that are drawn; for each layer 400 of the mask, its rule and the labels of 800 rows.
  constexpr std::size_t drawn = 400 * 8, copied = 400 * 8, of_layer = copied + 16 * 1024 + 800 * 64;
  CHECK(read_problem(mask, catalog(), drawn + 4 * of_layer));
  CHECK(first_fault(mask, drawn + 3 * of_layer + copied - 1)
            .starts_with("/mask holds for each layer, and 400 numbers for each do not fit into "));
  const std::string memory_mask =
      inputs + R"("block": {"kind": "decoder", "memory": [[1]], "memory_mask": {"add": [[0]]},
      "layers": [{"cross": {}}]}})";
  CHECK(read_problem(memory_mask, catalog(), drawn + of_layer));
  CHECK(first_fault(memory_mask, drawn + 7) ==
        "/block/memory_mask holds for each layer, and 1 number for each do not fit into 3.1 KiB");
}

TEST_CASE("every mask of a list takes room", "[problem]") {
  const std::string text = R"({"inputs": [[1]], "mask": [{"allow": [[1]]}, {"allow": [[1]]}]})";
  CHECK(given(text).attention().option<std::vector<MaskTerm>>("mask")->size() == 2);
  CHECK(read_problem(text, catalog(), 2 * 16 * 1024 + 128));
  CHECK(first_fault(text, 2 * 16 * 1024 - 1) == "/mask is 2 masks, whose rules do not fit into 32 KiB");
}

TEST_CASE("of sequences the longest counts, up to the limit, and of none nothing", "[problem]") {
  CHECK(Side{.rows = {2, 5, 3}}.longest(9) == 5);
  CHECK(Side{.rows = {2, 5, 3}}.longest(4) == 4);
  CHECK(Side{}.longest(9) == 0);
}

TEST_CASE("all faults are reported at once, also those behind a wrong name", "[problem]") {
  const Diagnostics faults = faults_of(R"({
    "inputs": [[1, 2], [3, 4]], "W_q": [[1], [2], [3]], "heads": true, "mask": {"allow": [[1, 2]]}, "heads": 2,
    "score": "cosine", "lengths": [1], "softcap": 0})");
  std::vector<std::string> codes;
  for (const Diagnostic& fault : faults) codes.push_back(fault.code + " " + fault.where);
  CHECK(codes == std::vector<std::string>{"duplicate-key /heads", "unknown-key /W_q", "wrong-kind /heads",
                                          "unknown-choice /score", "out-of-range /softcap", "missing-member /weights",
                                          "shape-mismatch /W_q", "wrong-kind /lengths",
                                          "out-of-range /mask/allow/0/1"});
}

TEST_CASE("a part that is faulty in itself is not said to be missing, nor to contradict others", "[problem]") {
  CHECK(fault_of(R"({"inputs": [[1, "x"]]})") == "/inputs/0/1 is a text, where a number is wanted");
  CHECK(fault_of(R"({"tokens": ["a"], "embeddings": {"a": "x"}})") == "/embeddings/a is \"x\"; numbers are wanted");
  CHECK(
      fault_of(R"({"inputs": [[1, 2]], "weights": {"query": [[1], ["x"]], "key": [[1], [2]], "value": "identity"}})") ==
      "/weights/query/1/0 is a text, where a number is wanted");
  CHECK(fault_of(R"({"inputs": [[1, 2, 3]], "heads": 0})") == "/heads is 0; at least 1 is wanted");
  CHECK(
      fault_of(
          R"({"inputs": [[1, 2, 3]], "vectors": "colums", "weights": {"query": [[1]], "key": [[1]], "value": [[1]]}})") ==
      "/vectors is \"colums\", and no layout of vectors is called so");
  CHECK(fault_of(R"({"inputs": [[1]], "weights": 1, "biases": {"query": [1]}})") ==
        "/weights is 1; an object with query, key, value or output is wanted");
}

TEST_CASE("keys that people know from elsewhere are understood well enough to name ours", "[problem]") {
  auto [key, ours] = GENERATE(table<std::string, std::string>({
      {"W_q", "/weights/query"},
      {"Wq", "/weights/query"},
      {"WQ", "/weights/query"},
      {"query_weights", "/weights/query"},
      {"q_weight", "/weights/query"},
      {"W_K", "/weights/key"},
      {"v_proj.weight", "/weights/value"},
      {"W_o", "/weights/output"},
      {"out_proj", "/weights/output"},
      {"b_q", "/biases/query"},
      {"x", "/inputs"},
      {"X", "/inputs"},
      {"input", "/inputs"},
      {"embeddings_matrix", "/inputs"},
      {"num_heads", "/heads"},
      {"n_heads", "/heads"},
      {"n_head", "/heads"},
      {"attention_mask", "/mask"},
      {"attn_mask", "/mask"},
      {"is_causal", "/causal"},
      {"Q", "/queries"},
      {"K", "/keys"},
      {"V", "/values"},
      {"dtype", "/arithmetic/dtype"},
      {"hand_rounding", "/arithmetic/hand_rounding"},
      {"inptus", "/inputs"},
      {"weight", "/weights"},
      {"seq_lens", "/lengths"},
      {"Heads", "/heads"},
      {"max-tokens", "/max_tokens"},
  }));
  INFO(key);
  const Diagnostics faults = faults_of("{\"" + key + "\": 0}");
  CHECK(faults[0].code == "unknown-key");
  CHECK(faults[0].at_key);
  CHECK(faults[0].help.text() == "did you mean " + ours + "?");
}
