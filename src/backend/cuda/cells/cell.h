#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "backend/cuda/cells/each.h"
#include "backend/cuda/cells/moving.h"
#include "backend/cuda/cells/rows.h"
#include "backend/cuda/cells/softmax.h"
#include "backend/cuda/cells/turning.h"
#include "ops/op.h"
#include "ops/walk.h"

namespace attn::cuda {

// What one thread works out, a kind a kernel. cell.number<T>(at) is the result's
// number at `at`, each product, partial sum and function result rounded to T.
using Cell = std::variant<CopyCell, MergeCell, JoinCell, RepeatCell, PickCell, WavesCell, RotateCell, ContractCell,
                          CombineCell, MapCell, GateCell, NormalizedCell, CloseCell, SumCell, MeanCell, NormCell,
                          MaximumCell, ExponentialCell, SinkSumCell, WeightCell, ShareCell>;

// The operation as cells. Nothing is read: the numbers may stand in a GPU's
// memory, and those of a Pick's rows, which are `rows`, do so too. Nothing where
// there are more operands or axes than a cell has room for.
std::optional<Cell> cell_of(const Op& op, std::span<const Cells<double>> operands, const Cells<double>* open,
                            const std::int64_t* rows, const Shape& result);

}  // namespace attn::cuda
