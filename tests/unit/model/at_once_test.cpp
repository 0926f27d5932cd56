#include "model/at_once.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "backend/cpu/cpu.h"
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

constexpr std::size_t batch = 2, heads = 4, kv_heads = 2, queries = 5, keys = 7, d_k = 6, d_v = 3;

// Grouped-query attention over a batch, with vectors given directly.
Problem grouped(Dtype dtype = Dtype::f64, double first = 0.5) {
  const auto narrowed = [&](Tensor<double> numbers) {
    numbers[0] = first;
    for (double& number : numbers.data()) number = stored(number, dtype);
    return numbers;
  };
  Problem problem;
  problem.arithmetic.dtype = dtype;
  problem.attention().batched = true;
  problem.attention().batch = batch;
  problem.attention().heads = heads;
  problem.attention().kv_heads = kv_heads;
  problem.attention().queries =
      narrowed(drawn({{"batch", batch}, {"head", heads}, {"query", queries}, {"d_k", d_k}}, 1));
  problem.attention().keys = narrowed(drawn({{"batch", batch}, {"head", kv_heads}, {"key", keys}, {"d_k", d_k}}, 2));
  problem.attention().values = narrowed(drawn({{"batch", batch}, {"head", kv_heads}, {"key", keys}, {"d_v", d_v}}, 3));
  problem.attention().query_count = queries;
  problem.attention().key_count = keys;
  problem.attention().key_width = d_k;
  problem.attention().value_width = d_v;
  problem.attention().score = {.name = "scaled_dot"};
  problem.attention().query_labels.assign(batch, std::vector<std::string>(queries, "q"));
  problem.attention().key_labels.assign(batch, std::vector<std::string>(keys, "k"));
  return problem;
}

Choice t5(const Tensor<double>& table) {
  return {.name = "t5", .numbers = {{"max_distance", 4}, {"bidirectional", 1}}, .tensors = {{"table", table}}};
}

std::vector<double> result(const Trace& trace) {
  const auto data = trace.value("result").data();
  return {data.begin(), data.end()};
}

std::vector<double> step_by_step(const Problem& problem) {
  ReferenceBackend backend;
  return result(attention(problem, backend));
}

const CpuBackend on_cpu(1);

std::optional<Trace> at_once(const Problem& problem) {
  CpuBackend backend(2);
  return attention_at_once(problem, backend);
}

void check_agreement(const Problem& problem) {
  const std::optional<Trace> once = at_once(problem);
  REQUIRE(once);
  const std::vector<double> found = result(*once), wanted = step_by_step(problem);
  REQUIRE(found.size() == wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(wanted[i]).epsilon(1e-12).margin(1e-13));
}

}  // namespace

