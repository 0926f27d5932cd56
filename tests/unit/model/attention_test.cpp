#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/random.h"
#include "catch.h"
#include "model/computation.h"
#include "reference_backend.h"

using namespace attn;  // NOLINT(google-build-using-namespace)

namespace {

Tensor<double> drawn(Shape shape, std::uint64_t seed) {
  std::vector<std::size_t> sizes;
  for (const Dim& dim : shape.dims()) sizes.push_back(dim.size);
  return Tensor<double>(shape, random_values(RandomKind::normal, sizes, seed));
}

// Cross-attention on direct queries, keys and values: the smallest problem
// that has every size of its own.
template <class Change>
void edit(std::optional<Source>& source, Change change) {
  Tensor<double> numbers = source->numbers();
  change(numbers);
  source = numbers;
}

Problem direct(std::size_t queries, std::size_t keys, std::uint64_t seed = 1) {
  Problem problem;
  problem.attention().queries = drawn({{"query", queries}, {"d_k", 4}}, seed);
  problem.attention().keys = drawn({{"key", keys}, {"d_k", 4}}, seed + 1);
  problem.attention().values = drawn({{"key", keys}, {"d_v", 3}}, seed + 2);
  problem.attention().query_count = queries;
  problem.attention().key_count = keys;
  problem.attention().key_width = 4;
  problem.attention().value_width = 3;
  problem.attention().score = {.name = "scaled_dot"};
  problem.attention().query_labels = {std::vector<std::string>(queries, "q")};
  problem.attention().key_labels = {std::vector<std::string>(keys, "k")};
  return problem;
}

Problem worked_example() {
  Problem problem;
  problem.inputs.self = Tensor<double>({{"token", 3}, {"d_model", 4}}, {1, 0, 1, 0, 0, 2, 0, 2, 1, 1, 1, 1});
  const auto weight = [](Axis to, std::vector<double> numbers) {
    return Projection{Tensor<double>({{"d_model", 4}, {std::move(to), 3}}, std::move(numbers)), std::nullopt};
  };
  problem.attention().key = weight("d_k", {0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1, 0});
  problem.attention().query = weight("d_k", {1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1, 1});
  problem.attention().value = weight("d_v", {0, 2, 0, 0, 3, 0, 1, 0, 3, 1, 1, 0});
  problem.attention().query_count = problem.attention().key_count = 3;
  problem.attention().key_width = problem.attention().value_width = 3;
  problem.attention().score = {.name = "dot"};
  return problem;
}

Trace traced(const Problem& problem) {
  ReferenceBackend backend;
  return attention(problem, backend);
}

std::vector<double> numbers(const Trace& trace, const std::string& id) {
  const auto data = trace.value(id).data();
  return {data.begin(), data.end()};
}

std::vector<std::string> ids(const Trace& trace) {
  std::vector<std::string> all;
  for (const Step& step : trace.steps) all.push_back(step.heading.id);
  return all;
}

}  // namespace

TEST_CASE("the worked example has the published keys, queries, values and scores", "[model]") {
  const Trace trace = traced(worked_example());
  CHECK(numbers(trace, "keys") == std::vector<double>{0, 1, 1, 4, 4, 0, 2, 3, 1});
  CHECK(numbers(trace, "queries") == std::vector<double>{1, 0, 2, 2, 2, 2, 2, 1, 3});
  CHECK(numbers(trace, "values") == std::vector<double>{1, 2, 3, 2, 8, 0, 2, 6, 3});
  CHECK(numbers(trace, "scores") == std::vector<double>{2, 4, 4, 4, 16, 12, 4, 12, 10});
  CHECK(ids(trace) == std::vector<std::string>{"inputs", "keys", "queries", "values", "scores", "row_maximum",
                                               "exponentials", "exponential_sums", "attention_weights",
                                               "weighted_values", "context"});
}

TEST_CASE("rounded by hand to one decimal, keeping sums, the worked example has the published outputs", "[model]") {
  Problem problem = worked_example();
  problem.arithmetic.hand_rounding = HandRounding{1, RoundingMode::keep_sum};
  CHECK(numbers(traced(problem), "context") == std::vector<double>{2.0, 7.0, 1.5, 2.0, 8.0, 0.0, 2.0, 7.8, 0.3});
}

TEST_CASE("permuting the queries permutes the rows of every step, bit for bit", "[model][property]") {
  const std::uint64_t seed = GENERATE(range(1U, 6U));
  Problem problem = direct(2, 5, seed);
  const std::vector<double> context = numbers(traced(problem), "context");

  edit(problem.attention().queries, [](Tensor<double>& all) {
    std::swap_ranges(all.data().begin(), all.data().begin() + 4, all.data().begin() + 4);
  });
  const std::vector<double> swapped = numbers(traced(problem), "context");
  CHECK(std::vector<double>(swapped.begin() + 3, swapped.end()) ==
        std::vector<double>(context.begin(), context.begin() + 3));
  CHECK(std::vector<double>(swapped.begin(), swapped.begin() + 3) ==
        std::vector<double>(context.begin() + 3, context.end()));
}

