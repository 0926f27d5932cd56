#include "bench/cuda/graph.h"

namespace attn::cuda {
namespace {

// The stream of everything else cannot be recorded.
class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream"); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace

Graph::Graph(const std::function<void(cudaStream_t)>& start_all) {
  const Stream stream;
  // Relaxed: a kernel's launch may ask the driver for things, such as a tensor map.
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed), "recording kernels");
  start_all(stream.get());
  check(cudaStreamEndCapture(stream.get(), &graph_), "recording kernels");
  check(cudaGraphInstantiate(&ready_, graph_, 0), "making a graph of kernels");
}

Graph::~Graph() {
  if (ready_) cudaGraphExecDestroy(ready_);
  if (graph_) cudaGraphDestroy(graph_);
}

void Graph::launch() { check(cudaGraphLaunch(ready_, nullptr), "starting a graph of kernels"); }

}  // namespace attn::cuda
