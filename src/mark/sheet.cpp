#include "mark/sheet.h"

#include <cmath>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "base/rounding.h"
#include "base/text.h"
#include "tensor/dtype.h"

namespace attn {
namespace {

// How a step that an attention of the problem does not have follows from one that
// it has. Returns false where it does not.
bool add_step(std::string_view id, const Anatomy& at, Recipe& right) {
  const auto after = [&](const std::string& source) {
    right.interpose_after(source, {.heading = {.id = std::string(id)}, .op = Copy{}, .operands = {source}});
    return true;
  };
  if (id == at.scaled) return after(at.scores);
  if (id == at.masked) {
    return after(right.has(at.capped) ? at.capped : right.has(at.scaled) ? at.scaled : at.scores);
  }
  if (id == at.concat) return after(at.context);
  if (id == at.output) return after(right.has(at.concat) ? at.concat : at.context);
  if (id == at.weighted_values) {
    const Instruction* context = right.find(at.context);
    // Taken a block of keys at a time, the context comes of other numbers than weights.
    if (!std::holds_alternative<Contract>(context->op)) return false;
    right.insert_before(at.context, {.heading = {.id = std::string(id), .role = Role::weighted_value},
                                     .op = Combine{Binary::multiply, {}},
                                     .operands = {context->operands[0], context->operands[1]},
                                     .open = context->open});
    return true;
  }
  const auto add_wide = [&](const StepId& one, const Axis& feature) {
    if (!right.shape(one).has("head")) return after(one);
    const StepId next = right.instruction(*right.line(one) + 1).id();
    right.insert_before(
        next, {.heading = {.id = std::string(id)}, .op = Merge{"head", feature, "d_concat"}, .operands = {one}});
    return true;
  };
  if (id == at.projected_keys) return add_wide(at.keys, "d_k");
  if (id == at.projected_queries) return add_wide(at.queries, "d_k");
  if (id == at.projected_values) return add_wide(at.values, "d_v");
  return false;
}

bool add_step(std::string_view id, Recipe& right) {
  return std::ranges::any_of(std::vector<RecipePart>(right.parts()), [&](const RecipePart& part) {
    return part.attention && add_step(id, *part.attention, right);
  });
}

HandedStep::What what_is(std::string_view id, const Recipe& recipe) {
  using enum HandedStep::What;
  for (const RecipePart& part : recipe.parts()) {
    if (!part.attention) continue;
    if (id == part.attention->mask) return mask;
    if (id == part.attention->masked) return masked;
    if (id == part.attention->exponentials) return exponentials;
    if (id == part.attention->sums) return exponential_sums;
    if (id == part.attention->weights) return weights;
    if (id == part.attention->context) return context;
  }
  // A softmax stands behind logits, too.
  const auto* softmax = std::get_if<Softmax>(&recipe.find(id)->op);
  if (!softmax) return other;
  switch (softmax->part) {
    case Softmax::Part::exponentials:
      return exponentials;
    case Softmax::Part::sum:
      return exponential_sums;
    case Softmax::Part::weights:
      return weights;
    case Softmax::Part::maximum:
    case Softmax::Part::shares:
      break;
  }
  return other;
}

bool has_sink(const Recipe& recipe) {
  return std::ranges::any_of(recipe.parts(), [&](const RecipePart& part) {
    const Instruction* sums = part.attention ? recipe.find(part.attention->sums) : nullptr;
    return sums && sums->operands.size() > 2;
  });
}

HandedCell as_cell(const AnsweredStep::Cell& cell) {
  if (!cell) return {.kind = HandedCell::Kind::blank};
  return {.kind = HandedCell::Kind::number, .number = *cell};
}

bool is_table_of(const AnsweredStep& step, const Shape& shape) {
  if (!step.stacked || step.shape.size() != 2 || shape.rank() == 0) return false;
  return step.shape[1] == shape.back().size && step.shape[0] * step.shape[1] == shape.count();
}

// Whether it has the shape but for leading axes of size 1: one sequence of a
// batch, one head, one query, written without the list around it.
bool is_one_of_one(const AnsweredStep& step, std::span<const std::size_t> sizes) {
  while (sizes.size() > step.shape.size() && sizes.front() == 1) sizes = sizes.subspan(1);
  return std::ranges::equal(step.shape, sizes);
}

bool only_blanks(const AnsweredStep& step) {
  return std::ranges::none_of(step.cells, [](const AnsweredStep::Cell& cell) { return cell.has_value(); });
}

HandedStep fitted(const AnsweredStep& step, const Shape& shape, std::vector<std::string>& unknown) {
  HandedStep handed{.id = step.id, .shape = shape.sizes(), .cells = std::vector<HandedCell>(shape.count())};
  if (step.by_cell) {
    for (const AnsweredStep::Placed& placed : step.placed) {
      std::size_t at = 0;
      bool inside = placed.index.size() == handed.shape.size();
      for (std::size_t axis = 0; inside && axis < handed.shape.size(); ++axis) {
        inside = placed.index[axis] < handed.shape[axis];
        at = at * handed.shape[axis] + placed.index[axis];
      }
      if (inside) {
        handed.cells[at] = as_cell(placed.number);
      } else {
        unknown.push_back(step.id + spelled_index(placed.index));
      }
    }
    return handed;
  }
  if (only_blanks(step)) {
    for (HandedCell& cell : handed.cells) cell.kind = HandedCell::Kind::blank;
    return handed;
  }
  if (!is_one_of_one(step, handed.shape) && !is_table_of(step, shape)) {
    // Kept as written: the checker may know how somebody comes to this shape.
    handed = {.id = step.id, .shape = step.shape, .cells = {}, .fits = false};
    if (handed.shape.empty()) handed.shape = {1};
    // Far too many numbers are not marked one by one.
    if (step.cells.size() > 16 * shape.count() + 64) return handed;
    for (const AnsweredStep::Cell& cell : step.cells) handed.cells.push_back(as_cell(cell));
    return handed;
  }
  std::ranges::transform(step.cells, handed.cells.begin(), as_cell);
  return handed;
}

// Calls visit(first, row) with the cells of every row, which is the last axis.
template <class Visit>
void each_row(HandedStep& step, Visit visit) {
  const std::size_t width = step.shape.empty() ? 1 : step.shape.back();
  for (std::size_t start = 0; width > 0 && start + width <= step.cells.size(); start += width) {
    visit(start, std::span(step.cells).subspan(start, width));
  }
}

// A whole number beside numbers with decimals has as many: "1" beside "0.1353" is 1.0000.
// Beside an expression it is as exact as anything in the file.
void give_decimals_to_whole_numbers(HandedStep& step, int beside_expressions) {
  each_row(step, [&](std::size_t, std::span<HandedCell> row) {
    int most = 0;
    for (const HandedCell& cell : row) {
      if (cell.is_number()) most = std::max(most, cell.number.decimals.value_or(beside_expressions));
    }
    for (HandedCell& cell : row) {
      if (cell.is_number() && cell.number.decimals == 0) cell.number.decimals = most;
    }
  });
}

// Weights keep their sum where the row is 1 as written, or may have been before
// some of it was left blank. With a sink it is anything below. Of 1, 0 and 0 nothing was kept, but
// where the problem says so.
void find_rows_that_keep_their_sum(HandedStep& step, bool has_sink) {
  if (step.what != HandedStep::What::weights) return;
  each_row(step, [&](std::size_t, std::span<HandedCell> row) {
    double sum = 0;
    bool has_blanks = has_sink, has_decimals = step.keeps_whole_sum;
    for (const HandedCell& cell : row) {
      has_blanks = has_blanks || !cell.is_number();
      has_decimals = has_decimals || (cell.is_number() && cell.number.decimals != 0);
      sum += cell.number.value;
    }
    const bool may = has_decimals && (std::abs(sum - 1) <= 1e-9 || (has_blanks && sum < 1));
    for (HandedCell& cell : row) cell.may_keep_sum = may;
  });
}

// People subtract another number than the maximum before e^x, or none. Whether
// they did shows only where a row has several numbers, and where they did not say
// what they subtract.
void find_rows_with_a_factor(HandedStep& step, const HandedStep* maximum) {
  if (!step.fits) return;
  each_row(step, [&](std::size_t start, std::span<HandedCell> row) {
    const std::size_t at = start / row.size();
    const bool says = maximum && at < maximum->cells.size() && maximum->cells[at].is_number();
    const bool may = !says && std::ranges::count_if(row, &HandedCell::is_number) >= 2;
    for (HandedCell& cell : row) cell.may_have_factor = may;
  });
}

void leave_out_padding(HandedStep& step, const Shape& shape, const Trace& trace, std::size_t part) {
  if (!step.fits) return;
  const PaddingOf padding(trace, step.id, part, shape);
  for (std::size_t at = 0; at < step.cells.size(); ++at) {
    if (!padding.has(at)) continue;
    step.cells[at].kind = HandedCell::Kind::not_asked;
    --step.asked;
  }
}

// Open or closed: nobody rounds that.
void take_exactly(HandedStep& mask) {
  for (HandedCell& cell : mask.cells) cell.number.decimals.reset();
}

// The most decimals of a number in an expression: 4 in "0.0878*4 + 0.6488*2".
int decimals_within(std::string_view expression) {
  std::ptrdiff_t most = 0;
  for (auto at = std::ranges::find(expression, '.'); at != expression.end();
       at = std::find(at + 1, expression.end(), '.')) {
    most = std::max(most, std::find_if_not(at + 1, expression.end(), is_ascii_digit) - (at + 1));
  }
  return static_cast<int>(most);
}

bool has_expression(const HandedStep& step) {
  return std::ranges::any_of(step.cells, [](const HandedCell& cell) {
    const double value = cell.number.value;
    return cell.is_number() && !cell.number.decimals && std::isfinite(value) && value != std::floor(value);
  });
}

// The most decimals of its numbers, and of those in its expressions.
std::pair<int, int> decimals_of(const HandedStep& step) {
  int most = 0, most_within = 0;
  for (const HandedCell& cell : step.cells) {
    if (!cell.is_number()) continue;
    most = std::max(most, cell.number.decimals.value_or(0));
    if (!cell.number.decimals) most_within = std::max(most_within, decimals_within(cell.number.text));
  }
  return {most, most_within};
}

// Calls visit with every number that was written.
template <class Visit>
void each_number(AnsweredStep& step, Visit visit) {
  for (AnsweredStep::Cell& cell : step.cells) {
    if (cell) visit(*cell);
  }
  for (AnsweredStep::Placed& placed : step.placed) {
    if (placed.number) visit(*placed.number);
  }
}

// Leaves "0.50" one decimal where all numbers of the step are rounded to one: not all steps are rounded by hand.
// "2.599609375" is 2.6 as half precision holds it.
void drop_digits_behind(int decimals, Dtype dtype, AnsweredStep& step) {
  const auto left = [&](const WrittenNumber& number) {
    return rounded(number.value, {decimals, RoundingMode::half_up});
  };
  const auto is_held_the_same = [&](double one, double other) {
    return rounds_once_a_step(dtype) ? stored(one, dtype) == stored(other, dtype) : one == other;
  };
  bool are_for_nothing = true;
  each_number(step, [&](const WrittenNumber& number) {
    are_for_nothing = are_for_nothing && (!number.decimals || is_held_the_same(left(number), number.value));
  });
  if (!are_for_nothing) return;
  each_number(step, [&](WrittenNumber& number) {
    if (!number.decimals || *number.decimals <= decimals) return;
    number.value = left(number);
    number.decimals = decimals;
  });
}

}  // namespace

PaddingOf::PaddingOf(const Trace& trace, std::string_view id, std::size_t part, const Shape& shape)
    : shape_(shape), batch_(shape.position("batch")), own_(shape.rank()) {
  if (!batch_) return;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    for (std::size_t sequence = 0; sequence < shape[*batch_].size; ++sequence) {
      const auto places = own_places(trace, id, part, shape, shape[axis].axis, sequence);
      own_[axis].push_back(places.value_or(shape[axis].size));
    }
  }
}

