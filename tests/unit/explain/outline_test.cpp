#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "explain/telling/steps.h"
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

}  // namespace attn
