#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include "backend/cpu/pieces.h"
#include "ops/functions.h"

// Single operations as ops/run.h has them, bit for bit, but a piece of the
// result at a time: its operands are brought into rows of T, and every
// operation is a loop over rows that compilers make vectors of. What is not
// here is left to the plain loops.

namespace attn {
namespace {

using Piece = Pieces::Piece;

// Visits an Op; gives nothing where the plain loops have to do it.
template <class T>
class FastRun {
 public:
  FastRun(Threads& threads, std::span<const View> operands, const View* open, const Shape& result, Dtype dtype)
      : threads_(threads), operands_(operands), open_(open), result_(result), dtype_(dtype) {}

  using Made = std::optional<Tensor<double>>;

  Made operator()(const Given&) { return copied(loops()); }
  Made operator()(const Copy&) { return copied(loops()); }

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

  Made operator()(const Contract& op) { return contract(threads_, op, operands_, open_, result_, dtype_); }

  Made operator()(const Combine& op) { return combined(op.function, T{0}); }

  Made operator()(const Map& op) {
    const T parameter = static_cast<T>(op.parameter);
    return each_cell([&](const Piece& piece, T* to) {
      read(0, piece, to);
      map(op.function, parameter, to, piece.count);
    });
  }

  Made operator()(const Reduce& op) {
    switch (op.function) {
      case Reducer::sum:
        return sums(op.over, std::identity(),
                    [&](const Piece& piece, T* to) { combine_further(Binary::add, piece, to); });
      case Reducer::maximum:
        return maxima(op.over);
      case Reducer::norm:
        return sums(
            op.over, [](T a) { return square(a); },
            [](const Piece& piece, T* to) { std::for_each_n(to, piece.count, [](T& a) { a = sqrt(a); }); });
    }
    return std::nullopt;
  }

  Made operator()(const Gate& op) {
    return each_cell([&](const Piece& piece, T* to) {
      Row row;
      read(0, piece, to);
      map(op.function, T{0}, to, piece.count);
      const T* const by = read(1, piece, row.data());
      for (std::size_t i = 0; i < piece.count; ++i) to[i] *= by[i];
    });
  }

  Made operator()(const Normalize& op) {
    const T eps = static_cast<T>(op.eps);
    switch (op.part) {
      case Normalize::Part::mean:
        return sums(op.over, std::identity(), by_count(op));
      case Normalize::Part::mean_square:
        return sums(
            op.over, [](T a) { return square(a); }, by_count(op));
      case Normalize::Part::variance:
        return std::nullopt;
      case Normalize::Part::normalized:
        if (operands_.size() == 2) {
          return each_cell(of_two(
              0, 1, [&, outside = op.eps_outside](T, T x, T square) { return normalized(x, square, eps, outside); }));
        }
        return each_cell([&](const Piece& piece, T* to) {
          Row mean_row, variance_row;
          read(0, piece, to);
          const T* const mean = read(1, piece, mean_row.data());
          const T* const variance = read(2, piece, variance_row.data());
          for (std::size_t i = 0; i < piece.count; ++i) {
            to[i] = normalized(to[i] - mean[i], variance[i], eps, op.eps_outside);
          }
        });
      case Normalize::Part::affine:
        return each_cell([&](const Piece& piece, T* to) {
          read(0, piece, to);
          of_two(1, 2, [](T x, T gain, T bias) { return x * gain + bias; })(piece, to);
        });
    }
    return std::nullopt;
  }

  Made operator()(const Close&) { return combined(Binary::add, minus_infinity()); }

  Made operator()(const Online&) { return std::nullopt; }

