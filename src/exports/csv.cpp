#include "exports/csv.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "explain/telling/axes.h"
#include "exports/export.h"
#include "exports/spelling.h"

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

// The lines of one tensor.
class CsvTensor {
 public:
  CsvTensor(const Trace& trace, const Heading& heading, const Tensor<double>& value, NumberSpelling& spelling,
            Outgoing& out)
      : trace_(trace), heading_(heading), value_(value), spelling_(spelling), out_(out) {}

  void write() {
    for (const Place& place : outer_places(value_.shape(), 0, 0)) {
      for (const std::string_view outer : {"batch", "head"}) {
        const auto at = std::ranges::find(place, outer, &Place::value_type::first);
        front_ += (at == place.end() ? "" : std::to_string(at->second + 1)) + ",";
      }
      front_ += csv_cell(heading_.id) + ",";
      write(place);
      front_.clear();
    }
  }

 private:
  // A name for a position along some axes: its numbers, its labels, as cells.
  struct Position {
    std::string index, label;
    std::size_t cell = 0;  // how far its cells are from those of the first
  };

  void write(const Place& place) {
    std::vector<Dim> down = inner_axes(value_.shape(), place);
    std::vector<Dim> across;
    // A vector is a row of features or a column of positions.
    if (down.size() > 1 || (down.size() == 1 && !is_position(down[0].axis))) {
      across.push_back(down.back());
      down.pop_back();
    }
    const std::size_t first = offset_at(value_.shape(), place);
    const std::vector<Position> columns = positions(across, place);
    for (const Position& row : positions(down, place)) {
      for (const Position& column : columns) {
        std::string& text = out_.text();
        text.append(front_).append(row.index).append(",").append(column.index).append(",");
        spelling_.append(value_[first + row.cell + column.cell], text);
        text.append(",").append(row.label).append(",").append(column.label).append("\n");
        out_.hand_over_if_enough();
      }
    }
  }

  std::vector<Position> positions(const std::vector<Dim>& axes, const Place& place) const {
    std::vector<Position> all(1);
    for (const Dim& dim : axes) {
      const std::vector<std::string> labels = axis_labels(trace_, heading_, dim, place);
      const std::size_t stride = value_.shape().stride(dim.axis);
      std::vector<Position> longer;
      for (const Position& so_far : all) {
        const bool first = so_far.index.empty();
        for (std::size_t i = 0; i < dim.size; ++i) {
          longer.push_back({so_far.index + (first ? "" : " ") + std::to_string(i + 1),
                            so_far.label + (first ? "" : " · ") + labels[i], so_far.cell + i * stride});
        }
      }
      all = std::move(longer);
    }
    for (Position& one : all) one.label = csv_cell(one.label);
    return all;
  }

  const Trace& trace_;
  const Heading& heading_;
  const Tensor<double>& value_;
  NumberSpelling& spelling_;
  Outgoing& out_;
  std::string front_;  // batch,head,step,
};

}  // namespace

std::string csv_cell(const std::string& text) {
  std::string cell = (starts_formula(text) ? "'" : "") + printable(text);
  if (cell.find_first_of(",\"\n") == std::string::npos && !cell.starts_with(' ') && !cell.ends_with(' ')) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

void write_csv(const Trace& trace, Sink& sink) {
  Outgoing out(sink);
  NumberSpelling spelling(trace.arithmetic.dtype);
  const auto write = [&](const Heading& heading, const Tensor<double>& value) {
    CsvTensor(trace, heading, value, spelling, out).write();
  };
  out.text() = "batch,head,step,row,column,value,row_label,column_label\n";
  for (const GivenTensor& given : trace.givens) write(given.heading, given.value);
  for (const Step& step : trace.steps) write(step.heading, step.result);
  out.hand_over();
}

Export csv_export() { return {"csv", ".csv", "one number a line, for spreadsheets and data frames", write_csv}; }

}  // namespace attn
