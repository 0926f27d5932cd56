#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "base/math.h"
#include "ops/functions.h"
#include "ops/op.h"
#include "ops/walk.h"
#include "tensor/tensor.h"

// How each primitive operation is computed, written once for every kind of
// number: the plainest loops. Only long sums of products of intervals are widened
// once, not each time (SumsOfProducts).

namespace attn {

// One operation on numbers of type T, each product, partial sum and function
// result rounded to it; what it reads and makes is kept as numbers of type
// Kept. Visits an Op.
template <class T, class Kept = T>
class Run {
 public:
  // REQUIRES: the walk is over `result` with these operands, and all of them outlive the run.
  Run(const Walk& walk, std::span<const Cells<Kept>> operands, const Cells<double>* open, const Shape& result)
      : operands_(operands), open_(open), result_(result), walk_(walk) {}

  Tensor<Kept> operator()(const Given&) { return copied(); }
  Tensor<Kept> operator()(const Copy&) { return copied(); }

  Tensor<Kept> operator()(const Split& op) {
    // Seen from the result, the split axis is one stride for each of its parts.
    const auto& whole = operands_[0];
    const std::size_t inner_size = result_.size(op.inner);
    const std::size_t stride = whole.shape->stride(op.axis);
    return regrouped([&](std::span<const std::size_t> index) {
      return (index[*result_.position(op.outer)] * inner_size + index[*result_.position(op.inner)]) * stride;
    });
  }

  Tensor<Kept> operator()(const Merge& op) {
    const auto& parts = operands_[0];
    const std::size_t inner_size = parts.shape->size(op.inner);
    const std::size_t outer_stride = parts.shape->stride(op.outer);
    const std::size_t inner_stride = parts.shape->stride(op.inner);
    return regrouped([&](std::span<const std::size_t> index) {
      const std::size_t at = index[*result_.position(op.axis)];
      return at / inner_size * outer_stride + at % inner_size * inner_stride;
    });
  }

  Tensor<Kept> operator()(const Join& op) {
    Tensor<Kept> result(result_);
    const std::size_t stride = result_.stride(op.axis);
    walk_.each([&](std::size_t at, const Offsets& offsets) {
      // What of the index along the axis lies behind the operands before.
      std::size_t index = at / stride % result_.size(op.axis);
      std::size_t before = 0, from = 0;
      while (index >= operands_[from].shape->size(op.axis)) {
        index -= operands_[from].shape->size(op.axis);
        before += operands_[from].shape->size(op.axis);
        ++from;
      }
      result[at] = operands_[from].data[offsets[from] - before * operands_[from].shape->stride(op.axis)];
    });
    return result;
  }

  Tensor<Kept> operator()(const Repeat& op) {
    const std::size_t size = operands_[0].shape->size(op.axis);
    const std::size_t stride = operands_[0].shape->stride(op.axis);
    const std::size_t axis = *result_.position(op.axis);
    return regrouped([&](std::span<const std::size_t> index) {
      const std::size_t read = op.tiled ? index[axis] % size : index[axis] / op.times;
      return read * stride - index[axis] * stride;  // in place of where the walk stands: may wrap around
    });
  }

  Tensor<Kept> operator()(const Pick& op) {
    const Shape& table = *operands_[0].shape;
    const std::size_t stride = table.stride(op.axis);
    const std::array<Cells<std::int64_t>, 1> rows = {{{&op.rows.shape(), op.rows.data().data()}}};
    std::vector<std::int64_t> read(result_.count());
    Walk(result_, std::span<const Cells<std::int64_t>>(rows), nullptr)
        .each([&](std::size_t at, const Offsets& offsets) { read[at] = op.rows[offsets[0]]; });

    // The axis may come back as one of the rows' own.
    const std::size_t own = result_.stride(op.axis);
    Tensor<Kept> result(result_);
    walk_.each([&](std::size_t at, const Offsets& offsets) {
      if (read[at] < 0) return;
      const std::size_t walked = own == 0 ? 0 : at / own % result_.size(op.axis) * stride;
      result[at] = operands_[0].data[offsets[0] - walked + static_cast<std::size_t>(read[at]) * stride];
    });
    return result;
  }

  Tensor<Kept> operator()(const Waves& op) {
    const std::size_t position = result_.stride(op.positions.axis);
    const std::size_t feature = result_.stride(op.features.axis);
    Tensor<Kept> result(result_);
    for (std::size_t at = 0; at < result.size(); ++at) {
      result[at] = static_cast<Kept>(wave<T>(op, at / position % op.positions.size, at / feature % op.features.size));
    }
    return result;
  }

