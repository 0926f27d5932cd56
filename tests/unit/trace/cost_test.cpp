#include "trace/cost.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "catch.h"
#include "model/attention.h"
#include "model/computation.h"
#include "ops/run.h"
#include "reading/problem/problem.h"
#include "trace/evaluate.h"
#include "unit/ops/recorded.h"

namespace attn {
namespace {

// What a Counted has done so far.
Cost counted;

// A number that counts what is done with it.
struct Counted {
  Counted() = default;
  template <class Number>
  Counted(Number of) : value(static_cast<double>(of)) {}  // NOLINT(google-explicit-constructor)
  explicit operator double() const { return value; }

  double value = 0;
};

Counted operator+(Counted a, Counted b) { return ++counted.additions, a.value + b.value; }
Counted operator-(Counted a, Counted b) { return ++counted.additions, a.value - b.value; }
Counted operator*(Counted a, Counted b) { return ++counted.multiplications, a.value * b.value; }
Counted operator/(Counted a, Counted b) { return ++counted.divisions, a.value / b.value; }
Counted& operator+=(Counted& a, Counted b) { return a = a + b; }
bool operator==(Counted a, Counted b) { return a.value == b.value; }  // how a loop goes on is no work

Counted exp(Counted a) { return ++counted.exponentials, std::exp(a.value); }
Counted pow(Counted a, Counted b) { return ++counted.exponentials, std::pow(a.value, b.value); }
Counted tanh(Counted a) { return ++counted.functions, std::tanh(a.value); }
Counted sin(Counted a) { return ++counted.functions, std::sin(a.value); }
Counted cos(Counted a) { return ++counted.functions, std::cos(a.value); }
Counted erf(Counted a) { return ++counted.functions, std::erf(a.value); }
Counted operator-(Counted a) { return -a.value; }  // another sign is no work
Counted sqrt(Counted a) { return ++counted.functions, std::sqrt(a.value); }

Counted smaller(Counted a, Counted b) { return ++counted.comparisons, std::min(a.value, b.value); }
Counted larger(Counted a, Counted b) { return ++counted.comparisons, std::max(a.value, b.value); }
bool is_nan(Counted a) { return std::isnan(a.value); }

// What the plain loops do for a line, counted while they do it.
Cost done_for(const Recipe& recipe, std::size_t line, const Evaluation<double>& evaluation) {
  const LaidOut& layout = recipe.layout(line);
  std::vector<std::vector<Counted>> numbers;
  std::vector<Cells<Counted>> cells;
  for (const std::size_t operand : recipe.operands(line)) {
    const auto data = evaluation.result(operand).data();
    numbers.emplace_back(data.begin(), data.end());
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) cells.push_back({&layout.read[i], numbers[i].data()});
  const auto open = recipe.open(line);
  const Cells<double> mask =
      open ? Cells<double>{&layout.open_read, evaluation.result(*open).data().data()} : Cells<double>{};
  counted = {};
  std::visit(Run<Counted>(layout.walk, cells, open ? &mask : nullptr, layout.shape), recipe.instruction(line).op);
  return counted;
}

Problem problem_of(const std::string& text) {
  auto problem = read_problem(text, catalog(), std::size_t{1} << 30, ATTN_SOURCE_DIR "/data");
  INFO(text);
  REQUIRE(problem);
  return std::move(problem.value());
}

std::string contents(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// Compares every line; returns how many there were.
std::size_t compare(const Recipe& recipe) {
  Policy<double> plainly;
  const Evaluation<double> evaluation = evaluate(recipe, plainly);
  const std::vector<StepCost> steps = costs_of(recipe);
  for (const StepCost& step : steps) {
    const Cost told = step.cost;
    INFO(recipe.instruction(step.line).id());
    const Cost done = done_for(recipe, step.line, evaluation);
    CHECK(told.multiplications == done.multiplications);
    CHECK(told.additions == done.additions);
    // Where a cosine is that of a zero vector, nothing is divided, but the shapes do not say so.
    const auto* sum = std::get_if<Contract>(&recipe.instruction(step.line).op);
    const bool may_divide_by_0 = sum && sum->then == Contract::Then::divide;
    CHECK((may_divide_by_0 ? done.divisions <= told.divisions : done.divisions == told.divisions));
    CHECK(told.exponentials == done.exponentials);
    CHECK(told.comparisons == done.comparisons);
    CHECK(told.functions == done.functions);
  }
  return steps.size();
}

std::size_t compare(const Problem& problem) { return compare(Computation(problem).whole()); }

}  // namespace

TEST_CASE("the work of every step is what a number counts that it is done with", "[cost]") {
  std::size_t lines = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ATTN_SOURCE_DIR "/data")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".json") || name.ends_with(".golden.json")) continue;
    INFO(name);
    lines += compare(problem_of(contents(entry.path())));
  }
  CHECK(lines > 500);
}