TEST_CASE("attention at once is attention step by step, whatever closes cells or adds to them", "[model]") {
  Problem problem = grouped();
  SECTION("nothing") {}
  SECTION("a causal mask with an offset a sequence") {
    problem.attention().options["causal"] = true;
    problem.attention().options["offset"] = PerSequence{{2, 0}};
  }
  SECTION("a window and lengths") {
    problem.attention().options["window"] = Integers{2, 1};
    problem.attention().options["lengths"] = PerSequence{{7, 3}};
  }
  SECTION("a window wider than a causal mask lets it be") {
    problem.attention().options["causal"] = true;
    problem.attention().options["window"] = Integers{3, 4};
  }
  SECTION("a window without an end behind the query leaves that of a causal mask") {
    problem.attention().options["causal"] = true;
    problem.attention().options["window"] = Integers{2, -1};
  }
  SECTION("a window without an end before the query has that of none") {
    problem.attention().options["causal"] = true;
    problem.attention().options["window"] = Integers{-1, 2};
  }
  SECTION("alibi and appended keys, which it adds nothing to") {
    problem.attention().positions = Choice{.name = "alibi"};
    problem.attention().appended =
        KeysAndValues{drawn({{"batch", batch}, {"head", kv_heads}, {"key", 2}, {"d_k", d_k}}, 5),
                      drawn({{"batch", batch}, {"head", kv_heads}, {"key", 2}, {"d_v", d_v}}, 6)};
  }
  SECTION("masks of two kinds") {
    Tensor<double> blocked({{"query", queries}, {"key", keys}});
    blocked[3] = blocked[9] = 1;
    std::vector<MaskTerm> masks = {{MaskTerm::Kind::block, blocked}};
    Tensor<double> added = drawn({{"head", heads}, {"key", keys}}, 9);
    added[2] = -std::numeric_limits<double>::infinity();
    masks.push_back({MaskTerm::Kind::add, added});
    masks.push_back({MaskTerm::Kind::add, drawn({{"batch", batch}, {"query", queries}}, 10)});
    problem.attention().options["mask"] = masks;
  }
  SECTION("a scale and a cap") {
    problem.attention().options["scale"] = 1.5;
    problem.attention().options["softcap"] = 2.0;
  }
  SECTION("another base") { problem.attention().softmax = Choice{.name = "base", .numbers = {{"base", 2}}}; }
  SECTION("a sink a head") {
    problem.attention().softmax = Choice{.name = "sink", .tensors = {{"sink", drawn({{"head", heads}}, 4)}}};
  }
  SECTION("alibi") { problem.attention().positions = Choice{.name = "alibi"}; }
  SECTION("alibi in sequences that begin at places of their own") {
    problem.attention().positions = Choice{.name = "alibi"};
    problem.attention().options["offset"] = PerSequence{{-3, 40}};
  }
  SECTION("alibi and a mask that adds") {
    problem.attention().positions = Choice{.name = "alibi"};
    problem.attention().options["mask"] =
        std::vector<MaskTerm>{{MaskTerm::Kind::add, drawn({{"query", queries}, {"key", keys}}, 9)}};
  }
  SECTION("alibi in sequences that begin at one place") {
    problem.attention().positions = Choice{.name = "alibi"};
    problem.attention().options["offset"] = PerSequence{{5}};
  }
  SECTION("T5's table behind a past") {
    problem.attention().positions = t5(drawn({{"bucket", 8}, {"head", heads}}, 7));
    problem.attention().past =
        KeysAndValues{drawn({{"batch", batch}, {"head", kv_heads}, {"key", 2}, {"d_k", d_k}}, 5),
                      drawn({{"batch", batch}, {"head", kv_heads}, {"key", 2}, {"d_v", d_v}}, 6)};
    problem.attention().key_count += 2;
    problem.attention().options["offset"] = PerSequence{{2}};
  }
  SECTION("T5's table") {
    problem.attention().positions = t5(drawn({{"bucket", 8}, {"head", heads}}, 7));
    problem.attention().options["offset"] = PerSequence{{2}};  // which T5 does not count from
  }
  SECTION("appended keys, which a causal mask leaves open") {
    problem.attention().options["causal"] = true;
    problem.attention().appended =
        KeysAndValues{drawn({{"batch", batch}, {"head", kv_heads}, {"key", 2}, {"d_k", d_k}}, 5),
                      drawn({{"batch", batch}, {"head", kv_heads}, {"key", 2}, {"d_v", d_v}}, 6)};
  }
  check_agreement(problem);
}

TEST_CASE("attention at once says which rows are closed", "[model]") {
  Problem problem = grouped();
  problem.attention().options["causal"] = true;
  problem.attention().options["offset"] = PerSequence{{0, -2}};
  const std::optional<Trace> once = at_once(problem);
  REQUIRE(once);
  ReferenceBackend backend;
  const auto closed = [](const Trace& trace) {
    std::vector<std::vector<std::size_t>> rows;
    for (const Note& note : trace.notes) {
      if (note.kind == "closed_row") rows.push_back(note.index);
    }
    return rows;
  };
  CHECK(closed(*once).size() == 2 * heads);
  CHECK(closed(*once) == closed(attention(problem, backend)));
}

TEST_CASE("a trace made at once holds the result, and a note of it", "[model]") {
  const std::optional<Trace> once = at_once(grouped());
  REQUIRE(once);
  CHECK(once->steps.size() == 1);
  CHECK(once->result == "concat");
  REQUIRE_FALSE(once->notes.empty());
  CHECK(once->notes.back().kind == "at_once");
}

TEST_CASE("what has no fused form is left to the steps", "[model]") {
  Problem problem = grouped();
  SECTION("numbers that are rounded by hand") { problem.arithmetic.hand_rounding = HandRounding{2}; }
  SECTION("half precision, which every step rounds to, on a processor") { problem.arithmetic.dtype = Dtype::f16; }
  SECTION("scores that are no dot products") { problem.attention().score.name = "cosine"; }
  SECTION("shares without exponentials") { problem.attention().softmax = Choice{.name = "linear"}; }
  SECTION("an algorithm that is to be shown") { problem.keys_a_block = 2; }
  CHECK_FALSE(at_once(problem));
  CHECK_FALSE(bytes_at_once(problem, on_cpu));
}

