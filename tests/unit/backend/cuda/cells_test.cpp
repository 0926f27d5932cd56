// What a GPU's threads work out, worked out on the host.

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "backend/cuda/cells/cell.h"
#include "catch.h"
#include "reference_backend.h"
#include "unit/backend/drawn.h"

using namespace attn;         // NOLINT(google-build-using-namespace)
using namespace attn::drawn;  // NOLINT(google-build-using-namespace)

namespace {

// CudaBackend, but that a loop takes the place of the GPU.
class CellsOnHost final : public Backend {
 public:
  std::string_view name() const override { return "cuda"; }

  Tensor<double> run(const Op& op, std::span<const View> operands, const View* open, const Shape& result,
                     Dtype dtype) override {
    std::vector<Cells<double>> cells;
    for (const View& operand : operands) cells.push_back({&operand.shape, operand.data.data()});
    const Cells<double> mask = open ? Cells<double>{&open->shape, open->data.data()} : Cells<double>{};
    const auto* pick = std::get_if<Pick>(&op);
    const auto cell =
        cuda::cell_of(op, cells, open ? &mask : nullptr, pick ? pick->rows.data().data() : nullptr, result);
    REQUIRE(cell.has_value());

    Tensor<double> made(result);
    std::visit(
        [&](const auto& one) {
          for (std::size_t at = 0; at < made.size(); ++at) {
            made[at] = dtype == Dtype::f32 ? one.template number<float>(at) : one.template number<double>(at);
            if (rounds_once_a_step(dtype)) made[at] = stored(made[at], dtype);
          }
        },
        *cell);
    return made;
  }
};

}  // namespace

TEST_CASE("a thread of the GPU works out the bits of the reference, whatever the operation and dtype",
          "[backend][cuda]") {
  ReferenceBackend reference;
  CellsOnHost gpu;
  for (int kind = 0; kind < kinds; ++kind) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      Drawn random(1000 * static_cast<std::uint64_t>(kind) + seed);
      const Dtype dtype = dtypes[random.between(0, 3)];
      const Vectors vectors = random.one_in(3) ? Vectors::columns : Vectors::rows;
      const Call call = drawn_call(random, kind, dtype);
      const Tensor<double> expected = made_by(reference, call, dtype, vectors);
      const std::optional<std::size_t> other = first_other(made_by(gpu, call, dtype, vectors), expected);
      CAPTURE(kind, seed, std::string(name(dtype)), to_string(expected.shape()), other.value_or(0));
      CHECK_FALSE(other.has_value());
    }
  }
}

TEST_CASE("an axis that the rows of a Pick bring back is that of the rows", "[backend][cuda]") {
  // Key 2 − i of three, for each key i.
  const Tensor<double> table({{"query", 2}, {"key", 3}}, {1, 2, 3, 4, 5, 6});
  const Rows rows(Tensor<std::int64_t>({{"key", 3}}, {2, 1, -1}));
  CellsOnHost gpu;
  const Tensor<double> made = made_by(gpu, {Pick{"key", rows}, {table}}, Dtype::f64, Vectors::rows);
  CHECK(std::vector<double>(made.data().begin(), made.data().end()) == std::vector<double>{3, 2, 0, 6, 5, 0});
}

TEST_CASE("a cell says when it has no room for the operands", "[backend][cuda]") {
  const Shape shape{{"key", 2}};
  const std::vector<double> numbers = {1, 2};
  const std::vector<Cells<double>> many(cuda::most_operands + 1, {&shape, numbers.data()});
  CHECK_FALSE(cuda::cell_of(Combine{}, many, nullptr, nullptr, shape).has_value());
  const std::span<const Cells<double>> fewer(many.data(), cuda::most_operands);
  CHECK(cuda::cell_of(Combine{}, fewer, nullptr, nullptr, shape).has_value());
}
