#include "backend/cuda/kernels/cells.cu"
#include "backend/cuda/kernels/cells_of_functions.cu"
