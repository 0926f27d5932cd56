#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include "backend/cpu/contract.h"
#include "backend/cpu/cpu.h"
#include "backend/cpu/instructions.h"
#include "backend/cpu/pieces.h"
#include "backend/plain.h"
#include "ops/functions.h"

// Single operations as ops/run.h has them, bit for bit, but a piece of the
// result at a time: its operands are brought into rows of T, and every
// operation is a loop over rows that compilers make vectors of. What is not
// here is left to the plain loops.

namespace attn {
namespace {

// Below so many products or cells, calling threads together takes longer.
constexpr std::size_t least_work = 8192;

using Piece = Pieces::Piece;

// Visits an Op; gives nothing where the plain loops have to do it.
template <class T>
class FastRun {
 public:
  FastRun(Threads& threads, std::span<const View> operands, const View* open, const Shape& result, Dtype dtype)
      : threads_(threads), operands_(operands), open_(open), result_(result), dtype_(dtype) {}

  using Made = std::optional<Tensor<double>>;

  Made operator()(const Copy&) { return copied(loops()); }
  Made operator()(const Given&) { return copied(loops()); }

  // Operations that regroup are copies once an axis is seen as two.
  Made operator()(const Split& op) {
    const std::size_t step = operands_[0].shape.stride(op.axis);
    std::vector<Loop> all = loops();
    all[*result_.position(op.outer)].steps[0] = result_.size(op.inner) * step;
    all[*result_.position(op.inner)].steps[0] = step;
    return copied(all);
  }
  Made operator()(const Merge& op) {
    const Shape& parts = operands_[0].shape;
    return copied(with_two(op.axis, {parts.size(op.outer), {parts.stride(op.outer)}},
                           {parts.size(op.inner), {parts.stride(op.inner)}}));
  }
  Made operator()(const Repeat& op) {
    const Loop each{operands_[0].shape.size(op.axis), {operands_[0].shape.stride(op.axis)}};
    const Loop again{op.times, {0}};
    return copied(op.tiled ? with_two(op.axis, again, each) : with_two(op.axis, each, again));
  }

  Made operator()(const Join&) { return std::nullopt; }
  Made operator()(const Pick&) { return std::nullopt; }
  Made operator()(const Waves&) { return std::nullopt; }
  Made operator()(const Rotate&) { return std::nullopt; }

  Made operator()(const Contract& op) {
    if (!can_contract(op, operands_, open_, result_)) return std::nullopt;
    return contract(threads_, op, operands_, open_, result_, dtype_);
  }

  Made operator()(const Combine& op) {
    return each_cell([&](const Piece& piece, T* to) {
      Row row;
      std::copy_n(read(0, piece, row), piece.count, to);
      for (std::size_t operand = 1; operand < operands_.size(); ++operand) {
        combine(op.function, to, read(operand, piece, row), piece.count);
      }
    });
  }

  Made operator()(const Map& op) {
    const T parameter = static_cast<T>(op.parameter);
    return each_cell([&](const Piece& piece, T* to) {
      Row row;
      const T* const from = read(0, piece, row);
      map(op.function, from, parameter, to, piece.count);
    });
  }

  Made operator()(const Reduce& op) {
    switch (op.function) {
      case Reducer::sum:
        return sums(
            op.over, [](T a) { return a; }, [&](const Piece& piece, T* to) { add_further(1, piece, to); });
      case Reducer::maximum:
        return maxima(op.over);
      case Reducer::norm:
        return sums(
            op.over, [](T a) { return square(a); },
            [](const Piece& piece, T* to) {
              for (std::size_t i = 0; i < piece.count; ++i) to[i] = sqrt(to[i]);
            });
    }
    return std::nullopt;
  }

  Made operator()(const Close&) {
    return each_cell(
        [&](const Piece& piece, T* to) {
          Row row;
          std::copy_n(read(0, piece, row), piece.count, to);
          if (operands_.size() == 2) combine(Binary::add, to, read(1, piece, row), piece.count);
        },
        minus_infinity());
  }

