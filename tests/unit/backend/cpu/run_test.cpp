#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/cpu/cpu.h"
#include "backend/cpu/instructions.h"
#include "backend/cpu/pieces.h"
#include "catch.h"
#include "reference_backend.h"
#include "unit/backend/drawn.h"

using namespace attn;         // NOLINT(google-build-using-namespace)
using namespace attn::drawn;  // NOLINT(google-build-using-namespace)

TEST_CASE("the CPU backend gives the bits of the reference, whatever the operation, dtype and number of threads",
          "[backend][cpu]") {
  ReferenceBackend reference;
  std::vector<std::unique_ptr<CpuBackend>> cpus;
  for (const std::size_t threads : {1, 2, 3, 8}) cpus.push_back(std::make_unique<CpuBackend>(threads));
  for (int kind = 0; kind < kinds; ++kind) {
    for (std::uint64_t seed = 0; seed < 120; ++seed) {
      Drawn random(1000 * static_cast<std::uint64_t>(kind) + seed);
      const Dtype dtype = dtypes[random.between(0, 3)];
      const Vectors vectors = random.one_in(3) ? Vectors::columns : Vectors::rows;
      const Call call = drawn_call(random, kind, dtype);
      const Tensor<double> expected = made_by(reference, call, dtype, vectors);
      CpuBackend& cpu = *cpus[seed % cpus.size()];
      const Tensor<double> got = made_by(cpu, call, dtype, vectors);
      REQUIRE(got.shape() == expected.shape());
      const std::optional<std::size_t> other = first_other(got, expected);
      CAPTURE(kind, seed, std::string(name(dtype)), to_string(expected.shape()), other.value_or(0));
      CHECK_FALSE(other.has_value());
    }
  }
}

TEST_CASE("rows in pieces are centred and normalized at once, and take their sinks in, as row by row",
          "[backend][cpu]") {
  ReferenceBackend reference;
  CpuBackend cpu(2);
  const Shape rows{{"query", 120}}, cells{{"query", 120}, {"key", 150}};
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    Drawn random(77);
    Tensor<double> maximum = random.tensor(rows, dtype);
    maximum[5] = -std::numeric_limits<double>::infinity();  // of a row without an open key
    const Tensor<double> whole = random.tensor(cells, dtype), of_row = random.tensor(rows, dtype);
    for (const Call& call : {Call{Normalize{Normalize::Part::normalized, "key", 0.5, false, 0},
                                  {whole, of_row, random.tensor(rows, dtype)}},
                             Call{Softmax{Softmax::Part::sum, "key", 0}, {whole, of_row, maximum}}}) {
      const Tensor<double> got = made_by(cpu, call, dtype, Vectors::rows);
      CHECK_FALSE(first_other(got, made_by(reference, call, dtype, Vectors::rows)).has_value());
    }
  }
}

TEST_CASE("what stands behind a closed cell is not added up, a NaN neither", "[backend][cpu]") {
  const std::size_t n = GENERATE(50u, 302u);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Tensor<double> weights({{"query", n}, {"key", n}}), values({{"key", n}, {"d_v", n}}), open({{"key", n}});
  for (std::size_t i = 0; i < n; ++i) {
    open[i] = i % 3 == 0 ? 0 : 1;
    for (std::size_t j = 0; j < n; ++j) {
      weights[i * n + j] = j % 3 == 0 ? nan : 2;
      values[i * n + j] = i % 3 == 0 ? nan : 3;
    }
  }
  CpuBackend cpu(2);
  const Tensor<double> made = made_by(cpu, {Contract{"key"}, {weights, values}, open}, Dtype::f64, Vectors::rows);
  for (const double number : made.data()) CHECK(number == static_cast<double>(6 * (2 * n / 3)));
}

TEST_CASE("what goes through no two cells is one piece", "[backend][cpu]") {
  const Loop once{1, {3, 5}};
  for (const std::vector<Loop>& loops : {std::vector<Loop>{}, {once}, {once, once}}) {
    const Pieces pieces(loops);
    Threads threads(2);
    std::vector<std::size_t> counts;
    pieces.each(threads, [&](const Pieces::Piece& piece) {
      CHECK(piece.first == 0);
      CHECK(piece.offsets == Pieces::Offsets{});
      counts.push_back(piece.count);
    });
    CHECK(counts == std::vector<std::size_t>{1});
    for (const std::size_t step : pieces.steps()) CHECK(step == 0);
  }
}

TEST_CASE("a sum over nothing, or of more tensors than loops keep track of, has the bits of the reference",
          "[backend][cpu]") {
  constexpr std::size_t rows = 100, columns = 120;
  ReferenceBackend reference;
  CpuBackend cpu(2);
  Drawn random(78);
  const auto tensor = [&](const Shape& shape) { return random.tensor(shape, Dtype::f64); };
  const Shape result{{"query", rows}, {"key", columns}};
  for (const std::size_t depth : {0u, 5u}) {
    std::vector<Tensor<double>> operands = {tensor({{"query", rows}, {"d_k", depth}}),
                                            tensor({{"key", columns}, {"d_k", depth}})};
    for (const std::size_t more : {0u, 20u}) {
      operands.resize(2, Tensor<double>(Shape{}));
      for (std::size_t i = 0; i < more; ++i) operands.push_back(tensor({{"key", columns}}));
      std::vector<View> views;
      for (const Tensor<double>& operand : operands) views.push_back({operand.shape(), operand.data()});
      Threads threads(1);
      const bool is_fast = contract(threads, Contract{"d_k"}, views, nullptr, result, Dtype::f64).has_value();
      CHECK(is_fast == (depth > 0 && more == 0));
      CHECK_FALSE(first_other(cpu.run(Contract{"d_k"}, views, nullptr, result, Dtype::f64),
                              reference.run(Contract{"d_k"}, views, nullptr, result, Dtype::f64))
                      .has_value());
    }
  }
}

TEST_CASE("large tables of waves and running parts of a softmax have the bits of the reference", "[backend][cpu]") {
  ReferenceBackend reference;
  CpuBackend cpu(2);
  Drawn random(79);
  const Call waves{Waves{Waves::Kind::alternating, {"token", 100}, {"d_model", 100}, 3, 10000, 100}};
  const Call blocks{Online{Online::Part::block_maximum, "key", "block", 4},
                    {random.tensor({{"query", 100}, {"key", 400}}, Dtype::f64)}};
  for (const Call& call : {waves, blocks}) {
    const Tensor<double> got = made_by(cpu, call, Dtype::f64, Vectors::rows);
    CHECK(got.size() == 10'000);
    CHECK_FALSE(first_other(got, made_by(reference, call, Dtype::f64, Vectors::rows)).has_value());
  }
}

TEST_CASE("instructions that nobody has are not used", "[backend][cpu]") {
  const std::string used = instruction_set();
  CHECK_FALSE(use_instruction_set("PDP-11"));
  CHECK(instruction_set() == used);
}
