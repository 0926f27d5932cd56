#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "explain/place.h"
#include "exports/csv_text.h"
#include "exports/export.h"
#include "exports/numbers.h"
#include "trace/trace.h"

namespace attn {
namespace {

// What spreadsheets pass over when they look whether a cell is a formula:
// spaces, those that are not seen too, and quotes.
constexpr auto passed_over = std::to_array<std::string_view>({
    " ",      "'",      "\"",     "\u00a0", "\u00ad", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004",
    "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a", "\u200b", "\u200c", "\u200d", "\u2060",
    "\u202f", "\u205f", "\u3000", "\u2018", "\u2019", "\u201c", "\u201d", "\uff02", "\uff07",
});

// What a formula begins with, in the narrow, the wide and the small form.
constexpr auto formula_signs =
    std::to_array<std::string_view>({"=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\ufe66", "\ufe62",
                                     "\ufe63", "\ufe6b", "\t", "\r", "\n"});

template <class List>
std::size_t starting(std::string_view text, const List& list) {
  const auto found = std::ranges::find_if(list, [&](std::string_view one) { return text.starts_with(one); });
  return found == list.end() ? 0 : found->size();
}

bool starts_formula(std::string_view text) {
  while (const std::size_t bytes = starting(text, passed_over)) text.remove_prefix(bytes);
  return starting(text, formula_signs) > 0;
}

// Many spreadsheets begin a new cell at a semicolon, and take quotes in the middle of what they read for text.
std::string without_formulas(const std::string& text) {
  std::string safe = starts_formula(text) ? "'" : "";
  for (std::size_t at = 0; at < text.size(); ++at) {
    safe += text[at];
    if (text[at] != ';') continue;
    const std::string_view rest = std::string_view(text).substr(at + 1);
    if (starts_formula(rest.substr(std::min(rest.find_first_not_of('"'), rest.size())))) safe += '\'';
  }
  return safe;
}

// A name for a position along some axes: its numbers, its labels, as cells.
struct Position {
  std::string index, label;
  std::size_t cell = 0;  // how far its cells are from those of the first
};

// Every position along these axes; the only one there is, where there are none.
std::vector<Position> positions(const Trace& trace, const Heading& heading, const Shape& shape,
                                const std::vector<Dim>& axes, const Place& place) {
  std::vector<Position> all(1);
  for (const Dim& dim : axes) {
    const std::vector<std::string> labels = axis_labels(trace, heading, dim, place);
    std::vector<Position> longer;
    for (const Position& so_far : all) {
      const bool first = so_far.index.empty();
      for (std::size_t i = 0; i < dim.size; ++i) {
        longer.push_back({so_far.index + (first ? "" : " ") + std::to_string(i + 1),
                          so_far.label + (first ? "" : " · ") + labels[i], so_far.cell + i * shape.stride(dim.axis)});
      }
    }
    all = std::move(longer);
  }
  for (Position& one : all) one.label = csv_cell(one.label);
  return all;
}

// batch,head,step,
std::string front_of(const Heading& heading, const Place& place) {
  std::string front;
  for (const std::string_view axis : {"batch", "head"}) {
    const auto index = index_along(place, axis);
    front += (index ? std::to_string(*index + 1) : "") + ",";
  }
  return front + csv_cell(heading.id) + ",";
}

// The axes of the matrix at a place: a vector is a row of features or a column of positions.
struct Sides {
  std::vector<Dim> down, across;
};

Sides sides_of(const Shape& shape, const Place& place) {
  Sides sides{inner_axes(shape, place), {}};
  std::vector<Dim>& down = sides.down;
  if (down.size() > 1 || (down.size() == 1 && !is_position(down[0].axis))) {
    sides.across.push_back(down.back());
    down.pop_back();
  }
  return sides;
}

void append_tensor(const Trace& trace, const Heading& heading, const Tensor<double>& value, NumberSpelling& spelling,
                   Outgoing& out) {
  const Shape& shape = value.shape();
  for (const Place& place : outer_places(shape, 0, 0)) {
    const std::string front = front_of(heading, place);
    const auto [down, across] = sides_of(shape, place);
    const std::size_t first = offset_at(shape, place);
    const std::vector<Position> columns = positions(trace, heading, shape, across, place);
    for (const Position& row : positions(trace, heading, shape, down, place)) {
      for (const Position& column : columns) {
        std::string& text = out.text();
        text.append(front).append(row.index).append(",").append(column.index).append(",");
        spelling.append(value[first + row.cell + column.cell], text);
        text.append(",").append(row.label).append(",").append(column.label).append("\n");
        out.hand_over_if_enough();
      }
    }
  }
}

// Every number of a trace on a line of its own, the given tensors before the
// steps. Indices count from 1 and are empty where a tensor has no such axis; of
// more than two axes all but the last are its row: "1 2".
void write_csv(const Trace& trace, Sink& sink) {
  Outgoing out(sink);
  NumberSpelling spelling(trace.arithmetic.dtype);
  out.text() = "batch,head,step,row,column,value,row_label,column_label\n";
  for (const GivenTensor& given : trace.givens) append_tensor(trace, given.heading, given.value, spelling, out);
  for (const Step& step : trace.steps) append_tensor(trace, step.heading, step.result, spelling, out);
  out.hand_over();
}

// How many characters the names of positions have on average.
double length_of_names(const std::vector<Position>& all) {
  std::size_t sum = 0;
  for (const Position& one : all) sum += one.index.size() + one.label.size();
  return all.empty() ? 0 : static_cast<double>(sum) / static_cast<double>(all.size());
}

// As if every sequence and head were the first.
double expected_bytes(const Trace& trace, const Heading& heading, const Tensor<double>& value,
                      NumberSpelling& spelling) {
  constexpr double between = 5;  // the cells of a line: commas, and its end
  const Shape& shape = value.shape();
  const std::vector<Place> places = outer_places(shape, 0, 0);
  if (places.empty()) return 0;
  const Place& place = places.front();
  const auto [down, across] = sides_of(shape, place);
  const auto append = [&](double number, std::string& text) { spelling.append(number, text); };
  const double of_line = static_cast<double>(front_of(heading, place).size()) + between +
                         usual_length(value.data(), append) +
                         length_of_names(positions(trace, heading, shape, down, place)) +
                         length_of_names(positions(trace, heading, shape, across, place));
  return static_cast<double>(value.size()) * of_line;
}

std::size_t expected_csv(const Trace& trace) {
  double bytes = 0;
  NumberSpelling spelling(trace.arithmetic.dtype);
  for (const GivenTensor& given : trace.givens) bytes += expected_bytes(trace, given.heading, given.value, spelling);
  for (const Step& step : trace.steps) bytes += expected_bytes(trace, step.heading, step.result, spelling);
  return static_cast<std::size_t>(bytes);
}

}  // namespace

std::string csv_cell(const std::string& text) {
  std::string cell = printable(without_formulas(text));
  if (cell.find_first_of(",;\"\n") == std::string::npos && !cell.starts_with(' ') && !cell.ends_with(' ')) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

Export csv_export() {
  return {"csv", ".csv", "one number a line, for spreadsheets and data frames", write_csv, expected_csv};
}

}  // namespace attn
