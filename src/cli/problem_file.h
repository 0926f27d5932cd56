#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/hardware.h"
#include "model/computation.h"
#include "problem/problem.h"
#include "trace/trace.h"

// Each refuses, by a Refusal, what it is not given as it should be.

namespace attn {

// The options that say how a problem is computed, as typed.
struct ComputeOptions {
  std::string dtype;
  std::string hand_rounding;
  HardwareOptions hardware;
  std::string max_memory = "2GiB";
  std::string root;
  std::string algorithm;
  bool bounds = false;  // whether the trace says how far its numbers are from exact ones

  void declare(CommandLine& line);

  // Also --algorithm, where steps are shown or compared.
  void declare_algorithm(CommandLine& line);

  // Refuses what means nothing.
  void check() const;

  // What --max-memory asks for.
  std::size_t max_bytes() const;
};

// The text of a file; "-" is standard input.
std::string text_of(const std::string& file, ColorChoice color = ColorChoice::automatic);

// The same of a file that people write, which may be UTF-16: in UTF-8.
std::string writing_of(const std::string& file);

// What `read` makes of a file's text: a Result, whose faults point into it.
template <class Read>
auto read_of(const std::string& file, Read read, const std::string& text) {
  auto result = read(std::string_view(text));
  if (!result) throw Refusal(result.faults(), text, file);
  return std::move(result.value());
}
template <class Read>
auto read_of(const std::string& file, Read read) {
  return read_of(file, read, text_of(file));
}

// Reads and validates a problem file; "-" is standard input.
Problem open_problem(const std::string& file, const ComputeOptions& options,
                     ColorChoice color = ColorChoice::automatic);

// The same for a text that is at hand.
Problem open_problem_text(std::string_view text, const std::string& file, const ComputeOptions& options,
                          ColorChoice color = ColorChoice::automatic);

// A problem that was made from a sketch: nothing in it stands in other files.
Result<Problem> read_sketched(std::string_view text);

// Computes it, where the backend is there and memory is not short. With
// `only_result` a trace need hold no more than that.
Trace compute(Computation& computation, const ComputeOptions& options, bool only_result = false);

// The same for every step of a problem.
Trace compute(const Problem& problem, const ComputeOptions& options);

}  // namespace attn
