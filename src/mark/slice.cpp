#include "mark/slice.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "mark/comparison.h"
#include "trace/numbers_in.h"

namespace attn {
namespace {

// Rows that differ from each other in kind are few: where a mistake was made in all, any will do.
constexpr std::size_t most_rows = 4;

std::optional<Axis> row_axis(const Shape& shape) {
  if (shape.has("query")) return "query";
  const auto found = std::ranges::find_if(shape.dims(), [](const Dim& dim) { return is_position(dim.axis); });
  return found == shape.dims().end() ? std::nullopt : std::optional(found->axis);
}

// Whether each index along the axis of what the operation makes follows from that index
// of what it reads.
bool goes_index_by_index(const Op& op, const Axis& axis) {
  const auto none = [&](std::initializer_list<Axis> others) { return std::ranges::find(others, axis) == others.end(); };
  return std::visit(Overloaded{[&](const Given&) { return false; }, [&](const Waves&) { return false; },
                               [&](const Copy& copy) { return !copy.along.has(axis); },
                               [&](const Combine& cells) { return !cells.along.has(axis); },
                               [&](const Split& split) {
                                 return none({split.axis, split.outer, split.inner});
                               },
                               [&](const Merge& merge) {
                                 return none({merge.axis, merge.outer, merge.inner});
                               },
                               [&](const Join& join) { return none({join.axis}); },
                               [&](const Repeat& repeat) { return none({repeat.axis}); },
                               [&](const Pick& pick) { return none({pick.axis}) && !pick.rows.shape().has(axis); },
                               [&](const Rotate& turn) {
                                 return none({turn.axis, turn.pair});
                               },
                               [&](const Contract& sum) { return none({sum.over}); },
                               [&](const Reduce& reduce) { return none({reduce.over}); },
                               [&](const Softmax& softmax) { return none({softmax.over}); },
                               [&](const Online& online) {
                                 return none({online.over, online.blocks});
                               },
                               [&](const Normalize& norm) {
                                 // What is done cell by cell reads a number a row.
                                 return none({norm.over});
                               },
                               [&](const Gate&) { return true; }, [&](const Map&) { return true; },
                               [&](const Close&) { return true; }},
                    op);
}

// What the operand calls the axis that its reader calls so; nothing where it has none.
std::optional<Axis> own_axis(const Operand& operand, const Shape& shape, const Axis& as_read) {
  for (const Dim& dim : shape.dims()) {
    Axis name = dim.axis;
    for (const auto& [from, to] : operand.renamed) {
      if (name == from) name = to;
    }
    if (name == as_read) return dim.axis;
  }
  return std::nullopt;
}

// Calls visit(operand, line) with all that a line reads, its mask last.
template <class Visit>
void each_read(const Recipe& recipe, std::size_t line, Visit visit) {
  const Instruction& instruction = recipe.instruction(line);
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    visit(instruction.operands[i], recipe.operands(line)[i]);
  }
  if (instruction.open) visit(*instruction.open, *recipe.open(line));
}

// Which lines rows of the last one follow from, and where rows of them are enough.
struct Needs {
  std::vector<bool> wanted;
  std::vector<std::optional<Axis>> rows;

  Needs(const Recipe& recipe, std::size_t last, const Axis& axis) : wanted(recipe.size()), rows(recipe.size()) {
    wanted[last] = true;
    rows[last] = axis;
    for (std::size_t line = last + 1; line-- > 0;) {
      if (!wanted[line]) continue;
      if (rows[line] && !goes_index_by_index(recipe.instruction(line).op, *rows[line])) rows[line].reset();
      each_read(recipe, line, [&](const Operand& operand, std::size_t read) {
        const auto own = rows[line] ? own_axis(operand, recipe.shape(read), *rows[line]) : std::nullopt;
        if (!wanted[read]) {
          wanted[read] = true;
          rows[read] = own;
        } else if (rows[read] != own) {
          rows[read].reset();
        }
      });
    }
  }
};

Instruction picking(const std::string& id, const std::string& from, const Axis& axis,
                    const std::vector<std::size_t>& rows) {
  Tensor<std::int64_t> places(Shape{{axis, rows.size()}}, std::vector<std::int64_t>(rows.begin(), rows.end()));
  return {.heading = {.id = id},
          .op = Pick{axis, Rows(std::move(places))},
          .operands = {from},
          .kind = Instruction::Kind::between};
}

// The recipe of those rows: where a line needs rows of one that is there whole, they
// are picked.
Recipe cut(const Recipe& whole, const Needs& needs, const std::vector<std::size_t>& rows) {
  Recipe slice = whole;
  slice.keep(needs.wanted);
  for (std::size_t line = 0; line < whole.size(); ++line) {
    if (!needs.wanted[line] || !needs.rows[line]) continue;
    const Instruction& reader = whole.instruction(line);
    bool picks = false;
    std::vector<Operand> read;
    each_read(whole, line, [&](Operand operand, std::size_t from) {
      const auto own = own_axis(operand, whole.shape(from), *needs.rows[line]);
      if (own && !needs.rows[from]) {
        const std::string id = "~rows." + *own + "." + operand.id;
        if (!slice.has(id)) slice.insert_before(reader.id(), picking(id, operand.id, *own, rows));
        operand.id = id;
        picks = true;
      }
      read.push_back(std::move(operand));
    });
    if (!picks) continue;
    std::optional<Operand> open;
    if (reader.open) {
      open = std::move(read.back());
      read.pop_back();
    }
    slice.replace(reader.id(), reader.op, std::move(read), std::move(open));
  }
  return slice;
}

// The cells of a step in those rows.
HandedStep cut(const HandedStep& whole, const Shape& shape, const Axis& axis, const std::vector<std::size_t>& rows) {
  HandedStep step{.id = whole.id, .what = whole.what, .shape = whole.shape, .cells = {}, .decimals = whole.decimals};
  step.shape[*shape.position(axis)] = rows.size();
  const std::size_t stride = shape.stride(axis), size = shape.size(axis);
  for (std::size_t before = 0; before < whole.cells.size(); before += stride * size) {
    for (const std::size_t row : rows) {
      const auto first = whole.cells.begin() + static_cast<std::ptrdiff_t>(before + row * stride);
      step.cells.insert(step.cells.end(), first, first + static_cast<std::ptrdiff_t>(stride));
    }
  }
  return step;
}

}  // namespace

