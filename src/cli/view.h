#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/problem_file.h"
#include "cli/render.h"
#include "trace/trace.h"

namespace attn {

// The options that say what of a trace is shown, and how, as typed.
struct ViewOptions {
  RenderOptions rendering;
  std::string level;
  std::vector<std::string> only;
  std::string batch, head, query, part, layer;
  bool at_once = false;
  bool full = false;
  bool pause = false;
  bool brief = false;
  bool geometry = false;
  bool bounds = false;

  void declare(CommandLine& line);
};

// Computes the problem and shows its trace as the options say: on standard
// output, in files, or both; or as a lecture in the terminal. Faults of the
// options are refused before anything is computed.
Exit show(const Problem& problem, ComputeOptions computing, const ViewOptions& viewing);

}  // namespace attn