  Tensor<Kept> operator()(const Rotate& op) {
    const std::size_t stride = operands_[0].shape->stride(op.axis);
    const std::size_t pairs = operands_[1].shape->size(op.pair);
    const std::size_t own = result_.stride(op.axis);
    const std::size_t width = result_.size(op.axis);
    Tensor<Kept> result(result_);
    walk_.each([&](std::size_t at, const Offsets& offsets) {
      const std::size_t feature = at / own % width;
      const Turn turn = turn_of(op, feature, pairs);
      const T number = read(0, offsets);
      if (!turn.turns) {
        result[at] = static_cast<Kept>(number);
        return;
      }
      const T other = static_cast<T>(operands_[0].data[offsets[0] - feature * stride + turn.partner * stride]);
      const T by_cosine = number * table(1, offsets, op.pair, turn.pair);
      const T by_sine = other * table(2, offsets, op.pair, turn.pair);
      result[at] = static_cast<Kept>(turn.is_first ? by_cosine - by_sine : by_cosine + by_sine);
    });
    return result;
  }

  Tensor<Kept> operator()(const Contract& op) {
    const Terms terms(op.over, operands_, open_, result_);
    std::array<T, at_a_time> sums;
    Tensor<Kept> result(result_);
    walk_.each([&](std::size_t cell, const Offsets& at) {
      // Neighbours are added up together, each in its own order: none waits for another.
      const std::size_t place = cell % terms.width % at_a_time;
      if (place == 0) add_up(terms, at, std::min(at_a_time, terms.width - cell % terms.width), sums);
      result[cell] = static_cast<Kept>(finished(op, sums[place], at));
    });
    return result;
  }

  Tensor<Kept> operator()(const Combine& op) {
    return each([&](const Offsets& at) {
      if (closed(at)) return T{0};
      T value = read(0, at);
      for (std::size_t i = 1; i < operands_.size(); ++i) value = applied(op.function, value, read(i, at));
      return value;
    });
  }

  Tensor<Kept> operator()(const Map& op) {
    const T parameter = parameter_of<T>(op);
    return each([&](const Offsets& at) { return closed(at) ? T{0} : applied(op.function, read(0, at), parameter); });
  }

  Tensor<Kept> operator()(const Reduce& op) {
    switch (op.function) {
      case Reducer::sum:
        return sums(op.over);
      case Reducer::maximum:
        return maxima(op.over);
      case Reducer::norm:
        return norms(op.over);
    }
    return {};
  }

  Tensor<Kept> operator()(const Gate& op) {
    return each(
        [&](const Offsets& at) { return closed(at) ? T{0} : applied(op.function, read(0, at), T{0}) * read(1, at); });
  }

  Tensor<Kept> operator()(const Normalize& op) {
    const T eps = static_cast<T>(op.eps);
    switch (op.part) {
      case Normalize::Part::mean:
        return means(op, [](const Offsets&) { return [](T a) { return a; }; });
      case Normalize::Part::variance:
        return means(op, [this](const Offsets& at) { return [mean = read(1, at)](T a) { return square(a - mean); }; });
      case Normalize::Part::mean_square:
        return means(op, [](const Offsets&) { return [](T a) { return square(a); }; });
      case Normalize::Part::normalized:
        return each([&](const Offsets& at) {
          const bool centred = operands_.size() == 3;
          const T deviation = centred ? read(0, at) - read(1, at) : read(0, at);
          return normalized(deviation, read(centred ? 2 : 1, at), eps, op.eps_outside);
        });
      case Normalize::Part::affine:
        return each([&](const Offsets& at) { return read(0, at) * read(1, at) + read(2, at); });
    }
    return {};
  }

  Tensor<Kept> operator()(const Close&) {
    const bool biased = operands_.size() == 2;
    return each([&](const Offsets& at) {
      if (closed(at)) return minus_infinity();
      return biased ? read(0, at) + read(1, at) : read(0, at);
    });
  }

  Tensor<Kept> operator()(const Softmax& op) {
    switch (op.part) {
      case Softmax::Part::maximum:
        return maxima(op.over);
      case Softmax::Part::exponentials:
        return each([&](const Offsets& at) {
          const T maximum = read(1, at);
          // A row without an open score has no maximum to subtract.
          if (closed(at) || maximum == minus_infinity()) return T{0};
          return power<T>(op.base, read(0, at) - maximum);
        });
      case Softmax::Part::sum:
        return operands_.size() > 1 ? sums_with_sink(op) : sums(op.over);
      case Softmax::Part::weights:
        return each([&](const Offsets& at) {
          const T sum = read(1, at);
          return closed(at) || sum == T{0} ? T{0} : read(0, at) / sum;
        });
      case Softmax::Part::shares:
        return shares(op.over);
    }
    return {};
  }

