#include "handed_in.h"

#include <cmath>
#include <set>

#include "harness.h"
#include "said.h"

namespace attn {
namespace {

void demand_number(const AnsweredStep::Cell& cell) {
  if (!cell) return;
  demand(!std::isnan(cell->value), "what is handed in is a number", cell->text);
  demand(cell->decimals.value_or(0) >= 0 && cell->decimals.value_or(0) <= 400, "decimals are counted", cell->text);
  demand(!cell->text.empty(), "a number was written");
}

}  // namespace

void demand_answers(const Result<Answers>& read, std::string_view text) {
  if (!read) return demand_faults(read.faults(), text);
  std::set<std::string> ids;
  for (const AnsweredStep& step : read.value().steps) {
    demand(ids.insert(step.id).second, "a step is handed in once", step.id);
    std::size_t cells = step.by_cell ? 0 : 1;
    for (const std::size_t size : step.shape) cells *= size;
    demand(step.cells.size() == cells, "a step has as many cells as its shape", step.id);
    demand(cells <= 64 * (text.size() + 1), "memory is in proportion to the text", step.id);
    for (const AnsweredStep::Cell& cell : step.cells) demand_number(cell);
    for (const AnsweredStep::Placed& one : step.placed) {
      demand(one.index.size() == step.placed.front().index.size(), "a step has as many indices for each cell", step.id);
      demand_number(one.number);
    }
  }
}

}  // namespace attn
