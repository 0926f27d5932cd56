#pragma once

#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/peers.h"
#include "explain/document.h"

namespace attn {

// What `attn bench` did.
struct BenchReport {
  std::string backend;                   // "cpu"
  std::string device;                    // "AVX-512, 2 threads"
  std::vector<MeasurableKernel> ladder;  // every kernel of the backend
  std::vector<ShapeMeasured> shapes = {};
  std::vector<PeerLibrary> libraries = {};  // asked for by --compare; else empty
};

// Tables of times, of memory and errors, of the ladder where there were several
// kernels, and of peers; and what the columns mean. Each fits 80 columns.
Document told_benchmark(const BenchReport& report);

// The ladder alone.
Document told_kernels(const BenchReport& report);

// All of it as JSON: seconds, bytes, operations, fractions, not rounded.
std::string benchmark_json(const BenchReport& report);

// "1.25 ms", "310 ns": three digits.
std::string spelled_seconds(double seconds);

}  // namespace attn