TEST_CASE("scaling the values by a power of two scales the context exactly", "[model][property]") {
  const std::uint64_t seed = GENERATE(range(1U, 6U));
  Problem problem = direct(3, 4, seed);
  std::vector<double> context = numbers(traced(problem), "context");
  edit(problem.attention().values, [](Tensor<double>& all) {
    for (double& value : all.data()) value *= 1024;
  });
  for (double& value : context) value *= 1024;
  CHECK(numbers(traced(problem), "context") == context);
}

TEST_CASE("keys past the length change no bit, not even NaN and infinity", "[model][property]") {
  const std::uint64_t seed = GENERATE(range(1U, 6U));
  const Problem alone = direct(3, 4, seed);
  Problem padded = direct(3, 6, seed);
  edit(padded.attention().keys, [&](Tensor<double>& all) {
    std::ranges::copy(alone.attention().keys->numbers().data(), all.data().begin());
    for (std::size_t i = 16; i < 24; ++i) all[i] = std::numeric_limits<double>::quiet_NaN();
  });
  edit(padded.attention().values, [&](Tensor<double>& all) {
    std::ranges::copy(alone.attention().values->numbers().data(), all.data().begin());
    for (std::size_t i = 12; i < 18; ++i) all[i] = std::numeric_limits<double>::infinity();
  });
  padded.attention().options["lengths"] = PerSequence{{4}};
  CHECK(numbers(traced(padded), "context") == numbers(traced(alone), "context"));
}

TEST_CASE("a row without an open key has weights and context 0, and a note", "[model]") {
  Problem problem = direct(3, 3);
  problem.attention().options["causal"] = true;
  problem.attention().options["offset"] = PerSequence{{-1}};
  const Trace trace = traced(problem);
  const std::vector<double> context = numbers(trace, "context");
  CHECK(std::vector<double>(context.begin(), context.begin() + 3) == std::vector<double>{0, 0, 0});
  CHECK(numbers(trace, "row_maximum")[0] == -std::numeric_limits<double>::infinity());
  REQUIRE(trace.notes.size() == 1);
  CHECK(trace.notes[0].kind == "closed_row");
  CHECK(trace.notes[0].index == std::vector<std::size_t>{0});
}

TEST_CASE("an open score that overflows is named in a note", "[model]") {
  Problem problem = direct(1, 2);
  edit(problem.attention().queries, [](Tensor<double>& all) {
    for (double& value : all.data()) value = 1e200;
  });
  edit(problem.attention().keys, [](Tensor<double>& all) {
    for (double& value : all.data()) value = 1e200;
  });
  const Trace trace = traced(problem);
  REQUIRE(trace.notes.size() == 1);
  CHECK(trace.notes[0].kind == "overflow");
  CHECK(trace.notes[0].step == "scores");
  CHECK(trace.notes[0].index == std::vector<std::size_t>{0, 0});
}

TEST_CASE("a context that is no number is named in a note, though every score is finite", "[model]") {
  Problem problem = direct(1, 2);
  edit(problem.attention().queries, [](Tensor<double>& all) {
    for (double& value : all.data()) value = 1;
  });
  edit(problem.attention().keys, [](Tensor<double>& all) {
    for (std::size_t i = 0; i < 8; ++i) all[i] = i < 4 ? 1000 : 0;
  });
  edit(problem.attention().values, [](Tensor<double>& all) {
    for (std::size_t i = 3; i < 6; ++i) all[i] = std::numeric_limits<double>::infinity();
  });
  const Trace trace = traced(problem);
  REQUIRE(trace.notes.size() == 1);
  CHECK(trace.notes[0].kind == "overflow");
  CHECK(trace.notes[0].step == "weighted_values");
  CHECK(trace.notes[0].index == std::vector<std::size_t>{0, 1, 0});
}

TEST_CASE("in f32 an addition too negative for a float closes the cell", "[model]") {
  Problem problem = direct(1, 2);
  problem.attention().options["mask"] =
      std::vector<MaskTerm>{{MaskTerm::Kind::add, Tensor<double>({{"key", 2}}, {0, -1e300})}};
  CHECK(numbers(traced(problem), "mask") == std::vector<double>{1, 1});
  problem.arithmetic.dtype = Dtype::f32;
  const Trace trace = traced(problem);
  CHECK(numbers(trace, "mask") == std::vector<double>{1, 0});
  CHECK(numbers(trace, "attention_weights") == std::vector<double>{1, 0});
  CHECK(trace.notes.empty());
}

TEST_CASE("closing cells rounds nothing a second time", "[model]") {
  Problem problem = direct(3, 4);
  problem.arithmetic = {Dtype::f32, HandRounding{1, RoundingMode::truncate}};
  problem.attention().options["mask"] = std::vector<MaskTerm>{{MaskTerm::Kind::allow, Tensor<double>(Shape{}, {1})}};
  const Trace trace = traced(problem);
  CHECK(numbers(trace, "masked_scores") == numbers(trace, "scaled_scores"));
}