  Tensor<Kept> operator()(const Online& op) {
    switch (op.part) {
      case Online::Part::block_maximum:
        return each_block(op, [&](const Offsets& at, std::size_t first, std::size_t end, std::optional<T>) {
          return largest(op.over, at, first, end);
        });
      case Online::Part::maximum:
        return each_block(op, [&](const Offsets& at, std::size_t, std::size_t, std::optional<T> before) {
          return before ? larger(*before, read(0, at)) : read(0, at);
        });
      case Online::Part::rescale: {
        const std::size_t step = operands_[0].shape->stride(op.blocks);
        return each_block(op, [&](const Offsets& at, std::size_t, std::size_t, std::optional<T> earlier) {
          if (!earlier) return T{0};
          const T before = static_cast<T>(operands_[0].data[at[0] - step]);
          return before == minus_infinity() ? T{0} : power<T>(op.base, before - read(0, at));
        });
      }
      case Online::Part::exponentials:
        return online_exponentials(op);
      case Online::Part::sum:
        return each_block(op, [&](const Offsets& at, std::size_t first, std::size_t end, std::optional<T> before) {
          const std::size_t step = operands_[0].shape->stride(op.over);
          T sum = before ? *before * read(1, at) : T{0};
          for (std::size_t i = first; i < end; ++i) sum += static_cast<T>(operands_[0].data[at[0] + i * step]);
          return sum;
        });
      case Online::Part::context:
        return each_block(op, [&](const Offsets& at, std::size_t first, std::size_t end, std::optional<T> before) {
          return weighted(op.over, at, first, end, before ? *before * read(2, at) : T{0});
        });
      case Online::Part::result: {
        const std::size_t last = operands_[0].shape->size(op.blocks) - 1;
        const std::size_t step = operands_[0].shape->stride(op.blocks), sums = operands_[1].shape->stride(op.blocks);
        return each([&](const Offsets& at) {
          const T sum = static_cast<T>(operands_[1].data[at[1] + last * sums]);
          return sum == T{0} ? T{0} : static_cast<T>(operands_[0].data[at[0] + last * step]) / sum;
        });
      }
    }
    return {};
  }

 private:
  static constexpr std::size_t at_a_time = 8;
  static constexpr std::size_t many_terms = 32;  // of intervals: from here on time matters more than the last bits

  // The terms of a contraction: how many, and how far apart they stand in each
  // operand and the mask, as their neighbours along the result's last axis do.
  struct Terms {
    Terms(const Axis& over, std::span<const Cells<Kept>> operands, const Cells<double>* open, const Shape& result)
        : count(operands[0].shape->size(over)),
          a(operands[0].shape->stride(over)),
          b(operands[1].shape->stride(over)),
          mask(open ? open->shape->stride(over) : 0) {
      if (result.rank() == 0) return;
      const Axis& last = result.back().axis;
      width = result.back().size;
      next_a = operands[0].shape->stride(last);
      next_b = operands[1].shape->stride(last);
      next_mask = open ? open->shape->stride(last) : 0;
    }

    std::size_t count, a, b, mask;
    std::size_t width = 1, next_a = 0, next_b = 0, next_mask = 0;
  };

  void add_up(const Terms& terms, const Offsets& at, std::size_t cells, std::array<T, at_a_time>& sums) const {
    if constexpr (std::is_same_v<T, Interval>) {
      if (terms.count >= many_terms && add_up_many(terms, at, cells, sums)) return;
    }
    sums.fill(T{0});
    const Kept* a = operands_[0].data + at[0];
    const Kept* b = operands_[1].data + at[1];
    const auto add = [&](std::size_t i, std::size_t cell) {
      const T product =
          static_cast<T>(a[i * terms.a + cell * terms.next_a]) * static_cast<T>(b[i * terms.b + cell * terms.next_b]);
      sums[cell] += product;
    };
    for (std::size_t i = 0; i < terms.count; ++i) {
      if (open_) {
        const double* mask = open_->data + at.back() + i * terms.mask;
        for (std::size_t cell = 0; cell < cells; ++cell) {
          if (mask[cell * terms.next_mask] != 0) add(i, cell);
        }
      } else if (cells == at_a_time) {
        for (std::size_t cell = 0; cell < at_a_time; ++cell) add(i, cell);
      } else {
        for (std::size_t cell = 0; cell < cells; ++cell) add(i, cell);
      }
    }
  }

