#include "exports/xlsx/layout.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "explain/provenance.h"
#include "words/files.h"
#include "words/language.h"

namespace attn {
namespace {

constexpr std::size_t first_table_row = 2;  // below the title, which stays in sight
constexpr std::size_t longest_sheet_name = 31;

// "A", …, "Z", "AA", ….
std::string column_letters(std::size_t column) {
  std::string letters;
  for (++column; column > 0; column = (column - 1) / 26) {
    letters.insert(letters.begin(), static_cast<char>('A' + (column - 1) % 26));
  }
  return letters;
}

// The sequences, heads and whatever else is more than a matrix, each combination once.
std::vector<Place> block_places(const Shape& shape) {
  std::vector<Place> places = outer_places(shape, 0, 0);
  while (inner_axes(shape, places.front()).size() > 2) {
    std::vector<Place> further;
    for (const Place& place : places) {
      const Dim dim = inner_axes(shape, place).front();
      for (std::size_t i = 0; i < dim.size; ++i) further.push_back(with(place, dim.axis, i));
    }
    places = std::move(further);
  }
  return places;
}

// Lays a table out from that row of its sheet on; returns the first row below it.
std::size_t lay_table_out(SheetTable& table, std::size_t row) {
  const Shape& shape = table.numbers->shape();
  table.row = row;
  row += table.heading->formula.empty() ? 1 : 2;
  table.steps.assign(shape.rank(), {0, 0});
  const std::vector<Place> places = block_places(shape);
  const std::vector<Dim> inner = inner_axes(shape, places.front());
  for (const Dim& dim : inner) {
    const bool is_down = inner.size() == 2 ? &dim == &inner.front() : is_position(dim.axis);
    (is_down ? table.down : table.across).push_back(dim);
    (is_down ? table.steps[*shape.position(dim.axis)].first : table.steps[*shape.position(dim.axis)].second) = 1;
  }
  const std::size_t above = (places.front().empty() ? 0 : 1) + (table.across.empty() ? 0 : 1);
  const std::size_t height = table.down.empty() ? 1 : table.down.front().size;
  for (const Place& place : places) {
    table.blocks.push_back({place, offset_at(shape, place), row + above});
    row += above + height;
  }
  std::size_t apart = above + height;
  for (auto outer = places.front().rbegin(); outer != places.front().rend(); ++outer) {
    table.steps[*shape.position(outer->first)].first = apart;
    apart *= shape.size(outer->first);
  }
  return row + 1;
}

std::string sheet_name(const RecipePart& part, const std::vector<SheetLayout::Sheet>& taken) {
  const std::string wanted =
      part.prefix.empty() ? language().files.steps.text() : part.prefix.substr(0, longest_sheet_name);
  std::string name = wanted;
  for (std::size_t i = 2; std::ranges::count(taken, name, &SheetLayout::Sheet::name) > 0; ++i) {
    const std::string number = "~" + std::to_string(i);
    name = wanted.substr(0, longest_sheet_name - number.size()) + number;
  }
  return name;
}

}  // namespace

std::string cell_reference(const SheetCell& cell, bool is_fixed) {
  const std::string dollar = is_fixed ? "$" : "";
  return dollar + column_letters(cell.column) + dollar + std::to_string(cell.row + 1);
}

SheetCell SheetTable::at(std::size_t cell) const {
  SheetCell place{sheet, blocks.front().row, SheetLayout::first_column};
  const std::vector<std::size_t> index = numbers->shape().index(cell);
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    place.row += index[axis] * steps[axis].first;
    place.column += index[axis] * steps[axis].second;
  }
  return place;
}

bool SheetTable::is_given_step() const { return std::holds_alternative<Given>(step->op); }

SheetLayout::SheetLayout(const Trace& trace) {
  const std::vector<RecipePart>& parts = trace.recipe.parts();
  for (std::size_t part = 0; part < std::max<std::size_t>(parts.size(), 1); ++part) {
    std::size_t row = first_table_row, columns = 0;
    const auto add = [&](SheetTable table) {
      table.sheet = sheets_.size();
      row = lay_table_out(table, row);
      columns = std::max(columns, first_column + (table.across.empty() ? 1 : table.across.front().size));
      places_.emplace(table.heading->id, tables_.size());
      tables_.push_back(std::move(table));
    };
    for (const GivenTensor& given : trace.givens) {
      if (given.part == part) add({.heading = &given.heading, .numbers = &given.value, .given = &given});
    }
    for (const Step& step : trace.steps) {
      if (step.part == part) add({.heading = &step.heading, .numbers = &step.result, .step = &step});
    }
    if (columns == 0) continue;
    const RecipePart own = part < parts.size() ? parts[part] : RecipePart{};
    sheets_.push_back({sheet_name(own, sheets_), dotted(trace.title, own.title), row, columns});
  }
}

std::string SheetLayout::reference(const SheetCell& cell, std::size_t from) const {
  return (cell.sheet == from ? "" : "'" + sheets_[cell.sheet].name + "'!") + cell_reference(cell);
}

}  // namespace attn
