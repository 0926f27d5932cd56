#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compare/closeness.h"
#include "tensor/tensor.h"
#include "trace/anatomy.h"
#include "trace/step_name.h"

namespace attn {

struct Trace;

// Numbers of one side of a comparison.
struct SideStep {
  std::string name;              // what its file calls it
  std::vector<std::string> ids;  // the steps that may be meant, the likeliest first; none where it is no step
  Tensor<double> value;          // axes are called "1", "2", … where the file does not say
  bool has_axes = true;
  std::string dtype = {};  // where its file may have others of another

  // Whether it is called by the id of a step.
  bool is_called_by_id() const { return ids.size() == 1 && ids.front() == name; }

  // The likeliest step, or its own name.
  const std::string& id() const { return ids.empty() ? name : ids.front(); }
};

// What stands in a file and is no step, and is not compared: a version, a list of words, complex numbers.
struct UnreadTensor {
  std::string name;
  std::string why;  // the end of a sentence that begins with the file's name
};

// One of two things to be compared: a trace, or what another program stored of
// its own.
struct ComparedSide {
  std::string dtype = "f64";
  bool is_foreign = false;  // stored by we do not know whom: in any layout, under any name
  std::vector<SideStep> steps = {};
  std::vector<Anatomy> attentions = {};  // what is what among its steps
  std::vector<UnreadTensor> unread = {};
};

ComparedSide side_of(const Trace& trace);

// What steps of either side are called by those who ask for some: as in the trace, where there is one, and as their
// sides call them.
std::vector<StepName> names_of_both(const Trace* trace, const ComparedSide& first, const ComparedSide& second);

// The cell at which two sides are farthest apart.
struct FarthestCell {
  std::vector<std::size_t> index;  // in the first side's shape, from 0
  double first = 0, second = 0;
  double apart = 0;  // NaN against a number, and infinities: infinite
};

// What became of a step.
struct StepPair {
  enum class Verdict { same, differs, other_shape, only_first, only_second };  // the best first
  Verdict verdict = Verdict::same;
  std::string id = {};
  std::string name = {};                            // the second side's, where it is another
  std::string second_name = {};                     // the second side's in any case, where both have it
  std::string first_sizes = {}, second_sizes = {};  // where both have it
  std::string stored = {};  // how the second side stores it, where it is another way: "[batch, query, head·d_k]"
  bool is_turned = false;   // and no size tells this way from ours
  std::vector<std::string> first_remarks = {}, remarks = {};  // of either side: "−1e+09 for −∞"
  bool orders_left = false;                                   // too large for every order of its axes to be tried
  std::size_t cells = 0, differing = 0;
  bool same_bits = false;
  std::optional<FarthestCell> absolute = {}, relative = {};  // of cells that are not the same bits
  Tolerance tolerance = {};
  Closeness usual = {};                    // for the dtypes of both
  Tensor<double> first = {}, second = {};  // of compared ones: the second in the first's order

  // Whether one side alone has it.
  bool is_alone() const { return verdict == Verdict::only_first || verdict == Verdict::only_second; }
};

// Two sides, step by step.
struct SideBySide {
  std::vector<StepPair> steps;           // in the order of the first side, those of the second alone among them
  std::vector<std::string> unknown;      // names of the second side that are no step of the first
  std::optional<std::size_t> different;  // the first step that differs
  // Is in neither of the lists above, though the other side may have it, and can.
  std::vector<UnreadTensor> first_unread = {}, second_unread = {};
  // Where something differs: what agrees with its axes in another order that no size tells apart, in our order.
  std::vector<StepPair> unturned = {};
  // The ids of steps that are on both sides, those too that nobody asked for.
  std::vector<std::string> common = {};

  // Whether any of `steps` is on both sides.
  bool has_common() const { return !std::ranges::all_of(steps, &StepPair::is_alone); }
};

constexpr std::size_t most_orders_of_all = 24, most_looked_at = 20'000'000;

// Compares them. With `only` nothing but those steps. Where `closeness` is what is usual for the dtypes of both, a step
// of a coarser one is held to what is usual for that.
//
// Where sizes leave open in which order axes are stored, orders are tried until
// so many numbers were looked at: most_orders_of_all times all of them, or
// most_looked_at. That is enough for all orders of four axes.
//
// The first side is the one whose words, order and attentions are used: a problem
// or trace of ours where there is one. Steps that one side lacks are no difference where
// a side is foreign.
SideBySide side_by_side(ComparedSide first, const ComparedSide& second, const Closeness& closeness,
                        const std::vector<std::string>& only = {});

// The same with those steps in our order.
SideBySide left_unturned(SideBySide sides);

}  // namespace attn