TEST_CASE("so it is for scores, positions, masks and softmaxes of every kind", "[cost]") {
  const auto* const option = GENERATE(
      R"("score": "cosine")", R"("score": "additive", "heads": 1)", R"("softmax": {"base": 3})",
      R"("softmax": "linear")", R"("softmax": {"sink": 0.5}, "causal": true)", R"("softcap": 2, "scale": 0.3)",
      R"("positions": "sinusoidal")", R"("positions": "rope", "causal": true)",
      R"("positions": {"type": "rope", "dims": 2, "interleaved": true})", R"("positions": "alibi", "window": 1)",
      R"("heads": 2, "kv_heads": 1, "causal": true)", R"("lengths": 3)");
  INFO(option);
  const std::string text =
      std::string(R"({"inputs": {"random": "normal", "shape": [5, 4], "seed": 1}, )") + option + "}";
  if (!read_problem(text, catalog(), std::size_t{1} << 30)) return;  // not every option goes without others
  CHECK(compare(problem_of(text)) > 5);
}

TEST_CASE("so it is for a softmax that goes through the keys a few at a time", "[cost]") {
  Problem problem = problem_of(R"({"inputs": {"random": "normal", "shape": [5, 4], "seed": 1}})");
  for (const std::size_t keys : {1u, 2u, 5u}) {
    problem.keys_a_block = keys;
    CHECK(compare(problem) > 5);
  }
}

