#include "backend/cuda/cells/cell.h"

namespace attn::cuda {
namespace {

template <class Number>
Strided<Number> strided(const Number* data, const Shape& shape, const Shape& result) {
  Strided<Number> found{.data = data};
  for (std::size_t axis = 0; axis < result.rank(); ++axis) found.steps[axis] = shape.stride(result[axis].axis);
  return found;
}

// The enumerations of this folder, which nvcc reads, have the order of those of ops/op.h.
static_assert(static_cast<int>(OfTwo::minimum) == static_cast<int>(Binary::minimum));
static_assert(static_cast<int>(OfOne::silu) == static_cast<int>(Unary::silu));
static_assert(static_cast<int>(WavesCell::Kind::alternating) == static_cast<int>(Waves::Kind::alternating));

// Visits an Op.
class CellOf {
 public:
  CellOf(std::span<const Cells<double>> operands, const Cells<double>* open, const std::int64_t* rows,
         const Shape& result)
      : operands_(operands), open_(open), rows_(rows), result_(result) {
    reads_.grid.rank = static_cast<int>(result.rank());
    for (std::size_t axis = 0; axis < result.rank(); ++axis) reads_.grid.sizes[axis] = result[axis].size;
    reads_.count = static_cast<int>(operands.size());
    for (std::size_t i = 0; i < operands.size(); ++i) {
      reads_.operands[i] = strided(operands[i].data, *operands[i].shape, result);
    }
    if (open) reads_.open = strided(open->data, *open->shape, result);
  }

  Cell operator()(const Given&) const { return CopyCell{reads_, true}; }
  Cell operator()(const Copy&) const { return CopyCell{reads_, true}; }

  Cell operator()(const Split& op) const {
    CopyCell cell{reads_, false};
    const std::size_t step = operands_[0].shape->stride(op.axis);
    cell.reads.operands[0].steps[place(op.outer)] += result_.size(op.inner) * step;
    cell.reads.operands[0].steps[place(op.inner)] += step;
    return cell;
  }

  Cell operator()(const Merge& op) const {
    const Shape& parts = *operands_[0].shape;
    return MergeCell{.reads = reads_,
                     .axis = axis(op.axis),
                     .inner_size = parts.size(op.inner),
                     .outer_step = parts.stride(op.outer),
                     .inner_step = parts.stride(op.inner)};
  }

  Cell operator()(const Join& op) const {
    JoinCell cell{.reads = reads_, .axis = axis(op.axis)};
    for (std::size_t i = 0; i < operands_.size(); ++i) cell.sizes[i] = operands_[i].shape->size(op.axis);
    return cell;
  }

  Cell operator()(const Repeat& op) const {
    return RepeatCell{.reads = reads_,
                      .axis = axis(op.axis),
                      .size = operands_[0].shape->size(op.axis),
                      .times = op.times,
                      .tiled = op.tiled};
  }

  Cell operator()(const Pick& op) const {
    PickCell cell{.reads = reads_,
                  .rows = strided(rows_, op.rows.shape(), result_),
                  .row_step = operands_[0].shape->stride(op.axis)};
    // The axis may come back as one of the rows' own; the table is not walked along it.
    if (result_.has(op.axis)) cell.reads.operands[0].steps[place(op.axis)] = 0;
    return cell;
  }

  Cell operator()(const Waves& op) const {
    return WavesCell{.reads = reads_,
                     .kind = static_cast<WavesCell::Kind>(op.kind),
                     .position_axis = axis(op.positions.axis),
                     .feature_axis = axis(op.features.axis),
                     .first = op.first,
                     .width = op.width,
                     .base = op.base};
  }

  Cell operator()(const Rotate& op) const {
    return RotateCell{.reads = reads_,
                      .interleaved = op.interleaved,
                      .axis = axis(op.axis),
                      .pairs = operands_[1].shape->size(op.pair),
                      .step = operands_[0].shape->stride(op.axis),
                      .cosine_step = operands_[1].shape->stride(op.pair),
                      .sine_step = operands_[2].shape->stride(op.pair)};
  }

  Cell operator()(const Contract& op) const {
    return ContractCell{.reads = reads_, .over = row(op.over), .divides = op.then == Contract::Then::divide};
  }

  Cell operator()(const Combine& op) const {
    return CombineCell{.reads = reads_, .function = static_cast<OfTwo>(op.function)};
  }

  Cell operator()(const Map& op) const {
    return MapCell{.reads = reads_, .function = static_cast<OfOne>(op.function), .parameter = op.parameter};
  }

  Cell operator()(const Reduce& op) const {
    switch (op.function) {
      case Reducer::sum:
        return SumCell{reads_, row(op.over)};
      case Reducer::maximum:
        return MaximumCell{reads_, row(op.over)};
      case Reducer::norm:
        return NormCell{reads_, row(op.over)};
    }
    return {};
  }

  Cell operator()(const Gate& op) const {
    return GateCell{.reads = reads_, .function = static_cast<OfOne>(op.function)};
  }

  Cell operator()(const Normalize& op) const {
    const bool is_affine = op.part == Normalize::Part::affine;
    if (is_affine || op.part == Normalize::Part::normalized) {
      return NormalizedCell{.reads = reads_, .is_affine = is_affine, .eps = op.eps, .eps_outside = op.eps_outside};
    }
    const bool squares = op.part != Normalize::Part::mean;
    return MeanCell{.reads = reads_, .over = row(op.over), .squares = squares, .fewer = op.fewer};
  }

  Cell operator()(const Close&) const { return CloseCell{reads_}; }

  Cell operator()(const Softmax& op) const {
    switch (op.part) {
      case Softmax::Part::maximum:
        return MaximumCell{reads_, row(op.over)};
      case Softmax::Part::exponentials:
        return ExponentialCell{reads_, op.base};
      case Softmax::Part::sum: {
        const SumCell sum{reads_, row(op.over)};
        return operands_.size() == 1 ? Cell(sum) : Cell(SinkSumCell{sum, op.base});
      }
      case Softmax::Part::weights:
        return WeightCell{reads_};
      case Softmax::Part::shares:
        return ShareCell{.reads = reads_, .over = row(op.over), .axis = axis(op.over)};
    }
    return {};
  }

  // Its cells follow from one another: no kernel makes them at once.
  Cell operator()(const Online&) const { return {}; }

 private:
  std::size_t place(const Axis& name) const { return *result_.position(name); }
  int axis(const Axis& name) const { return static_cast<int>(place(name)); }

  Row row(const Axis& over) const {
    const auto step = [&](std::size_t i) { return i < operands_.size() ? operands_[i].shape->stride(over) : 0; };
    return {.size = operands_[0].shape->size(over),
            .step = step(0),
            .other_step = step(1),
            .open_step = open_ ? open_->shape->stride(over) : 0};
  }

  std::span<const Cells<double>> operands_;
  const Cells<double>* open_;
  const std::int64_t* rows_;
  const Shape& result_;
  Reads reads_;
};

}  // namespace

std::optional<Cell> cell_of(const Op& op, std::span<const Cells<double>> operands, const Cells<double>* open,
                            const std::int64_t* rows, const Shape& result) {
  if (operands.size() > most_operands || result.rank() > most_axes) return std::nullopt;
  if (std::holds_alternative<Online>(op)) return std::nullopt;
  return std::visit(CellOf(operands, open, rows, result), op);
}

}  // namespace attn::cuda
