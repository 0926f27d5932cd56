#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "backend/cpu/pieces.h"

// One operand has a number for each column of the result: of it a panel of
// `panel` columns is packed, so many terms at a time, into rows that follow one
// another. Of the other, which does not change along the columns, four rows at
// a time meet the panel; what they have added up so far waits in `sums`.

namespace attn {
namespace {

constexpr std::size_t panel = 64;           // columns
constexpr std::size_t terms_at_once = 128;  // of a panel: it stays in the second cache
constexpr std::size_t block = 64;           // rows that use one packed panel
constexpr std::size_t together = 4;         // rows whose sums stand in registers

// As many numbers as 32 bytes hold; where registers are shorter, two of them.
template <class T>
struct Vector {
  static constexpr std::size_t size = 32 / sizeof(T);
  typedef T Type __attribute__((vector_size(32)));  // NOLINT(modernize-use-using): GCC wants it so
};

// By reference: how such vectors are handed over is no matter of standards.
template <class V, class T>
void load(V& vector, const T* from) {
  std::memcpy(&vector, from, sizeof vector);
}
template <class V, class T>
void store(const V& vector, T* to) {
  std::memcpy(to, &vector, sizeof vector);
}

// sums[r][j] += a[i][r] · b[i][j], for each i in order.
template <class T>
void add_products(const T* a, const T* b, std::size_t terms, std::size_t width, T* sums) {
  using V = typename Vector<T>::Type;
  for (std::size_t j = 0; j < width; j += Vector<T>::size) {
    V s0, s1, s2, s3, column;
    load(s0, sums + j);
    load(s1, sums + panel + j);
    load(s2, sums + 2 * panel + j);
    load(s3, sums + 3 * panel + j);
    for (std::size_t i = 0; i < terms; ++i) {
      load(column, b + i * panel + j);
      const T* const row = a + i * together;
      s0 += row[0] * column;
      s1 += row[1] * column;
      s2 += row[2] * column;
      s3 += row[3] * column;
    }
    store(s0, sums + j);
    store(s1, sums + panel + j);
    store(s2, sums + 2 * panel + j);
    store(s3, sums + 3 * panel + j);
  }
}

// The same for one row, and only the terms that `terms` lists; a[i] is of terms[i].
template <class T>
void add_open_products(const T* a, const T* b, std::span<const std::size_t> terms, std::size_t width, T* sums) {
  using V = typename Vector<T>::Type;
  for (std::size_t j = 0; j < width; j += Vector<T>::size) {
    V sum, column;
    load(sum, sums + j);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      load(column, b + terms[i] * panel + j);
      sum += a[i] * column;
    }
    store(sum, sums + j);
  }
}

// What moves along an axis, in this order: the result, the factor that is the same
// for all columns, the one that has a number a column, the mask, further operands.
enum : std::size_t { own, of_row, of_column, mask, further };

// Where all of them stand at one index of some axes.
using Place = std::array<std::size_t, Pieces::most_tensors + 2>;

void move(Place& place, std::size_t index, const Loop& axis) {
  for (std::size_t i = 0; i < axis.steps.size(); ++i) place[i] += index * axis.steps[i];
}

std::size_t count(const std::vector<Loop>& axes) {
  std::size_t all = 1;
  for (const Loop& axis : axes) all *= axis.size;
  return all;
}

void move_to(Place& place, std::size_t number, const std::vector<Loop>& axes) {
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    move(place, number % axes[axis].size, axes[axis]);
    number /= axes[axis].size;
  }
}

// The innermost axis of more than one cell.
const Dim* columns_of(const Shape& result) {
  for (std::size_t axis = result.rank(); axis-- > 0;) {
    if (result[axis].size > 1) return &result[axis];
  }
  return nullptr;
}

template <class T>
class Contraction {
 public:
  Contraction(const Contract& op, std::span<const View> operands, const View* open, const Shape& result, Dtype dtype)
      : op_(op), operands_(operands), open_(open), dtype_(dtype) {
    const Dim& columns = *columns_of(result);
    const bool first_varies = operands[0].shape.stride(columns.axis) != 0;
    // Which of two factors comes first changes no bit of their product.
    a_ = &operands[first_varies ? 1 : 0];
    b_ = &operands[first_varies ? 0 : 1];
    terms_ = a_->shape.size(op.over);
    column_ = along(columns, result);
    for (const Dim& dim : result.dims()) {
      if (dim.size == 1 || dim.axis == columns.axis) continue;
      Loop axis = along(dim, result);
      (axis.steps[of_column] == 0 ? rows_ : matrices_).push_back(std::move(axis));
    }
    over_ = along({op.over, terms_}, result);
  }

  Tensor<double> run(Threads& threads, const Shape& result) {
    Tensor<double> made(result);
    const std::size_t panels = (column_.size + panel - 1) / panel;
    const std::size_t blocks = (count(rows_) + block - 1) / block;
    threads.each(count(matrices_) * panels * blocks, [&](std::size_t task) {
      Place place{};
      move_to(place, task / blocks / panels, matrices_);
      const std::size_t first_column = task / blocks % panels * panel;
      move(place, first_column, column_);
      const std::size_t columns = std::min(panel, column_.size - first_column);
      const std::size_t first_row = task % blocks * block;
      work(place, first_row, std::min(block, count(rows_) - first_row), columns, made.data().data());
    });
    return made;
  }