namespace {

// Computes in 16 bits what is handed over, as steps do but for rounding between.
class In16Bits final : public Backend {
 public:
  std::string_view name() const override { return "16 bits"; }
  Tensor<double> run(const Op& op, std::span<const View> operands, const View* open, const Shape& shape,
                     Dtype dtype) override {
    return run_plainly(op, operands, open, shape, dtype);
  }
  bool attends_in_16_bits() const override { return true; }
  bool attend_in_16_bits(const FusedAttention<float>& call, Dtype dtype) override {
    asked_for = dtype;
    const std::size_t count = call.batch * call.heads * call.queries * call.key_width;
    for (std::size_t i = 0; i < count; ++i)
      CHECK(stored(static_cast<double>(call.q[i]), dtype) == static_cast<double>(call.q[i]));
    if (!cpu.attend(call)) return false;
    const std::size_t made = call.batch * call.heads * call.queries * call.value_width;
    for (float& number : std::span(call.context, made))
      number = static_cast<float>(stored(static_cast<double>(number), dtype));
    return true;
  }

  CpuBackend cpu{1};
  std::optional<Dtype> asked_for;
};

}  // namespace

TEST_CASE("a backend that computes in 16 bits is asked to, with numbers of them, and the trace says what was rounded",
          "[model]") {
  for (const Dtype dtype : {Dtype::bf16, Dtype::f16}) {
    const Problem problem = grouped(dtype);
    In16Bits backend;
    CHECK(bytes_at_once(problem, backend));
    const std::optional<Trace> once = attention_at_once(problem, backend);
    REQUIRE(once);
    CHECK(backend.asked_for == dtype);
    CHECK_THAT(once->notes.back().message, contains("sums are f32"));
    const std::vector<double> found = result(*once), steps = step_by_step(problem);
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(stored(found[i], dtype) == found[i]);
      CHECK(std::abs(found[i] - steps[i]) <= 16 * step_at_one(dtype));
    }
  }
}

TEST_CASE("scores that f16 does not hold are left to the steps, which show them", "[model]") {
  In16Bits backend;
  CHECK_FALSE(attention_at_once(grouped(Dtype::f16, 512), backend));
  CHECK(attention_at_once(grouped(Dtype::bf16, 512), backend));
}

TEST_CASE("a result that is not finite is left to the steps, which can say where it comes from", "[model]") {
  Problem problem = grouped();
  Tensor<double> values = problem.attention().values->numbers();
  values[0] = std::numeric_limits<double>::quiet_NaN();
  problem.attention().values = values;
  CHECK_FALSE(at_once(problem));
  ReferenceBackend backend;
  const Trace trace = attention(problem, backend);
  CHECK(std::ranges::count(trace.notes, "overflow", &Note::kind) == 1);
}

TEST_CASE("an open score that is not finite is left to the steps, though its weight is 0", "[model]") {
  Problem problem = grouped();
  Tensor<double> given = problem.attention().keys->numbers();
  SECTION("a key with an infinity") { given[0] = -std::numeric_limits<double>::infinity(); }
  SECTION("a key of the last head of the last sequence") {
    given[given.size() - 1] = -std::numeric_limits<double>::infinity();
  }
  SECTION("a score too large for a double") {
    given[0] = given[1] = given[2] = given[3] = given[4] = given[5] = -1e308;
    Tensor<double> large(problem.attention().queries->shape());
    for (double& number : large.data()) number = 10;
    problem.attention().queries = large;
  }
  SECTION("a score too large for a float") {
    problem.arithmetic.dtype = Dtype::f32;
    given[0] = given[1] = given[2] = given[3] = given[4] = given[5] = -1e38;
    Tensor<double> large(problem.attention().queries->shape());
    for (double& number : large.data()) number = 10;
    problem.attention().queries = large;
  }
  SECTION("a score that a large scale makes too large") {
    given[0] = 1e300;
    problem.attention().options["scale"] = 1e100;
  }
  SECTION("a score that what is added makes too large") {
    given[0] = given[1] = given[2] = given[3] = given[4] = given[5] = -1e307;
    Tensor<double> ones(problem.attention().queries->shape());
    for (double& number : ones.data()) number = 1;
    problem.attention().queries = ones;
    const Tensor<double> added({{"query", queries}}, {-1.79e308, 0, 0, 0, 0});
    problem.attention().options["mask"] = std::vector<MaskTerm>{{MaskTerm::Kind::add, added}};
  }
  problem.attention().keys = given;
  CHECK_FALSE(at_once(problem));
  ReferenceBackend backend;
  const Trace trace = attention(problem, backend);
  CHECK(std::ranges::count(trace.notes, "overflow", &Note::kind) == 1);
}

