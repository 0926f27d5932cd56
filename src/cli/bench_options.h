#pragma once

#include <string>
#include <vector>

#include "bench/measurable.h"
#include "bench/measure.h"
#include "cli/command.h"
#include "cli/hardware.h"
#include "cli/render.h"

namespace attn {

// The options of `attn bench`, as typed.
struct BenchOptions {
  std::vector<std::string> shapes;
  std::string batch, heads, kv_heads, queries, keys, width, value_width, model_width;
  bool causal = false, suite = false;
  std::string dtype = "f32";

  std::string kernel;
  bool ladder = false, list = false;
  bool compare = false;
  std::string python;

  std::string seconds, repeat;
  HardwareOptions hardware;
  bool json = false;
  RenderOptions rendering;

  void declare(CommandLine& line);
  Exit run() const;  // in commands/bench.cpp
};

// What they ask for, once they are known to mean something.
struct BenchRequest {
  std::vector<Workload> workloads;
  Effort effort;
  Rendering rendering;
};

// Refuses what means nothing.
BenchRequest understood(const BenchOptions& options);

}  // namespace attn
