// Streams and graphs of the device that is the host: kernels run when they are
// started, or are kept until the graph that they were recorded for is launched.

#include <functional>
#include <utility>
#include <vector>

#include "cuda_runtime_api.h"

struct CUgraph_st {
  std::vector<std::function<void()>> kernels;
};
struct CUgraphExec_st {
  CUgraph_st of;
};
struct CUstream_st {
  cudaGraph_t recorded = nullptr;  // while it is
};

namespace cuda_on_host {

void start(cudaStream_t stream, std::function<void()> kernel) {
  if (stream && stream->recorded) {
    stream->recorded->kernels.push_back(std::move(kernel));
  } else {
    kernel();
  }
}

}  // namespace cuda_on_host

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) { return *stream = new CUstream_st, cudaSuccess; }
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return delete stream, cudaSuccess; }

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (!stream || stream->recorded) return cudaErrorInvalidValue;  // the null stream cannot be
  return stream->recorded = new CUgraph_st, cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (!stream || !stream->recorded) return cudaErrorInvalidValue;
  return *graph = std::exchange(stream->recorded, nullptr), cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* ready, cudaGraph_t graph, unsigned long long) {
  return *ready = new CUgraphExec_st{*graph}, cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t ready, cudaStream_t) {
  for (const auto& kernel : ready->of.kernels) kernel();
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t ready) { return delete ready, cudaSuccess; }
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return delete graph, cudaSuccess; }