TEST_CASE("keys that are not finite are no hindrance where they are closed for everybody", "[model]") {
  Problem problem = grouped();
  Tensor<double> given = problem.attention().keys->numbers();
  const auto spoil = [&](std::size_t sequence, std::size_t key) {
    for (std::size_t head = 0; head < kv_heads; ++head) {
      given[((sequence * kv_heads + head) * keys + key) * d_k] = std::numeric_limits<double>::quiet_NaN();
      given[((sequence * kv_heads + head) * keys + key) * d_k + 1] = -std::numeric_limits<double>::infinity();
    }
  };
  SECTION("beyond the length of their sequence") {
    problem.attention().options["lengths"] = PerSequence{{7, 3}};
    for (std::size_t key = 3; key < keys; ++key) spoil(1, key);
  }
  SECTION("outside every window") {
    problem.attention().options["causal"] = true;
    for (std::size_t sequence = 0; sequence < batch; ++sequence) spoil(sequence, queries);
  }
  SECTION("behind a mask") {
    Tensor<double> blocked({{"batch", batch}, {"key", keys}});
    blocked[2] = blocked[keys + 4] = 1;
    problem.attention().options["mask"] = std::vector<MaskTerm>{{MaskTerm::Kind::block, blocked}};
    spoil(0, 2);
    spoil(1, 4);
  }
  problem.attention().keys = given;
  check_agreement(problem);
}

TEST_CASE("a mask that adds the least number there is closes nothing and is done at once", "[model]") {
  Problem problem = grouped();
  Tensor<double> added({{"query", queries}, {"key", keys}});
  SECTION("of doubles") { added[1] = std::numeric_limits<double>::lowest(); }
  SECTION("of floats") {
    problem.arithmetic.dtype = Dtype::f32;
    added[1] = std::numeric_limits<float>::lowest();
  }
  problem.attention().options["mask"] = std::vector<MaskTerm>{{MaskTerm::Kind::add, added}};
  CHECK(at_once(problem));
}

TEST_CASE("an output that is not finite is left to the steps, too", "[model]") {
  Problem problem = grouped();
  Tensor<double> weight({{"d_concat", heads * d_v}, {"d_out", 1}});
  weight[0] = std::numeric_limits<double>::max();
  weight[1] = std::numeric_limits<double>::max();
  Tensor<double> large(problem.attention().values->shape());
  for (double& number : large.data()) number = 10;
  problem.attention().values = large;
  problem.attention().output = Projection{weight, std::nullopt};
  CHECK_FALSE(at_once(problem));
}

TEST_CASE("minus infinity that a table adds is left to the steps: it closes nothing there", "[model]") {
  Problem problem = grouped();
  Tensor<double> table({{"bucket", 8}}, {0, 1, 2, 3, 4, -std::numeric_limits<double>::infinity(), 6, 7});
  problem.attention().positions = t5(table);
  CHECK_FALSE(at_once(problem));
}

TEST_CASE("minus infinity that a table adds closes nothing, unless a mask closes every such cell", "[model]") {
  const double closing = -std::numeric_limits<double>::infinity();
  // A bucket a distance: of the cells only query 5 and key 1 are four apart.
  const Tensor<double> table({{"bucket", 8}}, {0, 1, 2, 3, closing, 5, 6, 7});
  Problem problem = grouped();
  problem.attention().positions =
      Choice{.name = "t5", .numbers = {{"max_distance", 16}, {"bidirectional", 0}}, .tensors = {{"table", table}}};
  Tensor<double> blocked({{"query", queries}, {"key", keys}});
  const std::vector<MaskTerm> added = {{MaskTerm::Kind::add, drawn({{"query", queries}, {"key", keys}}, 9)}};
  SECTION("no mask") { CHECK_FALSE(at_once(problem)); }
  SECTION("a mask that closes another cell") {
    blocked[1] = 1;
    problem.attention().options["mask"] = std::vector<MaskTerm>{{MaskTerm::Kind::block, blocked}};
    CHECK_FALSE(at_once(problem));
  }
  SECTION("a mask that closes another cell, beside one that adds") {
    blocked[1] = 1;
    std::vector<MaskTerm> masks = added;
    masks.push_back({MaskTerm::Kind::block, blocked});
    problem.attention().options["mask"] = masks;
    CHECK_FALSE(at_once(problem));
  }
  SECTION("a mask that closes that cell, beside one that adds") {
    blocked[4 * keys] = 1;
    std::vector<MaskTerm> masks = added;
    masks.push_back({MaskTerm::Kind::block, blocked});
    problem.attention().options["mask"] = masks;
    check_agreement(problem);
  }
}

