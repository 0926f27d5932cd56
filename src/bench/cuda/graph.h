#pragma once

#include <functional>

#include "backend/cuda/device.h"

namespace attn::cuda {

// Kernels that were recorded once (a CUDA graph) and are started together: between
// two of them the device does not wait for the host.
class Graph {
 public:
  // Records what is started on the stream that it hands over, which does not run.
  explicit Graph(const std::function<void(cudaStream_t)>& start_all);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Starts all of it, after what was started before.
  void launch();

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t ready_ = nullptr;
};

}  // namespace attn::cuda
