#include "model/notes.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/numbers.h"
#include "words/language.h"

namespace attn {
namespace {

// The mask of the attention that a part is; null where there is none.
const Step* mask_of(const Trace& trace, std::size_t part) {
  const auto& attention = trace.recipe.parts()[part].attention;
  return attention ? trace.find(attention->mask) : nullptr;
}

// Calls `found` with the step that it is told of and the index of each row with every key closed.
template <class Found>
void find_closed_rows(const Trace& trace, const Anatomy& attention, const Found& found) {
  const Step* mask = trace.find(attention.mask);
  if (!mask) return;
  const Shape& shape = mask->result.shape();
  const std::size_t width = shape.back().size;
  for (std::size_t start = 0; start < mask->result.size(); start += width) {
    const auto row = mask->result.data().subspan(start, width);
    if (std::ranges::any_of(row, [](double open) { return open != 0; })) continue;
    std::vector<std::size_t> index = shape.index(start);
    index.pop_back();
    const StepId& told = trace.find(attention.weights) ? attention.weights : attention.context;
    found(told, std::move(index));
  }
}

// Whether a step's numbers may be infinite without anything being wrong.
bool may_be_infinite(const Step& step) {
  const auto* softmax = std::get_if<Softmax>(&step.op);
  const auto* online = std::get_if<Online>(&step.op);
  const bool is_maximum =
      (softmax && softmax->part == Softmax::Part::maximum) ||
      (online && (online->part == Online::Part::block_maximum || online->part == Online::Part::maximum));
  return step.heading.role == Role::mask || is_maximum;
}

// The first number from the scores on that is not finite, although nothing closes it.
std::vector<Note> overflow(const Trace& trace) {
  const StepId first = trace.attention() ? trace.attention()->scores : trace.steps.front().heading.id;
  // They may not have been kept.
  const std::optional<std::size_t> from = trace.recipe.line(first);
  const auto scores = std::ranges::find_if(trace.steps, [&](const Step& step) {
    return step.heading.id == first || (from && trace.recipe.line(step.heading.id) >= from);
  });
  for (auto step = scores; step != trace.steps.end(); ++step) {
    if (may_be_infinite(*step)) continue;
    const Step* mask = mask_of(trace, step->part);
    const Shape& shape = step->result.shape();
    const bool masked = mask && shape == mask->result.shape();
    for (std::size_t at = 0; at < step->result.size(); ++at) {
      if (std::isfinite(step->result[at]) || (masked && mask->result[at] == 0)) continue;
      const std::vector<std::size_t> index = shape.index(at);
      const std::string cell = step->heading.id + spelled_index(index);
      const double number = step->result[at];
      return {
          {step->heading.id, index, "overflow",
           std::isnan(number) ? language().steps.undefined(cell) : language().steps.overflow(cell, shortest(number))}};
    }
  }
  return {};
}

// What the cells of cosines are divided by: lengths that heads share are told as they were before they were repeated.
struct Lengths {
  StepId id;
  const Repeat* repeat = nullptr;
};

// Two of each line that divides by lengths; none of others.
std::vector<Lengths> lengths_of(const Recipe& recipe, std::size_t line) {
  const auto* contract = std::get_if<Contract>(&recipe.instruction(line).op);
  if (!contract || contract->then != Contract::Then::divide) return {};
  std::vector<Lengths> found;
  for (const std::size_t at : {2u, 3u}) {
    const Instruction& read = recipe.instruction(recipe.operands(line)[at]);
    const auto* repeat = std::get_if<Repeat>(&read.op);
    found.push_back({repeat ? read.operands[0].id : read.id(), repeat});
  }
  return found;
}

// The same for each vector of length 0 whose angle with another is asked for by an open cell.
template <class Found>
void find_zero_vectors(const Trace& trace, const Found& found) {
  const Recipe& recipe = trace.recipe;
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    for (const auto& [id, repeat] : lengths_of(recipe, line)) {
      const Step* read = trace.find(id);
      if (!read) continue;
      const Tensor<double>& lengths = read->result;
      const Shape& cells = recipe.shape(line);
      const Step* mask = mask_of(trace, recipe.instruction(line).part);
      const bool masked = mask && cells == mask->result.shape();
      std::vector<bool> is_asked(lengths.size(), false);
      for (std::size_t at = 0; at < cells.count(); ++at) {
        if (masked && mask->result[at] == 0) continue;
        std::vector<std::size_t> index = cells.index(at);
        if (repeat) index[*cells.position(repeat->axis)] /= repeat->times;
        is_asked[lengths.shape().offset(index, cells)] = true;
      }
      for (std::size_t at = 0; at < lengths.size(); ++at) {
        if (lengths[at] != 0 || !is_asked[at]) continue;
        found(id, lengths.shape().index(at));
      }
    }
  }
}

template <class Found>
void find_closed_rows(const Trace& trace, const Found& found) {
  for (const RecipePart& part : trace.recipe.parts()) {
    if (part.attention) find_closed_rows(trace, *part.attention, found);
  }
}

}  // namespace

std::vector<StepId> read_by_notes(const Recipe& recipe) {
  std::vector<StepId> all;
  for (const RecipePart& part : recipe.parts()) {
    if (part.attention && recipe.has(part.attention->mask)) all.push_back(part.attention->mask);
  }
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    for (Lengths& lengths : lengths_of(recipe, line)) all.push_back(std::move(lengths.id));
  }
  return all;
}

Note closed_row_note(std::string step, std::vector<std::size_t> row) {
  std::string told = language().steps.closed_row(spelled_index(row));
  return {std::move(step), std::move(row), "closed_row", std::move(told)};
}

std::vector<Note> notes_on_numbers(const Trace& trace) {
  std::vector<Note> notes = overflow(trace);
  find_closed_rows(trace, [&](const StepId& told, std::vector<std::size_t> row) {
    notes.push_back(closed_row_note(told, std::move(row)));
  });
  find_zero_vectors(trace, [&](const StepId& id, std::vector<std::size_t> index) {
    const std::string cell = id + spelled_index(index);
    notes.push_back({id, std::move(index), "zero_vector", language().steps.zero_vector(cell)});
  });
  return notes;
}

std::size_t bytes_of_notes(const Trace& trace) {
  constexpr std::size_t bytes_of_one = 400;
  std::size_t count = 0;
  const auto counts = [&](const StepId&, const std::vector<std::size_t>&) { ++count; };
  find_closed_rows(trace, counts);
  find_zero_vectors(trace, counts);
  return count * bytes_of_one;
}

}  // namespace attn
