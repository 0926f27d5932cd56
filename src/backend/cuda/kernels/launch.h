#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>

// C++17 and plain pointers, so that nvcc need not read the rest of the program.
namespace attn::cuda {

// Starts a thread for each of `count` cells, cell.number<float> where `single`,
// else cell.number<double>, and returns at once. The numbers go to `result`, on
// the device. Defined for each kind of cell in cells.cu and cells_of_functions.cu.
template <class Cell>
cudaError_t launch(const Cell& cell, bool single, std::size_t count, double* result);

// Whether this build has code for the current device: cudaSuccess, or why not.
cudaError_t has_code_for_device();

}  // namespace attn::cuda
