#include "backend/cuda/fused/mma.cu"
