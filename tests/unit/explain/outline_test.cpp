#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "explain/telling/parts.h"
#include "explain/telling/steps.h"
#include "trace/recipe_builder.h"
#include "unit/explain/examples.h"
#include "unit/model/attentions.h"

namespace attn {
namespace {

std::string random(const std::string& shape) { return R"({"random": "xavier", "shape": )" + shape + R"(, "seed": 3})"; }

std::string attention_of(const std::string& width) {
  const std::string matrix = random("[" + width + ", " + width + "]");
  return R"({"weights": {"query": )" + matrix + R"(, "key": )" + matrix + R"(, "value": )" + matrix +
         R"(, "output": )" + matrix + R"(}, "heads": 2})";
}

// Two layers that read a memory, made by an encoder of one.
std::string encoder_and_decoder() {
  return R"({"inputs": )" + random("[3, 4]") + R"(, "block": {"kind": "decoder", "layers": [{"repeat": 2, "self": )" +
         attention_of("4") + R"(, "cross": )" + attention_of("4") + R"(, "norm1": {}}], "memory": {"inputs": )" +
         random("[5, 4]") + R"(, "block": {"layers": [{"self": )" + attention_of("4") + R"(, "norm1": {}}]}}}})";
}

Document told(const Trace& trace, const ExplainOptions& options = {}) { return explain(trace, options); }

std::vector<std::string> ids(const std::vector<OutlinePart>& parts) {
  std::vector<std::string> all;
  for (const OutlinePart& part : parts) all.push_back(part.id.empty() ? part.title : part.id);
  return all;
}

std::vector<std::string> read_by(const std::string& id, const std::vector<OutlinePart>& parts) {
  const std::vector<std::string> all = ids(parts);
  const auto found = std::ranges::find(all, id);
  REQUIRE(found != all.end());
  std::vector<std::string> names;
  for (const std::size_t from : parts[static_cast<std::size_t>(found - all.begin())].reads) names.push_back(all[from]);
  return names;
}

}  // namespace

TEST_CASE("a computation of one part has no outline", "[explain]") {
  CHECK(told(examples::traced(examples::worked_example())).outline.empty());
}

TEST_CASE("the outline of a block is its parts in order, each with what it reads", "[explain]") {
  const Trace trace = alone(problem_of(encoder_and_decoder()));
  const std::vector<OutlinePart> parts = told(trace).outline;
  CHECK(ids(parts) == std::vector<std::string>{"Encoder · Inputs", "encoder.layer1.self", "encoder.layer1.residual1",
                                               "encoder.layer1.norm1", "Inputs", "layer1.self", "layer1.residual1",
                                               "layer1.norm1", "layer1.cross", "layer1.residual2", "layer2.self",
                                               "layer2.residual1", "layer2.norm1", "layer2.cross", "layer2.residual2"});
  CHECK(read_by("layer1.self", parts) == std::vector<std::string>{"Inputs"});
  CHECK(read_by("layer1.residual1", parts) == std::vector<std::string>{"Inputs", "layer1.self"});
  CHECK(read_by("layer2.cross", parts) == std::vector<std::string>{"encoder.layer1.norm1", "layer2.norm1"});
  CHECK(parts[1].of_encoder);
  CHECK_FALSE(parts[5].of_encoder);
  CHECK(parts[3].sizes == "[5 × 4]");
  CHECK(parts[5].title == "Layer 1 · self-attention");
}

TEST_CASE("each attention of an outline has the weights of its heads", "[explain]") {
  const Trace trace = alone(problem_of(encoder_and_decoder()));
  for (const OutlinePart& part : told(trace).outline) {
    const bool attends = part.id.ends_with("self") || part.id.ends_with("cross");
    REQUIRE(part.weights.size() == (attends ? 2 : 0));
    if (!attends) continue;
    const std::span<const double> numbers = trace.value(part.id + ".attention_weights").data();
    const std::vector<double>& first = part.weights[0].cells;
    CHECK(std::ranges::equal(first, numbers.first(first.size())));
  }
}

TEST_CASE("of a block nobody asks for whole there is no outline", "[explain]") {
  const Trace trace = alone(problem_of(encoder_and_decoder()));
  ExplainOptions only;
  only.only = {"layer1.residual1"};
  CHECK(told(trace, only).outline.empty());
  ExplainOptions parts;
  parts.parts = {1};
  CHECK(told(trace, parts).outline.empty());
}

TEST_CASE("where one head is asked for and its layer is too large, the steps of that head are told", "[explain]") {
  const std::string wide = R"({"inputs": )" + random("[24, 96]") + R"(, "block": {"layers": [{"repeat": 2, "self": )" +
                           attention_of("96") + R"(, "norm1": {}}]}})";
  const Trace trace = alone(problem_of(wide));
  const std::vector<RecipePart>& parts = trace.recipe.parts();
  ExplainOptions options;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].prefix.starts_with("layer2")) options.parts.push_back(i);
  }
  const auto steps_in = [&](const Document& document) {
    std::vector<std::string> steps;
    for (const Block& block : document.blocks) {
      if (const auto* matrix = std::get_if<Matrix>(&block)) steps.push_back(matrix->step);
    }
    return steps;
  };
  CHECK(steps_in(told(trace, options)) == std::vector<std::string>{"layer2.norm1"});
  options.head = 2;
  const std::vector<std::string> steps = steps_in(told(trace, options));
  for (const char* step : {"scores", "attention_weights", "context"}) {
    CHECK(std::ranges::count(steps, std::string("layer2.self.") + step) == 1);
  }
  for (const std::string& step : steps) CHECK(trace.value(step).shape().has("head"));
  options.level = Level::steps;
  CHECK(std::ranges::count(steps_in(told(trace, options)), "layer2.norm1") == 1);
}

