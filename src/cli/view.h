#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/problem_file.h"
#include "trace/trace.h"

namespace attn {

// The options that say what of a trace is shown, and how, as typed.
struct ViewOptions {
  std::string format;
  std::vector<std::string> outputs;
  std::string level;
  std::vector<std::string> only;
  std::string batch, head, query;
  std::string precision;
  std::string color = "auto";
  bool full = false;
  bool ascii = false;

  void declare(CLI::App& app);

  // Whether the faults of a file are reported in colour; what --color says, if
  // it says anything that means something.
  ColorChoice color_of_errors() const;
};

// Computes the problem and shows its trace as the options say: on standard
// output, in files, or both. Faults of the options are found before anything
// is computed.
Exit show(const OpenedProblem& opened, const ComputeOptions& computing, const ViewOptions& viewing);

}  // namespace attn
