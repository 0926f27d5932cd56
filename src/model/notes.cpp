#include "model/notes.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/numbers.h"

namespace attn {
namespace {

std::vector<Note> closed_rows(const Trace& trace) {
  const Step* mask = trace.find("mask");
  if (!mask) return {};
  const Shape& shape = mask->result.shape();
  const std::size_t width = shape.back().size;

  std::vector<Note> notes;
  for (std::size_t start = 0; start < mask->result.size(); start += width) {
    const auto row = mask->result.data().subspan(start, width);
    if (std::ranges::any_of(row, [](double open) { return open != 0; })) continue;
    std::vector<std::size_t> index = shape.index(start);
    index.pop_back();
    notes.push_back({"attention_weights", index, "closed_row",
                     "row " + spelled_index(index) + " has every key closed: its weights and its context are all 0"});
  }
  return notes;
}

// Whether a step's numbers may be infinite without anything being wrong.
bool may_be_infinite(const Step& step) {
  const auto* softmax = std::get_if<Softmax>(&step.op);
  return step.heading.role == Role::mask || (softmax && softmax->part == Softmax::Part::maximum);
}

// The first number from the scores on that is not finite, although nothing closes it.
std::vector<Note> overflow(const Trace& trace) {
  const Step* mask = trace.find("mask");
  const auto scores = std::ranges::find_if(trace.steps, [](const Step& step) { return step.heading.id == "scores"; });
  for (auto step = scores; step != trace.steps.end(); ++step) {
    if (may_be_infinite(*step)) continue;
    const Shape& shape = step->result.shape();
    const bool masked = mask && shape == mask->result.shape();
    for (std::size_t at = 0; at < step->result.size(); ++at) {
      if (std::isfinite(step->result[at]) || (masked && mask->result[at] == 0)) continue;
      const std::vector<std::size_t> index = shape.index(at);
      return {{step->heading.id, index, "overflow",
               step->heading.id + spelled_index(index) + " is " + shortest(step->result[at]) +
                   ": too large for this dtype, or made from a number that is not finite; what follows from it means "
                   "nothing"}};
    }
  }
  return {};
}

}  // namespace

std::vector<Note> notes_on_numbers(const Trace& trace) {
  std::vector<Note> notes = overflow(trace);
  for (Note& note : closed_rows(trace)) notes.push_back(std::move(note));
  return notes;
}

}  // namespace attn