// Two layers of an attention of so many heads, each two numbers wide, over so many tokens.
std::string two_layers(std::size_t tokens, std::size_t heads) {
  const std::string width = std::to_string(2 * heads);
  const std::string matrix = random("[" + width + ", " + width + "]");
  return R"({"inputs": )" + random("[" + std::to_string(tokens) + ", " + width + "]") +
         R"(, "block": {"layers": [{"repeat": 2, "self": {"weights": {"query": )" + matrix + R"(, "key": )" + matrix +
         R"(, "value": )" + matrix + R"(, "output": )" + matrix + R"(}, "heads": )" + std::to_string(heads) +
         R"(}, "norm1": {}}]}})";
}

TEST_CASE("an outline has no weights where they are too many or never made", "[explain]") {
  const auto drawn = [](const Problem& problem) {
    const Trace trace = alone(problem);
    const std::vector<OutlinePart> parts = outline(trace, Numerals(4, trace));
    CHECK(std::ranges::count_if(parts, [](const OutlinePart& part) { return part.id.ends_with("self"); }) == 2);
    std::size_t count = 0;
    for (const OutlinePart& part : parts) count += part.weights.size();
    return count;
  };
  CHECK(drawn(problem_of(two_layers(3, 16))) == 32);
  CHECK(drawn(problem_of(two_layers(3, 17))) == 0);
  CHECK(drawn(problem_of(two_layers(400, 1))) == 2);
  CHECK(drawn(problem_of(two_layers(460, 1))) == 0);
  Problem online = problem_of(two_layers(3, 2));
  online.keys_a_block = 2;
  CHECK(drawn(online) == 0);
}

TEST_CASE("a part of an outline makes what its last step that is shown makes", "[explain]") {
  RecipeBuilder work;
  RecipeBuilder one = work.part("one", "One");
  one.given({.id = "a", .symbol = "A"}, LateTensor(examples::matrix("query", "d_k", {{1, 2}})));
  one.step({.id = "shown", .symbol = "S"}, Copy{}, {"a"});
  one.step({.id = "hidden", .symbol = "H"}, Merge{"query", "d_k", "d"}, {"a"}, std::nullopt, Instruction::Kind::hidden);
  RecipeBuilder two = work.part("two", "Two");
  two.step({.id = "made", .symbol = "Y"}, Copy{}, {"one.hidden"});
  const Trace trace = worked_out(work);
  const std::vector<OutlinePart> parts = outline(trace, Numerals(4, trace));
  CHECK(ids(parts) == std::vector<std::string>{"one", "two"});
  CHECK(plain(parts[0].name) == "S");
  CHECK(parts[0].sizes == "[1 × 2]");
  CHECK(parts[1].reads == std::vector<std::size_t>{0});
}

