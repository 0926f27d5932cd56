#include "backend/cuda/fused/clear.cu"
