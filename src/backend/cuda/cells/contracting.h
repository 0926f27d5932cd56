#pragma once

#include "backend/cuda/cells/functions.h"
#include "backend/cuda/cells/grid.h"

// Contract: Σ a·b in index order.

namespace attn::cuda {

struct ContractCell {
  Reads reads;
  Row over;
  bool divides = false;  // by the product of the third and fourth operands

  template <class T>
  ATTN_HOST_DEVICE double number(std::size_t at) const {
    const Index index = reads.grid.index(at);
    const int rank = reads.grid.rank;
    const double* a = reads.operands[0].data + reads.operands[0].at(index, rank);
    const double* b = reads.operands[1].data + reads.operands[1].at(index, rank);
    const double* open = reads.open.data ? reads.open.data + reads.open.at(index, rank) : nullptr;

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

}  // namespace attn::cuda