bool PaddingOf::has(std::size_t cell) const {
  if (!batch_) return false;
  const std::vector<std::size_t> index = shape_.index(cell);
  for (std::size_t axis = 0; axis < own_.size(); ++axis) {
    if (index[axis] >= own_[axis][index[*batch_]]) return true;
  }
  return false;
}

std::optional<HandedStep> turned(const HandedStep& step, const Recipe& right) {
  const Shape& shape = right.shape(step.id);
  const std::size_t rank = shape.rank();
  if (rank < 2 || is_outer(shape[rank - 1].axis) || is_outer(shape[rank - 2].axis)) return std::nullopt;
  std::vector<std::size_t> sizes = step.shape;
  if (sizes.size() != rank || step.cells.size() != shape.count()) return std::nullopt;
  std::swap(sizes[rank - 1], sizes[rank - 2]);
  if (sizes != shape.sizes()) return std::nullopt;

  HandedStep other{.id = step.id,
                   .what = step.what,
                   .shape = sizes,
                   .cells = std::vector<HandedCell>(step.cells.size()),
                   .asked = step.asked,
                   .decimals = step.decimals,
                   .is_whole = step.is_whole,
                   .keeps_whole_sum = step.keeps_whole_sum};
  const std::size_t rows = sizes[rank - 2];
  const std::size_t columns = sizes[rank - 1];
  for (std::size_t at = 0; at < step.cells.size(); ++at) {
    const std::size_t matrix = at / (rows * columns);
    const std::size_t row = at / columns % rows;
    const std::size_t column = at % columns;
    other.cells[at] = step.cells[(matrix * columns + column) * rows + row];
    other.cells[at].may_have_factor = false;  // one freedom a step
  }
  find_rows_that_keep_their_sum(other, has_sink(right));
  return other;
}