TEST_CASE("notes on other parts than the one asked for are left out", "[explain]") {
  Trace trace = alone(problem_of(encoder_and_decoder()));
  trace.notes = {{"layer1.self.scores", {}, "first", "about layer 1"},
                 {"layer2.self.scores", {}, "second", "about layer 2"}};
  const std::vector<RecipePart>& parts = trace.recipe.parts();
  ExplainOptions options;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].prefix == "layer2.self") options.parts.push_back(i);
  }
  const std::string text = as_text(told(trace, options));
  CHECK(examples::holds(text, "about layer 2"));
  CHECK_FALSE(examples::holds(text, "about layer 1"));
}

TEST_CASE("of a part without steps nothing is told", "[explain]") {
  const Trace trace = alone(problem_of(encoder_and_decoder()));
  ExplainOptions options;
  options.level = Level::result;
  options.parts = {trace.recipe.parts().size()};
  const std::vector<Block> blocks = told(trace, options).blocks;
  CHECK(std::ranges::none_of(blocks, [](const Block& block) { return std::holds_alternative<Matrix>(block); }));
}

TEST_CASE("how closely a head of a layer is told depends on how large the head is", "[explain]") {
  const auto text_of = [](std::size_t tokens, const std::string& width, const char* part) {
    const std::string problem = R"({"inputs": )" + random("[" + std::to_string(tokens) + ", " + width + "]") +
                                R"(, "block": {"layers": [{"self": )" + attention_of(width) + R"(, "norm1": {}}]}})";
    const Trace trace = alone(problem_of(problem));
    ExplainOptions options;
    options.head = 2;
    for (std::size_t i = 0; i < trace.recipe.parts().size(); ++i) {
      if (trace.recipe.parts()[i].prefix == part) options.parts.push_back(i);
    }
    return as_text(told(trace, options));
  };
  const std::string only_result = "Only the result is shown";
  // All of it with the weighted values of the head; the result alone; what has no heads as a whole.
  const std::string whole = text_of(24, "64", "layer1.self");
  CHECK_FALSE(examples::holds(whole, only_result));
  CHECK(examples::holds(whole, "u_ij = A_ij · v_j"));
  CHECK(examples::holds(text_of(150, "4", "layer1.self"), only_result));
  CHECK(examples::holds(text_of(210, "100", "layer1.norm1"), only_result));
}

TEST_CASE("of one head of a layer what is given to that head is told", "[explain]") {
  const std::string positions =
      R"({"positions": {"type": "t5", "bidirectional": false, "max_distance": 20, "table": )" + random("[8, 2]") +
      "}, ";
  const Trace trace = alone(problem_of(R"({"inputs": )" + random("[24, 96]") + R"(, "block": {"layers": [{"self": )" +
                                       positions + attention_of("96").substr(1) + R"(, "norm1": {}}]}})"));
  ExplainOptions options;
  options.head = 2;
  for (std::size_t i = 0; i < trace.recipe.parts().size(); ++i) {
    if (trace.recipe.parts()[i].prefix == "layer1.self") options.parts.push_back(i);
  }
  std::vector<std::string> given;
  for (const Block& block : told(trace, options).blocks) {
    const auto* matrix = std::get_if<Matrix>(&block);
    if (matrix && trace.find_given(matrix->step)) given.push_back(matrix->title + ": " + matrix->place);
  }
  CHECK(given == std::vector<std::string>{"A number for each bucket and head: Head 2 of 2"});
}

}  // namespace attn