TEST_CASE("so it is for blocks of every activation and norm", "[cost]") {
  const ActivationSpec activation = GENERATE(from_range(catalog().activations));
  const auto* const norm = GENERATE("layer", "rms");
  const std::string network = R"({"random": "normal", "shape": [4, 4], "seed": 2})";
  const std::string gate = activation.gated ? R"("gate": )" + network + ", " : "";
  const std::string text = R"({"inputs": {"random": "normal", "shape": [5, 4], "seed": 1}, "block": {"activation": ")" +
                           activation.name + R"(", "norm_type": ")" + norm + R"(", "layers": [{"self": {}, "ffn": {)" +
                           gate + R"("in": )" + network + R"(, "out": )" + network + "}}]}}";
  CHECK(compare(problem_of(text)) > 15);
}

TEST_CASE("so it is for every operation there is", "[cost]") {
  for (const OneStep& one : every_operation()) {
    if (one.name == "shares of a column") continue;  // the plain loops add a column up again for each of its cells
    INFO(one.name);
    CHECK(compare(recipe_of(one)) == 1);
  }
  const Shape shape{{"query", 2}, {"key", 3}};
  const Tensor<double> mask = closed_every(shape, 4);
  for (const Unary function : {Unary::multiply, Unary::square, Unary::divide, Unary::exp, Unary::sqrt}) {
    INFO(static_cast<int>(function));
    CHECK(compare(recipe_of({"", Map{function, 2, ""}, {drawn(shape, 1)}, mask})) == 1);
  }
  for (const Binary function : {Binary::add, Binary::subtract, Binary::multiply, Binary::divide, Binary::minimum}) {
    INFO(static_cast<int>(function));
    CHECK(compare(recipe_of({"", Combine{function, {}}, {drawn(shape, 1), drawn(shape, 2)}, mask})) == 1);
  }
  for (const Reducer function : {Reducer::sum, Reducer::maximum, Reducer::norm}) {
    INFO(static_cast<int>(function));
    CHECK(compare(recipe_of({"", Reduce{function, "key"}, {drawn(shape, 1)}})) == 1);
  }
}

TEST_CASE("self-attention of n tokens of width d multiplies n·n·d times for scores, and again for contexts", "[cost]") {
  const Recipe recipe =
      Computation(problem_of(R"({"inputs": {"random": "normal", "shape": [7, 3], "seed": 1}})")).whole();
  Cost all;
  for (const StepCost& step : costs_of(recipe)) {
    all += step.cost;
    const std::string& id = recipe.instruction(step.line).id();
    if (id != "scores") continue;
    CHECK(step.cost.multiplications == 7 * 7 * 3);
    CHECK(step.cost.bytes_read == 8 * 2 * 7 * 3);
    CHECK(step.cost.bytes_written == 8 * 7 * 7);
  }
  CHECK(all.multiplications == 2 * 7 * 7 * 3);
  CHECK(all.exponentials == 7 * 7);
}

TEST_CASE("what a mask closes is not done", "[cost]") {
  const Recipe recipe =
      Computation(problem_of(R"({"inputs": {"random": "normal", "shape": [6, 3], "seed": 1}, "causal": true})"))
          .whole();
  double exponentials = 0, all_open = 0;
  for (const StepCost& step : costs_of(recipe)) {
    exponentials += step.cost.exponentials;
    all_open += step.all_open.exponentials;
  }
  CHECK(exponentials == 6 * 7 / 2);
  CHECK(all_open == 6 * 6);
}

TEST_CASE("a sum adds the zeros of closed cells where they stand", "[cost]") {
  const Recipe recipe =
      Computation(problem_of(R"({"inputs": {"random": "normal", "shape": [6, 3], "seed": 1}, "causal": true})"))
          .whole();
  std::size_t sums = 0;
  for (const StepCost& step : costs_of(recipe)) {
    if (recipe.instruction(step.line).id() != "context") continue;
    CHECK(std::holds_alternative<Reduce>(recipe.instruction(step.line).op));
    CHECK(step.cost.additions == 6 * 6 * 3);
    CHECK(step.all_open.additions == step.cost.additions);
    ++sums;
  }
  CHECK(sums == 1);
}

TEST_CASE("a token more takes the projections of one, where those of the others are in a cache", "[cost]") {
  const std::string weight = R"({"random": "normal", "shape": [3, 3], "seed": 2})";
  const Recipe recipe =
      Computation(problem_of(R"({"inputs": {"random": "normal", "shape": [10, 3], "seed": 1}, "weights":
      {"query": )" + weight + R"(, "key": )" +
                             weight + R"(, "value": )" + weight + "}}"))
          .whole();
  const auto next = next_token(recipe, costs_of(recipe));
  REQUIRE(next);
  CHECK(next->without_cache.multiplications - next->with_cache.multiplications == Approx(2 * 9 * 3 * 3));
  const Recipe crossed = Computation(problem_of(R"({"queries": [[1, 2]], "keys": [[1, 2], [2, 3]]})")).whole();
  CHECK_FALSE(next_token(crossed, costs_of(crossed)));
}

TEST_CASE("what stands behind the last attention is done for the new token alone, with a cache or without", "[cost]") {
  constexpr double width = 4, hidden = 9;
  const auto next_of = [](int layers, bool fed_forward) {
    const std::string ffn = R"(, "ffn": {"in": {"random": "normal", "shape": [4, 9], "seed": 2},
        "out": {"random": "normal", "shape": [9, 4], "seed": 3}})";
    std::string all;
    for (int i = 1; i < layers; ++i) all += R"({"self": {}}, )";
    all += R"({"self": {})" + (fed_forward ? ffn : "") + "}";
    const Recipe recipe = Computation(problem_of(R"({"inputs": {"random": "normal", "shape": [10, 4], "seed": 1},
        "block": {"kind": "decoder_only", "layers": [)" +
                                                 all + "]}}"))
                              .whole();
    const auto next = next_token(recipe, costs_of(recipe));
    REQUIRE(next);
    return *next;
  };
  for (const int layers : {1, 2}) {
    const NextToken with = next_of(layers, true), without = next_of(layers, false);
    CAPTURE(layers);
    CHECK(with.with_cache.multiplications - without.with_cache.multiplications == Approx(2 * width * hidden));
    CHECK(with.without_cache.multiplications - without.without_cache.multiplications == Approx(2 * width * hidden));
    CHECK(with.without_cache.additions - without.without_cache.additions ==
          Approx(with.with_cache.additions - without.with_cache.additions));
    // What stands before it is done for all tokens, unless it is in a cache.
    CHECK(without.with_cache.multiplications == Approx(layers * 2 * 10 * width));
    CHECK(without.without_cache.multiplications == Approx((layers - 1) * 2 * 10 * 10 * width + 2 * 10 * width));
  }
}

TEST_CASE("self-attention and the other layers take as much as each other where they cross", "[cost]") {
  const double width = 512, kernel = 3, neighbours = 64;
  for (const LayerCost& layer : layer_costs(1000, width, kernel, neighbours)) {
    if (!layer.crossing) continue;
    const auto index = static_cast<std::size_t>(layer.kind);
    for (const double tokens : {*layer.crossing - 1, *layer.crossing, *layer.crossing + 1}) {
      const auto there = layer_costs(tokens, width, kernel, neighbours);
      INFO(tokens);
      CHECK((there[0].operations <= there[index].operations) == (tokens <= *layer.crossing));
      CHECK((there[0].operations == there[index].operations) == (tokens == *layer.crossing));
    }
  }
  const auto costs = layer_costs(1000, width, 10, 64);
  CHECK(costs[2].path == 3);
  CHECK(costs[3].path == 16);
  CHECK(costs[1].sequential == 1000);
}

}  // namespace attn