StepId subtracted_in(std::string_view id, const Recipe& recipe) {
  const Instruction* powers = recipe.find(id);
  const auto* softmax = std::get_if<Softmax>(&powers->op);
  if (softmax && softmax->part == Softmax::Part::sum) powers = recipe.find(powers->operands[0].id);
  return powers->operands[1].id;
}

const HandedStep* Sheet::find(std::string_view id) const {
  const auto found = std::ranges::find(steps, id, &HandedStep::id);
  return found == steps.end() ? nullptr : &*found;
}

Sheet laid_out(const Answers& answers, const Trace& trace, std::optional<HandRounding> problem_rounding, Recipe& right,
               std::vector<std::string>& unknown) {
  std::vector<AnsweredStep> steps = answers.steps;
  std::vector<HandedStep> handed;
  for (AnsweredStep& step : steps) {
    if (problem_rounding) drop_digits_behind(problem_rounding->decimals, right.dtype(), step);
    if (step.id == "result") step.id = trace.result;
    if (!right.has(step.id) && !add_step(step.id, right)) {
      unknown.push_back(step.id);
      continue;
    }
    const Shape shape = right.shape(step.id);
    HandedStep laid = fitted(step, shape, unknown);
    laid.what = what_is(laid.id, right);
    laid.is_whole = !step.by_cell && std::ranges::all_of(laid.cells, &HandedCell::is_number);
    give_decimals_to_whole_numbers(laid, 0);
    if (laid.what == HandedStep::What::mask) take_exactly(laid);
    if (rounds_once_a_step(right.dtype())) {
      for (HandedCell& cell : laid.cells) {
        cell.held = stored(cell.number.value, right.dtype());
        cell.moved = step_at_one(right.dtype()) / 2 * std::abs(*cell.held);
      }
    }
    laid.keeps_whole_sum = problem_rounding == HandRounding{0, RoundingMode::keep_sum};
    laid.asked = laid.cells.size();
    leave_out_padding(laid, shape, trace, right.instruction(*right.line(laid.id)).part);
    handed.push_back(std::move(laid));
  }

  Sheet sheet;
  for (std::size_t line = 0; line < right.size(); ++line) {
    const auto found = std::ranges::find(handed, right.instruction(line).id(), &HandedStep::id);
    if (found == handed.end()) continue;
    const auto [decimals, within] = decimals_of(*found);
    found->decimals = decimals;
    sheet.decimals = std::max(sheet.decimals, decimals);
    sheet.decimals_within = std::max(sheet.decimals_within, within);
    sheet.steps.push_back(std::move(*found));
  }
  if (sheet.decimals == 0) sheet.decimals = sheet.decimals_within;
  sheet.has_expressions = std::ranges::any_of(sheet.steps, has_expression);
  if (sheet.decimals == 0 && sheet.has_expressions) sheet.decimals = trace.digits.value_or(digits_unless_said);
  for (HandedStep& step : sheet.steps) {
    give_decimals_to_whole_numbers(step, step.decimals == 0 ? sheet.decimals : step.decimals);
    find_rows_that_keep_their_sum(step, has_sink(right));
    if (step.decimals == 0) step.decimals = sheet.decimals;
  }
  for (HandedStep& step : sheet.steps) {
    if (step.what != HandedStep::What::exponentials) continue;
    find_rows_with_a_factor(step, sheet.find(subtracted_in(step.id, right)));
  }
  return sheet;
}

}  // namespace attn