TEST_CASE("twenty thousand masks compose like two", "[model]") {
  Problem problem = direct(2, 2);
  problem.attention().options["mask"] =
      std::vector<MaskTerm>(20'000, {MaskTerm::Kind::add, Tensor<double>({{"key", 2}}, {0, 1})});
  CHECK(traced(problem).find("masked_scores"));
}

TEST_CASE("keys that heads share have one length each, and a note each where it is 0", "[model]") {
  Problem problem;
  Attention& attention = problem.attention();
  attention.heads = 2;
  attention.kv_heads = 1;
  attention.queries = Tensor<double>({{"query", 1}, {"d_concat", 4}}, {3, 4, 4, -3});
  attention.keys = Tensor<double>({{"key", 2}, {"d_concat", 2}}, {6, 8, 0, 0});
  attention.values = Tensor<double>({{"key", 2}, {"d_concat", 1}}, {1, 2});
  attention.query_count = 1;
  attention.key_count = 2;
  attention.key_width = 2;
  attention.value_width = 1;
  attention.score = {.name = "cosine"};
  ReferenceBackend backend;
  const Trace trace = attn::attention(problem, backend);
  CHECK(trace.value("query_norms") == Tensor<double>({{"head", 2}, {"query", 1}}, {5, 5}));
  CHECK(trace.value("key_norms") == Tensor<double>({{"head", 1}, {"key", 2}}, {10, 0}));
  CHECK(trace.value("scores") == Tensor<double>({{"head", 2}, {"query", 1}, {"key", 2}}, {1, 0, 0, 0}));
  std::vector<Note> zero = trace.notes;
  std::erase_if(zero, [](const Note& note) { return note.kind != "zero_vector"; });
  REQUIRE(zero.size() == 1);
  CHECK(zero[0].step == "key_norms");
  CHECK(zero[0].index == std::vector<std::size_t>{0, 1});
}

TEST_CASE("inputs of different widths have each the sinusoidal encoding of its own width", "[model]") {
  Problem problem;
  problem.inputs.query = Tensor<double>({{"query", 1}, {"d_model", 2}}, {1, 2});
  problem.inputs.key = Tensor<double>({{"key", 2}, {"d_model", 1}}, {1, 2});
  Attention& attention = problem.attention();
  attention.query = Projection{Tensor<double>({{"d_model", 2}, {"d_k", 1}}, {1, 1}), std::nullopt};
  attention.key = Projection{Tensor<double>({{"d_model", 1}, {"d_k", 1}}, {1}), std::nullopt};
  attention.value = Projection{Tensor<double>({{"d_model", 1}, {"d_v", 1}}, {1}), std::nullopt};
  attention.query_count = 1;
  attention.key_count = 2;
  attention.key_width = attention.value_width = 1;
  attention.score = {.name = "dot"};
  attention.positions = Choice{.name = "sinusoidal", .numbers = {{"base", 10000}}};
  ReferenceBackend backend;
  const Trace trace = attn::attention(problem, backend);
  CHECK_FALSE(trace.find("position_encoding"));
  CHECK_FALSE(trace.find("position_encoding.value"));
  CHECK(trace.value("position_encoding.query") == Tensor<double>({{"token", 1}, {"d_model", 2}}, {0, 1}));
  // An odd width ends in a sine.
  CHECK(trace.value("position_encoding.key") ==
        Tensor<double>({{"token", 2}, {"d_model", 1}}, {0, 0.8414709848078965}));
  CHECK(trace.value("positioned_inputs.key") ==
        Tensor<double>({{"key", 2}, {"d_model", 1}}, {1, 2 + 0.8414709848078965}));
}

TEST_CASE("weighted values of more than 100,000 cells are left out, and the context is the same", "[model]") {
  Problem problem = direct(200, 200);
  const Trace trace = traced(problem);
  CHECK_FALSE(trace.find("weighted_values"));
  REQUIRE(trace.notes.size() == 1);
  CHECK(trace.notes[0].kind == "left_out");

  ReferenceBackend backend;
  const Trace whole = attention(problem, backend, {.all_steps = true});
  CHECK(whole.find("weighted_values"));
  CHECK(numbers(whole, "context") == numbers(trace, "context"));

  const auto is_the_same = [&] {
    return numbers(attention(problem, backend, {.all_steps = true}), "context") == numbers(traced(problem), "context");
  };
  for (const Dtype dtype : dtypes) {
    CAPTURE(name(dtype));
    problem.arithmetic = {dtype, std::nullopt};
    CHECK(is_the_same());
  }
  problem.arithmetic = {Dtype::f64, HandRounding{2, RoundingMode::half_up}};
  CHECK(is_the_same());
}

TEST_CASE("a plan knows the steps and bytes of a trace before anything is computed", "[model]") {
  Problem problem = direct(3, 5);
  const Trace trace = traced(problem);
  const Computation plan(problem);
  std::size_t bytes = 0;
  for (const Step& step : trace.steps) bytes += step.result.size() * sizeof(double);
  CHECK(plan.steps() == ids(trace));
  CHECK(plan.recipe().bytes() == bytes);
}
