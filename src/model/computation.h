#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "backend/backend.h"
#include "model/attention.h"
#include "trace/trace.h"

namespace attn {

// The recipe of a problem worked out.
Trace attention(const Problem& problem, Backend& backend, AttentionOptions options = {});

// The same result where nothing else is wanted, by the backend's fused attention:
// a trace of that one step, given as if it stood in the problem. Nothing where
// the problem has no fused form (recipe_at_once.h) or the backend none for it, and where
// a number of it or of the context is not finite, or an open score may not be: the
// steps say then where it comes from.
std::optional<Trace> attention_at_once(const Problem& problem, Backend& backend);

// The most bytes of numbers that it holds, each counted as often as it is
// copied; without room for a few blocks of scores, which stay small. Nothing
// where the problem has no fused form on the backend.
std::optional<std::size_t> bytes_at_once(const Problem& problem, const Backend& backend);

// What is told of a computation while it goes on.
struct Watcher {
  std::function<void()> draws = [] {};                                   // random numbers are drawn now
  std::function<void()> computes_at_once = [] {};                        // the result is, without steps
  std::function<void(std::string_view id)> computes_step = [](auto) {};  // hidden ones too
};

// A refusal, before anything was computed: the numbers would take more bytes
// than there may be.
struct TooLarge {
  std::size_t needed = 0;
  bool is_result_alone = false;  // even the result at once, which needs less, would
};

// A problem about to be computed: which steps there will be and what they take
// is known before a number is.
class Computation {
 public:
  // REQUIRES: the problem outlives the computation.
  explicit Computation(const Problem& problem) : problem_(problem), recipe_(recipe_of(problem)) {}

  const Recipe& recipe() const { return recipe_; }

  // Ids of the steps that people are shown, in order. The last is the result.
  std::vector<std::string> steps() const { return recipe_.steps(); }

  // With the steps that are left out for their size.
  Recipe whole() const { return recipe_of(problem_, {.all_steps = true}); }

  // Sees to it that these are not left out, as far as there are such steps.
  void keep(const std::vector<std::string>& asked);
  void keep_all() { recipe_ = whole(); }

  // Only these, and what they read, are in the trace; of the rest no more is computed than
  // they need, and no number is held longer. REQUIRES: there are such steps.
  void keep_only(const std::vector<std::string>& steps);

  // The trace says nothing of the problem's statement: to read all its numbers again takes
  // as long as a run of a large model.
  void leave_out_statement() { wants_statement_ = false; }

  // The trace says how far its numbers are from exact ones. REQUIRES: no line is left out.
  void bound_numbers() { wants_bounds_ = true; }

  // Sums the weighted values without showing them, where the context has the same bits so.
  void leave_out_weighted_values();

  // Computes the steps; or, where nothing but the result is wanted, that at once
  // if it can be and has room. Random numbers are drawn once it is known that what
  // they are for has room. Called once.
  std::variant<Trace, TooLarge> run(Backend& backend, bool only_result, std::size_t most_bytes,
                                    const Watcher& watcher = {});

 private:
  const Problem& problem_;
  Recipe recipe_;
  bool wants_weighted_values_ = true;
  bool wants_statement_ = true;
  bool wants_bounds_ = false;
  std::vector<std::size_t> kept_;  // lines; empty: all
};

}  // namespace attn
