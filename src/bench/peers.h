#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/measure.h"

namespace attn {

// A Python library whose attention is timed beside ours, if it is installed.
struct PeerLibrary {
  std::string name;     // "onnxruntime"
  std::string version;  // and what it computes with, where it says so
  std::string missing;  // why it cannot be used; "" where it can
};

// The libraries in processes of their own, which do as bench/peers.py says. A
// library's process is stopped while it has nothing to do, since threads of some
// wait for work by spinning, and would take the processors from the others.
struct Peers {
  std::vector<PeerLibrary> libraries = {};
  std::vector<std::unique_ptr<Peer>> ways = {};        // every way to compute attention that they have
  std::vector<std::unique_ptr<Peer>> model_ways = {};  // and a whole model
};

// Starts one for each of numpy, torch and onnxruntime, with so many threads; of whole
// models for torch alone. No such Python: a diagnostic for the environment.
Result<Peers> start_peers(const std::string& python, std::size_t threads, bool of_models = false);

}  // namespace attn
