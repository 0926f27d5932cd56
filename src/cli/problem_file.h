#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/hardware.h"
#include "model/computation.h"
#include "problem/problem.h"
#include "trace/trace.h"

namespace attn {

// The options that say how a problem is computed, as typed.
struct ComputeOptions {
  std::string dtype;
  std::string hand_rounding;
  HardwareOptions hardware;
  std::string max_memory = "2GiB";

  void declare(CommandLine& line);

  // The bytes that --max-memory asks for; nothing where it names no amount.
  std::optional<std::size_t> memory() const;
};

// A file's problem, or the exit code after its faults were reported.
struct OpenedProblem {
  std::optional<Problem> problem;
  Exit code = Exit::done;
};

// Reads and validates a problem file ("-" is standard input) and reports its faults.
OpenedProblem open_problem(const std::string& file, const ComputeOptions& options,
                           ColorChoice color = ColorChoice::automatic);

// The same for a text that is at hand.
OpenedProblem open_problem_text(std::string_view text, const std::string& file, const ComputeOptions& options,
                                ColorChoice color = ColorChoice::automatic);

// A computed problem, or the exit code after it was said why there is none.
struct ComputedTrace {
  std::optional<Trace> trace;
  Exit code = Exit::done;
};

// Computes it, unless the backend is not there or memory is short. With
// `only_result` a trace need hold no more than that.
ComputedTrace compute(Computation& computation, const ComputeOptions& options, bool only_result = false);

// The same for every step of a problem.
ComputedTrace compute(Problem& problem, const ComputeOptions& options);

}  // namespace attn
