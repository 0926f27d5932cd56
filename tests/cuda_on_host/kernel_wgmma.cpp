#include "backend/cuda/fused/hopper/wgmma.cu"
