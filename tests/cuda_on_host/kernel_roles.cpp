#include "backend/cuda/fused/hopper/roles.cu"
