#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/numbers.h"
#include "mark/marking.h"
#include "ops/regroups.h"
#include "ops/walk.h"
#include "words/language.h"

namespace attn {
namespace {

std::string to_four_decimals(double number) { return shortest(rounded(number, {4, RoundingMode::half_up})); }

// Whether the weights that the line makes are shares of a row's exponentials, and of nothing
// besides: a softmax has none below zero, and they sum to 1.
bool are_shares(const Recipe& recipe, std::size_t line) {
  if (std::get<Softmax>(recipe.instruction(line).op).part != Softmax::Part::weights) return false;
  const std::size_t sums = recipe.operands(line)[1];
  return recipe.operands(sums).size() == 1;
}

// What no attention weights can be: a number below zero, a row that adds up to
// something else than 1. Empty where nothing speaks against them. `right` is what the
// step should be: a row of it that is closed throughout adds up to 0. Rounding alone may
// make a row without a wrong number add up to something else.
std::string impossible_weights(const Marking& marking, std::size_t number, const Tensor<double>& right) {
  const HandedStep& step = marking.sheet().steps[number];
  const std::size_t width = step.shape.back();
  const auto has_wrong = [&](std::size_t cell, std::size_t end) {
    while (cell < end && !marking.is_wrong(number, cell)) ++cell;
    return cell < end;
  };
  for (std::size_t start = 0; start + width <= step.cells.size(); start += width) {
    const auto weights = right.data().subspan(start, width);
    if (std::ranges::all_of(weights, [](double weight) { return weight == 0; })) continue;
    if (!has_wrong(start, start + width)) continue;
    double sum = 0;
    double slack = 0;
    bool whole = true;
    for (const HandedCell& cell : std::span(step.cells).subspan(start, width)) {
      whole = whole && cell.is_number();
      if (!cell.is_number()) continue;
      if (cell.number.value < 0) return language().verdicts.never_negative(cell.number.text);
      sum += cell.number.value;
      slack += stands_for(cell, RoundingMode::truncate, {}).width();
    }
    if (!whole || std::abs(sum - 1) <= slack + 1e-9 || sum == 0) continue;
    std::vector<std::size_t> row = right.shape().index(start);
    row.pop_back();
    // Of one matrix its number alone.
    const std::string which = row.size() == 1 ? std::to_string(row[0] + 1) : spelled_index(row);
    return language().verdicts.row_sums_to(which, to_four_decimals(sum));
  }
  return "";
}

// What no context can be: a number outside the column of values that it is a
// weighted mean of. `shape` is the context's, `values` what the person works with.
std::string impossible_context(const Marking& marking, std::size_t step, const Shape& shape,
                               const Tensor<double>& values) {
  const std::size_t keys = values.shape().size("key");
  const std::size_t stride = values.shape().stride("key");
  const Cells<double> cells{&values.shape(), values.data().data()};
  std::string found;
  Walk(shape, std::span(&cells, 1), nullptr).each([&](std::size_t at, const Offsets& first) {
    const HandedCell& cell = marking.sheet().steps[step].cells[at];
    // A closed row gives 0 whatever the values are.
    if (!found.empty() || !marking.is_wrong(step, at) || cell.number.value == 0) return;
    Interval column(values[first[0]]);
    for (std::size_t key = 1; key < keys; ++key) column = hull(column, values[first[0] + key * stride]);
    if (meet(stands_for(cell, RoundingMode::half_up, {}), with_slack(column))) return;
    found =
        language().verdicts.lies_outside(to_four_decimals(column.low), to_four_decimals(column.high), cell.number.text);
  });
  return found;
}

// Whether the person knows these numbers: they were handed in, all of them, or the problem states them.
bool are_known(const Recipe& recipe, const Sheet& sheet, std::size_t line) {
  const HandedStep* handed = sheet.find(recipe.instruction(line).id());
  if (handed && handed->fits && std::ranges::all_of(handed->cells, &HandedCell::is_number)) return true;
  return regroups(recipe.instruction(line).op) &&
         std::ranges::all_of(recipe.operands(line), [&](std::size_t from) { return are_known(recipe, sheet, from); });
}

std::string impossible_context_of(Marking& marking, std::size_t step) {
  const Recipe& recipe = marking.right().recipe;
  const std::size_t line = marking.line_of(step);
  const Anatomy& attention = *recipe.parts()[recipe.instruction(line).part].attention;
  const auto weights = recipe.line(attention.weights);  // none where keys are taken a few at a time
  if (!weights || !are_shares(recipe, *weights)) return "";
  const std::size_t values = *recipe.line(attention.values);
  if (!are_known(recipe, marking.sheet(), values)) return "";  // nobody is told right numbers
  // The sum of the weighted values, or of the products, and of nothing else.
  const auto is_of_values = [&](std::size_t made) {
    return recipe.operands(made).size() == 2 && std::ranges::count(recipe.operands(made), *weights) == 1;
  };
  const std::vector<std::size_t>& terms = recipe.operands(line);
  if (!is_of_values(line) && !(terms.size() == 1 && is_of_values(terms[0]))) return "";
  // Values that several heads share, or that stand beside past ones, are not all there is.
  const Shape& own = recipe.shape(values);
  const Shape& read = recipe.shape(*weights);
  const bool are_all = std::ranges::all_of(own.dims(), [&](const Dim& dim) {
    const Shape& beside = dim.axis == "key" ? read : recipe.shape(line);
    return beside.has(dim.axis) && beside.size(dim.axis) == dim.size;
  });
  if (!are_all) return "";
  return impossible_context(marking, step, recipe.shape(line),
                            *marking.base(marking.manners().front()).carried[values]);
}

}  // namespace

void blame_unknown(Marking& marking, std::size_t step, Report& report) {
  const HandedStep& handed = marking.sheet().steps[step];
  Diagnosis diagnosis{.mistake = "unexplained", .step = handed.id, .cells = marking.wrong_cells(step)};
  if (!handed.fits) {
    diagnosis.message = language().verdicts.other_shape(in_words(handed.id));
    diagnosis.hint = language().verdicts.check_shape;
  } else {
    const std::size_t wrong = marking.count_wrong(step);
    diagnosis.message = language().verdicts.unexplained(in_words(handed.id), wrong == 1);
    if (handed.what == HandedStep::What::weights && are_shares(marking.right().recipe, marking.line_of(step))) {
      diagnosis.evidence =
          impossible_weights(marking, step, marking.base(marking.manners().front()).result(marking.line_of(step)));
    }
    if (handed.what == HandedStep::What::context) diagnosis.evidence = impossible_context_of(marking, step);
    diagnosis.hint = language().verdicts.work_out_again(wrong == 1);
  }
  report.diagnoses.push_back(std::move(diagnosis));
}

}  // namespace attn