  Made operator()(const Softmax& op) {
    switch (op.part) {
      case Softmax::Part::maximum:
        return maxima(op.over);
      case Softmax::Part::exponentials:
        return each_cell(of_two(0, 1, [&](T, T score, T maximum) {
          // A row without an open score has no maximum to subtract.
          return maximum == minus_infinity() ? T{0} : power<T>(op.base, score - maximum);
        }));
      case Softmax::Part::sum:
        if (operands_.size() == 1) return sums(op.over, std::identity(), [](const Piece&, T*) {});
        return sums(op.over, std::identity(), of_two(1, 2, [&](T sum, T sink, T maximum) {
                      return maximum == minus_infinity() ? sum : sum + power<T>(op.base, sink - maximum);
                    }));
      case Softmax::Part::weights:
        return each_cell(of_two(0, 1, [](T, T exponential, T sum) { return sum == T{0} ? T{0} : exponential / sum; }));
      case Softmax::Part::shares:
        return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  // What divides sums along the axis by how many numbers they have.
  auto by_count(const Normalize& op) const {
    const T count = static_cast<T>(static_cast<double>(operands_[0].shape.size(op.over) - op.fewer));
    return [count](const Piece& piece, T* to) {
      for (std::size_t i = 0; i < piece.count; ++i) to[i] /= count;
    };
  }

  using Row = std::array<T, Pieces::most_cells>;

  static T minus_infinity() { return T(-std::numeric_limits<double>::infinity()); }

  // Over the cells of the result: the operands, and last the mask.
  std::vector<Loop> loops() const { return loops_over(result_, operands_, open_); }

  // The same where one axis of the result is two of what is read.
  std::vector<Loop> with_two(const Axis& axis, const Loop& outer, const Loop& inner) const {
    std::vector<Loop> all = loops();
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(*result_.position(axis));
    *at = inner;
    all.insert(at, outer);
    return all;
  }

  // The cells that make(piece, row) fills rows with.
  template <class Make>
  Tensor<double> made_of(const std::vector<Loop>& loops, Make make) {
    const Pieces pieces(loops);
    steps_ = pieces.steps();
    Tensor<double> result(result_);
    double* const cells = result.data().data();
    const bool rounds = rounds_once_a_step(dtype_);
    pieces.each(threads_, [&](const Piece& piece) {
      Row row;
      make(piece, row.data());
      for (std::size_t i = 0; i < piece.count; ++i) {
        const auto number = static_cast<double>(row[i]);
        cells[piece.first + i] = rounds ? stored(number, dtype_) : number;
      }
    });
    return result;
  }

  // The same, and closed cells are `closed` whatever was made of them.
  template <class Make>
  Tensor<double> each_cell(Make make, T closed = T{0}) {
    return made_of(loops(), [&](const Piece& piece, T* to) {
      make(piece, to);
      if (!open_) return;
      const double* const open = open_->data.data() + piece.offsets[operands_.size()];
      const std::size_t step = steps_[operands_.size()];
      for (std::size_t i = 0; i < piece.count; ++i) to[i] = open[i * step] == 0 ? closed : to[i];
    });
  }

  Tensor<double> copied(const std::vector<Loop>& loops) {
    return made_of(loops, [&](const Piece& piece, T* to) { read(0, piece, to); });
  }

  Tensor<double> combined(Binary function, T closed) {
    return each_cell(
        [&](const Piece& piece, T* to) {
          read(0, piece, to);
          combine_further(function, piece, to);
        },
        closed);
  }

  // An operand's numbers for a piece, to `row`, which is returned.
  const T* read(std::size_t operand, const Piece& piece, T* row) const {
    const double* const from = operands_[operand].data.data() + piece.offsets[operand];
    const std::size_t step = steps_[operand];
    if (step == 0) {
      std::fill_n(row, piece.count, static_cast<T>(*from));
    } else if (step == 1) {
      for (std::size_t i = 0; i < piece.count; ++i) row[i] = static_cast<T>(from[i]);
    } else {
      for (std::size_t i = 0; i < piece.count; ++i) row[i] = static_cast<T>(from[i * step]);
    }
    return row;
  }

  template <class Of>
  void with_further(const Piece& piece, T* to, Of of) const {
    Row row;
    for (std::size_t operand = 1; operand < operands_.size(); ++operand) {
      const T* const with = read(operand, piece, row.data());
      for (std::size_t i = 0; i < piece.count; ++i) to[i] = of(to[i], with[i]);
    }
  }

  // A loop for each function, so that none asks within which it is.
  void combine_further(Binary function, const Piece& piece, T* to) const {
    switch (function) {
      case Binary::add:
        return with_further(piece, to, std::plus<T>());
      case Binary::subtract:
        return with_further(piece, to, std::minus<T>());
      case Binary::multiply:
        return with_further(piece, to, std::multiplies<T>());
      case Binary::divide:
        return with_further(piece, to, std::divides<T>());
      case Binary::minimum:
        return with_further(piece, to, [](T a, T b) { return smaller(a, b); });
    }
  }

  static void map(Unary function, T parameter, T* to, std::size_t count) {
    const auto loop = [&](auto of) {
      for (std::size_t i = 0; i < count; ++i) to[i] = of(to[i]);
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

  // What fills a piece with of(what stands there, number, number of another operand).
  template <class Of>
  auto of_two(std::size_t one, std::size_t other, Of of) const {
    return [this, one, other, of](const Piece& piece, T* to) {
      Row first_row, second_row;
      const T* const first = read(one, piece, first_row.data());
      const T* const second = read(other, piece, second_row.data());
      for (std::size_t i = 0; i < piece.count; ++i) to[i] = of(to[i], first[i], second[i]);
    };
  }

  // The sums of of(number) along `over`, in index order, and what `then` makes of them.
  template <class Of, class Then>
  Tensor<double> sums(const Axis& over, Of of, Then then) {
    const std::size_t terms = operands_[0].shape.size(over);
    const std::size_t term = operands_[0].shape.stride(over);
    return made_of(loops(), [&](const Piece& piece, T* to) {
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

  // The largest open number of each row; a NaN among them is the answer.
  Tensor<double> maxima(const Axis& over) {
    const std::size_t terms = operands_[0].shape.size(over);
    const std::size_t term = operands_[0].shape.stride(over);
    const std::size_t open_term = open_ ? open_->shape.stride(over) : 0;
    return made_of(loops(), [&](const Piece& piece, T* to) {
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
      with_further(piece, to, [](T a, T b) { return larger(a, b); });
    });
  }

  Threads& threads_;
  std::span<const View> operands_;
  const View* open_;
  const Shape& result_;
  Dtype dtype_;
  std::vector<std::size_t> steps_;  // from cell to cell of a piece: the operands, and the mask
};

}  // namespace

std::optional<Tensor<double>> run_in_pieces(Threads& threads, const Op& op, std::span<const View> operands,
                                            const View* open, const Shape& result, Dtype dtype) {
  return dtype == Dtype::f32 ? std::visit(FastRun<float>(threads, operands, open, result, dtype), op)
                             : std::visit(FastRun<double>(threads, operands, open, result, dtype), op);
}

}  // namespace attn
