#include "backend/cuda/fused/hopper.cu"
