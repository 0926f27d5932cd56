#include "model/forward.h"

#include <cmath>
#include <string>
#include <variant>

#include "attentions.h"
#include "backend/cpu/cpu.h"
#include "catch.h"
#include "model/computation.h"

namespace attn {
namespace {

// A decoder of twelve layers that are alike, wide enough for tiles and with logits.
std::string decoder(const std::string& dtype) {
  const auto random = [](const std::string& shape, int seed) {
    return R"({"random": "xavier", "shape": )" + shape + R"(, "seed": )" + std::to_string(seed) + "}";
  };
  return R"({"inputs": )" + random("[9, 32]", 1) + R"(, "arithmetic": {"dtype": ")" + dtype +
         R"("}, "heads": 4, "block": {"kind": "decoder_only", "norm": "pre", "norm_type": "rms", "activation": "swiglu",
      "layers": [{"repeat": 12, "self": {"weights": {"query": )" +
         random("[32, 32]", 2) + R"(, "key": )" + random("[32, 32]", 3) + R"(, "value": )" + random("[32, 32]", 4) +
         R"(, "output": )" + random("[32, 32]", 5) + R"(}}, "ffn": {"in": )" + random("[32, 48]", 6) + R"(, "gate": )" +
         random("[32, 48]", 7) + R"(, "out": )" + random("[48, 32]", 8) + R"(}, "norm1": {}, "norm2": {}}],
      "final_norm": {}, "unembedding": )" +
         random("[32, 70]", 9) + "}}";
}

}  // namespace

TEST_CASE("a forward has the bits of the steps, each time, where sums are in order", "[model]") {
  for (const std::string dtype : {"f64", "f32", "bf16"}) {
    const Problem problem = problem_of(decoder(dtype));
    CpuBackend backend(2);
    const Trace steps = attention(problem, backend);
    Forward forward(problem, "logits", backend);
    for (int time = 0; time < 2; ++time) CHECK(*forward.run() == steps.value("logits"));
  }
}

TEST_CASE("a forward in any order is that of the steps to rounding, and the same each time", "[model]") {
  for (const auto& [dtype, unit] : {std::pair<std::string, double>{"f64", 1e-13}, {"f32", 1e-4}}) {
    const Problem problem = problem_of(decoder(dtype));
    CpuBackend backend(2);
    const Trace steps = attention(problem, backend);
    const Tensor<double>& wanted = steps.value("logits");
    Forward forward(problem, "logits", backend.in_any_order());
    const SharedTensor<double> first = forward.run();
    REQUIRE(first->shape() == wanted.shape());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      REQUIRE((*first)[i] == Approx(wanted[i]).epsilon(unit).margin(unit));
    }
    CHECK(*forward.run() == *first);
  }
}

TEST_CASE("a forward holds no more than a layer beside what is given, and knows its operations", "[model]") {
  const Problem problem = problem_of(decoder("f64"));
  CpuBackend backend(1);
  const Forward forward(problem, "logits", backend);
  const std::size_t layer = 4 * 32 * 32 + 3 * 32 * 48;
  CHECK(forward.given_count() == 12 * (layer + 9 * 9) + 9 * 32 + 32 * 70);  // each layer has its mask
  CHECK(forward.working_bytes() <= sizeof(double) * 9 * (6 * 32 + 3 * 48 + 4 * 2 * 9 + 70));
  // Every score, and of what is weighted by them the lower triangle.
  const double products = 12.0 * (9.0 * layer + (81 + 45) * 32) + 9 * 32 * 70;
  CHECK(forward.operations() == 2 * products);
}

TEST_CASE("a forward through many layers is refused for what it holds at one time, not for all it makes", "[model]") {
  const Problem problem = problem_of(decoder("f64"));
  CpuBackend backend(1);
  Computation all(problem);
  const std::size_t held = 8 * Forward(problem, "logits", backend).given_count() + 60'000;
  REQUIRE(held < all.recipe().bytes());
  CHECK(std::holds_alternative<TooLarge>(all.run(backend, false, held)));
  Computation one(problem);
  one.keep_only({"logits"});
  CHECK(std::holds_alternative<Trace>(one.run(backend, false, held)));
}

TEST_CASE("only the result of a block may be added up in any order, and says so", "[model]") {
  const Problem problem = problem_of(decoder("f32"));
  CpuBackend backend(2);
  const auto run = [&](bool only_result) {
    Computation computation(problem);
    return std::get<Trace>(computation.run(backend, only_result, std::size_t{1} << 30));
  };
  const Trace steps = run(false), result = run(true);
  CHECK(steps.notes.empty());
  REQUIRE(result.notes.size() == 1);
  CHECK(result.notes[0].kind == "at_once");
  CHECK(result.result == "probabilities");
  const Tensor<double>& wanted = steps.value("probabilities");
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    REQUIRE(result.value("probabilities")[i] == Approx(wanted[i]).epsilon(1e-4));
  }
}

}  // namespace attn