  // The same for so many intervals that widening each sum each time would take longest.
  bool add_up_many(const Terms& terms, const Offsets& at, std::size_t cells, std::array<T, at_a_time>& sums) const {
    if (open_ && terms.next_mask != 0) return false;
    const Interval* a = operands_[0].data + at[0];
    const Interval* b = operands_[1].data + at[1];
    const double* mask = open_ ? open_->data + at.back() : nullptr;
    SumsOfProducts<at_a_time> all;
    for (std::size_t i = 0; i < terms.count; ++i) {
      if (mask && mask[i * terms.mask] == 0) continue;
      for (std::size_t cell = 0; cell < cells; ++cell) {
        all.add(cell, a[i * terms.a + cell * terms.next_a], b[i * terms.b + cell * terms.next_b]);
      }
    }
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const auto sum = all.sum(cell, terms.count);
      if (!sum) return false;
      sums[cell] = *sum;
    }
    return true;
  }

  // What a contraction makes of the sum of its products.
  T finished(const Contract& op, T sum, const Offsets& at) const {
    if (op.then == Contract::Then::add) return with_further(sum, 2, at);
    const T divisor = read(2, at) * read(3, at);
    return with_further(divisor == T{0} ? T{0} : sum / divisor, 4, at);
  }

  static T minus_infinity() { return T(-std::numeric_limits<double>::infinity()); }

  T read(std::size_t operand, const Offsets& at) const { return static_cast<T>(operands_[operand].data[at[operand]]); }

  bool closed(const Offsets& at) const { return open_ && open_->data[at.back()] == 0; }

  // The number of a table of Rotate for one pair.
  T table(std::size_t operand, const Offsets& at, const Axis& axis, std::size_t pair) const {
    const Cells<Kept>& cells = operands_[operand];
    return static_cast<T>(cells.data[at[operand] + pair * cells.shape->stride(axis)]);
  }

  // The sum and each operand from `first` on, in order.
  T with_further(T sum, std::size_t first, const Offsets& at) const {
    for (std::size_t i = first; i < operands_.size(); ++i) sum += read(i, at);
    return sum;
  }

  // The tensor whose cells `make` gives.
  template <class Make>
  Tensor<Kept> each(Make make) const {
    Tensor<Kept> result(result_);
    walk_.each([&](std::size_t at, const Offsets& offsets) { result[at] = static_cast<Kept>(make(offsets)); });
    return result;
  }

  Tensor<Kept> copied() const {
    return each([&](const Offsets& at) { return read(0, at); });
  }

  // The operand's numbers, where `extra(index)` adds what no shared axis name says.
  template <class Extra>
  Tensor<Kept> regrouped(Extra extra) const {
    Tensor<Kept> result(result_);
    std::vector<std::size_t> index(result_.rank(), 0);
    walk_.each([&](std::size_t at, const Offsets& offsets) {
      result[at] = operands_[0].data[offsets[0] + extra(index)];
      for (std::size_t axis = index.size(); axis-- > 0;) {
        if (++index[axis] < result_[axis].size) break;
        index[axis] = 0;
      }
    });
    return result;
  }

  // The sum of the numbers along `over`; `of` is what is done to each.
  template <class Of>
  T row_sum(const Offsets& at, const Axis& over, Of of) const {
    const std::size_t terms = operands_[0].shape->size(over);
    const std::size_t step = operands_[0].shape->stride(over);
    T sum = 0;
    for (std::size_t i = 0; i < terms; ++i) sum += of(static_cast<T>(operands_[0].data[at[0] + i * step]));
    return sum;
  }

  Tensor<Kept> sums(const Axis& over) const {
    return each([&](const Offsets& at) { return with_further(row_sum(at, over, [](T a) { return a; }), 1, at); });
  }

  Tensor<Kept> norms(const Axis& over) const {
    return each([&](const Offsets& at) { return sqrt(row_sum(at, over, [](T a) { return square(a); })); });
  }

  // Along an axis the mean of what `of(offsets)` makes of each number.
  template <class Of>
  Tensor<Kept> means(const Normalize& op, Of of) const {
    const std::size_t terms = operands_[0].shape->size(op.over);
    const T count = static_cast<T>(static_cast<double>(terms - std::min(op.fewer, terms)));
    return each([&](const Offsets& at) { return row_sum(at, op.over, of(at)) / count; });
  }

  Tensor<Kept> sums_with_sink(const Softmax& op) const {
    return each([&](const Offsets& at) {
      const T sum = row_sum(at, op.over, [](T a) { return a; });
      const T maximum = read(2, at);
      return maximum == minus_infinity() ? sum : sum + power<T>(op.base, read(1, at) - maximum);
    });
  }

