#include "backend/cuda/fused/decode.cu"
