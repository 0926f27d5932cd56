#pragma once

#include "backend/cuda/cells/functions.h"
#include "backend/cuda/cells/grid.h"

// One number for a row: Contract, Reduce, the means of Normalize, and the maximum and sum of Softmax.

namespace attn::cuda {

// Σ over the row in index order, then + each further operand.
struct SumCell {
  Reads reads;
  Row over;

  template <class T>
  ATTN_HOST_DEVICE T row_sum(const Index& index) const {
    const double* numbers = reads.at(0, index);
    T sum = 0;
    for (std::size_t i = 0; i < over.size; ++i) sum += static_cast<T>(numbers[i * over.step]);
    return sum;
  }

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    const Index index = reads.grid.index(at);
    return static_cast<double>(reads.with_further(row_sum<T>(index), 1, index));
  }
};

// Σ a·b in index order, divided or added to by further operands.
struct ContractCell {
  Reads reads;
  Row over;
  bool divides = false;  // by the product of the third and fourth operands

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    const Index index = reads.grid.index(at);
    const double* a = reads.at(0, index);
    const double* b = reads.at(1, index);
    const double* open = reads.open_at(index);

    T sum = 0;
    for (std::size_t i = 0; i < over.size; ++i) {
      if (open && open[i * over.open_step] == 0) continue;
      const T product = static_cast<T>(a[i * over.step]) * static_cast<T>(b[i * over.other_step]);
      sum += product;
    }
    if (!divides) return static_cast<double>(reads.with_further(sum, 2, index));

    const T divisor = reads.read<T>(2, index) * reads.read<T>(3, index);
    return static_cast<double>(reads.with_further(divisor == T{0} ? T{0} : sum / divisor, 4, index));
  }
};

// Σ a / n, or of squares, or of squares of what a mean leaves.
struct MeanCell {
  Reads reads;
  Row over;
  bool squares = false;
  std::size_t fewer = 0;

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    const Index index = reads.grid.index(at);
    const double* numbers = reads.at(0, index);
    const T mean = reads.count == 2 ? reads.read<T>(1, index) : T{0};
    T sum = 0;
    for (std::size_t i = 0; i < over.size; ++i) {
      const T number = static_cast<T>(numbers[i * over.step]);
      const T term = reads.count == 2 ? number - mean : number;
      const T square = term * term;
      sum += squares ? square : term;
    }
    return static_cast<double>(sum / static_cast<T>(static_cast<double>(over.size - fewer)));
  }
};

// √Σ a².
struct NormCell {
  Reads reads;
  Row over;

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    const Index index = reads.grid.index(at);
    const double* numbers = reads.at(0, index);
    T sum = 0;
    for (std::size_t i = 0; i < over.size; ++i) {
      const T number = static_cast<T>(numbers[i * over.step]);
      const T square = number * number;
      sum += square;
    }
    return static_cast<double>(square_root(sum));
  }
};

// The largest open number, further operands (a sink) counted in; a NaN among
// them is the answer.
struct MaximumCell {
  Reads reads;
  Row over;

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    const Index index = reads.grid.index(at);
    const double* numbers = reads.at(0, index);
    const double* open = reads.open_at(index);

    T largest = minus_infinity<T>;
    for (std::size_t i = 0; i < over.size; ++i) {
      if (open && open[i * over.open_step] == 0) continue;
      largest = larger(largest, static_cast<T>(numbers[i * over.step]));
    }
    for (int i = 1; i < reads.count; ++i) largest = larger(largest, reads.read<T>(i, index));
    return static_cast<double>(largest);
  }
};

}  // namespace attn::cuda
