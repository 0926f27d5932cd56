#include "backend/cuda/fused/hopper/hopper.cu"
