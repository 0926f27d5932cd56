#pragma once

// Marks a function that a GPU runs too. Such functions stand in headers in plain
// C++17, which is what nvcc reads, and the same source is run and tested on the host.
#ifdef __CUDACC__
#define ATTN_HOST_DEVICE __host__ __device__
#else
#define ATTN_HOST_DEVICE
#endif