 private:
  Loop along(const Dim& dim, const Shape& result) const {
    const std::string& axis = dim.axis;
    Loop loop{
        dim.size,
        {result.stride(axis), a_->shape.stride(axis), b_->shape.stride(axis), open_ ? open_->shape.stride(axis) : 0}};
    for (const View& more : operands_.subspan(2)) loop.steps.push_back(more.shape.stride(axis));
    return loop;
  }

  // The sums of some rows and columns.
  void work(const Place& start, std::size_t first_row, std::size_t rows, std::size_t columns, double* made) const {
    std::array<Place, block> places;
    for (std::size_t r = 0; r < rows; ++r) {
      places[r] = start;
      move_to(places[r], first_row + r, rows_);
    }
    const std::size_t width = (columns + Vector<T>::size - 1) / Vector<T>::size * Vector<T>::size;
    std::array<T, terms_at_once * panel> packed;
    std::array<T, block * panel> sums{};
    for (std::size_t from = 0; from < terms_; from += terms_at_once) {
      const std::size_t terms = std::min(terms_at_once, terms_ - from);
      pack(b_->data.data() + start[of_column] + from * over_.steps[of_column], terms, columns, width, packed.data());
      if (open_) {
        for (std::size_t r = 0; r < rows; ++r) add_open(places[r], from, terms, width, packed.data(), &sums[r * panel]);
      } else {
        for (std::size_t r = 0; r < rows; r += together) {
          std::array<T, terms_at_once * together> four;
          pack_rows(std::span(places).subspan(r, std::min(together, rows - r)), from, terms, four.data());
          add_products(four.data(), packed.data(), terms, width, &sums[r * panel]);
        }
      }
    }
    for (std::size_t r = 0; r < rows; ++r) finish(places[r], columns, &sums[r * panel], made);
  }

  void pack(const double* from, std::size_t terms, std::size_t columns, std::size_t width, T* to) const {
    const std::size_t term = over_.steps[of_column], column = column_.steps[of_column];
    if (column <= term) {
      for (std::size_t i = 0; i < terms; ++i) {
        for (std::size_t j = 0; j < columns; ++j) to[i * panel + j] = static_cast<T>(from[i * term + j * column]);
      }
    } else {
      for (std::size_t j = 0; j < columns; ++j) {
        for (std::size_t i = 0; i < terms; ++i) to[i * panel + j] = static_cast<T>(from[i * term + j * column]);
      }
    }
    for (std::size_t i = 0; i < terms; ++i) std::fill(to + i * panel + columns, to + i * panel + width, T{0});
  }

  void pack_rows(std::span<const Place> places, std::size_t from, std::size_t terms, T* to) const {
    for (std::size_t r = 0; r < together; ++r) {
      const std::size_t term = over_.steps[of_row];
      const double* const row = a_->data.data() + places[std::min(r, places.size() - 1)][of_row] + from * term;
      for (std::size_t i = 0; i < terms; ++i) to[i * together + r] = static_cast<T>(row[i * term]);
    }
  }

  void add_open(const Place& place, std::size_t from, std::size_t terms, std::size_t width, const T* packed,
                T* sums) const {
    std::array<std::size_t, terms_at_once> open;
    std::array<T, terms_at_once> numbers;
    std::size_t count = 0;
    for (std::size_t i = 0; i < terms; ++i) {
      if (open_->data[place[mask] + (from + i) * over_.steps[mask]] == 0) continue;
      open[count] = i;
      numbers[count++] = static_cast<T>(a_->data[place[of_row] + (from + i) * over_.steps[of_row]]);
    }
    add_open_products(numbers.data(), packed, std::span(open).first(count), width, sums);
  }

  // What is done to each sum, and where it goes.
  void finish(const Place& place, std::size_t columns, const T* sums, double* made) const {
    const bool rounds = rounds_once_a_step(dtype_);
    for (std::size_t j = 0; j < columns; ++j) {
      const auto more = [&](std::size_t i) {
        const std::size_t at = further + i - 2;
        return static_cast<T>(operands_[i].data[place[at] + j * column_.steps[at]]);
      };
      T sum = sums[j];
      std::size_t next = 2;
      if (op_.then == Contract::Then::divide) {
        const T divisor = more(2) * more(3);
        sum = divisor == T{0} ? T{0} : sum / divisor;
        next = 4;
      }
      for (; next < operands_.size(); ++next) sum += more(next);
      const auto number = static_cast<double>(sum);
      made[place[own] + j] = rounds ? stored(number, dtype_) : number;
    }
  }

  const Contract& op_;
  std::span<const View> operands_;
  const View* a_ = nullptr;  // the same for all columns
  const View* b_ = nullptr;  // one of its numbers a column
  const View* open_;
  Dtype dtype_;
  std::size_t terms_ = 0;
  Loop column_, over_;
  std::vector<Loop> rows_;      // axes along which b stays
  std::vector<Loop> matrices_;  // axes along which it changes
};

}  // namespace

std::optional<Tensor<double>> contract(Threads& threads, const Contract& op, std::span<const View> operands,
                                       const View* open, const Shape& result, Dtype dtype) {
  const Dim* const columns = columns_of(result);
  if (!columns || operands.size() > Pieces::most_tensors || operands[0].shape.size(op.over) == 0) return std::nullopt;
  const bool first = operands[0].shape.stride(columns->axis) != 0;
  const bool second = operands[1].shape.stride(columns->axis) != 0;
  if (first == second || (open && open->shape.stride(columns->axis) != 0)) return std::nullopt;
  if (dtype == Dtype::f32) return Contraction<float>(op, operands, open, result, dtype).run(threads, result);
  return Contraction<double>(op, operands, open, result, dtype).run(threads, result);
}

}  // namespace attn
