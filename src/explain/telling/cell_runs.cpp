#include "explain/telling/cell_runs.h"

#include <optional>

namespace attn {
namespace {

// The axis along which two cells are neighbours, the second behind the first.
std::optional<std::size_t> axis_between(const Shape& shape, std::size_t first, std::size_t second) {
  const std::vector<std::size_t> a = shape.index(first);
  const std::vector<std::size_t> b = shape.index(second);
  std::optional<std::size_t> axis;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (axis || b[i] != a[i] + 1) return std::nullopt;
    axis = i;
  }
  return axis;
}

}  // namespace

std::vector<Slice> cell_runs(const Shape& shape, const CellList& list) {
  std::vector<Slice> all;
  std::optional<std::size_t> along;
  for (const std::size_t cell : list.places) {
    if (!all.empty()) {
      Slice& last = all.back();
      const auto axis = axis_between(shape, last.cell(last.count - 1), cell);
      if (axis && (last.count == 1 || axis == along)) {
        last.stride = cell - last.cell(last.count - 1);
        ++last.count;
        along = axis;
        continue;
      }
    }
    all.push_back({list.tensor, cell, 0, 1});
  }
  return all;
}

std::string cell_name(const Trace& trace, const Slice& cells) {
  const Shape& shape = trace.value(cells.tensor).shape();
  const std::vector<std::size_t> first = shape.index(cells.first);
  const std::vector<std::size_t> last = shape.index(cells.cell(cells.count - 1));
  std::string name = cells.tensor;
  for (std::size_t axis = 0; axis < first.size(); ++axis) {
    name += (axis == 0 ? "[" : ",") + std::to_string(first[axis] + 1);
    if (last[axis] != first[axis]) name += "…" + std::to_string(last[axis] + 1);
  }
  return first.empty() ? name : name + "]";
}

}  // namespace attn