std::optional<Patch> StepSlice::moved(const Recipe& whole, const Patch& patch) const {
  const auto line = recipe.line(whole.instruction(patch.line).id());
  if (!line) return std::nullopt;
  const Shape& shape = whole.shape(patch.line);
  const Shape& left = recipe.shape(*line);
  std::vector<std::size_t> index = shape.index(patch.cell);
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    if (left[axis].size == shape[axis].size) continue;
    const auto row = std::ranges::find(rows, index[axis]);
    if (row == rows.end()) return std::nullopt;
    index[axis] = static_cast<std::size_t>(row - rows.begin());
  }
  return Patch{*line, left.offset(index, left), patch.value};
}

Slicer::Slicer(const Sheet& sheet, std::size_t step, const Shape& shape, const std::vector<bool>& matched)
    : sheet_(sheet), step_(step), axis_(row_axis(shape)) {
  // What was subtracted before e^x may depend on rows that are not there.
  const bool tells = std::ranges::none_of(
      sheet.steps.begin(), sheet.steps.begin() + static_cast<std::ptrdiff_t>(step) + 1,
      [](const HandedStep& handed) { return !handed.fits || handed.what == HandedStep::What::exponentials; });
  if (!tells || !axis_ || matched.size() != shape.count()) {
    axis_.reset();
    return;
  }
  for (std::size_t cell = 0; cell < matched.size() && rows_.size() < most_rows; ++cell) {
    const std::size_t row = cell / shape.stride(*axis_) % shape.size(*axis_);
    if (!matched[cell] && std::ranges::find(rows_, row) == rows_.end()) rows_.push_back(row);
  }
  std::ranges::sort(rows_);
}

std::optional<StepSlice> Slicer::of(const Recipe& recipe) {
  const auto last = recipe.line(sheet_.steps[step_].id);
  if (!axis_ || rows_.empty() || !last || !recipe.shape(*last).has(*axis_)) return std::nullopt;
  const Needs needs(recipe, *last, *axis_);
  if (!needs.rows[*last]) return std::nullopt;
  auto sheet = sheet_of(recipe, needs.wanted, needs.rows);
  if (!sheet) return std::nullopt;
  Recipe slice = cut(recipe, needs, rows_);
  if (!slice.fits()) return std::nullopt;
  SheetPlaces places = places_on_sheet(slice, *sheet);
  return StepSlice{std::move(slice), std::move(sheet), std::move(places), rows_};
}

std::shared_ptr<const Sheet> Slicer::sheet_of(const Recipe& recipe, const std::vector<bool>& wanted,
                                              const std::vector<Part>& rows) {
  std::vector<std::optional<Part>> needed;
  for (std::size_t i = 0; i <= step_; ++i) {
    const auto line = recipe.line(sheet_.steps[i].id);
    needed.emplace_back();
    if (line && wanted[*line]) needed.back().emplace(rows[*line]);
    if (needed.back() && !attn::fits(sheet_.steps[i], recipe.shape(*line))) return nullptr;
  }
  std::shared_ptr<const Sheet>& known = sheets_[needed];
  if (known) return known;
  auto made = std::make_shared<Sheet>();
  made->decimals = sheet_.decimals;
  for (std::size_t i = 0; i <= step_; ++i) {
    if (!needed[i]) continue;
    const HandedStep& step = sheet_.steps[i];
    made->steps.push_back(*needed[i] ? cut(step, recipe.shape(step.id), **needed[i], rows_) : step);
  }
  return known = std::move(made);
}

std::size_t work_of(const Recipe& recipe) {
  std::size_t work = 0;
  for (std::size_t line = 0; line < recipe.size(); ++line) {
    const auto* sum = std::get_if<Contract>(&recipe.instruction(line).op);
    work += recipe.shape(line).count() * (sum ? recipe.layout(line).read[0].size(sum->over) : 1);
  }
  return work;
}

bool is_worth_slicing(const Recipe& recipe) {
  constexpr std::size_t many = 40'000;
  return numbers_in(recipe) > many;
}

}  // namespace attn