TEST_CASE("infinity that a table adds leaves no finite context, and the steps say so", "[model]") {
  Problem problem = grouped();
  problem.attention().positions =
      t5(Tensor<double>({{"bucket", 8}}, {0, std::numeric_limits<double>::infinity(), 2, 3, 4, 5, 6, 7}));
  CHECK_FALSE(at_once(problem));
  ReferenceBackend backend;
  CHECK(std::ranges::count(attention(problem, backend).notes, "overflow", &Note::kind) == 1);
}

TEST_CASE("a backend without fused attention leaves it to the steps", "[model]") {
  ReferenceBackend backend;
  CHECK_FALSE(attention_at_once(grouped(), backend));
}

TEST_CASE("attention at once needs memory for vectors, not for scores", "[model]") {
  Problem problem;
  problem.attention().queries = drawn({{"query", 2000}, {"d_k", 8}}, 1);
  problem.attention().keys = drawn({{"key", 3000}, {"d_k", 8}}, 2);
  problem.attention().values = drawn({{"key", 3000}, {"d_v", 8}}, 3);
  problem.attention().query_count = 2000;
  problem.attention().key_count = 3000;
  problem.attention().key_width = problem.attention().value_width = 8;
  problem.attention().score = {.name = "dot"};
  const std::size_t plain = *bytes_at_once(problem, on_cpu);
  CHECK(plain < 2'000'000);
  problem.attention().positions = Choice{.name = "alibi"};
  CHECK(*bytes_at_once(problem, on_cpu) > plain);
  CHECK(*bytes_at_once(problem, on_cpu) < 2'000'000);
  CHECK(recipe_of(problem).bytes() > 8 * std::size_t{2000} * 3000);
}

TEST_CASE("of what attention at once reads, only what the backend is handed counts twice", "[model]") {
  constexpr std::size_t tokens = 300, d_model = 200, width = 4;
  Problem problem;
  problem.inputs.self = drawn({{"token", tokens}, {"d_model", d_model}}, 1);
  Attention& attention = problem.attention();
  attention.query = Projection{drawn({{"d_model", d_model}, {"d_k", width}}, 2), std::nullopt};
  attention.key = Projection{drawn({{"d_model", d_model}, {"d_k", width}}, 3), std::nullopt};
  attention.value = Projection{drawn({{"d_model", d_model}, {"d_v", width}}, 4), std::nullopt};
  attention.query_count = attention.key_count = tokens;
  attention.key_width = attention.value_width = width;
  attention.score = {.name = "dot"};
  const std::size_t vectors = 4 * tokens * width, read = tokens * d_model + 3 * d_model * width;
  const std::size_t made = 8 * (read + vectors), few = 16 * tokens;
  SECTION("doubles") {
    CHECK(*bytes_at_once(problem, on_cpu) >= made + 8 * vectors);
    CHECK(*bytes_at_once(problem, on_cpu) <= made + 8 * vectors + few);
  }
  SECTION("floats, whose copies are half as large") {
    problem.arithmetic.dtype = Dtype::f32;
    CHECK(*bytes_at_once(problem, on_cpu) >= made + 4 * vectors);
    CHECK(*bytes_at_once(problem, on_cpu) <= made + 4 * vectors + few);
  }
  SECTION("a mask, a byte a cell, and what is added, a number a cell") {
    Tensor<double> cells({{"query", tokens}, {"key", tokens}});
    const std::size_t plain = *bytes_at_once(problem, on_cpu), number = 8 * tokens * tokens;
    attention.options["mask"] = std::vector<MaskTerm>{{MaskTerm::Kind::block, cells}};
    CHECK(*bytes_at_once(problem, on_cpu) == plain + number + tokens * tokens);
    attention.options["mask"] = std::vector<MaskTerm>{{MaskTerm::Kind::add, cells}};
    CHECK(*bytes_at_once(problem, on_cpu) == plain + 2 * number + number + tokens * tokens);  // −∞ would close a cell
  }
}