  Made operator()(const Softmax& op) {
    switch (op.part) {
      case Softmax::Part::maximum:
        return maxima(op.over);
      case Softmax::Part::exponentials:
        return exponentials(op);
      case Softmax::Part::sum:
        return softmax_sums(op);
      case Softmax::Part::weights:
        return weights();
      case Softmax::Part::shares:
        return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  using Row = std::array<T, Pieces::most_cells>;

  static T minus_infinity() { return T(-std::numeric_limits<double>::infinity()); }

  // Over the cells of the result: the operands, and last the mask.
  std::vector<Loop> loops() const {
    std::vector<const Shape*> tensors;
    for (const View& operand : operands_) tensors.push_back(&operand.shape);
    if (open_) tensors.push_back(&open_->shape);
    return loops_over(result_, tensors);
  }

  // The same where one axis of the result is two of what is read.
  std::vector<Loop> with_two(const Axis& axis, const Loop& outer, const Loop& inner) const {
    std::vector<Loop> all = loops();
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(*result_.position(axis));
    *at = inner;
    all.insert(at, outer);
    return all;
  }

  double stored_as_asked(T number) const {
    const auto wide = static_cast<double>(number);
    return rounds_once_a_step(dtype_) ? stored(wide, dtype_) : wide;
  }

  // The cells that make(piece, row) fills rows with.
  template <class Make>
  Tensor<double> made_of(const Pieces& pieces, Make make) const {
    Tensor<double> result(result_);
    double* const cells = result.data().data();
    pieces.each(threads_, [&](const Piece& piece) {
      Row row;
      make(piece, row.data());
      for (std::size_t i = 0; i < piece.count; ++i) cells[piece.first + i] = stored_as_asked(row[i]);
    });
    return result;
  }

  // The same, and closed cells are `closed` whatever was made of them.
  template <class Make>
  Tensor<double> each_cell(Make make, T closed = T{0}) {
    const Pieces pieces(loops());
    steps_ = pieces.steps();
    return made_of(pieces, [&](const Piece& piece, T* to) {
      make(piece, to);
      if (!open_) return;
      const double* const open = open_->data.data() + piece.offsets[operands_.size()];
      const std::size_t step = steps_[operands_.size()];
      for (std::size_t i = 0; i < piece.count; ++i) to[i] = open[i * step] == 0 ? closed : to[i];
    });
  }

  Tensor<double> copied(const std::vector<Loop>& loops) {
    const Pieces pieces(loops);
    steps_ = pieces.steps();
    return made_of(pieces, [&](const Piece& piece, T* to) {
      Row row;
      std::copy_n(read(0, piece, row), piece.count, to);
    });
  }

  // An operand's numbers for a piece; `row` is room for them.
  const T* read(std::size_t operand, const Piece& piece, Row& row) const {
    const double* const from = operands_[operand].data.data() + piece.offsets[operand];
    const std::size_t step = steps_[operand];
    if (step == 0) {
      std::fill_n(row.data(), piece.count, static_cast<T>(*from));
    } else if (step == 1) {
      for (std::size_t i = 0; i < piece.count; ++i) row[i] = static_cast<T>(from[i]);
    } else {
      for (std::size_t i = 0; i < piece.count; ++i) row[i] = static_cast<T>(from[i * step]);
    }
    return row.data();
  }

  // A loop for each function, so that none asks within which it is.
  static void combine(Binary function, T* to, const T* with, std::size_t count) {
    const auto loop = [&](auto of) {
      for (std::size_t i = 0; i < count; ++i) to[i] = of(to[i], with[i]);
    };
    switch (function) {
      case Binary::add:
        return loop([](T a, T b) { return a + b; });
      case Binary::subtract:
        return loop([](T a, T b) { return a - b; });
      case Binary::multiply:
        return loop([](T a, T b) { return a * b; });
      case Binary::divide:
        return loop([](T a, T b) { return a / b; });
      case Binary::minimum:
        return loop([](T a, T b) { return smaller(a, b); });
    }
  }

  static void map(Unary function, const T* from, T parameter, T* to, std::size_t count) {
    const auto loop = [&](auto of) {
      for (std::size_t i = 0; i < count; ++i) to[i] = of(from[i]);
    };
    switch (function) {
      case Unary::multiply:
        return loop([&](T a) { return a * parameter; });
      case Unary::divide:
        return loop([&](T a) { return a / parameter; });
      case Unary::add:
        return loop([&](T a) { return a + parameter; });
      default:
        return loop([&](T a) { return applied(function, a, parameter); });
    }
  }

  void add_further(std::size_t first, const Piece& piece, T* to) const {
    Row row;
    for (std::size_t i = first; i < operands_.size(); ++i) combine(Binary::add, to, read(i, piece, row), piece.count);
  }

  // The sums of of(number) along `over`, in index order, and what `then` makes of them.
  template <class Of, class Then>
  Tensor<double> sums(const Axis& over, Of of, Then then) {
    const Pieces pieces(loops());
    steps_ = pieces.steps();
    const std::size_t terms = operands_[0].shape.size(over);
    const std::size_t term = operands_[0].shape.stride(over);
    return made_of(pieces, [&](const Piece& piece, T* to) {
      const double* const from = operands_[0].data.data() + piece.offsets[0];
      const std::size_t step = steps_[0];
      std::fill_n(to, piece.count, T{0});
      if (step == 1) {
        for (std::size_t j = 0; j < terms; ++j) {
          for (std::size_t i = 0; i < piece.count; ++i) to[i] += of(static_cast<T>(from[j * term + i]));
        }
      } else {
        for (std::size_t i = 0; i < piece.count; ++i) {
          T sum = 0;
          for (std::size_t j = 0; j < terms; ++j) sum += of(static_cast<T>(from[j * term + i * step]));
          to[i] = sum;
        }
      }
      then(piece, to);
    });
  }

  Tensor<double> softmax_sums(const Softmax& op) {
    const auto itself = [](T a) { return a; };
    if (operands_.size() == 1) return sums(op.over, itself, [](const Piece&, T*) {});
    return sums(op.over, itself, [&](const Piece& piece, T* to) {
      Row sinks, maxima;
      const T* const sink = read(1, piece, sinks);
      const T* const maximum = read(2, piece, maxima);
      for (std::size_t i = 0; i < piece.count; ++i) {
        if (maximum[i] != minus_infinity()) to[i] += power<T>(op.base, sink[i] - maximum[i]);
      }
    });
  }

  // The largest open number of each row; a NaN among them is the answer.
  Tensor<double> maxima(const Axis& over) {
    const Pieces pieces(loops());
    steps_ = pieces.steps();
    const std::size_t terms = operands_[0].shape.size(over);
    const std::size_t term = operands_[0].shape.stride(over);
    const std::size_t open_term = open_ ? open_->shape.stride(over) : 0;
    return made_of(pieces, [&](const Piece& piece, T* to) {
      for (std::size_t i = 0; i < piece.count; ++i) {
        const double* const from = operands_[0].data.data() + piece.offsets[0] + i * steps_[0];
        const double* const open =
            open_ ? open_->data.data() + piece.offsets[operands_.size()] + i * steps_[operands_.size()] : nullptr;
        T largest = minus_infinity();
        for (std::size_t j = 0; j < terms && !is_nan(largest); ++j) {
          if (open && open[j * open_term] == 0) continue;
          largest = larger(largest, static_cast<T>(from[j * term]));
        }
        to[i] = largest;
      }
      // A sink counts even where all else is closed.
      Row row;
      for (std::size_t operand = 1; operand < operands_.size(); ++operand) {
        const T* const with = read(operand, piece, row);
        for (std::size_t i = 0; i < piece.count; ++i) to[i] = larger(to[i], with[i]);
      }
    });
  }

  Tensor<double> exponentials(const Softmax& op) {
    return each_cell([&](const Piece& piece, T* to) {
      Row scores, maxima;
      const T* const score = read(0, piece, scores);
      const T* const maximum = read(1, piece, maxima);
      for (std::size_t i = 0; i < piece.count; ++i) {
        // A row without an open score has no maximum to subtract.
        to[i] = maximum[i] == minus_infinity() ? T{0} : power<T>(op.base, score[i] - maximum[i]);
      }
    });
  }

  Tensor<double> weights() {
    return each_cell([&](const Piece& piece, T* to) {
      Row exponentials, sums;
      const T* const exponential = read(0, piece, exponentials);
      const T* const sum = read(1, piece, sums);
      for (std::size_t i = 0; i < piece.count; ++i) to[i] = sum[i] == T{0} ? T{0} : exponential[i] / sum[i];
    });
  }

  Threads& threads_;
  std::span<const View> operands_;
  const View* open_;
  const Shape& result_;
  Dtype dtype_;
  std::vector<std::size_t> steps_;  // from cell to cell of a piece: the operands, and the mask
};

// How many numbers are looked at, about.
std::size_t work_of(std::span<const View> operands, const Op& op, const Shape& result) {
  const std::size_t cells = result.count();
  if (const auto* contraction = std::get_if<Contract>(&op)) return cells * operands[0].shape.size(contraction->over);
  std::size_t most = cells;
  for (const View& operand : operands) most = std::max(most, operand.data.size());
  return most;
}

}  // namespace

std::vector<std::string> cpu_devices() {
  const std::size_t count = Threads(0).count();
  return {instruction_set() + ", " + std::to_string(count) + (count == 1 ? " processor" : " processors")};
}

CpuBackend::CpuBackend(std::size_t threads) : threads_(threads) {}

Tensor<double> CpuBackend::run(const Op& op, std::span<const View> operands, const View* open, const Shape& result,
                               Dtype dtype) {
  if (work_of(operands, op, result) >= least_work && operands.size() < Pieces::most_tensors) {
    auto made = dtype == Dtype::f32 ? std::visit(FastRun<float>(threads_, operands, open, result, dtype), op)
                                    : std::visit(FastRun<double>(threads_, operands, open, result, dtype), op);
    if (made) return std::move(*made);
  }
  return run_plainly(op, operands, open, result, dtype);
}

}  // namespace attn