  // Each open number's share of its row. A row is added up once where its cells
  // follow one another.
  Tensor<Kept> shares(const Axis& over) const {
    const std::size_t terms = result_.size(over);
    const std::size_t own = result_.stride(over);
    const std::size_t step = operands_[0].shape->stride(over);
    const std::size_t step_open = open_ ? open_->shape->stride(over) : 0;
    Tensor<Kept> result(result_);
    std::optional<std::pair<std::size_t, std::size_t>> row;
    T sum = 0;
    walk_.each([&](std::size_t at, const Offsets& offsets) {
      if (closed(offsets)) return;
      const std::size_t i = at / own % terms;
      const std::pair first(offsets[0] - i * step, offsets.back() - i * (open_ ? step_open : step));
      if (row != first) {
        row = first;
        sum = 0;
        for (std::size_t j = 0; j < terms; ++j) {
          if (open_ && open_->data[first.second + j * step_open] == 0) continue;
          sum += static_cast<T>(operands_[0].data[first.first + j * step]);
        }
      }
      result[at] = static_cast<Kept>(read(0, offsets) / sum);
    });
    return result;
  }

  // The largest open number among first, first + 1, … of a row; a NaN among them is the answer.
  T largest(const Axis& over, const Offsets& at, std::size_t first, std::size_t end) const {
    const std::size_t step = operands_[0].shape->stride(over);
    const std::size_t step_open = open_ ? open_->shape->stride(over) : 0;
    T most = minus_infinity();
    for (std::size_t i = first; i < end && !is_nan(most); ++i) {
      if (open_ && open_->data[at.back() + i * step_open] == 0) continue;
      most = larger(most, static_cast<T>(operands_[0].data[at[0] + i * step]));
    }
    return most;
  }

  Tensor<Kept> maxima(const Axis& over) const {
    const std::size_t terms = operands_[0].shape->size(over);
    return each([&](const Offsets& at) {
      T most = largest(over, at, 0, terms);
      // A sink counts even where all else is closed.
      for (std::size_t i = 1; i < operands_.size(); ++i) most = larger(most, read(i, at));
      return most;
    });
  }

  // Block after block what make(offsets, first, end, before) says: the block has those
  // of the numbers, and `before` is what it said of the block before, if there is one.
  template <class Make>
  Tensor<Kept> each_block(const Online& op, Make make) const {
    const std::size_t stride = result_.stride(op.blocks), blocks = result_.size(op.blocks);
    const std::size_t numbers = operands_[0].shape->has(op.over) ? operands_[0].shape->size(op.over) : 0;
    const std::size_t own = op.part == Online::Part::context ? 3 : op.part == Online::Part::sum ? 2 : 1;
    Tensor<Kept> result(result_);
    const Kept* const said = operands_.size() > own ? operands_[own].data : std::as_const(result).data().data();
    walk_.each([&](std::size_t at, const Offsets& offsets) {
      const std::size_t block = at / stride % blocks;
      const auto before = block == 0 ? std::nullopt : std::optional(static_cast<T>(said[at - stride]));
      const std::size_t first = block * op.size;
      result[at] = static_cast<Kept>(make(offsets, first, std::min(first + op.size, numbers), before));
    });
    return result;
  }

  Tensor<Kept> online_exponentials(const Online& op) const {
    const std::size_t own = result_.stride(op.over), numbers = result_.size(op.over);
    const std::size_t step = operands_[1].shape->stride(op.blocks);
    Tensor<Kept> result(result_);
    walk_.each([&](std::size_t at, const Offsets& offsets) {
      const T maximum = static_cast<T>(operands_[1].data[offsets[1] + at / own % numbers / op.size * step]);
      if (closed(offsets) || maximum == minus_infinity()) return;
      result[at] = static_cast<Kept>(power<T>(op.base, read(0, offsets) - maximum));
    });
    return result;
  }

  // The sum, and to it the products of the first two operands in first, first + 1, ….
  T weighted(const Axis& over, const Offsets& at, std::size_t first, std::size_t end, T sum) const {
    const std::size_t a = operands_[0].shape->stride(over), b = operands_[1].shape->stride(over);
    const std::size_t mask = open_ ? open_->shape->stride(over) : 0;
    for (std::size_t i = first; i < end; ++i) {
      if (open_ && open_->data[at.back() + i * mask] == 0) continue;
      sum += static_cast<T>(operands_[0].data[at[0] + i * a]) * static_cast<T>(operands_[1].data[at[1] + i * b]);
    }
    return sum;
  }

  std::span<const Cells<Kept>> operands_;
  const Cells<double>* open_;
  const Shape& result_;
  const Walk& walk_;
};

}  // namespace attn
